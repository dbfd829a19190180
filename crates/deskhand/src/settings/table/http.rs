//! Settings of HTTP.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use super::{BOOLEAN, DAY, NAMES, PATH, info, with_flag};
use crate::settings::{
    parse,
    setting::{self, SetBy, Setting, SettingInfo},
};

const DURATION: &str = "a duration such as 30s, or a number of seconds; above 0, at most a day";
const HTTPS_URL: &str = "a URL that starts with https://";

pub const HTTP_PORT: Setting<u16> = Setting {
    info: with_flag(
        "port",
        info(
            "http.port",
            &["DESKHAND_HTTP_PORT", "AXTERMINATOR_HTTP_PORT", "MCP_HTTP_PORT"],
            "a port from 0 to 65535 (0: any free port)",
            "Port to serve HTTP on",
        ),
    ),
    default: || 8741,
    parse: parse::port,
    to_json: setting::json,
};

pub const HTTP_BIND: Setting<IpAddr> = Setting {
    info: with_flag(
        "bind",
        info(
            "http.bind",
            &["DESKHAND_HTTP_BIND", "AXTERMINATOR_HTTP_BIND"],
            "an IP address such as 127.0.0.1",
            "Address to serve HTTP on; one that other machines can reach needs a token or OAuth",
        ),
    ),
    default: || IpAddr::V4(Ipv4Addr::LOCALHOST),
    parse: parse::from_str,
    to_json: setting::json,
};

pub const HTTP_ADDRESS: Setting<Option<SocketAddr>> = Setting {
    info: with_flag(
        "http",
        info(
            "http.address",
            &["DESKHAND_HTTP_ADDRESS", "MCP_HTTP_ADDRESS"],
            "an address with a port such as 127.0.0.1:9000; :9000 for every address; 9000 for 127.0.0.1",
            "Address and port to serve HTTP on; replaces http.bind and http.port",
        ),
    ),
    default: || None,
    parse: parse::optional_address,
    to_json: setting::json,
};

pub const HTTP_SOCKET: Setting<Option<PathBuf>> = Setting {
    info: with_flag(
        "socket",
        info(
            "http.socket",
            &["DESKHAND_HTTP_SOCKET", "MCP_HTTP_SOCKET"],
            PATH,
            "Unix socket to serve on, instead of an address",
        ),
    ),
    default: || None,
    parse: parse::optional_path,
    to_json: setting::json,
};

pub const ECHO: Setting<bool> = Setting {
    info: with_flag(
        "echo",
        info(
            "http.echo",
            &["DESKHAND_HTTP_ECHO"],
            BOOLEAN,
            "Print all HTTP messages on standard error, with everything that is typed or read",
        ),
    ),
    default: || false,
    parse: parse::boolean,
    to_json: setting::json,
};

pub const HEARTBEAT: Setting<Duration> = Setting {
    info: with_flag(
        "heartbeat",
        info(
            "http.heartbeat_interval",
            &["DESKHAND_HEARTBEAT_INTERVAL", "MCP_HEARTBEAT_INTERVAL"],
            DURATION,
            "Interval of heartbeats on idle HTTP streams",
        ),
    ),
    // Many proxies close streams after 60 idle seconds.
    default: || Duration::from_secs(30),
    parse: parse::duration::<DAY>,
    to_json: setting::duration,
};

pub const CONNECTION_TIMEOUT: Setting<Duration> = Setting {
    info: with_flag(
        "connection-timeout",
        info(
            "http.connection_timeout",
            &["DESKHAND_CONNECTION_TIMEOUT", "MCP_CONNECTION_TIMEOUT"],
            DURATION,
            "Time after which an idle HTTP session ends",
        ),
    ),
    default: || Duration::from_secs(3600),
    parse: parse::duration::<DAY>,
    to_json: setting::duration,
};

pub const READ_TIMEOUT: Setting<Duration> = Setting {
    info: info(
        "http.read_timeout",
        &["DESKHAND_HTTP_READ_TIMEOUT", "MCP_HTTP_READ_TIMEOUT"],
        DURATION,
        "Timeout for reading a request",
    ),
    default: || Duration::from_secs(30),
    parse: parse::duration::<DAY>,
    to_json: setting::duration,
};

pub const WRITE_TIMEOUT: Setting<Duration> = Setting {
    info: info(
        "http.write_timeout",
        &["DESKHAND_HTTP_WRITE_TIMEOUT", "MCP_HTTP_WRITE_TIMEOUT"],
        DURATION,
        "Timeout for writing to a client that does not read",
    ),
    default: || Duration::from_secs(30),
    parse: parse::duration::<DAY>,
    to_json: setting::duration,
};

pub const CORS_ORIGIN: Setting<Vec<String>> = Setting {
    info: info(
        "http.cors_origin",
        &["DESKHAND_HTTP_CORS_ORIGIN", "MCP_CORS_ORIGIN"],
        "a comma-separated list of origins such as https://app.example, or * for all",
        "Origins whose web pages may call (default: origins on this machine)",
    ),
    default: Vec::new,
    parse: parse::list,
    to_json: setting::json,
};

pub const HOSTS: Setting<Vec<String>> = Setting {
    info: info(
        "http.hosts",
        &["DESKHAND_HTTP_HOSTS"],
        NAMES,
        "Host names of the server, in addition to those of this machine",
    ),
    default: Vec::new,
    parse: parse::list,
    to_json: setting::json,
};

pub const TLS_CERT: Setting<Option<PathBuf>> = Setting {
    info: info(
        "http.tls_cert",
        &["DESKHAND_HTTP_TLS_CERT", "MCP_TLS_CERT_FILE"],
        PATH,
        "TLS certificate file in PEM format",
    ),
    default: || None,
    parse: parse::optional_path,
    to_json: setting::json,
};

pub const TLS_KEY: Setting<Option<PathBuf>> = Setting {
    info: info(
        "http.tls_key",
        &["DESKHAND_HTTP_TLS_KEY", "MCP_TLS_KEY_FILE"],
        PATH,
        "TLS private key file in PEM format",
    ),
    default: || None,
    parse: parse::optional_path,
    to_json: setting::json,
};

pub const TOKEN: Setting<Option<String>> = Setting {
    info: SettingInfo {
        set_by: SetBy::Secret,
        ..info(
            "http.token",
            &["DESKHAND_HTTP_TOKEN", "AXTERMINATOR_HTTP_TOKEN", "MCP_API_KEY"],
            "a token",
            "Bearer token that HTTP clients must send",
        )
    },
    default: || None,
    parse: parse::optional_text,
    to_json: setting::redacted,
};

pub const OAUTH_ISSUER: Setting<Option<String>> = Setting {
    info: info(
        "http.oauth_issuer",
        &["DESKHAND_HTTP_OAUTH_ISSUER"],
        HTTPS_URL,
        "Authorization server whose access tokens are accepted",
    ),
    default: || None,
    parse: parse::optional_text,
    to_json: setting::json,
};

pub const OAUTH_AUDIENCE: Setting<Option<String>> = Setting {
    info: info(
        "http.oauth_audience",
        &["DESKHAND_HTTP_OAUTH_AUDIENCE"],
        "a text",
        "Audience that access tokens must have (default: http.oauth_resource)",
    ),
    default: || None,
    parse: parse::optional_text,
    to_json: setting::json,
};

pub const OAUTH_RESOURCE: Setting<Option<String>> = Setting {
    info: info(
        "http.oauth_resource",
        &["DESKHAND_HTTP_OAUTH_RESOURCE"],
        HTTPS_URL,
        "Public URL of this server",
    ),
    default: || None,
    parse: parse::optional_text,
    to_json: setting::json,
};

pub const OAUTH_KEYS: Setting<Option<String>> = Setting {
    info: info(
        "http.oauth_keys",
        &["DESKHAND_HTTP_OAUTH_KEYS"],
        HTTPS_URL,
        "URL of the authorization server's keys (default: taken from its metadata)",
    ),
    default: || None,
    parse: parse::optional_text,
    to_json: setting::json,
};

pub const MAX_SESSIONS: Setting<u32> = Setting {
    info: info(
        "http.max_sessions",
        &["DESKHAND_HTTP_MAX_SESSIONS"],
        "an integer from 1 to 100000",
        "Maximum number of HTTP sessions",
    ),
    default: || 256,
    parse: parse::integer_u32::<1, 100_000>,
    to_json: setting::json,
};

pub const RESUME_BYTES: Setting<u32> = Setting {
    info: info(
        "http.resume_bytes",
        &["DESKHAND_HTTP_RESUME_BYTES"],
        "a number of bytes from 65536 to 268435456",
        "Maximum size of the delivered messages that each HTTP session keeps, so that its client can resume",
    ),
    default: || 4 * 1024 * 1024,
    parse: parse::integer_u32::<65_536, 268_435_456>,
    to_json: setting::json,
};

pub const MAX_CONNECTIONS: Setting<u32> = Setting {
    info: info(
        "http.max_connections",
        &["DESKHAND_HTTP_MAX_CONNECTIONS"],
        "an integer from 1 to 100000",
        "Maximum number of HTTP connections",
    ),
    default: || 512,
    parse: parse::integer_u32::<1, 100_000>,
    to_json: setting::json,
};

pub const HTTP_RATE: Setting<f64> = Setting {
    info: info(
        "http.rate_limit",
        &["DESKHAND_HTTP_RATE_LIMIT", "MCP_RATE_LIMIT"],
        "a number of requests per second (0: no limit)",
        "Maximum HTTP requests per second and client; further requests get status 429",
    ),
    default: || 0.0,
    parse: parse::number,
    to_json: setting::number,
};
