//! Options of the HTTP server: listen address, authentication, TLS and limits.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use ring::digest::{SHA256, digest};
use subtle::ConstantTimeEq;
use url::{Host, Url};

use crate::{Error, transport::tls};

/// The address at which HTTP is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A TCP address.
    Address(SocketAddr),
    /// The path of a Unix socket that only its owner can reach.
    Socket(PathBuf),
}

/// Options of the HTTP server.
///
/// The server always offers Streamable HTTP at `/mcp`, and `/health` and `/metrics`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Web {
    /// Listen address.
    pub at: Place,
    /// Also serves HTTP+SSE of 2024-11-05, at `/sse` and `/messages` and at `/events` and `/message`.
    pub sse: bool,
    /// Interval of the comments sent on an idle SSE stream.
    pub heartbeat: Duration,
    /// Time after which a session without any request or open stream ends.
    pub idle: Duration,
    /// Authentication at a TCP address. A Unix socket needs none: only its owner can reach it.
    pub access: Access,
    /// TLS certificate and key. The server speaks plain HTTP if this is absent.
    pub tls: Option<Certificate>,
    /// Origins of the web pages that may call, `*` for all. If empty, only pages of this machine may.
    pub origins: Vec<String>,
    /// Host names of the server besides those of this machine.
    pub hosts: Vec<String>,
    /// Limits on what clients may use.
    pub bounds: Bounds,
}

impl Web {
    /// Creates the default options for a listen address.
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

    /// Checks that these options are valid and safe. Call this before starting anything.
    ///
    /// # Errors
    ///
    /// Returns an error if unauthenticated clients could reach the server from other machines or from
    /// any web page, or if a file or an address is invalid.
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
                    "{at} is not an address clients use; set the URL by which they reach this server, \
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

    /// Returns `true` if bearer tokens would cross a network unencrypted.
    pub fn shows_tokens(&self) -> bool {
        let Place::Address(at) = &self.at else { return false };
        !at.ip().is_loopback() && self.tls.is_none()
    }
}

/// Allows every origin.
pub(crate) const ANY: &str = "*";

/// Authentication of HTTP clients. Without a token and an issuer, every client is accepted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// A static bearer token.
    pub token: Option<Token>,
    /// An OAuth issuer whose access tokens are accepted.
    pub authority: Option<Authority>,
}

impl Access {
    /// Returns `true` if no authentication is configured.
    pub fn is_open(&self) -> bool {
        self.token.is_none() && self.authority.is_none()
    }
}

/// Minimum length of a bearer token in characters.
const SHORTEST: usize = 8;

/// A static bearer token. Only its SHA-256 digest is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct Token([u8; 32]);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

impl Token {
    /// Creates a token from its text.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is too short, or if an HTTP header cannot carry it.
    pub fn new(text: &str) -> Result<Self, Error> {
        if text.len() < SHORTEST || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            let why =
                format!("a token needs at least {SHORTEST} visible ASCII characters without spaces");
            return Err(Error::Unfit { what: "the HTTP token".to_owned(), why });
        }
        Ok(Self(hashed(text.as_bytes())))
    }

    /// Returns `true` if `given` is the token. Compares in constant time.
    pub(crate) fn is(&self, given: &[u8]) -> bool {
        self.0.ct_eq(&hashed(given)).into()
    }
}

fn hashed(bytes: &[u8]) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.copy_from_slice(digest(&SHA256, bytes).as_ref());
    hash
}

/// An OAuth authorization server whose access tokens (JWTs) are accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authority {
    /// Issuer URL, the `iss` claim of its tokens.
    pub issuer: String,
    /// Expected `aud` claim. Defaults to the resource URL.
    pub audience: Option<String>,
    /// URL by which clients reach this server. Defaults to the listen address.
    pub resource: Option<String>,
    /// URL of the issuer's JWK set. Defaults to the one in the issuer's metadata.
    pub keys: Option<String>,
}

impl Authority {
    fn check(&self) -> Result<(), Error> {
        checked("the OAuth issuer", &self.issuer)?;
        for (what, address) in
            [("the OAuth resource", &self.resource), ("the URL of the OAuth keys", &self.keys)]
        {
            if let Some(address) = address {
                checked(what, address)?;
            }
        }
        Ok(())
    }
}

/// Parses a URL whose responses cannot be altered on the network: `https`, or `http` on loopback.
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

/// TLS files in PEM format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// The certificate chain.
    pub chain: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// Limits on what HTTP clients may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// Timeout for the head of a request, and again for its body.
    pub read: Duration,
    /// Timeout for a client to read data sent to it.
    pub write: Duration,
    /// Maximum number of sessions.
    pub sessions: usize,
    /// Maximum number of connections.
    pub connections: usize,
    /// Mean interval between two requests of one client. Unlimited if absent.
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
    /// Returns the interval between requests at this rate, or `None` if the rate is not positive.
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
    fn other_machines_need_authentication() {
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
    fn a_wildcard_address_needs_a_resource_url() {
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
    fn all_origins_need_authentication() {
        let mut web = at("127.0.0.1:0");
        web.origins = vec!["*".to_owned()];
        assert!(matches!(web.check().unwrap_err(), Error::OpenToPages));
        assert!(with_token(web).check().is_ok());
    }

    #[test]
    fn issuer_urls_must_be_https_or_loopback() {
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
    fn a_token_matches_only_itself_and_is_not_printed() {
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
    fn a_rate_becomes_an_interval() {
        assert_eq!(Bounds::pace_of(4.0), Some(Duration::from_millis(250)));
        for off in [0.0, -1.0, f64::NAN] {
            assert_eq!(Bounds::pace_of(off), None, "{off}");
        }
    }
}
