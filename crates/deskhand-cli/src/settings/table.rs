// long: a table, one row a setting
//! Every setting there is. Names, variables, usual values and words are stated here and nowhere
//! else: the command line, the server, `config show` and docs/config.md read them from here.

pub(crate) mod commands;
pub(crate) mod http;
pub(crate) mod log;

use std::{path::PathBuf, time::Duration};

use deskhand_engine::{Mode, Rates, approvals::USUAL_LIFE, journal};
use deskhand_mcp::Level;

use super::{
    raw,
    setting::{self, About, By, Declared, Idle, Setting},
    words,
};
use crate::output::Format;

const DAY: u64 = 24 * 3600;

/// A rate: a whole number, 0 for none.
const RATE: &str = "a whole number from 0 to 1000000; 0 switches it off";
const NAMES: &str = "names, separated by commas";
const YES: &str = "true or false";
const PATH: &str = "the path of a file";

const fn about(
    key: &'static str,
    names: &'static [&'static str],
    takes: &'static str,
    help: &'static str,
) -> About {
    About { key, flag: None, names, takes, help, by: By::Anything }
}

const fn by_flag(flag: &'static str, about: About) -> About {
    About { flag: Some(flag), ..about }
}

pub(crate) const FORMAT: Setting<Format> = Setting {
    about: by_flag(
        "format",
        about(
            "output.format",
            &["DESKHAND_FORMAT"],
            "text, json or quiet",
            "How commands answer: for eyes, for programs, or by exit code alone",
        ),
    ),
    usual: || Format::Text,
    read: raw::word,
    show: |value| value.word().into(),
};

pub(crate) const TIMEOUT: Setting<Option<Duration>> = Setting {
    about: by_flag(
        "timeout",
        about(
            "server.timeout",
            &["DESKHAND_TIMEOUT", "MACOS_USE_REQUEST_TIMEOUT"],
            "a time such as 30s, above 0 and up to an hour, or a number of seconds",
            "How long to look, or to wait until an element is ready: 2 to look, 5 to act",
        ),
    ),
    usual: || None,
    read: raw::maybe_time::<3600>,
    show: |value| value.as_ref().map_or(serde_json::Value::Null, setting::time),
};

pub(crate) const LOG_LEVEL: Setting<Level> = Setting {
    about: about(
        "server.log_level",
        &["DESKHAND_LOG_LEVEL", "AXTERMINATOR_LOG_LEVEL", "MACOS_USE_DEBUG"],
        "debug, info, notice, warning, error, critical, alert or emergency",
        "What clients are told by log messages until they say otherwise; true means debug",
    ),
    usual: || Level::Info,
    read: |given| match (given, raw::yes(given)) {
        (raw::Raw::Text(_), Some(true)) => Some(Level::Debug),
        (raw::Raw::Text(_), Some(false)) => Some(Level::Info),
        (raw::Raw::Text(_) | raw::Raw::File(_), _) => raw::lowercase(given),
    },
    show: |value| value.word().into(),
};

pub(crate) const SECURITY_MODE: Setting<Mode> = Setting {
    about: by_flag(
        "security-mode",
        about(
            "server.security_mode",
            &["DESKHAND_SECURITY_MODE", "AXTERMINATOR_SECURITY_MODE"],
            "normal, safe or sandboxed",
            "How much callers may do: all, nothing risky without a person's yes, or only look",
        ),
    ),
    usual: Mode::default,
    read: raw::lowercase,
    show: setting::mode,
};

pub(crate) const READ_ONLY: Setting<bool> = Setting {
    about: by_flag(
        "read-only",
        about(
            "server.read_only",
            &["DESKHAND_READ_ONLY", "ACCESSIBILITY_MCP_READ_ONLY"],
            YES,
            "Offer only tools that change nothing",
        ),
    ),
    usual: || false,
    read: raw::yes,
    show: setting::plain,
};

pub(crate) const CONFIRM: Setting<bool> = Setting {
    about: about(
        "server.confirm_destructive",
        &["DESKHAND_CONFIRM_DESTRUCTIVE", "AXTERMINATOR_CONFIRM_DESTRUCTIVE"],
        YES,
        "Ask the person before something may be lost; false counts in normal mode alone",
    ),
    usual: || true,
    read: raw::yes,
    show: setting::plain,
};

pub(crate) const HALT_HOTKEY: Setting<Option<String>> = Setting {
    about: about(
        "server.halt_hotkey",
        &["DESKHAND_HALT_HOTKEY"],
        "keys such as Ctrl+Alt+Escape, or none",
        "The keys that halt everything while a server runs",
    ),
    usual: || Some("Ctrl+Alt+Escape".to_owned()),
    read: words::hotkey,
    show: |value| value.as_deref().unwrap_or("none").into(),
};

pub(crate) const TOOLSETS: Setting<Vec<String>> = Setting {
    about: by_flag(
        "toolsets",
        about(
            "server.toolsets",
            &["DESKHAND_TOOLSETS"],
            "names of toolsets, separated by commas",
            "Offer these sets of tools",
        ),
    ),
    usual: Vec::new,
    read: words::toolsets,
    show: setting::plain,
};

pub(crate) const TOOLS: Setting<Vec<String>> = Setting {
    about: by_flag(
        "tools",
        about("server.tools", &["DESKHAND_TOOLS"], NAMES, "Offer these tools alone"),
    ),
    usual: Vec::new,
    read: raw::names,
    show: setting::plain,
};

pub(crate) const EXCLUDE_TOOLS: Setting<Vec<String>> = Setting {
    about: by_flag(
        "exclude-tools",
        about(
            "server.exclude_tools",
            &["DESKHAND_EXCLUDE_TOOLS"],
            NAMES,
            "Do not offer these tools",
        ),
    ),
    usual: Vec::new,
    read: raw::names,
    show: setting::plain,
};

pub(crate) const TRANSPORT: Setting<words::Transport> = Setting {
    about: about(
        "server.transport",
        &["DESKHAND_TRANSPORT", "MCP_TRANSPORT"],
        "stdio, http, sse or socket",
        "How clients come: standard streams, HTTP, HTTP with the older HTTP+SSE, a unix socket",
    ),
    usual: || words::Transport::Stdio,
    read: raw::lowercase,
    show: |value| value.word().into(),
};

pub(crate) const ALLOWED_APPS: Setting<Vec<String>> = Setting {
    about: about(
        "security.allowed_apps",
        &["DESKHAND_ALLOWED_APPS", "AXTERMINATOR_ALLOWED_APPS"],
        NAMES,
        "Only these apps may be seen and used, where there are any; besides security.toml",
    ),
    usual: Vec::new,
    read: raw::names,
    show: setting::plain,
};

pub(crate) const DENIED_APPS: Setting<Vec<String>> = Setting {
    about: about(
        "security.denied_apps",
        &["DESKHAND_DENIED_APPS", "AXTERMINATOR_DENIED_APPS"],
        NAMES,
        "These apps may not be seen or used; besides security.toml",
    ),
    usual: Vec::new,
    read: raw::names,
    show: setting::plain,
};

pub(crate) const WRITE_BLOCKED_APPS: Setting<Vec<String>> = Setting {
    about: about(
        "security.write_blocked_apps",
        &["DESKHAND_WRITE_BLOCKED_APPS", "ACCESSIBILITY_MCP_BLOCKLIST"],
        NAMES,
        "These apps may be seen and not used; besides security.toml and those always blocked",
    ),
    usual: Vec::new,
    read: raw::names,
    show: setting::plain,
};

pub(crate) const RPS: Setting<u32> = Setting {
    about: about(
        "rate_limits.rps",
        &["DESKHAND_RATE_LIMIT_RPS", "AXTERMINATOR_RATE_LIMIT_RPS"],
        RATE,
        "Calls of one client in a second; more are refused",
    ),
    usual: || Rates::default().per_second,
    read: raw::small::<0, 1_000_000>,
    show: setting::plain,
};

pub(crate) const RPM: Setting<u32> = Setting {
    about: about(
        "rate_limits.rpm",
        &["DESKHAND_RATE_LIMIT_RPM", "AXTERMINATOR_RATE_LIMIT_RPM"],
        RATE,
        "Calls of one client in a minute; more are refused",
    ),
    usual: || Rates::default().per_minute,
    read: raw::small::<0, 1_000_000>,
    show: setting::plain,
};

pub(crate) const CONCURRENCY: Setting<u32> = Setting {
    about: about(
        "rate_limits.concurrency",
        &["DESKHAND_CONCURRENCY", "AXTERMINATOR_CONCURRENCY"],
        RATE,
        "Calls of one client under way at once; more are refused",
    ),
    usual: || Rates::default().at_once,
    read: raw::small::<0, 1_000_000>,
    show: setting::plain,
};

pub(crate) const SCRIPT_RPM: Setting<u32> = Setting {
    about: about(
        "rate_limits.script_rpm",
        &["DESKHAND_SCRIPT_RATE_LIMIT", "AXTERMINATOR_SCRIPT_RATE_LIMIT"],
        RATE,
        "Scripts in a minute; more are refused",
    ),
    usual: || Rates::default().scripts_per_minute,
    read: raw::small::<0, 1_000_000>,
    show: setting::plain,
};

pub(crate) const WRITES: Setting<u32> = Setting {
    about: about(
        "rate_limits.writes_per_second",
        &["DESKHAND_WRITE_RATE_LIMIT", "ACCESSIBILITY_MCP_RATE_LIMIT"],
        RATE,
        "Calls that change something in a second; more wait for their turn",
    ),
    usual: || Rates::default().writes_per_second,
    read: raw::small::<0, 1_000_000>,
    show: setting::plain,
};

pub(crate) const VISION_RPM: Setting<u32> = Setting {
    about: about(
        "vlm.rate_limit",
        &["DESKHAND_VLM_RATE_LIMIT", "AXTERMINATOR_VLM_RATE_LIMIT"],
        RATE,
        "Calls in a minute that show a picture to a model; more are refused",
    ),
    usual: || Rates::default().vision_per_minute,
    read: raw::small::<0, 1_000_000>,
    show: setting::plain,
};

pub(crate) const AUDIT_LOG: Setting<PathBuf> = Setting {
    about: about(
        "audit_log.file",
        &["DESKHAND_AUDIT_LOG", "AXTERMINATOR_AUDIT_LOG", "MCP_AUDIT_LOG_FILE"],
        PATH,
        "Where every change is recorded",
    ),
    usual: || crate::host::folders().data.join("audit.jsonl"),
    read: |given| raw::maybe_path(given).flatten(),
    show: setting::plain,
};

pub(crate) const AUDIT_LOG_SIZE: Setting<u64> = Setting {
    about: about(
        "audit_log.max_bytes",
        &["DESKHAND_AUDIT_LOG_MAX_BYTES"],
        "a whole number from 65536 to 1073741824",
        "How large its file grows before a new one is begun",
    ),
    usual: || journal::Bounds::default().rotate_at,
    read: raw::whole::<65_536, 1_073_741_824>,
    show: setting::plain,
};

pub(crate) const AUDIT_LOG_KEEP: Setting<u32> = Setting {
    about: about(
        "audit_log.keep",
        &["DESKHAND_AUDIT_LOG_KEEP"],
        "a whole number from 1 to 1000",
        "How many full files of it are kept",
    ),
    usual: || u32::try_from(journal::Bounds::default().keep).unwrap_or(10),
    read: raw::small::<1, 1000>,
    show: setting::plain,
};

pub(crate) const APPROVALS_LIFE: Setting<Duration> = Setting {
    about: about(
        "approvals.life",
        &["DESKHAND_APPROVALS_LIFE"],
        "a time such as 12h or 30days, up to a year",
        "How long a remembered approval holds",
    ),
    usual: || USUAL_LIFE,
    read: raw::time::<{ 366 * DAY }>,
    show: setting::time,
};

const fn folder(key: &'static str, name: &'static [&'static str], help: &'static str) -> About {
    About { by: By::Variable, ..about(key, name, "the path of a folder", help) }
}

const CONFIG_DIR: Setting<PathBuf> = Setting {
    about: folder("folders.config", &["DESKHAND_CONFIG_DIR"], crate::host::FOLDERS[0]),
    usual: || crate::host::folders().config,
    read: |given| raw::maybe_path(given).flatten(),
    show: setting::plain,
};

const DATA_DIR: Setting<PathBuf> = Setting {
    about: folder("folders.data", &["DESKHAND_DATA_DIR"], crate::host::FOLDERS[1]),
    usual: || crate::host::folders().data,
    read: |given| raw::maybe_path(given).flatten(),
    show: setting::plain,
};

const STATE_DIR: Setting<PathBuf> = Setting {
    about: folder("folders.state", &["DESKHAND_STATE_DIR"], crate::host::FOLDERS[2]),
    usual: || crate::host::folders().state,
    read: |given| raw::maybe_path(given).flatten(),
    show: setting::plain,
};

const CACHE_DIR: Setting<PathBuf> = Setting {
    about: folder("folders.cache", &["DESKHAND_CACHE_DIR"], crate::host::FOLDERS[3]),
    usual: || crate::host::folders().cache,
    read: |given| raw::maybe_path(given).flatten(),
    show: setting::plain,
};

const RUNTIME_DIR: Setting<PathBuf> = Setting {
    about: folder("folders.runtime", &["DESKHAND_RUNTIME_DIR"], crate::host::FOLDERS[4]),
    usual: || crate::host::folders().runtime,
    read: |given| raw::maybe_path(given).flatten(),
    show: setting::plain,
};

/// All of them, in the order of their sections.
pub(crate) const TABLE: &[&dyn Declared] = &[
    &SECURITY_MODE,
    &READ_ONLY,
    &CONFIRM,
    &HALT_HOTKEY,
    &TOOLSETS,
    &TOOLS,
    &EXCLUDE_TOOLS,
    &TRANSPORT,
    &TIMEOUT,
    &LOG_LEVEL,
    &ALLOWED_APPS,
    &DENIED_APPS,
    &WRITE_BLOCKED_APPS,
    &RPS,
    &RPM,
    &CONCURRENCY,
    &SCRIPT_RPM,
    &WRITES,
    &VISION_RPM,
    &AUDIT_LOG,
    &AUDIT_LOG_SIZE,
    &AUDIT_LOG_KEEP,
    &APPROVALS_LIFE,
    &http::HTTP_PORT,
    &http::HTTP_BIND,
    &http::HTTP_ADDRESS,
    &http::HTTP_SOCKET,
    &http::HEARTBEAT,
    &http::IDLE,
    &http::READ_TIMEOUT,
    &http::WRITE_TIMEOUT,
    &http::HTTP_RATE,
    &http::MAX_SESSIONS,
    &http::MAX_CONNECTIONS,
    &http::CORS_ORIGIN,
    &http::HOSTS,
    &http::TLS_CERT,
    &http::TLS_KEY,
    &http::TOKEN,
    &http::OAUTH_ISSUER,
    &http::OAUTH_AUDIENCE,
    &http::OAUTH_RESOURCE,
    &http::OAUTH_KEYS,
    &commands::SCOPE,
    &commands::NO_SANDBOX,
    &commands::TOOLS_DIR,
    &commands::SYNC,
    &commands::SHELL,
    &commands::NETWORK,
    &commands::TIMEOUT,
    &commands::MEMORY,
    &commands::PROCESSES,
    &commands::FILE_SIZE,
    &commands::CPU_SECONDS,
    &commands::READABLE,
    &commands::OUTPUT_HEAD,
    &commands::OUTPUT_TAIL,
    &commands::OUTPUT_WHOLE,
    &commands::AT_ONCE,
    &commands::KEEP,
    &commands::MCP_CONFIG,
    &log::TO,
    &log::DEBUG,
    &log::KEEP,
    &FORMAT,
    &CONFIG_DIR,
    &DATA_DIR,
    &STATE_DIR,
    &CACHE_DIR,
    &RUNTIME_DIR,
];

/// What the other systems let set and nothing here is set by: told where it is set, and read over.
pub(crate) const WITHOUT_EFFECT: &[Idle] = &[
    Idle {
        key: Some("vlm.backend"),
        name: Some("AXTERMINATOR_VLM_BACKEND"),
        why: "pictures are described by the client's own model",
    },
    Idle {
        key: Some("cache.tree_ttl_ms"),
        name: Some("AXTERMINATOR_TREE_CACHE_MS"),
        why: "every look shows the app as it is then",
    },
    Idle {
        key: Some("cache.screenshot_debounce_ms"),
        name: None,
        why: "every screenshot shows the screen as it is then",
    },
    Idle { key: None, name: Some("MACOS_USE_SERVER_ADDR"), why: NO_GRPC },
    Idle { key: None, name: Some("MACOS_USE_SERVER_TLS"), why: NO_GRPC },
    Idle { key: None, name: Some("MACOS_USE_SERVER_CERT_FILE"), why: NO_GRPC },
];

const NO_GRPC: &str = "there is no gRPC here; the http settings are for HTTP";
