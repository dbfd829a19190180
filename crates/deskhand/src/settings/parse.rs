//! Parsers for values of settings. Each takes the text of a flag or variable, or a TOML value, and
//! returns `None` if it is invalid.

use std::{net::SocketAddr, path::PathBuf, str::FromStr, time::Duration};

/// An unparsed value of a setting.
#[derive(Debug, Clone, Copy)]
pub enum RawValue<'a> {
    /// The text of a flag or an environment variable.
    Text(&'a str),
    /// A value in the configuration file.
    Toml(&'a toml_edit::Value),
}

impl<'a> RawValue<'a> {
    /// Returns the text, unless this is a TOML value of another type.
    fn text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Toml(value) => value.as_str(),
        }
    }
}

/// Parses a boolean. A text may also be `1`, `0`, `yes` or `no`.
pub(crate) fn boolean(raw: RawValue<'_>) -> Option<bool> {
    if let RawValue::Toml(value) = raw {
        return value.as_bool();
    }
    match raw.text()?.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" => Some(true),
        "false" | "0" | "no" => Some(false),
        _ => None,
    }
}

/// Parses an integer from `MIN` to `MAX`.
pub(crate) fn integer<const MIN: u64, const MAX: u64>(raw: RawValue<'_>) -> Option<u64> {
    let number = match raw {
        RawValue::Text(text) => text.parse().ok()?,
        RawValue::Toml(value) => u64::try_from(value.as_integer()?).ok()?,
    };
    (MIN..=MAX).contains(&number).then_some(number)
}

/// Parses an integer from `MIN` to `MAX` that fits 32 bits.
pub(crate) fn integer_u32<const MIN: u64, const MAX: u64>(raw: RawValue<'_>) -> Option<u32> {
    u32::try_from(integer::<MIN, MAX>(raw)?).ok()
}

/// Parses a port.
pub(crate) fn port(raw: RawValue<'_>) -> Option<u16> {
    u16::try_from(integer::<0, 65_535>(raw)?).ok()
}

/// Parses a number from 0 to 10⁹.
pub(crate) fn number(raw: RawValue<'_>) -> Option<f64> {
    let number = match raw {
        RawValue::Text(text) => text.parse().ok()?,
        RawValue::Toml(value) => {
            #[expect(clippy::cast_precision_loss, reason = "a rate needs no 53 bits")]
            let whole = |number: i64| number as f64;
            value.as_float().or_else(|| value.as_integer().map(whole))?
        }
    };
    (0.0..=1e9).contains(&number).then_some(number)
}

/// Parses a duration such as `30s` or `1m 30s`, or a number of seconds; above zero and at most
/// `MAX_SECONDS`.
pub(crate) fn duration<const MAX_SECONDS: u64>(raw: RawValue<'_>) -> Option<Duration> {
    let duration = match number(raw) {
        Some(seconds) => Duration::try_from_secs_f64(seconds).ok()?,
        None => humantime::parse_duration(raw.text()?).ok()?,
    };
    let max = Duration::from_secs(MAX_SECONDS);
    (!duration.is_zero() && duration <= max).then_some(duration)
}

/// Checks that a command-line argument is a duration. The setting checks its range.
pub fn duration_argument(text: &str) -> Result<String, &'static str> {
    let valid = text.parse::<f64>().is_ok() || humantime::parse_duration(text).is_ok();
    if valid {
        Ok(text.to_owned())
    } else {
        Err("expected a duration such as 30s, or a number of seconds")
    }
}

/// Checks that a command-line argument is an address.
pub fn address_argument(text: &str) -> Result<String, &'static str> {
    let valid = optional_address(RawValue::Text(text)).is_some();
    if valid { Ok(text.to_owned()) } else { Err("expected an address with a port, or a port") }
}

/// Parses a duration for a setting that may be unset.
pub(crate) fn optional_duration<const MAX_SECONDS: u64>(
    raw: RawValue<'_>,
) -> Option<Option<Duration>> {
    duration::<MAX_SECONDS>(raw).map(Some)
}

/// Parses a comma-separated list or a TOML array of strings.
pub(crate) fn list(raw: RawValue<'_>) -> Option<Vec<String>> {
    if let RawValue::Toml(value) = raw
        && let Some(items) = value.as_array()
    {
        return items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
    }
    let items = raw.text()?.split(',').map(str::trim).filter(|item| !item.is_empty());
    Some(items.map(str::to_owned).collect())
}

/// Parses any text.
pub(crate) fn text(raw: RawValue<'_>) -> Option<String> {
    raw.text().map(str::to_owned)
}

/// Parses any text for a setting that may be unset.
pub(crate) fn optional_text(raw: RawValue<'_>) -> Option<Option<String>> {
    text(raw).map(Some)
}

/// Parses a path; `~/` is the home folder.
pub(crate) fn path(raw: RawValue<'_>) -> Option<PathBuf> {
    let text = raw.text()?;
    match text.strip_prefix("~/") {
        Some(rest) => std::env::home_dir().map(|home| home.join(rest)),
        None => Some(PathBuf::from(text)),
    }
}

/// Parses a path for a setting that may be unset.
pub(crate) fn optional_path(raw: RawValue<'_>) -> Option<Option<PathBuf>> {
    path(raw).map(Some)
}

/// Parses a list of paths.
pub(crate) fn paths(raw: RawValue<'_>) -> Option<Vec<PathBuf>> {
    list(raw)?.iter().map(|text| path(RawValue::Text(text))).collect()
}

/// Parses an address with a port for a setting that may be unset. `:8080` means every address,
/// `8080` means 127.0.0.1.
pub(crate) fn optional_address(raw: RawValue<'_>) -> Option<Option<SocketAddr>> {
    let text = raw.text()?;
    let full = match text.strip_prefix(':') {
        Some(port) => format!("0.0.0.0:{port}"),
        None if text.parse::<u16>().is_ok() => format!("127.0.0.1:{text}"),
        None => text.replace("localhost:", "127.0.0.1:"),
    };
    full.parse().ok().map(Some)
}

/// Parses a text with [`FromStr`].
pub(crate) fn from_str<T: FromStr>(raw: RawValue<'_>) -> Option<T> {
    raw.text()?.parse().ok()
}

/// Parses a text with [`FromStr`], in lower case.
pub(crate) fn from_lowercase<T: FromStr>(raw: RawValue<'_>) -> Option<T> {
    raw.text()?.to_ascii_lowercase().parse().ok()
}
