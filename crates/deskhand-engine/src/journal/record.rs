//! One line of the journal: how it is written, sealed by its hash, and read again.

use chrono::{SecondsFormat, Utc};
use deskhand_model::Delivery;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// No log comes this far: a number above it was made up.
pub(super) const LAST: u64 = 1 << 53;

/// How large a line may be before words on it are cut.
const LARGE: usize = 4 * 1024;

/// The same for a call that was not let through, which costs its caller nothing.
const LARGE_REFUSAL: usize = 1024;

/// How many characters of a cut text stay.
const KEPT: usize = 100;

/// A SHA-256 hash.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Hash([u8; 32]);

impl Hash {
    /// What the first line of all follows.
    pub(super) const NOTHING: Self = Self([0; 32]);

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

/// A place in the chain: a line's number and its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) seq: u64,
    pub(super) hash: Hash,
}

impl Link {
    /// What the first line of all follows.
    pub(super) const NOTHING: Self = Self { seq: 0, hash: Hash::NOTHING };
}

/// What a line is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// A call that is about to be done.
    Begun,
    /// The same call, done.
    Ended,
    /// A call that was not let through.
    Refused,
    /// Something about the log itself.
    Noticed,
}

/// Who and what a call is aimed at, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Target<'a> {
    /// The app.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<&'a str>,
    /// The element's role, spelt as in trees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<&'a str>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<&'a str>,
    /// Where it was on the screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<[i32; 2]>,
}

impl Target<'_> {
    fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

/// What was found wrong with the log by whoever was about to write to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Notice {
    /// Something that is no line stands before this one.
    Stray { bytes: u64, sha256: String },
    /// Lines that had been written were gone.
    Missing { after: u64, until: u64, hash: String },
    /// What tells how far the log had come was gone.
    Headless,
}

/// A line without its hash, in the order it is written.
#[derive(Debug, Default, Serialize)]
pub(super) struct Draft<'a> {
    pub(super) seq: u64,
    pub(super) timestamp: String,
    pub(super) phase: Option<Phase>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) principal: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) door: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) args: Option<&'a Value>,
    #[serde(skip_serializing_if = "Target::is_unknown")]
    pub(super) target: Target<'a>,
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
    /// How many more calls were refused like this and have no line of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) left_out: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) notice: Option<Notice>,
    pub(super) prev: String,
}

impl Draft<'_> {
    /// The line that follows another, with its line end, and its place in the chain.
    pub(super) fn seal(mut self, after: Link, seq: u64) -> (Vec<u8>, Link) {
        self.seq = seq;
        self.timestamp = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true);
        self.prev = after.hash.hex();
        let mut line = self.written();
        let most = if self.phase == Some(Phase::Refused) { LARGE_REFUSAL } else { LARGE };
        if line.len() > most {
            line = self.cut(most);
        }
        let hash = Hash::of(&line);
        line.pop();
        line.extend_from_slice(HASH);
        line.extend_from_slice(hash.hex().as_bytes());
        line.extend_from_slice(b"\"}\n");
        (line, Link { seq, hash })
    }

    /// The line with its long texts cut; arguments that are too large even so are told by their size.
    fn cut(&self, most: usize) -> Vec<u8> {
        let text = |text: Option<&str>| text.map(short);
        let (principal, session) = (text(self.principal), text(self.session_id));
        let (app, title) = (text(self.target.app), text(self.target.title));
        let args = self.args.map(shortened);
        let target = Target { app: app.as_deref(), title: title.as_deref(), ..self.target };
        let cut = Draft {
            timestamp: self.timestamp.clone(),
            prev: self.prev.clone(),
            notice: self.notice.clone(),
            principal: principal.as_deref(),
            session_id: session.as_deref(),
            args: args.as_ref(),
            target,
            ..*self
        };
        let line = cut.written();
        if line.len() <= most || self.args.is_none() {
            return line;
        }
        let size = self.args.map_or(0, |args| args.to_string().len());
        let left_out = serde_json::json!({ "left_out_bytes": size });
        Draft { args: Some(&left_out), ..cut }.written()
    }

    fn written(&self) -> Vec<u8> {
        let mut line = Vec::with_capacity(512);
        // Nothing in a draft can fail to be written, and no memory is no error either.
        let _never = serde_json::to_writer(&mut line, self);
        line
    }
}

/// A text of which little stays, and how much went.
fn short(text: &str) -> String {
    match text.char_indices().nth(KEPT) {
        None => text.to_owned(),
        Some((end, _)) => {
            format!("{}… ({} more bytes)", &text[..end], text.len() - end)
        }
    }
}

/// The same for every text in a value.
fn shortened(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(short(text)),
        Value::Array(all) => all.iter().map(shortened).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), shortened(value))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// What stands before the hash at the end of a line.
const HASH: &[u8] = b",\"hash\":\"";

/// How many bytes the hash takes at the end of a line: the name, 64 digits, a quote, a brace.
const SEAL: usize = HASH.len() + 64 + 2;

/// A line as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    pub(super) seq: u64,
    pub(super) timestamp: String,
    pub(super) phase: Phase,
    pub(super) id: Option<u64>,
    pub(super) principal: Option<String>,
    pub(super) session_id: Option<String>,
    pub(super) door: Option<String>,
    pub(super) tool: Option<String>,
    pub(super) args: Option<Value>,
    #[serde(default)]
    pub(super) target: Aim,
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

/// A target as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Aim {
    /// The app.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// The element's role, spelt as in trees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where it was on the screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<[i32; 2]>,
}

/// A line, and whether it is as it was written.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) line: Line,
    /// The hash of the line it follows.
    pub(super) follows: Hash,
    /// The hash it says it has.
    pub(super) says: Hash,
    /// Whether it has that hash.
    pub(super) intact: bool,
}

impl Read {
    /// Reads a line, without its line end; `None` when it is none.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let line: Line = serde_json::from_slice(bytes).ok()?;
        if line.seq == 0 || line.seq > LAST {
            return None;
        }
        let (follows, says) = (Hash::parse(&line.prev)?, Hash::parse(&line.hash)?);
        let cut = bytes.len().checked_sub(SEAL)?;
        let intact = bytes[cut..].starts_with(HASH) && {
            let mut without = bytes[..cut].to_vec();
            without.push(b'}');
            Hash::of(&without) == says
        };
        Some(Self { line, follows, says, intact })
    }

    /// Its place in the chain.
    pub(super) fn link(&self) -> Link {
        Link { seq: self.line.seq, hash: self.says }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_written_and_any_changed_byte_is_seen() {
        let args = json!({ "query": "Säve\n\"x\"" });
        let draft = Draft {
            phase: Some(Phase::Begun),
            id: Some(7),
            tool: Some("ax_click"),
            args: Some(&args),
            target: Target { app: Some("mousepad"), position: Some([4, -3]), ..Target::default() },
            security_flags: &["warned"],
            ..Draft::default()
        };
        let (mut bytes, link) = draft.seal(Link::NOTHING, 7);
        assert_eq!(bytes.pop(), Some(b'\n'));
        assert!(!bytes.contains(&b'\n'));
        let read = Read::of(&bytes).unwrap();
        assert!(read.intact);
        assert_eq!((read.link(), read.follows), (link, Hash::NOTHING));
        assert_eq!(read.line.args, Some(args));
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(Read::of(&changed).is_none_or(|read| !read.intact), "byte {at}");
        }
    }

    fn line(draft: Draft<'_>) -> (usize, Line) {
        let (bytes, _) = draft.seal(Link::NOTHING, 1);
        let read = Read::of(bytes.trim_ascii_end()).unwrap();
        assert!(read.intact);
        (bytes.len(), read.line)
    }

    #[test]
    fn texts_too_large_for_a_line_are_cut_and_it_says_by_how_much() {
        let long = "ü".repeat(1_000_000);
        let args = json!({ "app": "7", "query": long, "deep": [{ "more": long }] });
        let target = Target { app: Some(&long), title: Some(&long), ..Target::default() };
        for phase in [Phase::Begun, Phase::Refused] {
            let (session_id, principal) = (Some(long.as_str()), Some(long.as_str()));
            let draft = Draft {
                phase: Some(phase),
                session_id,
                principal,
                target,
                args: Some(&args),
                ..Draft::default()
            };
            let (size, line) = line(draft);
            assert!(size < 2 * LARGE, "{size}");
            let title = line.target.title.unwrap();
            assert_eq!(title, format!("{}… (1999800 more bytes)", "ü".repeat(KEPT)));
        }
        let draft = Draft { phase: Some(Phase::Begun), args: Some(&args), ..Draft::default() };
        let (_, line) = line(draft);
        assert_eq!(line.args.unwrap()["app"], "7");
    }

    #[test]
    fn arguments_too_many_for_a_line_are_told_by_their_size() {
        let args = json!({ "points": vec![1; LARGE] });
        let draft = Draft { phase: Some(Phase::Begun), args: Some(&args), ..Draft::default() };
        let size = args.to_string().len();
        assert_eq!(line(draft).1.args, Some(json!({ "left_out_bytes": size })));
    }
}
