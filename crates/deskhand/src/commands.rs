//! Command-line tools as the person has set them up: the options, and what they come to.

use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, ValueHint};

use crate::settings::{self, Declared, table::commands};

/// Adds the options of command-line tools.
pub(crate) fn options(command: Command) -> Command {
    command
        .arg(path(&commands::SCOPE, ValueHint::DirPath))
        .arg(switch(&commands::NO_SANDBOX))
        .arg(path(&commands::TOOLS_DIR, ValueHint::DirPath))
        .arg(switch(&commands::SYNC))
        .arg(path(&commands::MCP_CONFIG, ValueHint::FilePath))
}

fn path(setting: &dyn Declared, hint: ValueHint) -> Arg {
    named(setting).value_name("PATH").value_parser(clap::value_parser!(PathBuf)).value_hint(hint)
}

fn switch(setting: &dyn Declared) -> Arg {
    named(setting).action(ArgAction::SetTrue)
}

fn named(setting: &dyn Declared) -> Arg {
    let flag = setting.about().flag.unwrap_or(setting.about().key);
    Arg::new(flag).long(flag).help(settings::help(setting))
}
