//! The settings of command-line tools and of the sandbox they run in.

use std::{path::PathBuf, time::Duration};

use deskhand_run::output;
use deskhand_sandbox::{Bounds, Network};

use super::{DAY, PATH, YES, about, by_flag};
use crate::settings::{
    raw,
    setting::{self, Setting},
    words,
};

const BYTES: &str = "a whole number of bytes; 0 is any";
const KEPT: &str = "a whole number of bytes from 1024 to 16777216";
const FOLDER: &str = "the path of a folder";

/// As much as a number can be, where a limit is a matter of taste.
const MOST: u64 = 1 << 60;

/// As much as is kept of one output in memory.
const MOST_KEPT: u64 = 16 << 20;

pub(crate) const SCOPE: Setting<Option<PathBuf>> = Setting {
    about: by_flag(
        "sandbox-scope",
        about(
            "commands.scope",
            &["DESKHAND_SANDBOX_SCOPE", "AHMA_SANDBOX_SCOPE"],
            FOLDER,
            "The folder commands work in; nothing else can be changed by them. When absent, the \
             working folder, or with HTTP the client's first root",
        ),
    ),
    usual: || None,
    read: raw::maybe_path,
    show: setting::plain,
};

pub(crate) const NO_SANDBOX: Setting<bool> = Setting {
    about: by_flag(
        "no-sandbox",
        about(
            "commands.no_sandbox",
            &["DESKHAND_NO_SANDBOX", "AHMA_NO_SANDBOX", "AHMA_DISABLE_SANDBOX"],
            YES,
            "Run commands without the sandbox, with all you may do yourself: only where something \
             else keeps them in",
        ),
    ),
    usual: || false,
    read: raw::yes,
    show: setting::plain,
};

pub(crate) const TOOLS_DIR: Setting<Option<PathBuf>> = Setting {
    about: by_flag(
        "tools-dir",
        about(
            "commands.tools",
            &["DESKHAND_TOOLS_DIR", "AHMA_TOOLS_DIR"],
            FOLDER,
            "Where the definitions of command-line tools are. When absent, .deskhand/tools or \
             .ahma/tools in the working folder",
        ),
    ),
    usual: || None,
    read: raw::maybe_path,
    show: setting::plain,
};

pub(crate) const SYNC: Setting<bool> = Setting {
    about: by_flag(
        "sync",
        about(
            "commands.sync",
            &["DESKHAND_SYNC", "AHMA_SYNC"],
            YES,
            "Answer only when a command has ended, whatever its definition says",
        ),
    ),
    usual: || false,
    read: raw::yes,
    show: setting::plain,
};

pub(crate) const SHELL: Setting<bool> = Setting {
    about: about(
        "commands.shell",
        &["DESKHAND_COMMANDS_SHELL", "MCP_SHELL_COMMANDS_ENABLED"],
        YES,
        "Whether command lines of the caller's own run: sandboxed_shell and terminals",
    ),
    usual: || true,
    read: raw::yes,
    show: setting::plain,
};

pub(crate) const NETWORK: Setting<Option<Network>> = Setting {
    about: about(
        "commands.network",
        &["DESKHAND_COMMANDS_NETWORK"],
        "off, on, or ports such as 443,8080",
        "What of the network commands reach. When absent, all of it, and nothing in safe mode",
    ),
    usual: || None,
    read: words::network,
    show: words::shown_network,
};

pub(crate) const TIMEOUT: Setting<Duration> = Setting {
    about: about(
        "commands.timeout",
        &["DESKHAND_COMMANDS_TIMEOUT", "AHMA_TIMEOUT"],
        "a time such as 6m, up to a day, or a number of seconds",
        "How long a command may take where neither its definition nor the caller says",
    ),
    usual: || Duration::from_secs(360),
    read: raw::time::<DAY>,
    show: setting::time,
};

pub(crate) const MEMORY: Setting<u64> = Setting {
    about: about(
        "commands.memory",
        &["DESKHAND_COMMANDS_MEMORY"],
        BYTES,
        "Address space of one process of a command",
    ),
    usual: || Bounds::default().memory,
    read: raw::whole::<0, MOST>,
    show: setting::plain,
};

pub(crate) const PROCESSES: Setting<u64> = Setting {
    about: about(
        "commands.processes",
        &["DESKHAND_COMMANDS_PROCESSES"],
        "a whole number up to 1000000; 0 is any",
        "Processes and threads of commands",
    ),
    usual: || Bounds::default().processes,
    read: raw::whole::<0, 1_000_000>,
    show: setting::plain,
};

pub(crate) const FILE_SIZE: Setting<u64> = Setting {
    about: about(
        "commands.file_size",
        &["DESKHAND_COMMANDS_FILE_SIZE"],
        BYTES,
        "How large a file can be that a command writes",
    ),
    usual: || Bounds::default().file_size,
    read: raw::whole::<0, MOST>,
    show: setting::plain,
};

pub(crate) const CPU_SECONDS: Setting<u64> = Setting {
    about: about(
        "commands.cpu_seconds",
        &["DESKHAND_COMMANDS_CPU_SECONDS"],
        "a whole number of seconds; 0 is any",
        "Processor time of one process of a command",
    ),
    usual: || Bounds::default().seconds,
    read: raw::whole::<0, MOST>,
    show: setting::plain,
};

pub(crate) const OUTPUT_HEAD: Setting<u64> = Setting {
    about: about(
        "commands.output_head",
        &["DESKHAND_COMMANDS_OUTPUT_HEAD"],
        KEPT,
        "How much of the beginning of an output is kept in memory",
    ),
    usual: || output::Bounds::default().head as u64,
    read: raw::whole::<1024, MOST_KEPT>,
    show: setting::plain,
};

pub(crate) const OUTPUT_TAIL: Setting<u64> = Setting {
    about: about(
        "commands.output_tail",
        &["DESKHAND_COMMANDS_OUTPUT_TAIL"],
        KEPT,
        "How much of the end of an output is kept in memory",
    ),
    usual: || output::Bounds::default().tail as u64,
    read: raw::whole::<1024, MOST_KEPT>,
    show: setting::plain,
};

pub(crate) const OUTPUT_WHOLE: Setting<u64> = Setting {
    about: about(
        "commands.output_whole",
        &["DESKHAND_COMMANDS_OUTPUT_WHOLE"],
        "a whole number of bytes up to 1099511627776; 0 keeps nothing on disk",
        "How much of an output is kept on disk, in folders.cache, when memory does not hold it",
    ),
    usual: || output::Bounds::default().whole,
    read: raw::whole::<0, 1_099_511_627_776>,
    show: setting::plain,
};

pub(crate) const AT_ONCE: Setting<u32> = Setting {
    about: about(
        "commands.at_once",
        &["DESKHAND_COMMANDS_AT_ONCE"],
        "a whole number from 1 to 1000",
        "How many commands of one caller run at a time; more wait for their turn",
    ),
    usual: || 16,
    read: raw::small::<1, 1000>,
    show: setting::plain,
};

pub(crate) const KEEP: Setting<u32> = Setting {
    about: about(
        "commands.keep",
        &["DESKHAND_COMMANDS_KEEP"],
        "a whole number from 1 to 10000",
        "How many commands that have ended can still be asked about",
    ),
    usual: || 100,
    read: raw::small::<1, 10_000>,
    show: setting::plain,
};

pub(crate) const READABLE: Setting<Vec<PathBuf>> = Setting {
    about: about(
        "commands.readable",
        &["DESKHAND_COMMANDS_READABLE"],
        "paths of folders, separated by commas",
        "Folders commands may read besides the scope and the system",
    ),
    usual: Vec::new,
    read: raw::paths,
    show: setting::plain,
};

pub(crate) const MCP_CONFIG: Setting<Option<PathBuf>> = Setting {
    about: by_flag(
        "mcp-config",
        about(
            "client.config",
            &["DESKHAND_MCP_CONFIG"],
            PATH,
            "An mcp.json that names other MCP servers; their tools are offered as well",
        ),
    ),
    usual: || None,
    read: raw::maybe_path,
    show: setting::plain,
};
