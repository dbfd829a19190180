//! The settings of HTTP.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use deskhand_mcp::Bounds;

use super::{DAY, NAMES, PATH, about, by_flag};
use crate::settings::{
    raw,
    setting::{self, About, By, Setting},
};

const TIME: &str = "a time such as 30s, above 0 and up to a day, or a number of seconds";

pub(crate) const HTTP_PORT: Setting<u16> = Setting {
    about: about(
        "http.port",
        &["DESKHAND_HTTP_PORT", "AXTERMINATOR_HTTP_PORT", "MCP_HTTP_PORT"],
        "a port from 0 to 65535; 0 takes one that is free",
        "The port of HTTP",
    ),
    usual: || 8741,
    read: raw::port,
    show: setting::plain,
};

pub(crate) const HTTP_BIND: Setting<IpAddr> = Setting {
    about: about(
        "http.bind",
        &["DESKHAND_HTTP_BIND", "AXTERMINATOR_HTTP_BIND"],
        "an IP address such as 127.0.0.1",
        "The address of HTTP; beyond this machine only with a token or OAuth",
    ),
    usual: || IpAddr::V4(Ipv4Addr::LOCALHOST),
    read: raw::word,
    show: setting::plain,
};

pub(crate) const HTTP_ADDRESS: Setting<Option<SocketAddr>> = Setting {
    about: by_flag(
        "http",
        about(
            "http.address",
            &["DESKHAND_HTTP_ADDRESS", "MCP_HTTP_ADDRESS"],
            "an address with a port such as 127.0.0.1:9000, :9000 for every address, or 9000 for 127.0.0.1",
            "Address and port of HTTP in one, instead of http.bind and http.port",
        ),
    ),
    usual: || None,
    read: raw::maybe_address,
    show: setting::plain,
};

pub(crate) const HTTP_SOCKET: Setting<Option<PathBuf>> = Setting {
    about: by_flag(
        "socket",
        about(
            "http.socket",
            &["DESKHAND_HTTP_SOCKET", "MCP_HTTP_SOCKET"],
            PATH,
            "A unix socket to serve at, instead of an address",
        ),
    ),
    usual: || None,
    read: raw::maybe_path,
    show: setting::plain,
};

pub(crate) const HEARTBEAT: Setting<Duration> = Setting {
    about: by_flag(
        "heartbeat",
        about(
            "http.heartbeat_interval",
            &["DESKHAND_HEARTBEAT_INTERVAL", "MCP_HEARTBEAT_INTERVAL"],
            TIME,
            "How often silent streams of HTTP show that they live",
        ),
    ),
    usual: || Duration::from_secs(30),
    read: raw::time::<DAY>,
    show: setting::time,
};

pub(crate) const IDLE: Setting<Duration> = Setting {
    about: by_flag(
        "connection-timeout",
        about(
            "http.connection_timeout",
            &["DESKHAND_CONNECTION_TIMEOUT", "MCP_CONNECTION_TIMEOUT"],
            TIME,
            "How long a session of HTTP is kept without any sign of its client",
        ),
    ),
    usual: || Duration::from_secs(3600),
    read: raw::time::<DAY>,
    show: setting::time,
};

pub(crate) const READ_TIMEOUT: Setting<Duration> = Setting {
    about: about(
        "http.read_timeout",
        &["DESKHAND_HTTP_READ_TIMEOUT", "MCP_HTTP_READ_TIMEOUT"],
        TIME,
        "How long a request may take to come",
    ),
    usual: || Bounds::default().read,
    read: raw::time::<DAY>,
    show: setting::time,
};

pub(crate) const WRITE_TIMEOUT: Setting<Duration> = Setting {
    about: about(
        "http.write_timeout",
        &["DESKHAND_HTTP_WRITE_TIMEOUT", "MCP_HTTP_WRITE_TIMEOUT"],
        TIME,
        "How long a client may leave what it is sent unread",
    ),
    usual: || Bounds::default().write,
    read: raw::time::<DAY>,
    show: setting::time,
};

pub(crate) const CORS_ORIGIN: Setting<Vec<String>> = Setting {
    about: about(
        "http.cors_origin",
        &["DESKHAND_HTTP_CORS_ORIGIN", "MCP_CORS_ORIGIN"],
        "origins such as https://app.example, separated by commas, or * for all",
        "The web pages that may call; those of this machine when not given",
    ),
    usual: Vec::new,
    read: raw::names,
    show: setting::plain,
};

pub(crate) const HOSTS: Setting<Vec<String>> = Setting {
    about: about(
        "http.hosts",
        &["DESKHAND_HTTP_HOSTS"],
        NAMES,
        "Names the server goes by, besides those of this machine",
    ),
    usual: Vec::new,
    read: raw::names,
    show: setting::plain,
};

pub(crate) const TLS_CERT: Setting<Option<PathBuf>> = Setting {
    about: about(
        "http.tls_cert",
        &["DESKHAND_HTTP_TLS_CERT", "MCP_TLS_CERT_FILE"],
        PATH,
        "The certificate of HTTPS, in PEM",
    ),
    usual: || None,
    read: raw::maybe_path,
    show: setting::plain,
};

pub(crate) const TLS_KEY: Setting<Option<PathBuf>> = Setting {
    about: about(
        "http.tls_key",
        &["DESKHAND_HTTP_TLS_KEY", "MCP_TLS_KEY_FILE"],
        PATH,
        "The private key of HTTPS, in PEM",
    ),
    usual: || None,
    read: raw::maybe_path,
    show: setting::plain,
};

pub(crate) const TOKEN: Setting<Option<String>> = Setting {
    about: About {
        by: By::Secret,
        ..about(
            "http.token",
            &["DESKHAND_HTTP_TOKEN", "AXTERMINATOR_HTTP_TOKEN", "MCP_API_KEY"],
            "a token",
            "The bearer token clients of HTTP must show",
        )
    },
    usual: || None,
    read: raw::maybe_text,
    show: setting::hidden,
};

pub(crate) const OAUTH_ISSUER: Setting<Option<String>> = Setting {
    about: about(
        "http.oauth_issuer",
        &["DESKHAND_HTTP_OAUTH_ISSUER"],
        "an address that begins with https://",
        "The authorization server whose access tokens let clients in",
    ),
    usual: || None,
    read: raw::maybe_text,
    show: setting::plain,
};

pub(crate) const OAUTH_AUDIENCE: Setting<Option<String>> = Setting {
    about: about(
        "http.oauth_audience",
        &["DESKHAND_HTTP_OAUTH_AUDIENCE"],
        "a text",
        "Whom access tokens must be for; http.oauth_resource when not given",
    ),
    usual: || None,
    read: raw::maybe_text,
    show: setting::plain,
};

pub(crate) const OAUTH_RESOURCE: Setting<Option<String>> = Setting {
    about: about(
        "http.oauth_resource",
        &["DESKHAND_HTTP_OAUTH_RESOURCE"],
        "an address that begins with https://",
        "The address by which clients know this server",
    ),
    usual: || None,
    read: raw::maybe_text,
    show: setting::plain,
};

pub(crate) const OAUTH_KEYS: Setting<Option<String>> = Setting {
    about: about(
        "http.oauth_keys",
        &["DESKHAND_HTTP_OAUTH_KEYS"],
        "an address that begins with https://",
        "Where the keys of the authorization server are; asked from the issuer when not given",
    ),
    usual: || None,
    read: raw::maybe_text,
    show: setting::plain,
};

pub(crate) const MAX_SESSIONS: Setting<u32> = Setting {
    about: about(
        "http.max_sessions",
        &["DESKHAND_HTTP_MAX_SESSIONS"],
        "a whole number from 1 to 100000",
        "How many sessions of HTTP there may be",
    ),
    usual: || u32::try_from(Bounds::default().sessions).unwrap_or(256),
    read: raw::small::<1, 100_000>,
    show: setting::plain,
};

pub(crate) const MAX_CONNECTIONS: Setting<u32> = Setting {
    about: about(
        "http.max_connections",
        &["DESKHAND_HTTP_MAX_CONNECTIONS"],
        "a whole number from 1 to 100000",
        "How many connections of HTTP there may be",
    ),
    usual: || u32::try_from(Bounds::default().connections).unwrap_or(512),
    read: raw::small::<1, 100_000>,
    show: setting::plain,
};

pub(crate) const HTTP_RATE: Setting<f64> = Setting {
    about: about(
        "http.rate_limit",
        &["DESKHAND_HTTP_RATE_LIMIT", "MCP_RATE_LIMIT"],
        "a number of requests a second; 0 switches it off",
        "Requests of HTTP one client may make in a second; more are answered 429",
    ),
    usual: || 0.0,
    read: raw::number,
    show: setting::number,
};
