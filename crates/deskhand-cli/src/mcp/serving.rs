//! How clients come to the server: the options of `deskhand mcp serve`, and what the settings make of
//! them.

use std::{net::SocketAddr, path::PathBuf};

use clap::{Arg, ArgAction, Command, ValueHint};
use deskhand_engine::Failure;
use deskhand_mcp::{Access, Authority, Bounds, Certificate, Place, Token, Web};

use crate::settings::{
    self, Declared, Error, Settings,
    table::{TRANSPORT, http},
    words::Transport,
};

/// The ways clients come.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By the standard streams.
    Streams,
    /// By lines of JSON at a unix socket.
    Lines(PathBuf),
    /// By HTTP.
    Http(Box<Web>),
}

impl Way {
    /// The word for it.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Streams => "stdio",
            Self::Lines(_) => "socket",
            Self::Http(web) if web.sse => "sse",
            Self::Http(_) => "http",
        }
    }
}

/// Adds the options that choose how clients come.
pub(super) fn options(command: Command) -> Command {
    command
        .after_help(
            "Settings can be made by variables and in config.toml as well: `deskhand config show` \
             lists them.",
        )
        .arg(
            Arg::new("http")
                .long("http")
                .value_name("ADDR:PORT")
                .num_args(0..=1)
                .value_parser(settings::address)
                .help("Serve HTTP at /mcp instead; 127.0.0.1:8741 when no address is given"),
        )
        .arg(Arg::new("sse").long("sse").action(ArgAction::SetTrue).help(
            "Serve HTTP with the older HTTP+SSE as well, at /sse and /messages, /events and \
                 /message",
        ))
        .arg(
            Arg::new("socket")
                .long("socket")
                .value_name("PATH")
                .conflicts_with("http")
                .value_parser(clap::value_parser!(PathBuf))
                .value_hint(ValueHint::FilePath)
                .help("Serve at a unix socket instead: lines of JSON, or HTTP with --sse"),
        )
        .arg(time(&http::HEARTBEAT))
        .arg(time(&http::IDLE))
}

fn time(setting: &dyn Declared) -> Arg {
    let flag = setting.about().flag.unwrap_or(setting.about().key);
    Arg::new(flag)
        .long(flag)
        .value_name("TIME")
        .value_parser(settings::time)
        .help(settings::help(setting))
}

/// The way clients come; whether it can be served is found out before anything is started for it.
pub(super) fn way(settings: &Settings) -> Result<Way, Failure> {
    let socket = || settings.get(&http::HTTP_SOCKET);
    let transport = settings.get(&TRANSPORT)?;
    match transport {
        Transport::Stdio => return Ok(Way::Streams),
        Transport::Socket => {
            let missing = Error::Half { one: TRANSPORT.about.key, other: "http.socket" };
            return Ok(Way::Lines(socket()?.ok_or(missing)?));
        }
        Transport::Http | Transport::Sse => {}
    }
    let at = match socket()? {
        Some(path) => Place::Socket(path),
        None => Place::Address(address(settings)?),
    };
    let web = Web {
        at,
        sse: transport == Transport::Sse,
        heartbeat: settings.get(&http::HEARTBEAT)?,
        idle: settings.get(&http::IDLE)?,
        access: access(settings)?,
        tls: certificate(settings)?,
        origins: settings.get(&http::CORS_ORIGIN)?,
        hosts: settings.get(&http::HOSTS)?,
        bounds: bounds(settings)?,
    };
    web.check()?;
    Ok(Way::Http(Box::new(web)))
}

/// Address and port: both in one, unless one of them alone is said by something stronger.
fn address(settings: &Settings) -> Result<SocketAddr, Error> {
    let whole = settings.find(&http::HTTP_ADDRESS)?;
    let (ip, port) = (settings.find(&http::HTTP_BIND)?, settings.find(&http::HTTP_PORT)?);
    let Some(address) = whole.value else { return Ok(SocketAddr::new(ip.value, port.value)) };
    let rank = whole.source.rank();
    Ok(SocketAddr::new(
        if ip.source.rank() < rank { ip.value } else { address.ip() },
        if port.source.rank() < rank { port.value } else { address.port() },
    ))
}

fn access(settings: &Settings) -> Result<Access, Failure> {
    let token = settings.get(&http::TOKEN)?;
    let token = token.map(|text| Token::new(&text)).transpose()?;
    let audience = settings.get(&http::OAUTH_AUDIENCE)?;
    let resource = settings.get(&http::OAUTH_RESOURCE)?;
    let keys = settings.get(&http::OAUTH_KEYS)?;
    let half = audience.is_some() || resource.is_some() || keys.is_some();
    let authority = match settings.get(&http::OAUTH_ISSUER)? {
        Some(issuer) => Some(Authority { issuer, audience, resource, keys }),
        None if half => {
            return Err(Error::Half { one: "http.oauth_…", other: "http.oauth_issuer" }.into());
        }
        None => None,
    };
    Ok(Access { token, authority })
}

fn certificate(settings: &Settings) -> Result<Option<Certificate>, Error> {
    let (cert, key) = (http::TLS_CERT.about.key, http::TLS_KEY.about.key);
    match (settings.get(&http::TLS_CERT)?, settings.get(&http::TLS_KEY)?) {
        (Some(chain), Some(key)) => Ok(Some(Certificate { chain, key })),
        (None, None) => Ok(None),
        (Some(_), None) => Err(Error::Half { one: cert, other: key }),
        (None, Some(_)) => Err(Error::Half { one: key, other: cert }),
    }
}

fn bounds(settings: &Settings) -> Result<Bounds, Error> {
    let count = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    Ok(Bounds {
        read: settings.get(&http::READ_TIMEOUT)?,
        write: settings.get(&http::WRITE_TIMEOUT)?,
        sessions: count(settings.get(&http::MAX_SESSIONS)?),
        connections: count(settings.get(&http::MAX_CONNECTIONS)?),
        pace: Bounds::pace_of(settings.get(&http::HTTP_RATE)?),
    })
}

#[cfg(test)]
mod tests;
