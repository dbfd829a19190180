//! Which web pages may call: those of this machine, or those that were named. Browsers tell the origin
//! of a page, and keep an answer from it unless the server lets it have it.

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

use super::front;
use crate::{Place, Web, web::ANY, wire::frame::Refusal};

/// What a page may send.
const SENT: [&str; 8] = [
    "content-type",
    "accept",
    "authorization",
    "mcp-session-id",
    "mcp-protocol-version",
    "mcp-method",
    "mcp-name",
    "last-event-id",
];

/// How a page is related to what it asks for.
const FETCH_SITE: &str = "sec-fetch-site";

/// What carries parameters of a tool.
const PARAMETER: &str = "mcp-param-";

/// The page a request comes from, where it comes from one.
#[derive(Debug, Clone)]
enum Page {
    /// From none.
    None,
    /// From one that may call.
    Welcome(HeaderValue),
    /// From another.
    Foreign,
}

/// The names this server goes by, and the pages that may call it.
#[derive(Debug)]
pub(super) struct Names {
    hosts: Vec<String>,
    origins: Vec<String>,
    /// Whether it listens at more than addresses of this machine alone.
    is_reachable: bool,
}

impl Names {
    /// The names of a server; `host` is one more.
    pub(super) fn new(web: &Web, host: Option<String>) -> Self {
        let is_reachable = match &web.at {
            Place::Address(at) => !at.ip().is_loopback(),
            Place::Socket(_) => false,
        };
        let hosts = web.hosts.iter().cloned().chain(host).collect();
        let plain = |origin: &String| origin.trim().trim_end_matches('/').to_ascii_lowercase();
        Self { hosts, origins: web.origins.iter().map(plain).collect(), is_reachable }
    }

    /// Whether it goes by a name, with or without a port. Where it can be reached by any of the
    /// machine's addresses, an address is good: no other machine's name can be made to lead here then.
    fn has(&self, authority: &str) -> bool {
        let host = host(authority);
        is_here(authority)
            || self.hosts.iter().any(|name| name.eq_ignore_ascii_case(host))
            || (self.is_reachable && address(host).is_some())
    }

    fn welcomes(&self, origin: &str) -> bool {
        if self.origins.is_empty() {
            return is_ours(origin);
        }
        self.origins.iter().any(|it| it == ANY || it.eq_ignore_ascii_case(origin))
    }

    /// The page of a request.
    fn page(&self, headers: &HeaderMap) -> Page {
        match headers.get(ORIGIN) {
            Some(origin) if origin.to_str().is_ok_and(|it| self.welcomes(it)) => {
                Page::Welcome(origin.clone())
            }
            Some(_) => Page::Foreign,
            // Browsers name no origin when a page only loads something, but that it is another's.
            None if headers.get(FETCH_SITE).is_some_and(|site| site == "cross-site")
                && !self.origins.iter().any(|it| it == ANY) =>
            {
                Page::Foreign
            }
            None => Page::None,
        }
    }
}

impl Page {
    /// Lets the page have an answer.
    fn admit(&self, response: &mut Response) {
        let Self::Welcome(origin) = self else { return };
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

/// The answer to a browser that asks what a page may do.
fn preflight(headers: &HeaderMap) -> Response {
    let asked = headers.get(ACCESS_CONTROL_REQUEST_HEADERS).and_then(|it| it.to_str().ok());
    let may = |name: &&str| SENT.contains(name) || name.starts_with(PARAMETER);
    let asked: Vec<String> =
        asked.unwrap_or_default().split(',').map(|name| name.trim().to_ascii_lowercase()).collect();
    let granted: Vec<&str> = asked.iter().map(String::as_str).filter(may).collect();
    let mut response = StatusCode::NO_CONTENT.into_response();
    let mut say = |name: HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    };
    say(ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, DELETE, OPTIONS");
    say(ACCESS_CONTROL_ALLOW_HEADERS, &granted.join(", "));
    say(ACCESS_CONTROL_MAX_AGE, "600");
    response
}

/// Lets requests through that come by one of the server's own names, and from no page or one that may
/// call: browsers send others here, too, when a name of another machine is made to lead here.
pub(super) async fn guard(
    Shared(names): Shared<Arc<Names>>,
    request: Request<Body>,
    next: Next,
) -> Response {
    let host = request
        .uri()
        .authority()
        .map(|it| it.as_str())
        .or_else(|| request.headers().get(HOST).and_then(|value| value.to_str().ok()));
    let Some(host) = host else { return refused(StatusCode::BAD_REQUEST, "Host: missing") };
    if !names.has(host) {
        let why = "Host: this server does not go by that name; localhost is one of its own";
        return refused(StatusCode::FORBIDDEN, why);
    }
    let page = names.page(request.headers());
    if matches!(page, Page::Foreign) {
        let why = "Origin: this page may not call";
        return refused(StatusCode::FORBIDDEN, why);
    }
    let mut response = if request.method() == Method::OPTIONS {
        preflight(request.headers())
    } else {
        next.run(request).await
    };
    page.admit(&mut response);
    response
}

fn refused(status: StatusCode, why: &'static str) -> Response {
    front::refusal(status, &Refusal::nameless(ErrorData::invalid_request(why, None)))
}

fn is_ours(origin: &str) -> bool {
    let scheme = ["http://", "https://"].iter().find_map(|scheme| origin.strip_prefix(scheme));
    scheme.is_some_and(is_here)
}

/// Whether a name with or without a port is one of this machine alone.
fn is_here(authority: &str) -> bool {
    let host = host(authority);
    host.eq_ignore_ascii_case("localhost") || address(host).is_some_and(|it| it.is_loopback())
}

/// A name without its port.
fn host(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.parse::<u16>().is_ok() => host,
        Some(_) | None => authority,
    }
}

/// The address a name is, where it is one.
fn address(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(inner) => inner.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => host.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_this_machine_are_ours() {
        for ours in
            ["http://localhost", "http://LocalHost:3000", "https://127.0.0.2:1", "http://[::1]:80"]
        {
            assert!(is_ours(ours), "{ours}");
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
            assert!(!is_ours(foreign), "{foreign}");
        }
    }

    fn names(at: &str, hosts: &[&str], origins: &[&str]) -> Names {
        let mut web = Web::new(Place::Address(at.parse().unwrap()));
        web.hosts = hosts.iter().map(|it| (*it).to_owned()).collect();
        web.origins = origins.iter().map(|it| (*it).to_owned()).collect();
        Names::new(&web, Some("desk.example".to_owned()))
    }

    #[test]
    fn only_its_own_names_lead_to_a_server() {
        let here = names("127.0.0.1:1", &["box.lan"], &[]);
        for own in ["localhost:1", "127.0.0.1", "[::1]:1", "box.lan:1", "DESK.example"] {
            assert!(here.has(own), "{own}");
        }
        for other in ["evil.example", "evil.box.lan", "192.0.2.1", "", "localhost.evil.example"] {
            assert!(!here.has(other), "{other}");
        }
        let everywhere = names("0.0.0.0:1", &[], &[]);
        assert!(everywhere.has("192.0.2.1:1") && everywhere.has("[2001:db8::1]:1"));
        assert!(!everywhere.has("evil.example:1"));
    }

    #[test]
    fn pages_that_were_named_may_call_and_no_others() {
        let named = names("127.0.0.1:1", &[], &["https://App.example/"]);
        assert!(named.welcomes("https://app.example"));
        for other in ["http://app.example", "https://app.example.evil", "null", "http://localhost"]
        {
            assert!(!named.welcomes(other), "{other}");
        }
        assert!(names("127.0.0.1:1", &[], &["*"]).welcomes("https://any.example"));
    }

    #[test]
    fn what_a_page_of_elsewhere_only_loads_is_not_given() {
        let mut headers = HeaderMap::new();
        headers.insert(FETCH_SITE, HeaderValue::from_static("cross-site"));
        assert!(matches!(names("127.0.0.1:1", &[], &[]).page(&headers), Page::Foreign));
        headers.insert(FETCH_SITE, HeaderValue::from_static("none"));
        assert!(matches!(names("127.0.0.1:1", &[], &[]).page(&headers), Page::None));
    }

    #[test]
    fn a_page_may_send_what_the_protocol_has_and_no_more() {
        let mut headers = HeaderMap::new();
        let asked = HeaderValue::from_static("Content-Type, X-Evil, Mcp-Param-Value");
        headers.insert(ACCESS_CONTROL_REQUEST_HEADERS, asked);
        let response = preflight(&headers);
        assert_eq!(
            response.headers()[ACCESS_CONTROL_ALLOW_HEADERS],
            "content-type, mcp-param-value"
        );
    }
}
