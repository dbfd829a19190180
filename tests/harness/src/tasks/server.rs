//! A loopback web server with one page. It records the requests that the page sends.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// A web server that stops on drop.
#[derive(Debug)]
pub struct Server {
    port: u16,
    sent: Receiver<String>,
    stopping: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves one page at every path and records the bodies of POST requests.
    pub fn serve(page: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port is free");
        let port = listener.local_addr().expect("the listener is bound").port();
        let (sender, sent) = channel();
        let stopping = Arc::new(AtomicBool::new(false));
        let stop_flag = Arc::clone(&stopping);
        let thread = std::thread::spawn(move || accept_loop(&listener, page, &sender, &stop_flag));
        Self { port, sent, stopping, thread: Some(thread) }
    }

    /// Returns the address. It is leaked because [`App`](crate::App) holds `'static` text.
    pub fn address(&self) -> &'static str {
        format!("http://127.0.0.1:{}/", self.port).leak()
    }

    /// Returns the next posted body, or `None` after the timeout.
    pub fn next_post(&self, within: Duration) -> Option<String> {
        self.sent.recv_timeout(within).ok()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::Relaxed);
        // A connection wakes the accept loop.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn accept_loop(listener: &TcpListener, page: &str, sent: &Sender<String>, stop_flag: &AtomicBool) {
    for stream in listener.incoming() {
        if stop_flag.load(Ordering::Relaxed) {
            return;
        }
        if let Ok(stream) = stream {
            // A browser may open a connection without using it, or close it early.
            let _ = answer(stream, page, sent);
        }
    }
}

fn answer(mut stream: TcpStream, page: &str, sent: &Sender<String>) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_millis(500)))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let reply = if request.starts_with("POST") {
        // The test may be over.
        let _ = sent.send(String::from_utf8_lossy(&body).into_owned());
        "<!doctype html><title>Thanks</title><h1>Thanks</h1>"
    } else {
        page
    };
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{reply}",
        reply.len()
    )
}

/// Decodes the fields of a submitted form.
pub fn decode_form(body: &str) -> HashMap<String, String> {
    let pairs = body.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (percent_decode(name), percent_decode(value))).collect()
}

fn percent_decode(coded: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = coded.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [rest.next().unwrap_or(b'0'), rest.next().unwrap_or(b'0')];
                let digits = std::str::from_utf8(&digits).unwrap_or("3f");
                u8::from_str_radix(digits, 16).unwrap_or(b'?')
            }
            other => other,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_decoded() {
        let fields = decode_form("name=Gr%C3%BC%C3%9Fe+1&notes=a%0D%0Ab&empty=");
        assert_eq!(fields["name"], "Grüße 1");
        assert_eq!(fields["notes"], "a\r\nb");
        assert_eq!(fields["empty"], "");
    }
}
