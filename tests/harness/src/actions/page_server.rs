//! A small web server for the matrix page. It serves the page, receives its events and sends it
//! commands.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;

use crate::app::fixtures;

/// A server on a free loopback port. It runs until this process ends.
pub(crate) struct PageServer {
    port: u16,
    state: Arc<PageState>,
}

#[derive(Default)]
struct PageState {
    lines: Mutex<Vec<Value>>,
    /// The open event stream of the page.
    commands: Mutex<Option<TcpStream>>,
}

impl PageServer {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a loopback port is free");
        let port = listener.local_addr().expect("the listener is bound").port();
        let state = Arc::new(PageState::default());
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                std::thread::spawn(move || state.answer(stream));
            }
        });
        Self { port, state }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/page.html", self.port)
    }

    pub(crate) fn lines(&self) -> Vec<Value> {
        self.state.lines.lock().clone()
    }

    pub(crate) fn send_command(&self, command: &str) {
        let mut open = self.state.commands.lock();
        let stream = open.as_mut().expect("the page is open");
        write!(stream, "data: {command}\n\n").expect("the page is connected");
    }
}

impl PageState {
    /// Handles one request. Ignores a browser that disconnects early.
    fn answer(&self, stream: TcpStream) {
        let Ok(copy) = stream.try_clone() else { return };
        let mut reader = BufReader::new(copy);
        let mut head = Vec::new();
        for line in reader.by_ref().lines().map_while(Result::ok) {
            if line.is_empty() {
                break;
            }
            head.push(line);
        }
        let request = head.first().cloned().unwrap_or_default();
        let path = request.split(' ').nth(1).unwrap_or_default();
        let length = head.iter().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
        });
        let mut body = vec![0; length.unwrap_or(0)];
        if reader.read_exact(&mut body).is_ok() {
            self.respond(stream, path, &body);
        }
    }

    fn respond(&self, mut stream: TcpStream, path: &str, body: &[u8]) {
        let kind = match path {
            "/event" => {
                let line = serde_json::from_slice(body).expect("the page writes JSON");
                self.lines.lock().push(line);
                return reply(&mut stream, "204 No Content", "text/plain", "");
            }
            "/commands" => {
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: open\n\n";
                if stream.write_all(head.as_bytes()).is_ok() {
                    *self.commands.lock() = Some(stream);
                }
                return;
            }
            "/page.html" => "text/html; charset=utf-8",
            "/page.js" | "/corrections.js" => "text/javascript; charset=utf-8",
            _ => return reply(&mut stream, "404 Not Found", "text/plain", ""),
        };
        let file = fixtures().join("matrix").join(&path[1..]);
        let text = std::fs::read_to_string(file).expect("the file is in the repository");
        reply(&mut stream, "200 OK", kind, &text);
    }
}

fn reply(stream: &mut TcpStream, status: &str, kind: &str, body: &str) {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    // A browser that disconnected does not need the reply.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
}
