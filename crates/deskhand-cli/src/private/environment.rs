//! The variables of settings that programs on a private desktop get.

use std::ffi::OsString;

use deskhand::settings::{
    SetBy, SettingInfo,
    table::{TABLE, UNSUPPORTED},
};

/// The variables to pass to a program on a private desktop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PassedVariables {
    /// All variables of settings.
    All,
    /// Variables of settings that are not secrets.
    WithoutSecrets,
}

/// Returns the variables of settings that are set, so that the same restrictions apply on the private
/// desktop. Unsupported variables are passed too: a server warns of them. The desktop itself passes on the
/// folders.
pub(super) fn variables(passed: PassedVariables) -> Vec<(&'static str, OsString)> {
    let is_passed = |info: &&SettingInfo| match info.set_by {
        SetBy::Any => true,
        SetBy::Secret => passed == PassedVariables::All,
        SetBy::Variable => false,
    };
    let infos = TABLE.iter().map(|setting| setting.info()).filter(is_passed);
    let names = infos.flat_map(|info| info.variables.iter().copied());
    let unsupported = UNSUPPORTED.iter().filter_map(|unsupported| unsupported.variable);
    names
        .chain(unsupported)
        .filter_map(|name| std::env::var_os(name).map(|value| (name, value)))
        .collect()
}
