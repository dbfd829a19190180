//! Which web pages may call: those of this machine alone. Browsers tell the origin of a page, and
//! keep an answer from it unless the server lets it have it.

use std::net::{Ipv4Addr, Ipv6Addr};

use axum::{
    body::Body,
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
use crate::wire::frame::Refusal;

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

/// What carries parameters of a tool.
const PARAMETER: &str = "mcp-param-";

/// The page a request comes from, where it comes from one.
#[derive(Debug, Clone)]
enum Page {
    /// From none.
    None,
    /// From one of this machine.
    Ours(HeaderValue),
    /// From another.
    Foreign,
}

impl Page {
    /// The page of a request.
    fn of(headers: &HeaderMap) -> Self {
        match headers.get(ORIGIN) {
            None => Self::None,
            Some(origin) if origin.to_str().is_ok_and(is_ours) => Self::Ours(origin.clone()),
            Some(_) => Self::Foreign,
        }
    }

    /// Lets the page have an answer.
    fn admit(&self, response: &mut Response) {
        let Self::Ours(origin) = self else { return };
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(VARY, HeaderValue::from_static("origin"));
        headers.insert(
            ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static("mcp-session-id, mcp-protocol-version"),
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

/// Lets requests through that come to this machine by one of its own names, and from no page or one of
/// its own: browsers send others here, too, when a name of another machine is made to lead here.
pub(super) async fn guard(request: Request<Body>, next: Next) -> Response {
    let host = request
        .uri()
        .authority()
        .map(|it| it.as_str())
        .or_else(|| request.headers().get(HOST).and_then(|value| value.to_str().ok()));
    let Some(host) = host else { return refused(StatusCode::BAD_REQUEST, "Host: missing") };
    if !is_here(host) {
        let why = "Host: this server goes by names of this machine alone, such as localhost";
        return refused(StatusCode::FORBIDDEN, why);
    }
    let page = Page::of(request.headers());
    if matches!(page, Page::Foreign) {
        let why = "Origin: pages of other machines may not call";
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
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.parse::<u16>().is_ok() => host,
        Some(_) | None => authority,
    };
    let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    match inner {
        Some(address) => address.parse::<Ipv6Addr>().is_ok_and(|it| it.is_loopback()),
        None => {
            host.eq_ignore_ascii_case("localhost")
                || host.parse::<Ipv4Addr>().is_ok_and(|it| it.is_loopback())
        }
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
