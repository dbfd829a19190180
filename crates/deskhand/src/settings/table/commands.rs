//! Settings of command-line tools and of their sandbox.

use std::{path::PathBuf, time::Duration};

use deskhand_run::output;
use deskhand_sandbox::{Network, ResourceLimits};

use super::{BOOLEAN, DAY, PATH, info, with_flag};
use crate::settings::{
    parse,
    setting::{self, Setting},
    values,
};

const BYTES: &str = "an integer number of bytes (0: no limit)";
const OUTPUT_BYTES: &str = "an integer number of bytes from 1024 to 16777216";
const FOLDER: &str = "the path of a folder";

/// The maximum of settings without a natural limit.
const MAX: u64 = 1 << 60;

/// The maximum number of output bytes to keep in memory.
const MAX_OUTPUT: u64 = 16 << 20;

pub const SCOPE: Setting<Option<PathBuf>> = Setting {
    info: with_flag(
        "sandbox-scope",
        info(
            "commands.scope",
            &["DESKHAND_SANDBOX_SCOPE", "AHMA_SANDBOX_SCOPE"],
            FOLDER,
            "Folder that commands run in, and the only one they can change (default: the working \
             folder; over HTTP, the first local folder among the client's roots)",
        ),
    ),
    default: || None,
    parse: parse::optional_path,
    to_json: setting::json,
};

pub const NO_SANDBOX: Setting<bool> = Setting {
    info: with_flag(
        "no-sandbox",
        info(
            "commands.no_sandbox",
            &["DESKHAND_NO_SANDBOX"],
            BOOLEAN,
            "Run commands without the sandbox, with all your permissions; use this only where \
             another sandbox confines them",
        ),
    ),
    default: || false,
    parse: parse::boolean,
    to_json: setting::json,
};

pub const TOOLS_DIR: Setting<Option<PathBuf>> = Setting {
    info: with_flag(
        "tools-dir",
        info(
            "commands.tools",
            &["DESKHAND_TOOLS_DIR", "AHMA_TOOLS_DIR"],
            FOLDER,
            "Folder with definitions of command-line tools (default: .deskhand/tools or .ahma/tools \
             in the working folder)",
        ),
    ),
    default: || None,
    parse: parse::optional_path,
    to_json: setting::json,
};

pub const SYNC: Setting<bool> = Setting {
    info: with_flag(
        "sync",
        info(
            "commands.sync",
            &["DESKHAND_SYNC", "AHMA_SYNC"],
            BOOLEAN,
            "Return only when a command has ended, even if its definition says otherwise",
        ),
    ),
    default: || false,
    parse: parse::boolean,
    to_json: setting::json,
};

pub const SHELL: Setting<bool> = Setting {
    info: info(
        "commands.shell",
        &["DESKHAND_COMMANDS_SHELL", "MCP_SHELL_COMMANDS_ENABLED"],
        BOOLEAN,
        "Let callers run their own command lines, with sandboxed_shell, terminals and scripts",
    ),
    default: || true,
    parse: parse::boolean,
    to_json: setting::json,
};

pub const NETWORK: Setting<Option<Network>> = Setting {
    info: info(
        "commands.network",
        &["DESKHAND_COMMANDS_NETWORK"],
        "off, on, or ports such as 443,8080",
        "Network access of commands (default: on; off in the modes safe and sandboxed)",
    ),
    default: || None,
    parse: values::network,
    to_json: values::network_to_json,
};

pub const TIMEOUT: Setting<Duration> = Setting {
    info: info(
        "commands.timeout",
        &["DESKHAND_COMMANDS_TIMEOUT", "AHMA_TIMEOUT"],
        "a duration such as 6m, or a number of seconds; at most a day",
        "Timeout of commands, unless their definition or the caller sets one",
    ),
    default: || Duration::from_secs(360),
    parse: parse::duration::<DAY>,
    to_json: setting::duration,
};

pub const MEMORY: Setting<u64> = Setting {
    info: info(
        "commands.memory",
        &["DESKHAND_COMMANDS_MEMORY"],
        BYTES,
        "Maximum address space of a command's process",
    ),
    default: || ResourceLimits::default().memory,
    parse: parse::integer::<0, MAX>,
    to_json: setting::json,
};

pub const PROCESSES: Setting<u64> = Setting {
    info: info(
        "commands.processes",
        &["DESKHAND_COMMANDS_PROCESSES"],
        "an integer from 0 to 1000000 (0: no limit)",
        "Maximum number of processes and threads of a command (before Linux 6.14, and on macOS: of \
         all processes of the user)",
    ),
    default: || ResourceLimits::default().processes,
    parse: parse::integer::<0, 1_000_000>,
    to_json: setting::json,
};

pub const FILE_SIZE: Setting<u64> = Setting {
    info: info(
        "commands.file_size",
        &["DESKHAND_COMMANDS_FILE_SIZE"],
        BYTES,
        "Maximum size of a file that a command writes",
    ),
    default: || ResourceLimits::default().file_size,
    parse: parse::integer::<0, MAX>,
    to_json: setting::json,
};

pub const CPU_SECONDS: Setting<u64> = Setting {
    info: info(
        "commands.cpu_seconds",
        &["DESKHAND_COMMANDS_CPU_SECONDS"],
        "an integer number of seconds (0: no limit)",
        "Maximum CPU time of a command's process",
    ),
    default: || ResourceLimits::default().cpu_seconds,
    parse: parse::integer::<0, MAX>,
    to_json: setting::json,
};

pub const OUTPUT_HEAD: Setting<u64> = Setting {
    info: info(
        "commands.output_head",
        &["DESKHAND_COMMANDS_OUTPUT_HEAD"],
        OUTPUT_BYTES,
        "Bytes to keep in memory of the beginning of an output",
    ),
    default: || output::OutputLimits::default().head as u64,
    parse: parse::integer::<1024, MAX_OUTPUT>,
    to_json: setting::json,
};

pub const OUTPUT_TAIL: Setting<u64> = Setting {
    info: info(
        "commands.output_tail",
        &["DESKHAND_COMMANDS_OUTPUT_TAIL"],
        OUTPUT_BYTES,
        "Bytes to keep in memory of the end of an output",
    ),
    default: || output::OutputLimits::default().tail as u64,
    parse: parse::integer::<1024, MAX_OUTPUT>,
    to_json: setting::json,
};

pub const OUTPUT_WHOLE: Setting<u64> = Setting {
    info: info(
        "commands.output_whole",
        &["DESKHAND_COMMANDS_OUTPUT_WHOLE"],
        "an integer number of bytes up to 1099511627776 (0: nothing on disk)",
        "Bytes to keep on disk, in folders.cache, of an output that exceeds the limits in memory",
    ),
    default: || output::OutputLimits::default().disk,
    parse: parse::integer::<0, 1_099_511_627_776>,
    to_json: setting::json,
};

pub const CONCURRENCY: Setting<u32> = Setting {
    info: info(
        "commands.at_once",
        &["DESKHAND_COMMANDS_AT_ONCE"],
        "an integer from 1 to 1000",
        "Maximum concurrent commands per caller; further commands wait",
    ),
    default: || 16,
    parse: parse::integer_u32::<1, 1000>,
    to_json: setting::json,
};

pub const KEEP: Setting<u32> = Setting {
    info: info(
        "commands.keep",
        &["DESKHAND_COMMANDS_KEEP"],
        "an integer from 1 to 10000",
        "Number of finished commands whose status and output stay available",
    ),
    default: || 100,
    parse: parse::integer_u32::<1, 10_000>,
    to_json: setting::json,
};

pub const READABLE: Setting<Vec<PathBuf>> = Setting {
    info: info(
        "commands.readable",
        &["DESKHAND_COMMANDS_READABLE"],
        "a comma-separated list of folders",
        "Folders that commands can read, in addition to their scope and the system",
    ),
    default: Vec::new,
    parse: parse::paths,
    to_json: setting::json,
};

pub const MCP_CONFIG: Setting<Option<PathBuf>> = Setting {
    info: with_flag(
        "mcp-config",
        info(
            "client.config",
            &["DESKHAND_MCP_CONFIG"],
            PATH,
            "An mcp.json file with other MCP servers, whose tools are offered too",
        ),
    ),
    default: || None,
    parse: parse::optional_path,
    to_json: setting::json,
};
