//! The endpoint of the server.

use std::{net::SocketAddr, path::PathBuf};

use deskhand::settings::{
    Error, SettingSource, Settings,
    table::{TRANSPORT, http},
    values::Transport,
};
use deskhand_engine::CallFailure;
use deskhand_mcp::{
    BearerToken, HttpAuth, HttpLimits, HttpOptions, ListenAddress, OAuthIssuer, TlsFiles,
};

/// The endpoint of a server.
#[derive(Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// Standard input and output.
    Stdio,
    /// Lines of JSON on a Unix socket.
    Socket(PathBuf),
    /// HTTP.
    Http(Box<HttpOptions>),
}

impl Endpoint {
    /// Returns the name of the transport.
    pub fn transport(&self) -> &'static str {
        let transport = match self {
            Self::Stdio => Transport::Stdio,
            Self::Socket(_) => Transport::Socket,
            Self::Http(web) if web.sse => Transport::Sse,
            Self::Http(_) => Transport::Http,
        };
        transport.name()
    }

    /// Returns the endpoint that the settings select.
    ///
    /// # Errors
    ///
    /// If a setting is invalid or missing, or the server must not be reachable without authentication.
    pub fn from_settings(settings: &Settings) -> Result<Self, CallFailure> {
        let socket = || settings.get(&http::HTTP_SOCKET);
        let transport = settings.get(&TRANSPORT)?;
        match transport {
            Transport::Stdio => return Ok(Self::Stdio),
            Transport::Socket => {
                let missing = Error::Incomplete { set: TRANSPORT.info.key, missing: "http.socket" };
                return Ok(Self::Socket(socket()?.ok_or(missing)?));
            }
            Transport::Http | Transport::Sse => {}
        }
        let at = match socket()? {
            Some(path) => ListenAddress::Unix(path),
            None => ListenAddress::Tcp(address(settings)?),
        };
        let web = HttpOptions {
            listen: at,
            sse: transport == Transport::Sse,
            heartbeat: settings.get(&http::HEARTBEAT)?,
            session_idle_timeout: settings.get(&http::CONNECTION_TIMEOUT)?,
            auth: access(settings)?,
            tls: certificate(settings)?,
            allowed_origins: settings.get(&http::CORS_ORIGIN)?,
            allowed_hosts: settings.get(&http::HOSTS)?,
            echo: settings.get(&http::ECHO)?,
            limits: bounds(settings)?,
        };
        web.check()?;
        Ok(Self::Http(Box::new(web)))
    }
}

/// Returns the address and port: `http.address`, unless a stronger source sets one of its parts.
fn address(settings: &Settings) -> Result<SocketAddr, Error> {
    let whole = settings.resolve(&http::HTTP_ADDRESS)?;
    let (ip, port) = (settings.resolve(&http::HTTP_BIND)?, settings.resolve(&http::HTTP_PORT)?);
    let Some(address) = whole.value else { return Ok(SocketAddr::new(ip.value, port.value)) };
    let rank = whole.source.rank();
    // `--bind` and `--port` also count next to an address in `--http`.
    let counts =
        |source: &SettingSource| source.rank() < rank || matches!(source, SettingSource::Flag(_));
    Ok(SocketAddr::new(
        if counts(&ip.source) { ip.value } else { address.ip() },
        if counts(&port.source) { port.value } else { address.port() },
    ))
}

fn access(settings: &Settings) -> Result<HttpAuth, CallFailure> {
    let token = settings.get(&http::TOKEN)?;
    let token = token.map(|text| BearerToken::new(&text)).transpose()?;
    let audience = settings.get(&http::OAUTH_AUDIENCE)?;
    let resource = settings.get(&http::OAUTH_RESOURCE)?;
    let keys = settings.get(&http::OAUTH_KEYS)?;
    let is_incomplete = audience.is_some() || resource.is_some() || keys.is_some();
    let authority = match settings.get(&http::OAUTH_ISSUER)? {
        Some(issuer) => Some(OAuthIssuer { issuer, audience, resource, jwks_url: keys }),
        None if is_incomplete => {
            return Err(
                Error::Incomplete { set: "http.oauth_…", missing: "http.oauth_issuer" }.into()
            );
        }
        None => None,
    };
    Ok(HttpAuth { token, oauth: authority })
}

fn certificate(settings: &Settings) -> Result<Option<TlsFiles>, Error> {
    let (cert, key) = (http::TLS_CERT.info.key, http::TLS_KEY.info.key);
    match (settings.get(&http::TLS_CERT)?, settings.get(&http::TLS_KEY)?) {
        (Some(chain), Some(key)) => Ok(Some(TlsFiles { chain, key })),
        (None, None) => Ok(None),
        (Some(_), None) => Err(Error::Incomplete { set: cert, missing: key }),
        (None, Some(_)) => Err(Error::Incomplete { set: key, missing: cert }),
    }
}

fn bounds(settings: &Settings) -> Result<HttpLimits, Error> {
    let count = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    Ok(HttpLimits {
        read_timeout: settings.get(&http::READ_TIMEOUT)?,
        write_timeout: settings.get(&http::WRITE_TIMEOUT)?,
        max_sessions: count(settings.get(&http::MAX_SESSIONS)?),
        max_connections: count(settings.get(&http::MAX_CONNECTIONS)?),
        resume_bytes: count(settings.get(&http::RESUME_BYTES)?),
        request_interval: HttpLimits::interval_for_rate(settings.get(&http::HTTP_RATE)?),
    })
}

#[cfg(test)]
mod tests;
