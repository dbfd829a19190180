// long: a table with one row per setting
//! The table of all settings. The command line, the server, `config show` and docs/config.md take names,
//! variables, defaults and help texts from here.

pub mod commands;
pub mod http;
pub mod log;

use std::{path::PathBuf, time::Duration};

use deskhand_engine::{RateLimits, SecurityMode, Toolset, approvals::DEFAULT_LIFETIME, audit_log};

use super::{
    parse::{self, RawValue},
    setting::{self, AnySetting, SetBy, Setting, SettingInfo, UnsupportedSetting},
    values,
};

/// Seconds in a day.
const DAY: u64 = 24 * 3600;

const RATE: &str = "an integer from 0 to 1000000 (0: no limit)";
const NAMES: &str = "a comma-separated list of names";
const BOOLEAN: &str = "true or false";
const PATH: &str = "the path of a file";

const fn info(
    key: &'static str,
    variables: &'static [&'static str],
    expects: &'static str,
    help: &'static str,
) -> SettingInfo {
    SettingInfo { key, flag: None, variables, expects, help, set_by: SetBy::Any }
}

const fn with_flag(flag: &'static str, info: SettingInfo) -> SettingInfo {
    SettingInfo { flag: Some(flag), ..info }
}

pub const FORMAT: Setting<values::OutputFormat> = Setting {
    info: with_flag(
        "format",
        info(
            "output.format",
            &["DESKHAND_FORMAT"],
            "text, json or quiet",
            "Output format; `quiet` prints nothing and sets only the exit code",
        ),
    ),
    default: || values::OutputFormat::Text,
    parse: parse::from_lowercase,
    to_json: |value| value.name().into(),
};

pub const TIMEOUT: Setting<Option<Duration>> = Setting {
    info: with_flag(
        "timeout",
        info(
            "server.timeout",
            &["DESKHAND_TIMEOUT", "MACOS_USE_REQUEST_TIMEOUT"],
            "a duration such as 30s, or a number of seconds; above 0, at most an hour",
            "Timeout of a call, including the wait until an element is ready (default: 2s for reads, \
             5s for actions, 30s to start a program, command or script)",
        ),
    ),
    default: || None,
    parse: parse::optional_duration::<3600>,
    to_json: |value| value.as_ref().map_or(serde_json::Value::Null, setting::duration),
};

pub const LOG_LEVEL: Setting<&'static str> = Setting {
    info: info(
        "server.log_level",
        &["DESKHAND_LOG_LEVEL", "AXTERMINATOR_LOG_LEVEL", "MACOS_USE_DEBUG"],
        "debug, info, notice, warning, error, critical, alert or emergency",
        "Minimum level of MCP log messages, until the client sets one; `true` means debug",
    ),
    default: || "info",
    parse: |given| match (given, parse::boolean(given)) {
        (RawValue::Text(_), Some(true)) => Some("debug"),
        (RawValue::Text(_), Some(false)) => Some("info"),
        (RawValue::Text(_) | RawValue::Toml(_), _) => values::log_level(given),
    },
    to_json: setting::json,
};

pub const SECURITY_MODE: Setting<SecurityMode> = Setting {
    info: with_flag(
        "security-mode",
        info(
            "server.security_mode",
            &["DESKHAND_SECURITY_MODE", "AXTERMINATOR_SECURITY_MODE"],
            "normal, safe or sandboxed",
            "Security mode: `normal` allows all tools, `safe` allows no scripts and no risky action without \
             confirmation, `sandboxed` allows only reads",
        ),
    ),
    default: SecurityMode::default,
    parse: parse::from_lowercase,
    to_json: setting::mode,
};

pub const READ_ONLY: Setting<bool> = Setting {
    info: with_flag(
        "read-only",
        info(
            "server.read_only",
            &["DESKHAND_READ_ONLY", "ACCESSIBILITY_MCP_READ_ONLY"],
            BOOLEAN,
            "Offer only tools that change nothing",
        ),
    ),
    default: || false,
    parse: parse::boolean,
    to_json: setting::json,
};

pub const CONFIRM: Setting<bool> = Setting {
    info: info(
        "server.confirm_destructive",
        &["DESKHAND_CONFIRM_DESTRUCTIVE", "AXTERMINATOR_CONFIRM_DESTRUCTIVE"],
        BOOLEAN,
        "Ask the user before a destructive action; `false` takes effect only in normal mode",
    ),
    default: || true,
    parse: parse::boolean,
    to_json: setting::json,
};

pub const HALT_HOTKEY: Setting<Option<String>> = Setting {
    info: info(
        "server.halt_hotkey",
        &["DESKHAND_HALT_HOTKEY"],
        "a key combination such as Ctrl+Alt+Escape, or none",
        "Keyboard shortcut that halts all actions while a server runs",
    ),
    default: || Some("Ctrl+Alt+Escape".to_owned()),
    parse: values::hotkey,
    to_json: |value| value.as_deref().unwrap_or("none").into(),
};

pub const TOOLSETS: Setting<Vec<Toolset>> = Setting {
    info: with_flag(
        "toolsets",
        info(
            "server.toolsets",
            &["DESKHAND_TOOLSETS"],
            "a comma-separated list of toolsets, or all",
            "Offer the tools of these toolsets; if two have the same name, offer the one of the first toolset \
             (default: ax, and cli or servers if they are configured)",
        ),
    ),
    default: Vec::new,
    parse: values::toolsets,
    to_json: |sets| values::toolset_names(sets).into(),
};

pub const TOOLS: Setting<Vec<String>> = Setting {
    info: with_flag(
        "tools",
        info("server.tools", &["DESKHAND_TOOLS"], NAMES, "Offer only these tools"),
    ),
    default: Vec::new,
    parse: parse::list,
    to_json: setting::json,
};

pub const EXCLUDE_TOOLS: Setting<Vec<String>> = Setting {
    info: with_flag(
        "exclude-tools",
        info(
            "server.exclude_tools",
            &["DESKHAND_EXCLUDE_TOOLS"],
            NAMES,
            "Do not offer these tools",
        ),
    ),
    default: Vec::new,
    parse: parse::list,
    to_json: setting::json,
};

pub const TRANSPORT: Setting<values::Transport> = Setting {
    info: info(
        "server.transport",
        &["DESKHAND_TRANSPORT", "MCP_TRANSPORT"],
        "stdio, http, sse or socket",
        "MCP transport: standard input and output, Streamable HTTP, Streamable HTTP and the deprecated HTTP+SSE, or a Unix socket",
    ),
    default: || values::Transport::Stdio,
    parse: parse::from_lowercase,
    to_json: |value| value.name().into(),
};

pub const WEBSITE_URL: Setting<Option<String>> = Setting {
    info: info(
        "server.website_url",
        &["DESKHAND_WEBSITE_URL"],
        "a URL",
        "Website about this server, which MCP clients can show",
    ),
    default: || None,
    parse: parse::optional_text,
    to_json: setting::json,
};

pub const ALLOWED_APPS: Setting<Vec<String>> = Setting {
    info: info(
        "security.allowed_apps",
        &["DESKHAND_ALLOWED_APPS", "AXTERMINATOR_ALLOWED_APPS"],
        NAMES,
        "Apps that callers may read and use (empty: all apps); added to those in security.toml",
    ),
    default: Vec::new,
    parse: parse::list,
    to_json: setting::json,
};

pub const DENIED_APPS: Setting<Vec<String>> = Setting {
    info: info(
        "security.denied_apps",
        &["DESKHAND_DENIED_APPS", "AXTERMINATOR_DENIED_APPS"],
        NAMES,
        "Apps that callers may neither read nor use; added to those in security.toml",
    ),
    default: Vec::new,
    parse: parse::list,
    to_json: setting::json,
};

pub const WRITE_BLOCKED_APPS: Setting<Vec<String>> = Setting {
    info: info(
        "security.write_blocked_apps",
        &["DESKHAND_WRITE_BLOCKED_APPS", "ACCESSIBILITY_MCP_BLOCKLIST"],
        NAMES,
        "Apps that callers may read but not use; added to those in security.toml and the built-in list",
    ),
    default: Vec::new,
    parse: parse::list,
    to_json: setting::json,
};

pub const RPS: Setting<u32> = Setting {
    info: info(
        "rate_limits.rps",
        &["DESKHAND_RATE_LIMIT_RPS", "AXTERMINATOR_RATE_LIMIT_RPS"],
        RATE,
        "Maximum calls per second and client; further calls are refused",
    ),
    default: || RateLimits::default().per_second,
    parse: parse::integer_u32::<0, 1_000_000>,
    to_json: setting::json,
};

pub const RPM: Setting<u32> = Setting {
    info: info(
        "rate_limits.rpm",
        &["DESKHAND_RATE_LIMIT_RPM", "AXTERMINATOR_RATE_LIMIT_RPM"],
        RATE,
        "Maximum calls per minute and client; further calls are refused",
    ),
    default: || RateLimits::default().per_minute,
    parse: parse::integer_u32::<0, 1_000_000>,
    to_json: setting::json,
};

pub const CONCURRENCY: Setting<u32> = Setting {
    info: info(
        "rate_limits.concurrency",
        &["DESKHAND_CONCURRENCY", "AXTERMINATOR_CONCURRENCY"],
        RATE,
        "Maximum concurrent calls per client; further calls are refused",
    ),
    default: || RateLimits::default().max_concurrent,
    parse: parse::integer_u32::<0, 1_000_000>,
    to_json: setting::json,
};

pub const SCRIPT_RPM: Setting<u32> = Setting {
    info: info(
        "rate_limits.script_rpm",
        &["DESKHAND_SCRIPT_RATE_LIMIT", "AXTERMINATOR_SCRIPT_RATE_LIMIT"],
        RATE,
        "Maximum scripts per minute; further scripts are refused",
    ),
    default: || RateLimits::default().scripts_per_minute,
    parse: parse::integer_u32::<0, 1_000_000>,
    to_json: setting::json,
};

pub const WRITES: Setting<u32> = Setting {
    info: info(
        "rate_limits.writes_per_second",
        &["DESKHAND_WRITE_RATE_LIMIT", "ACCESSIBILITY_MCP_RATE_LIMIT"],
        RATE,
        "Maximum calls per second that change something; further calls wait",
    ),
    default: || RateLimits::default().writes_per_second,
    parse: parse::integer_u32::<0, 1_000_000>,
    to_json: setting::json,
};

pub const VISION_RPM: Setting<u32> = Setting {
    info: info(
        "vlm.rate_limit",
        &["DESKHAND_VLM_RATE_LIMIT", "AXTERMINATOR_VLM_RATE_LIMIT"],
        RATE,
        "Maximum calls per minute that send an image to a model; further calls are refused",
    ),
    default: || RateLimits::default().vision_per_minute,
    parse: parse::integer_u32::<0, 1_000_000>,
    to_json: setting::json,
};

pub const AUDIT_LOG: Setting<PathBuf> = Setting {
    info: info(
        "audit_log.file",
        &["DESKHAND_AUDIT_LOG", "AXTERMINATOR_AUDIT_LOG", "MCP_AUDIT_LOG_FILE"],
        PATH,
        "File of the audit log, which records every change",
    ),
    default: || crate::host::folders().data.join("audit.jsonl"),
    parse: parse::path,
    to_json: setting::json,
};

pub const AUDIT_LOG_SIZE: Setting<u64> = Setting {
    info: info(
        "audit_log.max_bytes",
        &["DESKHAND_AUDIT_LOG_MAX_BYTES"],
        "an integer from 65536 to 1073741824",
        "Size of the audit log file, in bytes, at which a new file is started",
    ),
    default: || audit_log::RotationPolicy::default().rotate_at,
    parse: parse::integer::<65_536, 1_073_741_824>,
    to_json: setting::json,
};

pub const AUDIT_LOG_KEEP: Setting<u32> = Setting {
    info: info(
        "audit_log.keep",
        &["DESKHAND_AUDIT_LOG_KEEP"],
        "an integer from 1 to 1000",
        "Number of full audit log files to keep",
    ),
    default: || u32::try_from(audit_log::RotationPolicy::default().keep).unwrap_or(10),
    parse: parse::integer_u32::<1, 1000>,
    to_json: setting::json,
};

pub const APPROVALS_LIFE: Setting<Duration> = Setting {
    info: info(
        "approvals.life",
        &["DESKHAND_APPROVALS_LIFE"],
        "a duration such as 12h or 30days; at most a year",
        "Time after which a remembered approval expires",
    ),
    default: || DEFAULT_LIFETIME,
    parse: parse::duration::<{ 366 * DAY }>,
    to_json: setting::duration,
};

const fn folder(
    key: &'static str,
    variables: &'static [&'static str],
    help: &'static str,
) -> SettingInfo {
    SettingInfo { set_by: SetBy::Variable, ..info(key, variables, "the path of a folder", help) }
}

const CONFIG_DIR: Setting<PathBuf> = Setting {
    info: folder("folders.config", &["DESKHAND_CONFIG_DIR"], crate::host::FOLDER_HELP[0]),
    default: || crate::host::folders().config,
    parse: parse::path,
    to_json: setting::json,
};

const DATA_DIR: Setting<PathBuf> = Setting {
    info: folder("folders.data", &["DESKHAND_DATA_DIR"], crate::host::FOLDER_HELP[1]),
    default: || crate::host::folders().data,
    parse: parse::path,
    to_json: setting::json,
};

const STATE_DIR: Setting<PathBuf> = Setting {
    info: folder("folders.state", &["DESKHAND_STATE_DIR"], crate::host::FOLDER_HELP[2]),
    default: || crate::host::folders().state,
    parse: parse::path,
    to_json: setting::json,
};

const CACHE_DIR: Setting<PathBuf> = Setting {
    info: folder("folders.cache", &["DESKHAND_CACHE_DIR"], crate::host::FOLDER_HELP[3]),
    default: || crate::host::folders().cache,
    parse: parse::path,
    to_json: setting::json,
};

const RUNTIME_DIR: Setting<PathBuf> = Setting {
    info: folder("folders.runtime", &["DESKHAND_RUNTIME_DIR"], crate::host::FOLDER_HELP[4]),
    default: || crate::host::folders().runtime,
    parse: parse::path,
    to_json: setting::json,
};

/// All settings, in the order of their sections.
pub const TABLE: &[&dyn AnySetting] = &[
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
    &WEBSITE_URL,
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
    &http::ECHO,
    &http::HEARTBEAT,
    &http::CONNECTION_TIMEOUT,
    &http::READ_TIMEOUT,
    &http::WRITE_TIMEOUT,
    &http::HTTP_RATE,
    &http::MAX_SESSIONS,
    &http::RESUME_BYTES,
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
    &commands::CONCURRENCY,
    &commands::KEEP,
    &commands::MCP_CONFIG,
    &log::TARGET,
    &log::DEBUG,
    &log::KEEP,
    &FORMAT,
    &CONFIG_DIR,
    &DATA_DIR,
    &STATE_DIR,
    &CACHE_DIR,
    &RUNTIME_DIR,
];

/// Settings of other systems that have no effect. Setting one produces a warning.
pub const UNSUPPORTED: &[UnsupportedSetting] = &[
    UnsupportedSetting {
        key: Some("vlm.backend"),
        variable: Some("AXTERMINATOR_VLM_BACKEND"),
        reason: "images are described by the client's model",
    },
    UnsupportedSetting {
        key: Some("cache.tree_ttl_ms"),
        variable: Some("AXTERMINATOR_TREE_CACHE_MS"),
        reason: "accessibility trees are never cached",
    },
    UnsupportedSetting {
        key: Some("cache.screenshot_debounce_ms"),
        variable: None,
        reason: "screenshots are never cached",
    },
    variable("AHMA_NO_SANDBOX", SANDBOX_STAYS_ON),
    variable("AHMA_DISABLE_SANDBOX", SANDBOX_STAYS_ON),
    variable("MACOS_USE_SERVER_ADDR", NO_GRPC),
    variable("MACOS_USE_SERVER_TLS", NO_GRPC),
    variable("MACOS_USE_SERVER_CERT_FILE", NO_GRPC),
];

const fn variable(name: &'static str, reason: &'static str) -> UnsupportedSetting {
    UnsupportedSetting { key: None, variable: Some(name), reason }
}

/// A variable that was set for another program must not weaken this one.
pub const SANDBOX_STAYS_ON: &str =
    "the sandbox stays on; only --no-sandbox or DESKHAND_NO_SANDBOX turns it off";

const NO_GRPC: &str = "Deskhand does not serve gRPC; use the http settings";
