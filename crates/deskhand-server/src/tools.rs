//! The tools that a server offers.

use std::sync::Arc;

use deskhand::{
    commands::{self, CommandTools},
    settings::{
        self, Settings,
        table::{EXCLUDE_TOOLS, TOOLS, TOOLSETS},
    },
};
use deskhand_engine::{CallFailure, Catalogue, Toolset};
use deskhand_mcp::ToolSelection;
use serde_json::Value;

use crate::{Notify, definitions::Definitions, other_servers};

/// Returns `true` if the selected tools only run commands, and so need no desktop.
///
/// # Errors
///
/// If a setting is invalid.
pub fn serves_only_commands(settings: &Settings) -> Result<bool, CallFailure> {
    let (toolsets, tools) = (settings.get(&TOOLSETS)?, settings.get(&TOOLS)?);
    Ok(tools.is_empty() && toolsets == [Toolset::Cli])
}

/// Returns the declarations of the tools that a server with these settings offers.
///
/// # Errors
///
/// If a setting, or the file that lists other servers, is invalid.
pub fn tool_declarations(settings: &Settings, notify: Notify) -> Result<Value, CallFailure> {
    let (policy, command_tools) =
        (settings::policy(settings)?, commands::selected_tools(settings)?);
    let catalogue = Arc::new(Catalogue::all());
    Definitions::load(&catalogue, &command_tools, commands::wait_mode(settings)?, notify);
    let _servers = other_servers::offer_connected(&catalogue, settings, notify)?;
    let selection = selection(settings, &command_tools)?;
    Ok(deskhand_mcp::tool_declarations(&catalogue, &selection, policy)?)
}

/// Returns the tools that the settings select.
pub(crate) fn selection(
    settings: &Settings,
    command_tools: &CommandTools,
) -> Result<ToolSelection, CallFailure> {
    let mut toolsets = settings.get(&TOOLSETS)?;
    let implied = [
        (Toolset::Cli, matches!(command_tools, CommandTools::Enabled(_))),
        (Toolset::Servers, other_servers::selected(settings)?.is_some()),
    ];
    for (set, _) in implied.into_iter().filter(|(_, is_enabled)| *is_enabled) {
        if toolsets.is_empty() {
            toolsets.push(Toolset::Ax);
        }
        if !toolsets.contains(&set) {
            toolsets.push(set);
        }
    }
    let mut without = settings.get(&EXCLUDE_TOOLS)?;
    without.extend(commands::disabled_tools(settings)?);
    Ok(ToolSelection { toolsets, only: settings.get(&TOOLS)?, exclude: without })
}
