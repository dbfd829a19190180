//! Options of the HTTP server: listen address, authentication, TLS and limits.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use ring::digest::{SHA256, digest};
use subtle::ConstantTimeEq;
use url::{Host, Url};

#[cfg(test)]
use crate::session::budget::DEFAULT_LOG_BYTES;
use crate::{Error, transport::tls};

/// The address at which HTTP is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListenAddress {
    /// A TCP address.
    Tcp(SocketAddr),
    /// The path of a Unix socket that only its owner can reach.
    Unix(PathBuf),
}

/// Options of the HTTP server.
///
/// The server always offers Streamable HTTP at `/mcp`, and `/health` and `/metrics`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpOptions {
    /// Listen address.
    pub listen: ListenAddress,
    /// Also serves HTTP+SSE of 2024-11-05, at `/sse` and `/messages` and at `/events` and
    /// `/message`.
    pub sse: bool,
    /// Interval of the comments sent on an idle SSE stream.
    pub heartbeat: Duration,
    /// Time after which a session without any request or open stream ends.
    pub session_idle_timeout: Duration,
    /// Authentication at a TCP address. A Unix socket needs none: only its owner can reach it.
    pub auth: HttpAuth,
    /// TLS certificate and key. The server speaks plain HTTP if this is absent.
    pub tls: Option<TlsFiles>,
    /// Origins of the web pages that may call, `*` for all. If empty, only pages of this machine
    /// may.
    pub allowed_origins: Vec<String>,
    /// Host names of the server besides those of this machine.
    pub allowed_hosts: Vec<String>,
    /// Prints the messages of all clients on standard error, for debugging.
    pub echo: bool,
    /// Limits on what clients may use.
    pub limits: HttpLimits,
}

impl HttpOptions {
    /// Creates options for a listen address, without limits that matter in tests.
    #[cfg(test)]
    pub(crate) fn for_tests(listen: ListenAddress) -> Self {
        let timeout = Duration::from_secs(30);
        Self {
            listen,
            sse: false,
            heartbeat: timeout,
            session_idle_timeout: timeout,
            auth: HttpAuth::default(),
            tls: None,
            allowed_origins: Vec::new(),
            allowed_hosts: Vec::new(),
            echo: false,
            limits: HttpLimits {
                read_timeout: timeout,
                write_timeout: timeout,
                max_sessions: 256,
                max_connections: 512,
                resume_bytes: DEFAULT_LOG_BYTES,
                request_interval: None,
            },
        }
    }

    /// Checks that these options are valid and safe. Call this before starting anything.
    ///
    /// # Errors
    ///
    /// Returns an error if unauthenticated clients could reach the server from other machines or
    /// from any web page, or if a file or an address is invalid.
    pub fn check(&self) -> Result<(), Error> {
        let ListenAddress::Tcp(address) = &self.listen else { return Ok(()) };
        if self.auth.is_open() && !address.ip().is_loopback() {
            return Err(Error::PublicAddress { at: *address });
        }
        if self.auth.is_open() && self.allowed_origins.iter().any(|origin| origin == ANY_ORIGIN) {
            return Err(Error::AllOriginsAllowed);
        }
        if let Some(oauth) = &self.auth.oauth {
            oauth.check()?;
            if address.ip().is_unspecified() && oauth.resource.is_none() {
                let why = format!(
                    "clients cannot use {address}; set the URL by which they reach this server, \
                     such as https://desk.example/mcp"
                );
                return Err(Error::InvalidOption {
                    option: "http.oauth_resource".to_owned(),
                    reason: why,
                });
            }
        }
        if let Some(certificate) = &self.tls {
            tls::acceptor(certificate)?;
        }
        Ok(())
    }

    /// Returns `true` if bearer tokens would cross a network unencrypted.
    pub fn sends_tokens_in_clear(&self) -> bool {
        let ListenAddress::Tcp(address) = &self.listen else { return false };
        !address.ip().is_loopback() && self.tls.is_none()
    }
}

/// Allows every origin.
pub(crate) const ANY_ORIGIN: &str = "*";

/// Authentication of HTTP clients. Without a token and an issuer, every client is accepted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpAuth {
    /// A static bearer token.
    pub token: Option<BearerToken>,
    /// An OAuth issuer whose access tokens are accepted.
    pub oauth: Option<OAuthIssuer>,
}

impl HttpAuth {
    /// Returns `true` if no authentication is configured.
    pub fn is_open(&self) -> bool {
        self.token.is_none() && self.oauth.is_none()
    }
}

/// Minimum length of a bearer token in characters.
const MIN_TOKEN_LENGTH: usize = 8;

/// A static bearer token. Only its SHA-256 digest is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct BearerToken([u8; 32]);

impl std::fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BearerToken(…)")
    }
}

impl BearerToken {
    /// Creates a token from its text.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is too short, or if an HTTP header cannot carry it.
    pub fn new(text: &str) -> Result<Self, Error> {
        if text.len() < MIN_TOKEN_LENGTH || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            let why = format!(
                "a token needs at least {MIN_TOKEN_LENGTH} visible ASCII characters without spaces"
            );
            return Err(Error::InvalidOption { option: "the HTTP token".to_owned(), reason: why });
        }
        Ok(Self(sha256(text.as_bytes())))
    }

    /// Returns `true` if `given` is the token. Compares in constant time.
    pub(crate) fn matches(&self, given: &[u8]) -> bool {
        self.0.ct_eq(&sha256(given)).into()
    }
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.copy_from_slice(digest(&SHA256, bytes).as_ref());
    hash
}

/// An OAuth authorization server whose access tokens (JWTs) are accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OAuthIssuer {
    /// Issuer URL, the `iss` claim of its tokens.
    pub issuer: String,
    /// Expected `aud` claim. Defaults to the resource URL.
    pub audience: Option<String>,
    /// URL by which clients reach this server. Defaults to the listen address.
    pub resource: Option<String>,
    /// URL of the issuer's JWK set. Defaults to the one in the issuer's metadata.
    pub jwks_url: Option<String>,
}

impl OAuthIssuer {
    fn check(&self) -> Result<(), Error> {
        parse_secure_url("the OAuth issuer", &self.issuer)?;
        for (what, address) in
            [("the OAuth resource", &self.resource), ("the URL of the OAuth keys", &self.jwks_url)]
        {
            if let Some(address) = address {
                parse_secure_url(what, address)?;
            }
        }
        Ok(())
    }
}

/// Parses a URL whose responses cannot be altered on the network: `https`, or `http` on loopback.
pub(crate) fn parse_secure_url(what: &str, address: &str) -> Result<Url, Error> {
    let invalid =
        |why: &str| Error::InvalidOption { option: what.to_owned(), reason: why.to_owned() };
    let url = Url::parse(address).map_err(|error| invalid(&format!("`{address}`: {error}")))?;
    let is_loopback_host = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    };
    let is_secure = url.scheme() == "https" || (url.scheme() == "http" && is_loopback_host);
    if !is_secure {
        return Err(invalid(&format!("`{address}` must begin with https://")));
    }
    if url.fragment().is_some() || !url.username().is_empty() || url.password().is_some() {
        return Err(invalid(&format!("`{address}` must have no fragment and no password")));
    }
    Ok(url)
}

/// TLS files in PEM format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate chain.
    pub chain: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// Limits on what HTTP clients may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpLimits {
    /// Timeout for the head of a request, and again for its body.
    pub read_timeout: Duration,
    /// Timeout for a client to read data sent to it.
    pub write_timeout: Duration,
    /// Maximum number of sessions.
    pub max_sessions: usize,
    /// Maximum number of connections.
    pub max_connections: usize,
    /// Maximum number of bytes of delivered messages that one session keeps for resumption.
    pub resume_bytes: usize,
    /// Mean interval between two requests of one client. Unlimited if absent.
    pub request_interval: Option<Duration>,
}

impl HttpLimits {
    /// Returns the interval between requests at this rate, or `None` if the rate is not positive.
    pub fn interval_for_rate(per_second: f64) -> Option<Duration> {
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

    fn at(address: &str) -> HttpOptions {
        HttpOptions::for_tests(ListenAddress::Tcp(address.parse().unwrap()))
    }

    fn with_token(mut options: HttpOptions) -> HttpOptions {
        options.auth.token = Some(BearerToken::new("a-good-token").unwrap());
        options
    }

    #[test]
    fn other_machines_need_authentication() {
        for open in ["127.0.0.1:0", "[::1]:0"] {
            assert!(at(open).check().is_ok(), "{open}");
        }
        for address in ["0.0.0.0:1", "[::]:1", "192.0.2.1:1", "[::ffff:127.0.0.1]:1"] {
            let refused = at(address).check().unwrap_err();
            assert!(matches!(refused, Error::PublicAddress { .. }), "{address}");
            assert!(with_token(at(address)).check().is_ok(), "{address}");
            assert!(with_token(at(address)).sends_tokens_in_clear());
        }
        assert!(HttpOptions::for_tests(ListenAddress::Unix("/s".into())).check().is_ok());
    }

    #[test]
    fn a_wildcard_address_needs_a_resource_url() {
        let oauth = OAuthIssuer {
            issuer: "https://id.example".to_owned(),
            audience: Some("desk".to_owned()),
            resource: None,
            jwks_url: None,
        };
        for (address, is_reported) in
            [("0.0.0.0:1", true), ("[::]:1", true), ("192.0.2.1:1", false)]
        {
            let mut options = at(address);
            options.auth.oauth = Some(oauth.clone());
            let refused = options.check().err().map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(refused.starts_with("http.oauth_resource: "), is_reported, "{address}");
            let resource = Some("https://desk.example/mcp".to_owned());
            options.auth.oauth = Some(OAuthIssuer { resource, ..oauth.clone() });
            assert!(options.check().is_ok(), "{address}");
        }
    }

    #[test]
    fn all_origins_need_authentication() {
        let mut options = at("127.0.0.1:0");
        options.allowed_origins = vec!["*".to_owned()];
        assert!(matches!(options.check().unwrap_err(), Error::AllOriginsAllowed));
        assert!(with_token(options).check().is_ok());
    }

    #[test]
    fn issuer_urls_must_be_https_or_loopback() {
        for good in ["https://id.example", "http://127.0.0.1:9/x", "http://localhost:9"] {
            assert!(parse_secure_url("it", good).is_ok(), "{good}");
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
            assert!(parse_secure_url("it", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_token_matches_only_itself_and_is_not_printed() {
        let token = BearerToken::new("correct-horse").unwrap();
        assert!(token.matches(b"correct-horse"));
        for other in ["", "correct-hors", "correct-horse ", "Correct-horse"] {
            assert!(!token.matches(other.as_bytes()), "{other}");
        }
        assert_eq!(format!("{token:?}"), "BearerToken(…)");
        for invalid in ["", "short", "has a space in it", "ünïcode-token"] {
            assert!(BearerToken::new(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn a_rate_becomes_an_interval() {
        assert_eq!(HttpLimits::interval_for_rate(4.0), Some(Duration::from_millis(250)));
        for off in [0.0, -1.0, f64::NAN] {
            assert_eq!(HttpLimits::interval_for_rate(off), None, "{off}");
        }
    }
}
