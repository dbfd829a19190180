//! Fuzzing of the line reader: lines of any length, in chunks of any size.

use std::io::Cursor;

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, BufReader, duplex},
    runtime::Runtime,
};

use super::*;

/// A request that must be read whatever precedes it.
const LAST_REQUEST: &[u8] = br#"{"jsonrpc":"2.0","id":"last of all","method":"ping"}"#;

/// Capacity for replies that are not read yet.
const REPLY_CAPACITY: usize = 64 << 20;

thread_local! {
    static RUNTIME: Runtime = runtime();
}

/// Reads a byte stream. Its first byte sets the maximum line length, its second the chunk size.
///
/// # Panics
///
/// Panics if lines are not split at newlines, if an overlong line is accepted or not answered, or
/// if the line after it is not read.
pub fn lines(data: &[u8]) {
    let [max_line, piece, rest @ ..] = data else { return };
    let max_line = LAST_REQUEST.len() + usize::from(*max_line);
    // Text after the last newline is a line too.
    let whole = rest.strip_suffix(b"\n").unwrap_or(rest);
    let all = whole.split(|byte| *byte == b'\n').filter(|_| !rest.is_empty());
    let expected: Vec<Option<&[u8]>> =
        all.map(|line| Some(line).filter(|line| line.len() <= max_line)).collect();
    let too_long = expected.iter().filter(|line| line.is_none()).count();
    RUNTIME.with(|runtime| {
        runtime.block_on(async {
            let read = every_line(rest, max_line, 1 + usize::from(*piece)).await;
            let read: Vec<Option<&[u8]>> = read.iter().map(Option::as_deref).collect();
            assert_eq!(read, expected, "split at every newline");
            check_replies([rest, b"\n", LAST_REQUEST].concat(), max_line, too_long).await;
        });
    });
}

/// Returns every line the reader yields, `None` for an overlong one.
async fn every_line(input: &[u8], max_line: usize, piece: usize) -> Vec<Option<Vec<u8>>> {
    let mut from = BufReader::with_capacity(piece, input);
    let (mut line, mut all) = (Vec::new(), Vec::new());
    loop {
        match next_line(&mut from, &mut line, max_line).await {
            Ok(LineRead::Complete) => all.push(Some(line.clone())),
            Ok(LineRead::TooLong) => all.push(None),
            Ok(LineRead::End) => return all,
            Err(error) => panic!("bytes in memory cannot be read: {error}"),
        }
    }
}

/// Runs the input through a whole connection and checks the replies.
async fn check_replies(input: Vec<u8>, max_line: usize, too_long: usize) {
    let (mut client, server) = duplex(REPLY_CAPACITY);
    let ended = CancellationToken::new();
    let mut lines = JsonLinesTransport::with_max_line(
        Cursor::new(input),
        server,
        ended.clone(),
        ConnectionState::default(),
        max_line,
    );
    let is_last = |id: &Value| id == "last of all";
    let mut is_read = false;
    while let Some(message) = lines.receive().await {
        let message = serde_json::to_value(&message).unwrap_or_default();
        is_read |= is_last(&message["id"]);
    }
    ended.cancelled().await;
    let closed = lines.close().await;
    assert!(closed.is_ok(), "{closed:?}");
    drop(lines);
    let mut output = Vec::new();
    let read = client.read_to_end(&mut output).await;
    assert!(read.is_ok(), "{read:?}");
    let mut refused = 0;
    for line in output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let answer: Value = serde_json::from_slice(line).unwrap_or_default();
        is_read |= is_last(&answer["id"]);
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        let is_refusal = message.starts_with("the message exceeds");
        assert!(!is_refusal || answer["error"]["code"] == -32600, "{answer}");
        refused += usize::from(is_refusal);
    }
    assert_eq!(refused, too_long, "each overlong line is refused once");
    assert!(is_read, "the last line is read");
}

fn runtime() -> Runtime {
    match tokio::runtime::Builder::new_current_thread().build() {
        Ok(runtime) => runtime,
        Err(error) => panic!("the runtime could not be started: {error}"),
    }
}
