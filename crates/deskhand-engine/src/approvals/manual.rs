//! The file of approvals that the user writes.

use std::path::Path;

use serde::Deserialize;
use toml_edit::Datetime;

use super::{Approval, ApprovalSource, Error, Timestamp, file};
use crate::TextPosition;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ManualFile {
    #[serde(default)]
    approval: Vec<ManualEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ManualEntry {
    app: String,
    tool: String,
    expires: Option<Datetime>,
}

/// Reads the approvals; empty if the file does not exist.
pub(super) fn read(path: &Path) -> Result<Vec<Approval>, Error> {
    let Some(text) = file::read_trusted(path)? else { return Ok(Vec::new()) };
    let invalid = |byte: usize, why: String| Error::Invalid {
        path: path.to_owned(),
        spot: TextPosition::from_byte_offset(&text, byte),
        why,
    };
    let content: ManualFile = toml_edit::de::from_str(&text).map_err(|error| {
        invalid(error.span().map_or(0, |span| span.start), error.message().to_owned())
    })?;
    let approvals = content.approval.into_iter().map(|entry| {
        let expires = match entry.expires {
            None => None,
            Some(end) => Some(timestamp(&end).ok_or_else(|| {
                let byte = text.find(&end.to_string()).unwrap_or(0);
                invalid(byte, format!("{end} has no time zone: add Z or an offset from UTC"))
            })?),
        };
        let ManualEntry { app, tool, .. } = entry;
        Ok(Approval { app, tool, granted: None, expires, source: ApprovalSource::Manual })
    });
    approvals.collect()
}

/// Converts a TOML date or time. A date means its start in UTC; a time without a zone is invalid.
fn timestamp(end: &Datetime) -> Option<Timestamp> {
    let date = end.date?;
    let Some(time) = end.time else {
        return Timestamp::try_from(format!("{date}T00:00:00Z")).ok();
    };
    let minutes = match end.offset? {
        toml_edit::Offset::Z => 0,
        toml_edit::Offset::Custom { minutes } => i64::from(minutes),
    };
    let Timestamp(local) = Timestamp::try_from(format!("{date}T{time}Z")).ok()?;
    let offset = std::time::Duration::from_secs(minutes.unsigned_abs() * 60);
    let utc = if minutes < 0 { local.checked_add(offset) } else { local.checked_sub(offset) };
    utc.map(Timestamp)
}
