//! Settings of the server's log.

use super::{BOOLEAN, info, with_flag};
use crate::settings::{
    parse::{self, RawValue},
    setting::{self, Setting},
    values::LogTarget,
};

pub const TARGET: Setting<LogTarget> = Setting {
    info: with_flag(
        "log-to-stderr",
        info(
            "log.to",
            &["DESKHAND_LOG_TO", "AHMA_LOG_TARGET"],
            "file, stderr or none",
            "Destination of the server's log: one file per day in folders.cache/logs, standard error, or none",
        ),
    ),
    default: || LogTarget::File,
    // The flag has no value; clap gives it as `true`.
    parse: |given| match given {
        RawValue::Text("true") => Some(LogTarget::Stderr),
        RawValue::Text(_) | RawValue::Toml(_) => parse::from_lowercase(given),
    },
    to_json: |value| value.name().into(),
};

pub const DEBUG: Setting<bool> = Setting {
    info: with_flag(
        "debug",
        info("log.debug", &["DESKHAND_DEBUG"], BOOLEAN, "Log the name and result of every call"),
    ),
    default: || false,
    parse: parse::boolean,
    to_json: setting::json,
};

pub const KEEP: Setting<u32> = Setting {
    info: info(
        "log.keep",
        &["DESKHAND_LOG_KEEP"],
        "an integer from 1 to 3650",
        "Number of daily log files to keep",
    ),
    default: || 14,
    parse: parse::integer_u32::<1, 3650>,
    to_json: setting::json,
};
