//! The settings of the log a server writes for those who run it.

use super::{YES, about, by_flag};
use crate::settings::{
    raw::{self, Raw},
    setting::{self, Setting},
    words::LogTo,
};

pub(crate) const TO: Setting<LogTo> = Setting {
    about: by_flag(
        "log-to-stderr",
        about(
            "log.to",
            &["DESKHAND_LOG_TO", "AHMA_LOG_TARGET"],
            "file, stderr or none",
            "Where a server logs: a file a day in the logs folder of folders.cache, or standard error",
        ),
    ),
    usual: || LogTo::File,
    // The flag has no words of its own.
    read: |given| match given {
        Raw::Text("true") => Some(LogTo::Stderr),
        Raw::Text(_) | Raw::File(_) => raw::lowercase(given),
    },
    show: |value| value.word().into(),
};

pub(crate) const DEBUG: Setting<bool> = Setting {
    about: by_flag(
        "debug",
        about("log.debug", &["DESKHAND_DEBUG"], YES, "Log every call as well, by name and outcome"),
    ),
    usual: || false,
    read: raw::yes,
    show: setting::plain,
};

pub(crate) const KEEP: Setting<u32> = Setting {
    about: about(
        "log.keep",
        &["DESKHAND_LOG_KEEP"],
        "a whole number from 1 to 3650",
        "How many days of it are kept",
    ),
    usual: || 14,
    read: raw::small::<1, 3650>,
    show: setting::plain,
};
