//! The options of `deskhand mcp serve` that select the transport.

use std::{net::IpAddr, path::PathBuf};

use clap::{Arg, ArgAction, Command, ValueHint};
use deskhand::settings::{self, AnySetting, table::http};

/// Adds the options that select the transport.
pub(super) fn options(command: Command) -> Command {
    command
        .after_help(
            "Environment variables and config.toml can set these options and more; see `deskhand \
             config show`.",
        )
        .arg(
            Arg::new("stdio")
                .long("stdio")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["http", "sse", "socket", "port", "bind", "echo"])
                .help("Serve on standard input and output (the default)"),
        )
        .arg(
            Arg::new("http")
                .long("http")
                .value_name("ADDR:PORT")
                .num_args(0..=1)
                .value_parser(settings::address_argument)
                .help("Serve Streamable HTTP at /mcp (default address: 127.0.0.1:8741)"),
        )
        .arg(
            Arg::new("port")
                .long("port")
                .value_name("PORT")
                .value_parser(clap::value_parser!(u16))
                .conflicts_with("socket")
                .help("Serve Streamable HTTP on this port (default: 8741) [env: DESKHAND_HTTP_PORT]"),
        )
        .arg(
            Arg::new("bind")
                .long("bind")
                .value_name("ADDR")
                .value_parser(clap::value_parser!(IpAddr))
                .conflicts_with("socket")
                .help(
                    "Serve Streamable HTTP on this address; one that other machines can reach needs a \
                     token or OAuth (default: 127.0.0.1) [env: DESKHAND_HTTP_BIND]",
                ),
        )
        .arg(
            Arg::new("echo")
                .long("echo")
                .action(ArgAction::SetTrue)
                .help(settings::help(&http::ECHO)),
        )
        .arg(Arg::new("sse").long("sse").action(ArgAction::SetTrue).help(
            "Serve Streamable HTTP, and the deprecated HTTP+SSE at /sse and /messages, and at \
                 /events and /message",
        ))
        .arg(
            Arg::new("socket")
                .long("socket")
                .value_name("PATH")
                .conflicts_with("http")
                .value_parser(clap::value_parser!(PathBuf))
                .value_hint(ValueHint::FilePath)
                .help("Serve MCP as JSON lines on a Unix socket; with --sse, serve HTTP on it"),
        )
        .arg(duration(&http::HEARTBEAT))
        .arg(duration(&http::CONNECTION_TIMEOUT))
}

fn duration(setting: &dyn AnySetting) -> Arg {
    let flag = setting.info().flag.unwrap_or(setting.info().key);
    Arg::new(flag)
        .long(flag)
        .value_name("DURATION")
        .value_parser(settings::duration_argument)
        .help(settings::help(setting))
}
