//! How HTTP is served: where, who may come, and what each of them may take up.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use ring::digest::{SHA256, digest};
use subtle::ConstantTimeEq;
use url::{Host, Url};

use crate::{Error, transport::tls};

/// Where HTTP is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// At an address of this machine.
    Address(SocketAddr),
    /// At a unix socket that only its owner can reach.
    Socket(PathBuf),
}

/// How HTTP is served: Streamable HTTP at `/mcp`, `/health` and `/metrics` always.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Web {
    /// Where.
    pub at: Place,
    /// Serves HTTP+SSE of 2024-11-05 as well, at `/sse` and `/messages`, `/events` and `/message`.
    pub sse: bool,
    /// How often a silent stream shows that it lives.
    pub heartbeat: Duration,
    /// How long a session without any sign of its client is kept.
    pub idle: Duration,
    /// Who may come to an address; a unix socket is its owner's alone.
    pub access: Access,
    /// What proves to clients whom they speak to; plain HTTP when absent.
    pub tls: Option<Certificate>,
    /// The origins of the web pages that may call, `*` for all; those of this machine when empty.
    pub origins: Vec<String>,
    /// Names the server goes by besides those of this machine.
    pub hosts: Vec<String>,
    /// What clients may take up.
    pub bounds: Bounds,
}

impl Web {
    /// The usual at a place.
    pub fn new(at: Place) -> Self {
        Self {
            at,
            sse: false,
            heartbeat: Duration::from_secs(30),
            idle: Duration::from_secs(3600),
            access: Access::default(),
            tls: None,
            origins: Vec::new(),
            hosts: Vec::new(),
            bounds: Bounds::default(),
        }
    }

    /// Whether it can be served like this; to be asked before anything is started for it.
    ///
    /// # Errors
    ///
    /// When others than the owner could come unchecked, or a file or an address is no good.
    pub fn check(&self) -> Result<(), Error> {
        let Place::Address(at) = &self.at else { return Ok(()) };
        if self.access.is_open() && !at.ip().is_loopback() {
            return Err(Error::Reachable { at: *at });
        }
        if self.access.is_open() && self.origins.iter().any(|origin| origin == ANY) {
            return Err(Error::OpenToPages);
        }
        if let Some(authority) = &self.access.authority {
            authority.check()?;
            if at.ip().is_unspecified() && authority.resource.is_none() {
                let why = format!(
                    "clients do not know this server as {at}; name the address they know it by, \
                     such as https://desk.example/mcp"
                );
                return Err(Error::Unfit { what: "http.oauth_resource".to_owned(), why });
            }
        }
        if let Some(certificate) = &self.tls {
            tls::acceptor(certificate)?;
        }
        Ok(())
    }

    /// Whether tokens would cross a network in clear.
    pub fn shows_tokens(&self) -> bool {
        let Place::Address(at) = &self.at else { return false };
        !at.ip().is_loopback() && self.tls.is_none()
    }
}

/// Stands for every origin.
pub(crate) const ANY: &str = "*";

/// Who may come; anybody who reaches the server when both are absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// Whoever holds this.
    pub token: Option<Token>,
    /// Whoever an authorization server vouches for.
    pub authority: Option<Authority>,
}

impl Access {
    /// Whether nobody is asked who they are.
    pub fn is_open(&self) -> bool {
        self.token.is_none() && self.authority.is_none()
    }
}

/// The fewest characters a token has.
const SHORTEST: usize = 8;

/// A secret that lets in whoever holds it; only its digest is kept.
#[derive(Clone, PartialEq, Eq)]
pub struct Token([u8; 32]);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

impl Token {
    /// The token of a text.
    ///
    /// # Errors
    ///
    /// When no header could carry it, or it is so short that it is soon guessed.
    pub fn new(text: &str) -> Result<Self, Error> {
        if text.len() < SHORTEST || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            let why =
                format!("a token has at least {SHORTEST} visible ASCII characters, no spaces");
            return Err(Error::Unfit { what: "the HTTP token".to_owned(), why });
        }
        Ok(Self(hashed(text.as_bytes())))
    }

    /// Whether these bytes are the token; takes as long when they are not.
    pub(crate) fn is(&self, given: &[u8]) -> bool {
        self.0.ct_eq(&hashed(given)).into()
    }
}

fn hashed(bytes: &[u8]) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.copy_from_slice(digest(&SHA256, bytes).as_ref());
    hash
}

/// An authorization server whose access tokens let in; they are JWTs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authority {
    /// Its name, which is an address and stands in its tokens as `iss`.
    pub issuer: String,
    /// Whom tokens must be for (`aud`); the resource when absent.
    pub audience: Option<String>,
    /// The address by which clients know this server; where it listens when absent.
    pub resource: Option<String>,
    /// Where its keys are (a JWK set); asked from the issuer's own metadata when absent.
    pub keys: Option<String>,
}

impl Authority {
    fn check(&self) -> Result<(), Error> {
        checked("the OAuth issuer", &self.issuer)?;
        for (what, address) in
            [("the OAuth resource", &self.resource), ("the address of the OAuth keys", &self.keys)]
        {
            if let Some(address) = address {
                checked(what, address)?;
            }
        }
        Ok(())
    }
}

/// An address nobody on the way can change what comes from: `https`, or `http` on this machine.
pub(crate) fn checked(what: &str, address: &str) -> Result<Url, Error> {
    let unfit = |why: &str| Error::Unfit { what: what.to_owned(), why: why.to_owned() };
    let url = Url::parse(address).map_err(|error| unfit(&format!("`{address}`: {error}")))?;
    let is_here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    };
    let is_safe = url.scheme() == "https" || (url.scheme() == "http" && is_here);
    if !is_safe {
        return Err(unfit(&format!("`{address}` must begin with https://")));
    }
    if url.fragment().is_some() || !url.username().is_empty() || url.password().is_some() {
        return Err(unfit(&format!("`{address}` must have no fragment and no password")));
    }
    Ok(url)
}

/// Files of TLS, in PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// The certificate and those that vouch for it.
    pub chain: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// What clients may take up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// How long the head of a request may take to come, and its body again.
    pub read: Duration,
    /// How long a client may leave what it is sent unread.
    pub write: Duration,
    /// How many sessions there may be.
    pub sessions: usize,
    /// How many connections there may be.
    pub connections: usize,
    /// The mean time between two requests of one client; any when absent.
    pub pace: Option<Duration>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            read: Duration::from_secs(30),
            write: Duration::from_secs(30),
            sessions: 256,
            connections: 512,
            pace: None,
        }
    }
}

impl Bounds {
    /// The pace of so many requests a second; none when they are not limited.
    pub fn pace_of(per_second: f64) -> Option<Duration> {
        if per_second.is_nan() || per_second <= 0.0 {
            return None;
        }
        let time = Duration::try_from_secs_f64(1.0 / per_second).unwrap_or(Duration::MAX);
        Some(time.max(Duration::from_nanos(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: &str) -> Web {
        Web::new(Place::Address(address.parse().unwrap()))
    }

    fn with_token(mut web: Web) -> Web {
        web.access.token = Some(Token::new("a-good-token").unwrap());
        web
    }

    #[test]
    fn beyond_this_machine_only_those_who_are_known_may_come() {
        for open in ["127.0.0.1:0", "[::1]:0"] {
            assert!(at(open).check().is_ok(), "{open}");
        }
        for reachable in ["0.0.0.0:1", "[::]:1", "192.0.2.1:1", "[::ffff:127.0.0.1]:1"] {
            let refused = at(reachable).check().unwrap_err();
            assert!(matches!(refused, Error::Reachable { .. }), "{reachable}");
            assert!(with_token(at(reachable)).check().is_ok(), "{reachable}");
            assert!(with_token(at(reachable)).shows_tokens());
        }
        assert!(Web::new(Place::Socket("/s".into())).check().is_ok());
    }

    #[test]
    fn at_every_address_clients_are_told_by_which_they_know_the_server() {
        let authority = Authority {
            issuer: "https://id.example".to_owned(),
            audience: Some("desk".to_owned()),
            resource: None,
            keys: None,
        };
        for (address, is_told) in [("0.0.0.0:1", true), ("[::]:1", true), ("192.0.2.1:1", false)] {
            let mut web = at(address);
            web.access.authority = Some(authority.clone());
            let refused = web.check().err().map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(refused.starts_with("http.oauth_resource: "), is_told, "{address}");
            let resource = Some("https://desk.example/mcp".to_owned());
            web.access.authority = Some(Authority { resource, ..authority.clone() });
            assert!(web.check().is_ok(), "{address}");
        }
    }

    #[test]
    fn every_page_may_call_only_where_callers_are_known() {
        let mut web = at("127.0.0.1:0");
        web.origins = vec!["*".to_owned()];
        assert!(matches!(web.check().unwrap_err(), Error::OpenToPages));
        assert!(with_token(web).check().is_ok());
    }

    #[test]
    fn keys_come_only_by_ways_nobody_can_change() {
        for good in ["https://id.example", "http://127.0.0.1:9/x", "http://localhost:9"] {
            assert!(checked("it", good).is_ok(), "{good}");
        }
        for bad in [
            "id.example",
            "http://id.example",
            "ftp://localhost",
            "http://localhost.evil.example",
            "https://me:pass@id.example",
            "https://id.example/#x",
            "file:///etc/passwd",
        ] {
            assert!(checked("it", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_token_is_no_other_and_never_shown() {
        let token = Token::new("correct-horse").unwrap();
        assert!(token.is(b"correct-horse"));
        for other in ["", "correct-hors", "correct-horse ", "Correct-horse"] {
            assert!(!token.is(other.as_bytes()), "{other}");
        }
        assert_eq!(format!("{token:?}"), "Token(…)");
        for unfit in ["", "short", "has a space in it", "ünïcode-token"] {
            assert!(Token::new(unfit).is_err(), "{unfit}");
        }
    }

    #[test]
    fn a_pace_is_the_time_between_requests() {
        assert_eq!(Bounds::pace_of(4.0), Some(Duration::from_millis(250)));
        for off in [0.0, -1.0, f64::NAN] {
            assert_eq!(Bounds::pace_of(off), None, "{off}");
        }
    }
}
