//! Which web pages may call: those of this machine alone. Browsers tell the origin of a page, and
//! keep an answer from it unless the server lets it have it.

use axum::{
    http::{
        HeaderMap, HeaderName, HeaderValue, StatusCode,
        header::{
            ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
            ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
            ACCESS_CONTROL_REQUEST_HEADERS, ORIGIN, VARY,
        },
    },
    response::{IntoResponse, Response},
};

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
pub(super) enum Page {
    /// From none.
    None,
    /// From one of this machine.
    Ours(HeaderValue),
    /// From another.
    Foreign,
}

impl Page {
    /// The page of a request.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        match headers.get(ORIGIN) {
            None => Self::None,
            Some(origin) if origin.to_str().is_ok_and(is_ours) => Self::Ours(origin.clone()),
            Some(_) => Self::Foreign,
        }
    }

    /// Lets the page have an answer.
    pub(super) fn admit(&self, response: &mut Response) {
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
pub(super) fn preflight(headers: &HeaderMap) -> Response {
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

fn is_ours(origin: &str) -> bool {
    let Some(rest) = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"))
    else {
        return false;
    };
    let host = match rest.rsplit_once(':') {
        Some((host, port)) if port.parse::<u16>().is_ok() => host,
        Some(_) | None => rest,
    };
    matches!(host, "localhost" | "127.0.0.1" | "[::1]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_this_machine_are_ours() {
        for ours in
            ["http://localhost", "http://localhost:3000", "https://127.0.0.1:1", "http://[::1]:80"]
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
