//! Command-line tools as the person has set them up: the options, whether they are offered, and how
//! they are run.

use std::{
    fs::DirBuilder,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::{Arg, ArgAction, Command, ValueHint};
use deskhand_engine::{Catalogue, Entry, Failure, Mode, Pace, Toolset};
use deskhand_mcp::{Place, Web};
use deskhand_run::{Bounds, Broker, How, Network, Setup, Shop, Workshop, output};
use deskhand_sandbox::Plan;

use crate::{
    host,
    settings::{
        self, Declared, Error, Settings, Source,
        table::{SECURITY_MODE, TOOLS, TOOLSETS, commands},
    },
};

/// Where definitions of tools are looked for in the working folder, the first that is there.
pub(crate) const USUAL_FOLDERS: [&str; 2] = [".deskhand/tools", ".ahma/tools"];

/// Tools that run what the caller writes.
const OF_THE_CALLER: [&str; 3] = ["sandboxed_shell", "terminal_", "ax_run_script"];

/// Adds the options of whatever runs a command.
pub(crate) fn held_options(command: Command) -> Command {
    command.arg(path(&commands::SCOPE, ValueHint::DirPath)).arg(switch(&commands::NO_SANDBOX))
}

/// Adds the options of command-line tools.
pub(crate) fn options(command: Command) -> Command {
    held_options(command)
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

/// Whom commands are run for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Callers {
    /// Whoever started this program: the folder it was started in is theirs.
    Own,
    /// Anybody who comes: each works in a folder of their own.
    Many,
}

/// What is offered of command-line tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Offered {
    /// All of them, and what the files in a folder define, where there is one.
    Tools(Option<PathBuf>),
    /// None: only scripts are run, in a folder of their own.
    Scripts,
}

/// Everything commands need.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// Runs them.
    pub(crate) shop: Shop,
    /// Whether a call stays to their end.
    pub(crate) pace: Pace,
    /// What was found to work is kept, so that the first command need not wait for it.
    pub(crate) tried: Option<Arc<Workshop>>,
}

/// What is offered: what was asked for, or what the working folder defines.
///
/// # Errors
///
/// When a setting is not understood.
pub(crate) fn offered(settings: &Settings) -> Result<Offered, Error> {
    let folder = settings.find(&commands::TOOLS_DIR)?;
    let is_said = folder.source != Source::Usual;
    let found = folder.value.or_else(usual_folder);
    let chosen = settings.get(&TOOLSETS)?;
    let is_chosen = chosen.iter().any(|word| word == Toolset::Cli.word());
    let is_named = settings.get(&TOOLS)?.iter().any(|name| is_command_line(name));
    let on = is_said || is_chosen || is_named || (found.is_some() && chosen.is_empty());
    Ok(if on { Offered::Tools(found) } else { Offered::Scripts })
}

/// The folder of definitions in the working folder.
pub(crate) fn usual_folder() -> Option<PathBuf> {
    USUAL_FOLDERS.iter().map(PathBuf::from).find(|folder| folder.is_dir())
}

fn is_command_line(name: &str) -> bool {
    Catalogue::all().get(name).is_some_and(|entry| is_command(&entry))
}

/// Whether a tool runs commands, and so needs no desktop.
pub(crate) fn is_command(entry: &Entry) -> bool {
    entry.toolsets().contains(&Toolset::Cli)
}

/// The tools that are taken away from callers who may not write command lines of their own.
pub(crate) fn withheld(settings: &Settings) -> Result<Vec<String>, Error> {
    if settings.get(&commands::SHELL)? {
        return Ok(Vec::new());
    }
    let tools = Catalogue::all();
    let names = tools.offered().into_iter().map(|entry| entry.name().to_owned());
    Ok(names.filter(|name| OF_THE_CALLER.iter().any(|one| name.starts_with(one))).collect())
}

/// Makes ready what commands need. Where command-line tools are offered, the sandbox is tried first.
///
/// # Errors
///
/// When a setting is not understood, the scope is no folder, or the kernel cannot hold commands to it.
pub(crate) fn prepare(
    settings: &Settings,
    callers: Callers,
    offered: &Offered,
) -> Result<Prepared, Failure> {
    let own = settings.folders().cache.join("scripts");
    let said = settings.get(&commands::SCOPE)?;
    let said = said.map(|folder| own_scope(settings, &folder)).transpose()?;
    let scope = match (said, offered, callers) {
        (Some(said), _, _) => Some(said),
        (None, Offered::Tools(_), Callers::Own) => Some(own_scope(settings, Path::new("."))?),
        (None, Offered::Tools(_), Callers::Many) => None,
        (None, Offered::Scripts, _) => Some(own.clone()),
    };
    let mut setup = setup(settings, scope.clone())?;
    if *offered == Offered::Scripts {
        // A script computes: what it needs of the network is said by a setting, or not there.
        setup.network.get_or_insert(Network::Off);
    }
    let shop = Shop::new(setup);
    let tried = match (offered, scope) {
        (Offered::Scripts, _) => {
            if let Err(failure) = private_folder(&own) {
                tracing::warn!("scripts cannot be run: {}", failure.message);
            }
            None
        }
        (Offered::Tools(_), Some(scope)) => Some(tried(settings, &shop, &scope)?),
        (Offered::Tools(_), None) => {
            private_folder(&own)?;
            tried(settings, &shop, &own)?;
            None
        }
    };
    Ok(Prepared { shop, pace: pace(settings)?, tried: tried.map(Arc::new) })
}

impl Prepared {
    /// Refuses to be served by HTTP to whoever comes, where whoever comes may be a command: it would call
    /// the server it was started by, and work outside of its scope.
    ///
    /// # Errors
    ///
    /// When commands reach the server and it asks nobody for a token.
    pub(crate) fn check_served_by(&self, web: &Web, settings: &Settings) -> Result<(), Failure> {
        let Place::Address(at) = &web.at else { return Ok(()) };
        let network = match self.shop.network() {
            Some(network) => network.clone(),
            None => usual_network(settings)?,
        };
        let reach = match network {
            Network::Off => false,
            Network::On => true,
            Network::Ports(ports) => at.port() == 0 || ports.contains(&at.port()),
        };
        if !reach || !web.access.is_open() {
            return Ok(());
        }
        let message = "commands can reach the network, so they could call this server, which asks nobody \
                       for a token, and leave their scope";
        let hint = "set a token (DESKHAND_HTTP_TOKEN) or an authorization server (http.oauth_issuer), or \
                    take the network from commands: commands.network = \"off\"";
        Err(Failure::new("token_required", message, hint))
    }
}

/// Whether calls stay to the end of what they begin.
pub(crate) fn pace(settings: &Settings) -> Result<Pace, Error> {
    let sync = settings.get(&commands::SYNC)?;
    Ok(if sync { Pace::ToTheEnd } else { Pace::AsDeclared })
}

/// Opens the sandbox, which tries itself out.
fn tried(settings: &Settings, shop: &Shop, scope: &Path) -> Result<Workshop, Failure> {
    let network = match shop.network() {
        Some(network) => network.clone(),
        None => usual_network(settings)?,
    };
    let workshop = shop.try_out(scope, network).map_err(refusal)?;
    let unheld = settings.get(&commands::NO_SANDBOX)?;
    let sandbox = if unheld { "off" } else { "holds" };
    tracing::info!(scope = %scope.display(), sandbox, "commands can be run");
    Ok(workshop)
}

/// A scope the person has set; with Deskhand's own folders in it, commands would change what holds for
/// them, and what is recorded of them.
fn own_scope(settings: &Settings, folder: &Path) -> Result<PathBuf, Failure> {
    let scope = Plan::new(folder)?.scope;
    let real = |folder: &PathBuf| folder.canonicalize().unwrap_or_else(|_| folder.clone());
    let overlaps = |own: &PathBuf| own.starts_with(&scope) || scope.starts_with(own);
    match folders(settings).iter().map(real).find(overlaps) {
        None => Ok(scope),
        Some(own) => Err(Failure::new(
            "invalid_scope",
            format!(
                "{} cannot be the scope of commands: settings and records of Deskhand are in {}",
                scope.display(),
                own.display()
            ),
            "name the folder of a project: --sandbox-scope",
        )),
    }
}

/// The folders of Deskhand itself.
fn folders(settings: &Settings) -> Vec<PathBuf> {
    let all = settings.folders();
    [&all.config, &all.data, &all.state, &all.cache, &all.runtime].map(Clone::clone).to_vec()
}

/// What a person must know who runs commands without a sandbox.
pub(crate) fn unheld(settings: &Settings) -> Result<Option<&'static str>, Error> {
    Ok(settings.get(&commands::NO_SANDBOX)?.then_some(
        "WARNING: the sandbox is off: commands and scripts of agents can read, change and send \
         whatever you can",
    ))
}

fn setup(settings: &Settings, scope: Option<PathBuf>) -> Result<Setup, Failure> {
    let program = std::env::current_exe().map_err(|why| {
        let message = format!("this program cannot be found: {why}");
        Failure::new("internal", message, "start it by its full path")
    })?;
    let broker = Broker { program, word: host::BROKER.to_owned() };
    let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let usual = Setup::new(broker, settings.folders().cache.join("outputs"));
    Ok(Setup {
        own: folders(settings),
        // Whoever runs commands must not write the tools that are offered next.
        fixed: settings.get(&commands::TOOLS_DIR)?.into_iter().collect(),
        confinement: if settings.get(&commands::NO_SANDBOX)? { How::None } else { How::Kernel },
        scope,
        network: settings.get(&commands::NETWORK)?,
        bounds: Bounds {
            memory: settings.get(&commands::MEMORY)?,
            processes: settings.get(&commands::PROCESSES)?,
            file_size: settings.get(&commands::FILE_SIZE)?,
            seconds: settings.get(&commands::CPU_SECONDS)?,
        },
        readable: settings.get(&commands::READABLE)?,
        output: output::Bounds {
            head: count(settings.get(&commands::OUTPUT_HEAD)?),
            tail: count(settings.get(&commands::OUTPUT_TAIL)?),
            whole: settings.get(&commands::OUTPUT_WHOLE)?,
        },
        keep: count(settings.get(&commands::KEEP)?.into()),
        at_once: count(settings.get(&commands::AT_ONCE)?.into()),
        timeout: settings.get(&commands::TIMEOUT)?,
        ..usual
    })
}

/// What of the network commands reach where nothing is set.
fn usual_network(settings: &Settings) -> Result<Network, Error> {
    Ok(match settings.get(&SECURITY_MODE)? {
        Mode::Normal => Network::On,
        Mode::Safe | Mode::Sandboxed => Network::Off,
    })
}

fn private_folder(folder: &Path) -> Result<(), Failure> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|why| {
        let message = format!("{} cannot be made: {why}", folder.display());
        Failure::new("file", message, "set DESKHAND_CACHE_DIR to a folder you may write to")
    })
}

/// Why a server does not start.
fn refusal(error: deskhand_run::Error) -> Failure {
    let failure = Failure::from(error);
    if !failure.code.starts_with("sandbox") {
        return failure;
    }
    let why = "command-line tools are not served without a sandbox that holds, since a command could \
               change whatever you can";
    Failure { message: format!("{}; {why}", failure.message), ..failure }
}

#[cfg(test)]
mod tests;
