//! What a program on a private desktop is handed on of the settings.

use std::ffi::OsString;

use crate::settings::{About, By, table::TABLE};

/// Which variables of settings are handed on to a program on another desktop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Handed {
    /// All of them.
    All,
    /// Those that are no secrets.
    NoSecrets,
}

/// The variables of settings that are set, so that what binds callers here binds them there. The
/// folders are the desktop's to hand on.
pub(super) fn variables(handed: Handed) -> Vec<(&'static str, OsString)> {
    let wanted = |about: &&About| match about.by {
        By::Anything => true,
        By::Secret => handed == Handed::All,
        By::Variable => false,
    };
    let abouts = TABLE.iter().map(|one| one.about()).filter(wanted);
    let names = abouts.flat_map(|about| about.names.iter().copied());
    names.filter_map(|name| std::env::var_os(name).map(|value| (name, value))).collect()
}
