//! Command-line tools: the settings that select them, and their sandbox. The module is not part of the
//! stable interface of the library.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use deskhand_engine::{CallFailure, Catalogue, ToolEntry, Toolset, WaitMode};
use deskhand_platform::create_private_dirs;
use deskhand_run::{
    BrokerCommand, CommandService, CommandSession, Enforcement, Network, ResourceLimits,
    ServiceConfig, output,
};
use deskhand_sandbox::Plan;

use crate::{
    host,
    settings::{
        Error, SettingSource, Settings,
        table::{SECURITY_MODE, TOOLS, TOOLSETS, commands},
    },
};

/// Folders with definitions of tools, relative to the working folder. The first that exists is used.
pub const DEFAULT_FOLDERS: [&str; 2] = [".deskhand/tools", ".ahma/tools"];

/// Names, or prefixes of names, of tools that run command lines or scripts written by the caller.
const SHELL_TOOLS: [&str; 3] = ["sandboxed_shell", "terminal_", "ax_run_script"];

/// The callers that commands run for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callers {
    /// The process that started this one; commands run in its working folder.
    One,
    /// Several clients; each has a separate folder.
    Many,
}

/// The command-line tools to offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandTools {
    /// All of them, and those defined by files in this folder.
    Enabled(Option<PathBuf>),
    /// No command-line tools. Scripts still run, in a separate folder.
    ScriptsOnly,
}

/// Everything that running commands needs.
#[derive(Debug)]
pub struct PreparedCommands {
    /// The service that runs commands.
    pub service: CommandService,
    /// Decides if calls wait until their command has ended.
    pub wait_mode: WaitMode,
    /// The session that was opened to test the sandbox, so that the first command starts faster.
    pub session: Option<Arc<CommandSession>>,
}

/// Returns the command-line tools to offer: those the settings select, or those that the working
/// folder defines.
///
/// # Errors
///
/// If a setting is invalid.
pub fn selected_tools(settings: &Settings) -> Result<CommandTools, Error> {
    let folder = settings.resolve(&commands::TOOLS_DIR)?;
    let folder_is_set = folder.source != SettingSource::Default;
    let folder = folder.value.or_else(default_folder);
    let toolsets = settings.get(&TOOLSETS)?;
    let toolset_is_set = toolsets.contains(&Toolset::Cli);
    let tool_is_set = settings.get(&TOOLS)?.iter().any(|name| is_command_line_tool(name));
    let by_folder = folder.is_some() && toolsets.is_empty();
    let enabled = folder_is_set || toolset_is_set || tool_is_set || by_folder;
    Ok(if enabled { CommandTools::Enabled(folder) } else { CommandTools::ScriptsOnly })
}

/// Returns the folder of definitions in the working folder, if there is one.
pub fn default_folder() -> Option<PathBuf> {
    DEFAULT_FOLDERS.iter().map(PathBuf::from).find(|folder| folder.is_dir())
}

fn is_command_line_tool(name: &str) -> bool {
    Catalogue::all().iter().any(|entry| entry.name() == name && runs_commands(entry))
}

/// Returns `true` if a tool runs commands, and so needs no desktop.
pub fn runs_commands(entry: &ToolEntry) -> bool {
    entry.toolsets().contains(&Toolset::Cli)
}

/// Returns the tools to disable if callers may not run their own command lines.
pub fn disabled_tools(settings: &Settings) -> Result<Vec<String>, Error> {
    if settings.get(&commands::SHELL)? {
        return Ok(Vec::new());
    }
    let tools = Catalogue::all();
    let names = tools.offered().into_iter().map(|entry| entry.name().to_owned());
    Ok(names.filter(|name| SHELL_TOOLS.iter().any(|prefix| name.starts_with(prefix))).collect())
}

/// Prepares for running commands. If command-line tools are offered, this tests the sandbox.
///
/// # Errors
///
/// If a setting is invalid, the scope is not a folder, or the kernel cannot confine commands to it.
pub fn prepare(
    settings: &Settings,
    callers: Callers,
    tools: &CommandTools,
) -> Result<PreparedCommands, CallFailure> {
    let scripts_folder = settings.folders().cache.join("scripts");
    let scope = settings.get(&commands::SCOPE)?;
    let scope = scope.map(|folder| checked_scope(settings, &folder)).transpose()?;
    let scope = match (scope, tools, callers) {
        (Some(scope), _, _) => Some(scope),
        (None, CommandTools::Enabled(_), Callers::One) => {
            Some(checked_scope(settings, Path::new("."))?)
        }
        (None, CommandTools::Enabled(_), Callers::Many) => None,
        (None, CommandTools::ScriptsOnly, _) => Some(scripts_folder.clone()),
    };
    let mut setup = service_config(settings, scope.clone())?;
    if *tools == CommandTools::ScriptsOnly {
        // Scripts get network access only by a setting.
        setup.network.get_or_insert(Network::Off);
    }
    let service = CommandService::new(setup);
    let session = match (tools, scope) {
        (CommandTools::ScriptsOnly, _) => {
            if let Err(failure) = create_private_folder(&scripts_folder) {
                tracing::warn!("cannot run scripts: {}", failure.message);
            }
            None
        }
        (CommandTools::Enabled(_), Some(scope)) => Some(open_sandbox(settings, &service, &scope)?),
        (CommandTools::Enabled(_), None) => {
            create_private_folder(&scripts_folder)?;
            open_sandbox(settings, &service, &scripts_folder)?;
            None
        }
    };
    let session = session.map(Arc::new);
    Ok(PreparedCommands { service, wait_mode: wait_mode(settings)?, session })
}

/// Returns the wait mode: calls return at once, or wait until their command has ended.
pub fn wait_mode(settings: &Settings) -> Result<WaitMode, Error> {
    let sync = settings.get(&commands::SYNC)?;
    Ok(if sync { WaitMode::UntilDone } else { WaitMode::Default })
}

/// Opens a session, which tests the sandbox.
fn open_sandbox(
    settings: &Settings,
    service: &CommandService,
    scope: &Path,
) -> Result<CommandSession, CallFailure> {
    let session =
        service.open_trial_session(scope, network(service, settings)?).map_err(sandbox_failure)?;
    let sandbox = if settings.get(&commands::NO_SANDBOX)? { "off" } else { "on" };
    tracing::info!(scope = %scope.display(), sandbox, "commands can be run");
    Ok(session)
}

/// Checks that a scope does not overlap Deskhand's folders: commands could change their settings and the
/// audit log.
fn checked_scope(settings: &Settings, folder: &Path) -> Result<PathBuf, CallFailure> {
    let scope = Plan::new(folder)?.scope;
    let real = |folder: &PathBuf| folder.canonicalize().unwrap_or_else(|_| folder.clone());
    let overlaps = |folder: &PathBuf| folder.starts_with(&scope) || scope.starts_with(folder);
    match own_folders(settings).iter().map(real).find(overlaps) {
        None => Ok(scope),
        Some(folder) => Err(CallFailure::new(
            "invalid_scope",
            format!(
                "{} cannot be the scope of commands: Deskhand keeps its settings and records in {}",
                scope.display(),
                folder.display()
            ),
            "choose a project folder with --sandbox-scope",
        )),
    }
}

/// Returns the folders of Deskhand itself.
fn own_folders(settings: &Settings) -> Vec<PathBuf> {
    let all = settings.folders();
    [&all.config, &all.data, &all.state, &all.cache, &all.runtime].map(Clone::clone).to_vec()
}

/// Returns a warning if the sandbox is off.
pub fn no_sandbox_warning(settings: &Settings) -> Result<Option<&'static str>, Error> {
    Ok(settings.get(&commands::NO_SANDBOX)?.then_some(
        "the sandbox is off: commands and scripts of agents can read, change and send everything \
         that you can",
    ))
}

/// Returns the configuration of the service that runs commands in `scope`.
///
/// # Errors
///
/// If a setting is invalid.
pub fn service_config(
    settings: &Settings,
    scope: Option<PathBuf>,
) -> Result<ServiceConfig, CallFailure> {
    let program = std::env::current_exe().map_err(|why| {
        let message = format!("cannot find the path of this program: {why}");
        CallFailure::new("internal", message, "start it with its full path")
    })?;
    let broker = BrokerCommand { program, argument: host::BROKER.to_owned() };
    let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let defaults = ServiceConfig::new(broker, settings.folders().cache.join("outputs"));
    Ok(ServiceConfig {
        server_folders: own_folders(settings),
        // A command must not be able to define further tools.
        read_only: settings.get(&commands::TOOLS_DIR)?.into_iter().collect(),
        enforcement: if settings.get(&commands::NO_SANDBOX)? {
            Enforcement::None
        } else {
            Enforcement::Kernel
        },
        scope,
        network: settings.get(&commands::NETWORK)?,
        limits: ResourceLimits {
            memory: settings.get(&commands::MEMORY)?,
            processes: settings.get(&commands::PROCESSES)?,
            file_size: settings.get(&commands::FILE_SIZE)?,
            cpu_seconds: settings.get(&commands::CPU_SECONDS)?,
        },
        readable: settings.get(&commands::READABLE)?,
        output_limits: output::OutputLimits {
            head: count(settings.get(&commands::OUTPUT_HEAD)?),
            tail: count(settings.get(&commands::OUTPUT_TAIL)?),
            disk: settings.get(&commands::OUTPUT_WHOLE)?,
        },
        max_history: count(settings.get(&commands::KEEP)?.into()),
        max_running: count(settings.get(&commands::CONCURRENCY)?.into()),
        default_timeout: settings.get(&commands::TIMEOUT)?,
        ..defaults
    })
}

/// Returns the network access of commands: that of the service, or the default of the security mode.
///
/// # Errors
///
/// If a setting is invalid.
pub fn network(service: &CommandService, settings: &Settings) -> Result<Network, Error> {
    match service.network() {
        Some(network) => Ok(network.clone()),
        None => Ok(settings.get(&SECURITY_MODE)?.default_network().clone()),
    }
}

fn create_private_folder(folder: &Path) -> Result<(), CallFailure> {
    create_private_dirs(folder).map_err(|why| {
        let message = format!("cannot create {}: {why}", folder.display());
        CallFailure::new("file", message, "set DESKHAND_CACHE_DIR to a folder you can write to")
    })
}

/// Adds the reason that a server without a working sandbox does not start.
fn sandbox_failure(error: deskhand_run::Error) -> CallFailure {
    let failure = CallFailure::from(error);
    if !failure.code.starts_with("sandbox") {
        return failure;
    }
    let why = "command-line tools are not served without a working sandbox, because a command could \
               change everything that you can";
    CallFailure { message: format!("{}; {why}", failure.message), ..failure }
}

#[cfg(test)]
mod tests;
