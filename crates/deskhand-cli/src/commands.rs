//! The options of command-line tools and of their sandbox.

use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, ValueHint};
use deskhand::settings::{self, AnySetting, table::commands};

/// Adds the options of the sandbox.
pub(crate) fn sandbox_options(command: Command) -> Command {
    command.arg(path(&commands::SCOPE, ValueHint::DirPath)).arg(switch(&commands::NO_SANDBOX))
}

/// Adds the options of command-line tools.
pub(crate) fn options(command: Command) -> Command {
    sandbox_options(command)
        .arg(path(&commands::TOOLS_DIR, ValueHint::DirPath))
        .arg(switch(&commands::SYNC))
        .arg(path(&commands::MCP_CONFIG, ValueHint::FilePath))
}

fn path(setting: &dyn AnySetting, hint: ValueHint) -> Arg {
    flag(setting).value_name("PATH").value_parser(clap::value_parser!(PathBuf)).value_hint(hint)
}

fn switch(setting: &dyn AnySetting) -> Arg {
    flag(setting).action(ArgAction::SetTrue)
}

fn flag(setting: &dyn AnySetting) -> Arg {
    let flag = setting.info().flag.unwrap_or(setting.info().key);
    Arg::new(flag).long(flag).help(settings::help(setting))
}
