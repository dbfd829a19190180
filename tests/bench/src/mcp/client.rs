//! The client for all servers: raw lines on pipes, raw HTTP on a persistent connection.
//!
//! The clients of the harness read in a thread and open a connection for each request, which would be measured too.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, ChildStdin, ChildStdout},
};

use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::timing::RESPONSE_TIMEOUT;

/// The connection to a server.
enum Connection {
    /// The standard streams of the server.
    Pipes(ChildStdin, BufReader<ChildStdout>),
    /// A persistent HTTP connection.
    Http { stream: BufReader<TcpStream>, host: String, session: Option<String> },
}

/// A client that waits for each response.
pub(crate) struct Client {
    connection: Connection,
    next: u64,
}

impl Client {
    /// Connects to a server's standard streams and initializes a session.
    pub(crate) fn on_pipes(child: &mut Child) -> Result<Self> {
        let (input, output) =
            child.stdin.take().zip(child.stdout.take()).ok_or_else(connection_lost)?;
        Self { connection: Connection::Pipes(input, BufReader::new(output)), next: 1 }.initialized()
    }

    /// Connects to an HTTP address and initializes a session.
    pub(crate) fn over_http(at: &str) -> Result<Self> {
        let failed = || Error::system(at.to_owned());
        let stream = TcpStream::connect(at).map_err(failed())?;
        stream.set_nodelay(true).map_err(failed())?;
        stream.set_read_timeout(Some(RESPONSE_TIMEOUT)).map_err(failed())?;
        let stream = BufReader::new(stream);
        let connection = Connection::Http { stream, host: at.to_owned(), session: None };
        Self { connection, next: 1 }.initialized()
    }

    fn initialized(mut self) -> Result<Self> {
        let client = json!({ "name": "bench", "version": "1" });
        self.request(
            "initialize",
            &json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client }),
        )?;
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(self)
    }

    /// Sends a request and waits for the result.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        let id = self.next;
        self.next += 1;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let answer = self.exchange(&message, id)?;
        match answer.get("result") {
            Some(result) if result["isError"] != true => Ok(result.clone()),
            Some(_) | None => Err(Error::Server(answer.to_string())),
        }
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        match &mut self.connection {
            Connection::Pipes(input, _) => {
                input.write_all(format!("{message}\n").as_bytes()).map_err(|_| connection_lost())
            }
            Connection::Http { .. } => self.post(message).map(|_| ()),
        }
    }

    fn exchange(&mut self, message: &Value, id: u64) -> Result<Value> {
        if matches!(self.connection, Connection::Http { .. }) {
            let body = self.post(message)?;
            return find_response(&body, id).ok_or(Error::Server(body));
        }
        self.send(message)?;
        let Connection::Pipes(_, output) = &mut self.connection else {
            return Err(connection_lost());
        };
        loop {
            let mut line = String::new();
            if output.read_line(&mut line).map_err(|_| connection_lost())? == 0 {
                return Err(connection_lost());
            }
            if let Some(answer) = find_response(&line, id) {
                return Ok(answer);
            }
        }
    }

    /// Posts a message and returns the whole body of the response.
    fn post(&mut self, message: &Value) -> Result<String> {
        let Connection::Http { stream, host, session } = &mut self.connection else {
            return Err(connection_lost());
        };
        let body = message.to_string();
        let own = session
            .as_ref()
            .map(|id| format!("Mcp-Session-Id: {id}\r\nMcp-Protocol-Version: 2025-06-18\r\n"));
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nAccept: \
             application/json, text/event-stream\r\n{}Content-Length: {}\r\n\r\n{body}",
            own.unwrap_or_default(),
            body.len()
        );
        stream.get_mut().write_all(request.as_bytes()).map_err(|_| connection_lost())?;
        let head = head(stream)?;
        if !head.starts_with("http/1.1 2") {
            return Err(Error::Server(head));
        }
        if let Some(id) = header(&head, "mcp-session-id") {
            *session = Some(id.to_owned());
        }
        read_body(stream, &head)
    }
}

/// Reads the response head in lower case. Header names are case-insensitive, and no measured server
/// uses upper case in session ids.
fn head(stream: &mut BufReader<TcpStream>) -> Result<String> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).map_err(|_| connection_lost())? == 0 {
            return Err(connection_lost());
        }
    }
    Ok(head.to_ascii_lowercase())
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let of = |line: &'a str| line.split_once(':').filter(|(key, _)| *key == name);
    head.lines().find_map(of).map(|(_, value)| value.trim())
}

fn read_body(stream: &mut BufReader<TcpStream>, head: &str) -> Result<String> {
    let mut body = Vec::new();
    if header(head, "transfer-encoding") == Some("chunked") {
        loop {
            let mut size = String::new();
            stream.read_line(&mut size).map_err(|_| connection_lost())?;
            let size = usize::from_str_radix(size.trim(), 16).map_err(|_| connection_lost())?;
            let begin = body.len();
            body.resize(begin + size + 2, 0);
            stream.read_exact(&mut body[begin..]).map_err(|_| connection_lost())?;
            body.truncate(begin + size);
            if size == 0 {
                break;
            }
        }
    } else {
        let length = header(head, "content-length").and_then(|it| it.parse().ok()).unwrap_or(0);
        body.resize(length, 0);
        stream.read_exact(&mut body).map_err(|_| connection_lost())?;
    }
    String::from_utf8(body).map_err(|_| connection_lost())
}

/// Finds the response to a request in JSON lines or in an event stream.
fn find_response(text: &str, id: u64) -> Option<Value> {
    let lines = text.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
    let messages = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    messages.into_iter().find(|message| message["id"] == id && message.get("method").is_none())
}

fn connection_lost() -> Error {
    Error::Server("the connection was lost".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_found_in_lines_and_events() {
        let line = r#"{"jsonrpc":"2.0","id":3,"result":{}}"#;
        assert!(find_response(line, 3).is_some() && find_response(line, 4).is_none());
        let events = format!("id: 1\ndata:\n\nevent: message\ndata: {line}\n\n");
        assert!(find_response(&events, 3).is_some());
        assert_eq!(header("http/1.1 200 ok\r\nmcp-session-id: a\r\n", "mcp-session-id"), Some("a"));
    }
}
