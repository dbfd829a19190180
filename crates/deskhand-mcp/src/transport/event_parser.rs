//! A parser for the event streams that this server writes.

/// Collects the data of events that arrive in parts.
#[derive(Debug, Default)]
pub(super) struct EventParser {
    unread: Vec<u8>,
}

impl EventParser {
    /// Adds a part of the stream. Returns the data of the events that it completes; events without
    /// data, such as heartbeats, are omitted.
    pub(super) fn push(&mut self, part: &[u8]) -> Vec<String> {
        let searched = self.unread.len().saturating_sub(1);
        self.unread.extend_from_slice(part);
        let (mut begin, mut from) = (0, searched);
        let mut complete = Vec::new();
        while let Some(at) = self.unread[from..].windows(2).position(|pair| pair == b"\n\n") {
            let end = from + at;
            complete.extend(data(&self.unread[begin..end]));
            (begin, from) = (end + 2, end + 2);
        }
        self.unread.drain(..begin);
        complete
    }
}

/// Returns the data of one event, if it has any.
fn data(event: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(event);
    let lines = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let data = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>();
    let data = data.join("\n");
    (!data.is_empty()).then_some(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_found_in_any_parts() {
        let stream = b"retry: 3000\nid: 1\ndata:\n\n: beat\n\nid: 2\ndata: {\"a\":1}\n\ndata: x\ndata: y\n\nrest";
        for size in 1..=stream.len() {
            let mut parser = EventParser::default();
            let found: Vec<String> =
                stream.chunks(size).flat_map(|part| parser.push(part)).collect();
            assert_eq!(found, ["{\"a\":1}", "x\ny"], "parts of {size} bytes");
        }
    }
}
