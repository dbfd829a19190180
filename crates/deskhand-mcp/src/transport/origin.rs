//! Checks of `Host` and `Origin`, and CORS. They protect against DNS rebinding and against calls
//! from web pages that are not allowed.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::Arc,
};

use axum::{
    body::Body,
    extract::State as Shared,
    http::{
        HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode,
        header::{
            ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
            ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
            ACCESS_CONTROL_REQUEST_HEADERS, HOST, ORIGIN, VARY,
        },
    },
    middleware::Next,
    response::{IntoResponse, Response},
};
use rmcp::model::ErrorData;

use super::mcp_endpoint;
use crate::{HttpOptions, ListenAddress, http_options::ANY_ORIGIN, wire::frame::ErrorResponse};

/// Request headers that pages may send.
const ALLOWED_HEADERS: [&str; 8] = [
    "content-type",
    "accept",
    "authorization",
    "mcp-session-id",
    "mcp-protocol-version",
    "mcp-method",
    "mcp-name",
    "last-event-id",
];

/// The header that relates a page to the requested URL.
const FETCH_SITE: &str = "sec-fetch-site";

/// Prefix of headers that carry tool parameters.
const PARAMETER_HEADER_PREFIX: &str = "mcp-param-";

/// The origin of a request.
#[derive(Debug, Clone)]
enum RequestOrigin {
    /// The request does not come from a web page.
    None,
    /// The page may call.
    Allowed(HeaderValue),
    /// The page may not call.
    Foreign,
}

/// The allowed host names and origins.
#[derive(Debug)]
pub(super) struct HostPolicy {
    hosts: Vec<String>,
    origins: Vec<String>,
    /// Set if the server listens at a non-loopback address.
    is_public: bool,
}

impl HostPolicy {
    /// Creates the policy of a server. `host` is an additional host name.
    pub(super) fn new(options: &HttpOptions, host: Option<String>) -> Self {
        let is_public = match &options.listen {
            ListenAddress::Tcp(at) => !at.ip().is_loopback(),
            ListenAddress::Unix(_) => false,
        };
        let hosts = options.allowed_hosts.iter().cloned().chain(host).collect();
        let plain = |origin: &String| origin.trim().trim_end_matches('/').to_ascii_lowercase();
        Self { hosts, origins: options.allowed_origins.iter().map(plain).collect(), is_public }
    }

    /// Returns `true` if a host name, with or without a port, is allowed. At a non-loopback address
    /// every IP address is allowed, because DNS rebinding needs a name.
    fn allows_host(&self, authority: &str) -> bool {
        let host = without_port(authority);
        is_loopback_host(authority)
            || self.hosts.iter().any(|name| name.eq_ignore_ascii_case(host))
            || (self.is_public && ip_address(host).is_some())
    }

    fn allows_origin(&self, origin: &str) -> bool {
        if self.origins.is_empty() {
            return is_local_origin(origin);
        }
        self.origins.iter().any(|it| it == ANY_ORIGIN || it.eq_ignore_ascii_case(origin))
    }

    /// Returns the origin of a request.
    fn origin_of(&self, headers: &HeaderMap) -> RequestOrigin {
        match headers.get(ORIGIN) {
            Some(origin) if origin.to_str().is_ok_and(|it| self.allows_origin(it)) => {
                RequestOrigin::Allowed(origin.clone())
            }
            Some(_) => RequestOrigin::Foreign,
            // Browsers send no `Origin` for a simple load, but they do send `Sec-Fetch-Site`.
            None if headers.get(FETCH_SITE).is_some_and(|site| site == "cross-site")
                && !self.origins.iter().any(|it| it == ANY_ORIGIN) =>
            {
                RequestOrigin::Foreign
            }
            None => RequestOrigin::None,
        }
    }
}

impl RequestOrigin {
    /// Adds the CORS headers to a response.
    fn add_cors_headers(&self, response: &mut Response) {
        let Self::Allowed(origin) = self else { return };
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(VARY, HeaderValue::from_static("origin"));
        headers.insert(
            ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static(
                "mcp-session-id, mcp-protocol-version, www-authenticate, retry-after",
            ),
        );
    }
}

/// Answers a CORS preflight request.
fn preflight(headers: &HeaderMap) -> Response {
    let requested = headers.get(ACCESS_CONTROL_REQUEST_HEADERS).and_then(|it| it.to_str().ok());
    let may =
        |name: &&str| ALLOWED_HEADERS.contains(name) || name.starts_with(PARAMETER_HEADER_PREFIX);
    let requested: Vec<String> = requested
        .unwrap_or_default()
        .split(',')
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    let granted: Vec<&str> = requested.iter().map(String::as_str).filter(may).collect();
    let mut response = StatusCode::NO_CONTENT.into_response();
    let mut set = |name: HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    };
    set(ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, DELETE, OPTIONS");
    set(ACCESS_CONTROL_ALLOW_HEADERS, &granted.join(", "));
    set(ACCESS_CONTROL_MAX_AGE, "600");
    response
}

/// Lets requests through that have an allowed `Host` and an allowed `Origin` or none.
pub(super) async fn guard(
    Shared(policy): Shared<Arc<HostPolicy>>,
    request: Request<Body>,
    next: Next,
) -> Response {
    let host = request
        .uri()
        .authority()
        .map(|it| it.as_str())
        .or_else(|| request.headers().get(HOST).and_then(|value| value.to_str().ok()));
    let Some(host) = host else { return refuse(StatusCode::BAD_REQUEST, "Host: missing") };
    if !policy.allows_host(host) {
        let why = "Host: not a name of this server; use localhost";
        return refuse(StatusCode::FORBIDDEN, why);
    }
    let origin = policy.origin_of(request.headers());
    if matches!(origin, RequestOrigin::Foreign) {
        let why = "Origin: not allowed";
        return refuse(StatusCode::FORBIDDEN, why);
    }
    let mut response = if request.method() == Method::OPTIONS {
        preflight(request.headers())
    } else {
        next.run(request).await
    };
    origin.add_cors_headers(&mut response);
    response
}

fn refuse(status: StatusCode, why: &'static str) -> Response {
    mcp_endpoint::http_error(
        status,
        &ErrorResponse::without_id(ErrorData::invalid_request(why, None)),
    )
}

fn is_local_origin(origin: &str) -> bool {
    let scheme = ["http://", "https://"].iter().find_map(|scheme| origin.strip_prefix(scheme));
    scheme.is_some_and(is_loopback_host)
}

/// Returns `true` if a host, with or without a port, is a loopback one.
fn is_loopback_host(authority: &str) -> bool {
    let host = without_port(authority);
    host.eq_ignore_ascii_case("localhost") || ip_address(host).is_some_and(|it| it.is_loopback())
}

/// Removes the port.
fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.parse::<u16>().is_ok() => host,
        Some(_) | None => authority,
    }
}

/// Parses an IP address, with brackets for IPv6.
fn ip_address(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(inner) => inner.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => host.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_origins_are_local() {
        for ours in
            ["http://localhost", "http://LocalHost:3000", "https://127.0.0.2:1", "http://[::1]:80"]
        {
            assert!(is_local_origin(ours), "{ours}");
        }
        for foreign in [
            "null",
            "",
            "http://evil.example",
            "http://localhost.evil.example",
            "http://localhost:3000.evil.example",
            "http://evil.example:80",
            "file://localhost",
            "http://localhost@evil.example",
            "http://[::1",
            "http://127.0.0.1.evil.example",
            "http://[::2]",
            "http://10.0.0.1",
        ] {
            assert!(!is_local_origin(foreign), "{foreign}");
        }
    }

    fn policy(at: &str, hosts: &[&str], origins: &[&str]) -> HostPolicy {
        let mut options = HttpOptions::for_tests(ListenAddress::Tcp(at.parse().unwrap()));
        options.allowed_hosts = hosts.iter().map(|it| (*it).to_owned()).collect();
        options.allowed_origins = origins.iter().map(|it| (*it).to_owned()).collect();
        HostPolicy::new(&options, Some("desk.example".to_owned()))
    }

    #[test]
    fn only_known_host_names_are_allowed() {
        let here = policy("127.0.0.1:1", &["box.lan"], &[]);
        for own in ["localhost:1", "127.0.0.1", "[::1]:1", "box.lan:1", "DESK.example"] {
            assert!(here.allows_host(own), "{own}");
        }
        for other in ["evil.example", "evil.box.lan", "192.0.2.1", "", "localhost.evil.example"] {
            assert!(!here.allows_host(other), "{other}");
        }
        let everywhere = policy("0.0.0.0:1", &[], &[]);
        assert!(everywhere.allows_host("192.0.2.1:1") && everywhere.allows_host("[2001:db8::1]:1"));
        assert!(!everywhere.allows_host("evil.example:1"));
    }

    #[test]
    fn only_listed_origins_are_allowed() {
        let named = policy("127.0.0.1:1", &[], &["https://App.example/"]);
        assert!(named.allows_origin("https://app.example"));
        for other in ["http://app.example", "https://app.example.evil", "null", "http://localhost"]
        {
            assert!(!named.allows_origin(other), "{other}");
        }
        assert!(policy("127.0.0.1:1", &[], &["*"]).allows_origin("https://any.example"));
    }

    #[test]
    fn cross_site_loads_are_refused() {
        let mut headers = HeaderMap::new();
        headers.insert(FETCH_SITE, HeaderValue::from_static("cross-site"));
        assert!(matches!(
            policy("127.0.0.1:1", &[], &[]).origin_of(&headers),
            RequestOrigin::Foreign
        ));
        headers.insert(FETCH_SITE, HeaderValue::from_static("none"));
        assert!(matches!(policy("127.0.0.1:1", &[], &[]).origin_of(&headers), RequestOrigin::None));
    }

    #[test]
    fn only_protocol_headers_are_allowed() {
        let mut headers = HeaderMap::new();
        let requested = HeaderValue::from_static("Content-Type, X-Evil, Mcp-Param-Value");
        headers.insert(ACCESS_CONTROL_REQUEST_HEADERS, requested);
        let response = preflight(&headers);
        assert_eq!(
            response.headers()[ACCESS_CONTROL_ALLOW_HEADERS],
            "content-type, mcp-param-value"
        );
    }
}
