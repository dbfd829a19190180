//! What was written, and what it can mean: one function a type, whether it was written into a
//! variable, behind a flag or into the file.

use std::{net::SocketAddr, path::PathBuf, str::FromStr, time::Duration};

/// What was written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Raw<'a> {
    /// The text of a variable or a flag.
    Text(&'a str),
    /// A value of the file.
    File(&'a toml_edit::Value),
}

impl<'a> Raw<'a> {
    /// Its text, when it is one.
    fn text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::File(value) => value.as_str(),
        }
    }
}

/// Yes or no.
pub(crate) fn yes(raw: Raw<'_>) -> Option<bool> {
    if let Raw::File(value) = raw {
        return value.as_bool();
    }
    match raw.text()?.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" => Some(true),
        "false" | "0" | "no" => Some(false),
        _ => None,
    }
}

/// A whole number within bounds.
pub(crate) fn whole<const LEAST: u64, const MOST: u64>(raw: Raw<'_>) -> Option<u64> {
    let number = match raw {
        Raw::Text(text) => text.parse().ok()?,
        Raw::File(value) => u64::try_from(value.as_integer()?).ok()?,
    };
    (LEAST..=MOST).contains(&number).then_some(number)
}

/// The same where 32 bits hold it.
pub(crate) fn small<const LEAST: u64, const MOST: u64>(raw: Raw<'_>) -> Option<u32> {
    u32::try_from(whole::<LEAST, MOST>(raw)?).ok()
}

/// A port; 0 is any that is free.
pub(crate) fn port(raw: Raw<'_>) -> Option<u16> {
    u16::try_from(whole::<0, 65_535>(raw)?).ok()
}

/// A number that is not below zero.
pub(crate) fn number(raw: Raw<'_>) -> Option<f64> {
    let number = match raw {
        Raw::Text(text) => text.parse().ok()?,
        Raw::File(value) => {
            #[expect(clippy::cast_precision_loss, reason = "a rate needs no 53 bits")]
            let whole = |number: i64| number as f64;
            value.as_float().or_else(|| value.as_integer().map(whole))?
        }
    };
    (0.0..=1e9).contains(&number).then_some(number)
}

/// A time such as `30s` or `1m 30s`, or a number of seconds; above zero, and up to so many seconds.
pub(crate) fn time<const MOST: u64>(raw: Raw<'_>) -> Option<Duration> {
    let time = match (raw, number(raw)) {
        (_, Some(seconds)) => Duration::try_from_secs_f64(seconds).ok()?,
        (_, None) => humantime::parse_duration(raw.text()?).ok()?,
    };
    (!time.is_zero() && time <= Duration::from_secs(MOST)).then_some(time)
}

/// Takes from the command line what could be a time at all; how long it may be is for the setting.
pub(crate) fn written_time(text: &str) -> Result<String, &'static str> {
    let is_time = text.parse::<f64>().is_ok() || humantime::parse_duration(text).is_ok();
    if is_time { Ok(text.to_owned()) } else { Err("a time such as 30s, or a number of seconds") }
}

/// Takes from the command line what could be an address.
pub(crate) fn written_address(text: &str) -> Result<String, &'static str> {
    let known = maybe_address(Raw::Text(text)).is_some();
    if known { Ok(text.to_owned()) } else { Err("an address with a port, or a port") }
}

/// The same where there need not be one.
pub(crate) fn maybe_time<const MOST: u64>(raw: Raw<'_>) -> Option<Option<Duration>> {
    time::<MOST>(raw).map(Some)
}

/// Names, separated by commas or as a list.
pub(crate) fn names(raw: Raw<'_>) -> Option<Vec<String>> {
    if let Raw::File(value) = raw
        && let Some(list) = value.as_array()
    {
        return list.iter().map(|one| one.as_str().map(str::to_owned)).collect();
    }
    let parts = raw.text()?.split(',').map(str::trim).filter(|part| !part.is_empty());
    Some(parts.map(str::to_owned).collect())
}

/// Any text.
pub(crate) fn text(raw: Raw<'_>) -> Option<String> {
    raw.text().map(str::to_owned)
}

/// Any text, where there need not be one.
pub(crate) fn maybe_text(raw: Raw<'_>) -> Option<Option<String>> {
    text(raw).map(Some)
}

/// A path, where there need not be one; `~/` is the home folder.
pub(crate) fn maybe_path(raw: Raw<'_>) -> Option<Option<PathBuf>> {
    let text = raw.text()?;
    match text.strip_prefix("~/") {
        Some(rest) => std::env::home_dir().map(|home| Some(home.join(rest))),
        None => Some(Some(PathBuf::from(text))),
    }
}

/// Paths, separated by commas or as a list; `~/` is the home folder.
pub(crate) fn paths(raw: Raw<'_>) -> Option<Vec<PathBuf>> {
    names(raw)?.iter().map(|text| maybe_path(Raw::Text(text)).flatten()).collect()
}

/// An address with a port, where there need not be one; `:8080` is that port at every address, and
/// `8080` alone at this machine's own.
pub(crate) fn maybe_address(raw: Raw<'_>) -> Option<Option<SocketAddr>> {
    let text = raw.text()?;
    let full = match text.strip_prefix(':') {
        Some(port) => format!("0.0.0.0:{port}"),
        None if text.parse::<u16>().is_ok() => format!("127.0.0.1:{text}"),
        None => text.replace("localhost:", "127.0.0.1:"),
    };
    full.parse().ok().map(Some)
}

/// What can be read from a word.
pub(crate) fn word<T: FromStr>(raw: Raw<'_>) -> Option<T> {
    raw.text()?.parse().ok()
}

/// What can be read from a word of any case.
pub(crate) fn lowercase<T: FromStr>(raw: Raw<'_>) -> Option<T> {
    raw.text()?.to_ascii_lowercase().parse().ok()
}
