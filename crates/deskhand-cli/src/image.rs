//! Images in results: written to a file, or as base64 in JSON.

use std::{
    fs::OpenOptions,
    io::{self, Write},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use deskhand_engine::{CallFailure, Image, Style, StyledLine, ToolOutput};
use serde_json::Value;

use deskhand::settings::values::OutputFormat;

/// Moves the image of a result into a file, or into its JSON.
pub(crate) fn deliver(answer: &mut ToolOutput, format: OutputFormat) -> Result<(), CallFailure> {
    let Some(image) = answer.image.take() else { return Ok(()) };
    match format {
        OutputFormat::Json => {
            if let Value::Object(data) = &mut answer.data {
                data.insert("mime".to_owned(), image.mime.into());
                data.insert("image".to_owned(), BASE64_STANDARD.encode(&image.bytes).into());
            }
        }
        OutputFormat::Text => {
            let name = save(&image).map_err(|error| CallFailure {
                code: "file".to_owned(),
                message: format!("cannot write the image to the current folder: {error}"),
                hint: Some("pass --output with a path you can write to".to_owned()),
                delivery: None,
                retry_after_ms: None,
            })?;
            let line = StyledLine::new().with(Style::Plain, "saved as").with(Style::Strong, name);
            answer.text = std::mem::take(&mut answer.text).line(line);
        }
        OutputFormat::Quiet => {}
    }
    Ok(())
}

/// Writes an image to a new file in the current folder; returns its name.
fn save(image: &Image) -> io::Result<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut count = 1;
    loop {
        let again = if count == 1 { String::new() } else { format!("-{count}") };
        let name = format!("deskhand-{}{again}.{}", stamp(now), image.extension);
        match OpenOptions::new().write(true).create_new(true).open(&name) {
            Ok(mut file) => return file.write_all(&image.bytes).map(|()| name),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => count += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Formats a time as `20261116-004615`, in UTC.
fn stamp(since_1970: Duration) -> String {
    let seconds = since_1970.as_secs();
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March here, so that a leap day is the last day of its year.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year + next;
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}{month:02}{date:02}-{hour:02}{minute:02}{second:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_dates_and_times() {
        let at = |seconds| stamp(Duration::from_secs(seconds));
        assert_eq!(at(0), "19700101-000000");
        assert_eq!(at(951_782_399), "20000228-235959");
        assert_eq!(at(951_782_400), "20000229-000000");
        assert_eq!(at(1_794_789_975), "20261116-004615");
        assert_eq!(at(4_107_542_400), "21000301-000000");
    }
}
