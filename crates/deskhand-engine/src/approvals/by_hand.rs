//! The file of approvals that are written by hand.

use std::path::Path;

use serde::Deserialize;
use toml_edit::Datetime;

use super::{Approval, Error, Moment, Origin, file};
use crate::Spot;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet {
    #[serde(default)]
    approval: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    app: String,
    tool: String,
    expires: Option<Datetime>,
}

/// What is in the file; nothing when there is none.
pub(super) fn read(path: &Path) -> Result<Vec<Approval>, Error> {
    let Some(text) = file::trusted(path)? else { return Ok(Vec::new()) };
    let at = |byte: usize, why: String| Error::Invalid {
        path: path.to_owned(),
        spot: Spot::of(&text, byte),
        why,
    };
    let sheet: Sheet = toml_edit::de::from_str(&text).map_err(|error| {
        at(error.span().map_or(0, |span| span.start), error.message().to_owned())
    })?;
    let rows = sheet.approval.into_iter().map(|row| {
        let expires = match row.expires {
            None => None,
            Some(end) => Some(moment(&end).ok_or_else(|| {
                let byte = text.find(&end.to_string()).unwrap_or(0);
                at(byte, format!("{end} is no point in time: add Z, or the hours from UTC"))
            })?),
        };
        let Row { app, tool, .. } = row;
        Ok(Approval { app, tool, granted: None, expires, origin: Origin::ByHand })
    });
    rows.collect()
}

/// A date stands for its beginning in UTC; a time of day without a zone for nothing.
fn moment(end: &Datetime) -> Option<Moment> {
    let date = end.date?;
    let Some(time) = end.time else {
        return Moment::try_from(format!("{date}T00:00:00Z")).ok();
    };
    let minutes = match end.offset? {
        toml_edit::Offset::Z => 0,
        toml_edit::Offset::Custom { minutes } => i64::from(minutes),
    };
    let Moment(there) = Moment::try_from(format!("{date}T{time}Z")).ok()?;
    let distance = std::time::Duration::from_secs(minutes.unsigned_abs() * 60);
    let here = if minutes < 0 { there.checked_add(distance) } else { there.checked_sub(distance) };
    here.map(Moment)
}
