//! Authentication over HTTP. Clients at a Unix socket, or of a server without authentication, are the
//! owner. Others need the static token or an OAuth access token.

mod fetch;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzing;
mod jwks;
mod jwt;
mod metadata;
mod seen;
mod verifier;

use std::{net::IpAddr, sync::Arc, time::Duration};

use axum::{
    Json,
    body::Body,
    extract::State as Shared,
    http::{
        HeaderMap, HeaderValue, Request, StatusCode,
        header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE},
    },
    middleware::Next,
    response::{IntoResponse, Response},
};
use deskhand_engine::Mode;
use futures_util::StreamExt;
use rmcp::model::ErrorData;

pub(super) use self::metadata::WELL_KNOWN;
use self::{
    jwt::{Judge, Rejected, SCOPES},
    metadata::{Lack, Metadata, challenge},
};
use super::{accept, front, pace::Pace};
use crate::{
    Error, Place, Web,
    server::{failure, principal::Principal},
    web::Token,
    wire::frame::Refusal,
};

/// The IP address of the client.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub(super) IpAddr);

/// Authenticates requests and limits their rate.
pub(super) struct Door {
    known: Known,
    pace: Pace,
}

/// The authentication mode.
enum Known {
    /// Every client is the owner.
    Owner,
    /// Clients need a bearer token.
    ByToken { token: Option<Token>, judge: Option<Box<(Judge, Metadata)>> },
}

impl Door {
    /// Creates the authenticator of a server.
    ///
    /// # Errors
    ///
    /// Returns an error if a URL of the authorization server is invalid.
    pub(super) fn new(web: &Web, listens_at: &str) -> Result<Self, Error> {
        let pace = Pace::new(web.bounds.pace);
        let access = &web.access;
        if matches!(web.at, Place::Socket(_)) || access.is_open() {
            return Ok(Self { known: Known::Owner, pace });
        }
        let judge = match &access.authority {
            None => None,
            Some(authority) => {
                let metadata = Metadata::new(authority, listens_at)?;
                Some(Box::new((Judge::new(authority, &metadata.resource)?, metadata)))
            }
        };
        Ok(Self { known: Known::ByToken { token: access.token.clone(), judge }, pace })
    }

    /// Returns the host name by which clients reach this server, if an OAuth resource is configured.
    pub(super) fn host(&self) -> Option<String> {
        self.metadata().and_then(Metadata::host)
    }

    /// Removes clients that have not sent requests for long.
    pub(super) fn forget(&self) {
        self.pace.forget();
    }

    fn metadata(&self) -> Option<&Metadata> {
        match &self.known {
            Known::Owner => None,
            Known::ByToken { judge, .. } => judge.as_ref().map(|it| &it.1),
        }
    }

    /// Returns the principal of a request.
    async fn who(&self, headers: &HeaderMap) -> Result<Principal, Box<Response>> {
        let Known::ByToken { token, judge } = &self.known else { return Ok(Principal::owner()) };
        let refuse = |lack: Lack<'_>| Box::new(self.refused(lack));
        let given = match bearer(headers) {
            Some(given) => given,
            None if headers.contains_key(AUTHORIZATION) => {
                return Err(refuse(Lack::GoodToken(
                    "Authorization: expected `Bearer` and one token",
                )));
            }
            None => return Err(refuse(Lack::Token)),
        };
        if token.as_ref().is_some_and(|token| token.is(given.as_bytes())) {
            return Ok(Principal::holder());
        }
        let Some((judge, _)) = judge.as_deref() else {
            return Err(refuse(Lack::GoodToken("the token is not valid for this server")));
        };
        judge.judge(given).await.map_err(|why| match why {
            Rejected::Invalid(why) => refuse(Lack::GoodToken(&why)),
            Rejected::Scope => refuse(Lack::Scope(narrowest())),
            Rejected::Unreachable(why) => {
                let why = format!("the token cannot be verified now: {why}");
                Box::new(later(StatusCode::SERVICE_UNAVAILABLE, AGAIN, why))
            }
        })
    }

    fn refused(&self, lack: Lack<'_>) -> Response {
        let (status, why) = match lack {
            Lack::Token => (StatusCode::UNAUTHORIZED, "Authorization: a bearer token is required"),
            Lack::GoodToken(why) => (StatusCode::UNAUTHORIZED, why),
            Lack::Scope(_) => (StatusCode::FORBIDDEN, "the token's scopes do not allow this"),
        };
        let error = ErrorData::invalid_request(why.to_owned(), None);
        let mut response = front::refusal(status, &Refusal::nameless(error));
        let challenge = challenge(self.metadata(), lack);
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        response
    }

    /// Refuses a request that needs a scope for a more permissive mode.
    pub(super) fn needs_more(&self, least: Mode) -> Response {
        let wide = SCOPES.iter().rev().find(|(_, mode)| *mode <= least);
        self.refused(Lack::Scope(wide.map_or("deskhand:full", |(scope, _)| scope)))
    }

    fn count(&self, who: &str) -> Result<(), Box<Response>> {
        self.pace.count(who).map_err(|wait| {
            let why = "too many requests; try again later".to_owned();
            Box::new(later(StatusCode::TOO_MANY_REQUESTS, wait, why))
        })
    }
}

/// Returns the least permissive scope.
fn narrowest() -> &'static str {
    SCOPES.last().map_or("", |(scope, _)| scope)
}

/// Returns the bearer token of a request with exactly one `Authorization` header.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    let value = all.next().filter(|_| all.next().is_none())?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    let is_one = !token.is_empty() && !token.contains([' ', ',']);
    (scheme.eq_ignore_ascii_case("bearer") && is_one).then_some(token)
}

/// Refuses a request that may succeed later.
pub(super) fn later(status: StatusCode, wait: Duration, why: String) -> Response {
    let mut error = failure::not_now(why);
    let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1);
    error.data = Some(serde_json::json!({ "retry_after_ms": wait_ms }));
    let mut response = front::refusal(status, &Refusal::nameless(error));
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(wait_ms.div_ceil(1000)));
    response
}

/// Middleware for routes that require authentication.
pub(super) async fn guard(
    Shared(door): Shared<Arc<Door>>,
    mut request: Request<Body>,
    next: Next,
) -> Response {
    let principal = match door.who(request.headers()).await {
        Ok(principal) => principal,
        Err(refused) => {
            let from = request.extensions().get::<Peer>();
            let from = from.map_or_else(String::new, |peer| peer.0.to_string());
            return *door.count(&from).err().unwrap_or(refused);
        }
    };
    if let Err(refused) = door.count(&principal.name) {
        return *refused;
    }
    let until = principal.until;
    request.extensions_mut().insert(principal);
    let response = next.run(request).await;
    let Some(until) = until.filter(|_| is_stream(&response)) else { return response };
    // A stream ends when the authentication of its reader expires.
    response.map(|body| {
        let over = tokio::time::sleep_until(until.into());
        Body::from_stream(body.into_data_stream().take_until(over))
    })
}

fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(accept::EVENTS.as_bytes()))
}

/// Middleware for routes that do not require authentication.
pub(super) async fn note(
    Shared(door): Shared<Arc<Door>>,
    mut request: Request<Body>,
    next: Next,
) -> Response {
    let principal = match door.who(request.headers()).await {
        Ok(principal) => principal,
        Err(_) => Principal::nobody(),
    };
    if let Err(refused) = door.count(&principal.name) {
        return *refused;
    }
    request.extensions_mut().insert(principal);
    next.run(request).await
}

/// `GET /.well-known/oauth-protected-resource`.
pub(super) async fn describe(Shared(door): Shared<Arc<Door>>) -> Response {
    match door.metadata() {
        Some(metadata) => Json(metadata.document()).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_one_bearer_token_is_accepted() {
        let of = |values: &[&'static str]| {
            let value = |text: &&'static str| (AUTHORIZATION, HeaderValue::from_static(text));
            let headers: HeaderMap = values.iter().map(value).collect();
            bearer(&headers).map(str::to_owned)
        };
        assert_eq!(of(&["Bearer abc"]).as_deref(), Some("abc"));
        assert_eq!(of(&["bearer  abc "]).as_deref(), Some("abc"));
        for none in ["", "Bearer", "Bearer ", "Basic abc", "Bearerabc", "Bearer a b", "Bearer a,b"]
        {
            assert_eq!(of(&[none]), None, "{none}");
        }
    }
}
