//! One record of the audit log: serialization, hash and parsing.

use chrono::{SecondsFormat, Utc};
use deskhand_model::Delivery;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The maximum record number; no real log reaches it.
pub(super) const MAX_SEQ: u64 = 1 << 53;

/// The size in bytes above which long texts of a record are cut.
const MAX_RECORD_SIZE: usize = 4 * 1024;

/// The same for a refused call; smaller, because refused calls cost the caller nothing.
const MAX_REFUSAL_SIZE: usize = 1024;

/// The number of characters that remain of a cut text.
const CUT_TEXT_CHARS: usize = 100;

/// A SHA-256 hash.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Hash([u8; 32]);

impl Hash {
    /// The previous hash of the first record.
    pub(super) const START: Self = Self([0; 32]);

    pub(super) fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    pub(super) fn parse(hex: &str) -> Option<Self> {
        let digits = hex.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(digits.chunks(2)) {
            let digit = |at: usize| match pair[at] {
                digit @ b'0'..=b'9' => Some(digit - b'0'),
                digit @ b'a'..=b'f' => Some(digit - b'a' + 10),
                _ => None,
            };
            *byte = digit(0)? << 4 | digit(1)?;
        }
        Some(Self(hash))
    }

    pub(super) fn hex(self) -> String {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digits = self.0.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
    }
}

impl std::fmt::Debug for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.hex())
    }
}

/// A link of the hash chain: the number and the hash of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChainLink {
    pub(super) seq: u64,
    pub(super) hash: Hash,
}

impl ChainLink {
    /// The link before the first record.
    pub(super) const START: Self = Self { seq: 0, hash: Hash::START };
}

/// The type of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The start of a call.
    Begun,
    /// The end of a call.
    Ended,
    /// A refused call.
    Refused,
    /// A problem of the log itself.
    Noticed,
}

/// The target of a call, as far as known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct CallTarget<'a> {
    /// The app.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<&'a str>,
    /// The role of the element, spelled as in trees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<&'a str>,
    /// The name of the element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<&'a str>,
    /// The position of the element on the screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<[i32; 2]>,
}

impl CallTarget<'_> {
    fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

/// A problem that a writer found in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Notice {
    /// The bytes before this record are not a record.
    Stray { bytes: u64, sha256: String },
    /// Records are missing.
    Missing { after: u64, until: u64, hash: String },
    /// The head file is missing.
    Headless,
}

/// A record without its hash. Fields are serialized in this order.
#[derive(Debug, Default, Serialize)]
pub(super) struct RecordDraft<'a> {
    pub(super) seq: u64,
    pub(super) timestamp: String,
    pub(super) phase: Option<Phase>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) principal: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session_id: Option<&'a str>,
    #[serde(rename = "door", skip_serializing_if = "Option::is_none")]
    pub(super) origin: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) args: Option<&'a Value>,
    #[serde(skip_serializing_if = "CallTarget::is_unknown")]
    pub(super) target: CallTarget<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) result: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) effect: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) delivery: Option<Delivery>,
    #[serde(skip_serializing_if = "<[&str]>::is_empty")]
    pub(super) security_flags: &'a [&'a str],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) duration_ms: Option<u64>,
    /// The number of similar refused calls without a separate record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) left_out: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) notice: Option<Notice>,
    pub(super) prev: String,
}

impl RecordDraft<'_> {
    /// Serializes the record as a line that follows `previous`. Returns its chain link as well.
    pub(super) fn finish(mut self, previous: ChainLink, seq: u64) -> (Vec<u8>, ChainLink) {
        self.seq = seq;
        self.timestamp = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true);
        self.prev = previous.hash.hex();
        let mut line = self.to_json();
        let max =
            if self.phase == Some(Phase::Refused) { MAX_REFUSAL_SIZE } else { MAX_RECORD_SIZE };
        if line.len() > max {
            line = self.cut_to_json(max);
        }
        let hash = Hash::of(&line);
        line.pop();
        line.extend_from_slice(HASH_FIELD);
        line.extend_from_slice(hash.hex().as_bytes());
        line.extend_from_slice(b"\"}\n");
        (line, ChainLink { seq, hash })
    }

    /// Serializes the record with long texts cut. Arguments that are still too large are replaced by
    /// their size.
    fn cut_to_json(&self, max: usize) -> Vec<u8> {
        let text = |text: Option<&str>| text.map(cut_text);
        let (principal, session) = (text(self.principal), text(self.session_id));
        let (app, title) = (text(self.target.app), text(self.target.title));
        let args = self.args.map(cut_texts);
        let target = CallTarget { app: app.as_deref(), title: title.as_deref(), ..self.target };
        let cut = RecordDraft {
            timestamp: self.timestamp.clone(),
            prev: self.prev.clone(),
            notice: self.notice.clone(),
            principal: principal.as_deref(),
            session_id: session.as_deref(),
            args: args.as_ref(),
            target,
            ..*self
        };
        let line = cut.to_json();
        if line.len() <= max || self.args.is_none() {
            return line;
        }
        let size = self.args.map_or(0, |args| args.to_string().len());
        let left_out = serde_json::json!({ "left_out_bytes": size });
        RecordDraft { args: Some(&left_out), ..cut }.to_json()
    }

    fn to_json(&self) -> Vec<u8> {
        let mut line = Vec::with_capacity(512);
        // Serializing these types into memory cannot fail.
        let _never = serde_json::to_writer(&mut line, self);
        line
    }
}

/// Cuts a long text and appends the number of omitted bytes.
fn cut_text(text: &str) -> String {
    match text.char_indices().nth(CUT_TEXT_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => {
            format!("{}… ({} more bytes)", &text[..end], text.len() - end)
        }
    }
}

/// Cuts every long text in a value.
fn cut_texts(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(cut_text(text)),
        Value::Array(all) => all.iter().map(cut_texts).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), cut_texts(value))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// The bytes before the hash at the end of a record.
const HASH_FIELD: &[u8] = b",\"hash\":\"";

/// The length of the hash field at the end of a record: the name, 64 digits, a quote, a brace.
const HASH_FIELD_LENGTH: usize = HASH_FIELD.len() + 64 + 2;

/// A parsed record.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LogRecord {
    pub(super) seq: u64,
    pub(super) timestamp: String,
    pub(super) phase: Phase,
    pub(super) id: Option<u64>,
    pub(super) principal: Option<String>,
    pub(super) session_id: Option<String>,
    #[serde(rename = "door")]
    pub(super) origin: Option<String>,
    pub(super) tool: Option<String>,
    pub(super) args: Option<Value>,
    #[serde(default)]
    pub(super) target: ActionTarget,
    pub(super) result: Option<String>,
    pub(super) effect: Option<String>,
    pub(super) delivery: Option<String>,
    #[serde(default)]
    pub(super) security_flags: Vec<String>,
    pub(super) duration_ms: Option<u64>,
    pub(super) left_out: Option<u64>,
    pub(super) notice: Option<Notice>,
    prev: String,
    hash: String,
}

/// The target of a recorded call.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ActionTarget {
    /// The app.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// The role of the element, spelled as in trees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The name of the element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The position of the element on the screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<[i32; 2]>,
}

/// A parsed record and the result of its hash check.
#[derive(Debug)]
pub(super) struct ParsedRecord {
    pub(super) record: LogRecord,
    /// The hash of the previous record.
    pub(super) prev: Hash,
    /// The hash that the record contains.
    pub(super) hash: Hash,
    /// The hash matches the content.
    pub(super) intact: bool,
}

impl ParsedRecord {
    /// Parses a line without its line break; `None` if it is not a record.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let record: LogRecord = serde_json::from_slice(bytes).ok()?;
        if record.seq == 0 || record.seq > MAX_SEQ {
            return None;
        }
        let (prev, hash) = (Hash::parse(&record.prev)?, Hash::parse(&record.hash)?);
        let cut = bytes.len().checked_sub(HASH_FIELD_LENGTH)?;
        let intact = bytes[cut..].starts_with(HASH_FIELD) && {
            let mut without = bytes[..cut].to_vec();
            without.push(b'}');
            Hash::of(&without) == hash
        };
        Some(Self { record, prev, hash, intact })
    }

    /// Returns its link in the hash chain.
    pub(super) fn link(&self) -> ChainLink {
        ChainLink { seq: self.record.seq, hash: self.hash }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_record_can_be_parsed_and_any_changed_byte_is_detected() {
        let args = json!({ "query": "Säve\n\"x\"" });
        let draft = RecordDraft {
            phase: Some(Phase::Begun),
            id: Some(7),
            tool: Some("ax_click"),
            args: Some(&args),
            target: CallTarget {
                app: Some("mousepad"),
                position: Some([4, -3]),
                ..CallTarget::default()
            },
            security_flags: &["warned"],
            ..RecordDraft::default()
        };
        let (mut bytes, link) = draft.finish(ChainLink::START, 7);
        assert_eq!(bytes.pop(), Some(b'\n'));
        assert!(!bytes.contains(&b'\n'));
        let read = ParsedRecord::parse(&bytes).unwrap();
        assert!(read.intact);
        assert_eq!((read.link(), read.prev), (link, Hash::START));
        assert_eq!(read.record.args, Some(args));
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(ParsedRecord::parse(&changed).is_none_or(|read| !read.intact), "byte {at}");
        }
    }

    fn finish(draft: RecordDraft<'_>) -> (usize, LogRecord) {
        let (bytes, _) = draft.finish(ChainLink::START, 1);
        let read = ParsedRecord::parse(bytes.trim_ascii_end()).unwrap();
        assert!(read.intact);
        (bytes.len(), read.record)
    }

    #[test]
    fn long_texts_are_cut_with_the_number_of_omitted_bytes() {
        let long = "ü".repeat(1_000_000);
        let args = json!({ "app": "7", "query": long, "deep": [{ "more": long }] });
        let target = CallTarget { app: Some(&long), title: Some(&long), ..CallTarget::default() };
        for phase in [Phase::Begun, Phase::Refused] {
            let (session_id, principal) = (Some(long.as_str()), Some(long.as_str()));
            let draft = RecordDraft {
                phase: Some(phase),
                session_id,
                principal,
                target,
                args: Some(&args),
                ..RecordDraft::default()
            };
            let (size, record) = finish(draft);
            assert!(size < 2 * MAX_RECORD_SIZE, "{size}");
            let title = record.target.title.unwrap();
            assert_eq!(title, format!("{}… (1999800 more bytes)", "ü".repeat(CUT_TEXT_CHARS)));
        }
        let draft =
            RecordDraft { phase: Some(Phase::Begun), args: Some(&args), ..RecordDraft::default() };
        let (_, record) = finish(draft);
        assert_eq!(record.args.unwrap()["app"], "7");
    }

    #[test]
    fn arguments_that_are_too_large_are_replaced_by_their_size() {
        let args = json!({ "points": vec![1; MAX_RECORD_SIZE] });
        let draft =
            RecordDraft { phase: Some(Phase::Begun), args: Some(&args), ..RecordDraft::default() };
        let size = args.to_string().len();
        assert_eq!(finish(draft).1.args, Some(json!({ "left_out_bytes": size })));
    }
}
