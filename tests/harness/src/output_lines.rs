//! Lines that a process writes to its standard streams.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, channel};

/// Reads lines in a thread and sends them to a channel.
pub fn line_channel(from: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

/// Returns the first line that contains `text`. The rest is read in a thread, because a process may
/// die of a closed pipe.
pub fn first_line_with(from: impl Read + Send + 'static, text: &str) -> String {
    let mut lines = BufReader::new(from).lines().map_while(Result::ok);
    let line = lines.find(|line| line.contains(text));
    std::thread::spawn(move || lines.for_each(drop));
    line.unwrap_or_else(|| panic!("no line contains {text}"))
}

/// Returns the host and port that a server writes to its standard error when it starts.
pub fn http_address(stderr: impl Read + Send + 'static) -> String {
    let line = first_line_with(stderr, "://");
    let address = line.split("://").nth(1).and_then(|it| it.split('/').next());
    address.expect("the line contains ://").to_owned()
}
