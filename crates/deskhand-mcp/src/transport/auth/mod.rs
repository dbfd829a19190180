//! Authentication over HTTP. Clients at a Unix socket, or of a server without authentication, are
//! the owner. Others need the static token or an OAuth access token.

mod crypto_provider;
mod fetch;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzing;
mod jwks;
mod jwt;
mod metadata;
mod token_cache;

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
use deskhand_engine::SecurityMode;
use futures_util::StreamExt;
use rmcp::model::ErrorData;

pub(super) use self::metadata::WELL_KNOWN;
use self::{
    jwt::{SCOPES, TokenError, TokenVerifier},
    metadata::{AuthFailure, ResourceMetadata, challenge},
};
use super::{accept, mcp_endpoint, rate_limit::ClientRateLimiter};
use crate::{
    Error, HttpOptions, ListenAddress,
    http_options::BearerToken,
    server::{failure, principal::Principal},
    timing,
    wire::frame::ErrorResponse,
};

/// The IP address of the client.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClientIp(pub(super) IpAddr);

/// Authenticates requests and limits their rate.
pub(super) struct Authenticator {
    mode: AuthMode,
    limiter: ClientRateLimiter,
}

/// The authentication mode.
enum AuthMode {
    /// Every client is the owner.
    Owner,
    /// Clients need a bearer token.
    Token { token: Option<BearerToken>, verifier: Option<Box<(TokenVerifier, ResourceMetadata)>> },
}

impl Authenticator {
    /// Creates the authenticator of a server.
    ///
    /// # Errors
    ///
    /// Returns an error if a URL of the authorization server is invalid.
    pub(super) fn new(options: &HttpOptions, listens_at: &str) -> Result<Self, Error> {
        let limiter = ClientRateLimiter::new(options.limits.request_interval);
        let auth = &options.auth;
        if matches!(options.listen, ListenAddress::Unix(_)) || auth.is_open() {
            return Ok(Self { mode: AuthMode::Owner, limiter });
        }
        let verifier = match &auth.oauth {
            None => None,
            Some(oauth) => {
                let metadata = ResourceMetadata::new(oauth, listens_at)?;
                Some(Box::new((TokenVerifier::new(oauth, &metadata.resource)?, metadata)))
            }
        };
        Ok(Self { mode: AuthMode::Token { token: auth.token.clone(), verifier }, limiter })
    }

    /// Returns the host name by which clients reach this server, if an OAuth resource is
    /// configured.
    pub(super) fn host(&self) -> Option<String> {
        self.metadata().and_then(ResourceMetadata::host)
    }

    /// Removes clients that have not sent requests for long.
    pub(super) fn remove_idle_clients(&self) {
        self.limiter.remove_idle();
    }

    fn metadata(&self) -> Option<&ResourceMetadata> {
        match &self.mode {
            AuthMode::Owner => None,
            AuthMode::Token { verifier, .. } => verifier.as_ref().map(|it| &it.1),
        }
    }

    /// Returns the principal of a request.
    async fn authenticate(&self, headers: &HeaderMap) -> Result<Principal, Box<Response>> {
        let AuthMode::Token { token, verifier } = &self.mode else { return Ok(Principal::owner()) };
        let refuse =
            |failure_kind: AuthFailure<'_>| Box::new(self.challenge_response(failure_kind));
        let given = match bearer(headers) {
            Some(given) => given,
            None if headers.contains_key(AUTHORIZATION) => {
                return Err(refuse(AuthFailure::InvalidToken(
                    "Authorization: expected `Bearer` and one token",
                )));
            }
            None => return Err(refuse(AuthFailure::MissingToken)),
        };
        if token.as_ref().is_some_and(|token| token.matches(given.as_bytes())) {
            return Ok(Principal::token_holder());
        }
        let Some((verifier, _)) = verifier.as_deref() else {
            return Err(refuse(AuthFailure::InvalidToken(
                "the token is not valid for this server",
            )));
        };
        verifier.verify(given).await.map_err(|why| match why {
            TokenError::Invalid(why) => refuse(AuthFailure::InvalidToken(&why)),
            TokenError::NoScope => refuse(AuthFailure::MissingScope(least_permissive_scope())),
            TokenError::Unreachable(why) => {
                let why = format!("the token cannot be verified now: {why}");
                Box::new(retry_later(
                    StatusCode::SERVICE_UNAVAILABLE,
                    timing::AUTH_RETRY_DELAY,
                    why,
                ))
            }
        })
    }

    fn challenge_response(&self, failure_kind: AuthFailure<'_>) -> Response {
        let (status, why) = match failure_kind {
            AuthFailure::MissingToken => {
                (StatusCode::UNAUTHORIZED, "Authorization: a bearer token is required")
            }
            AuthFailure::InvalidToken(why) => (StatusCode::UNAUTHORIZED, why),
            AuthFailure::MissingScope(_) => {
                (StatusCode::FORBIDDEN, "the token's scopes do not allow this")
            }
        };
        let error = ErrorData::invalid_request(why.to_owned(), None);
        let mut response = mcp_endpoint::http_error(status, &ErrorResponse::without_id(error));
        let challenge = challenge(self.metadata(), failure_kind);
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        response
    }

    /// Refuses a request that needs a scope for a more permissive mode.
    pub(super) fn insufficient_scope(&self, least: SecurityMode) -> Response {
        let wide = SCOPES.iter().rev().find(|(_, mode)| *mode <= least);
        self.challenge_response(AuthFailure::MissingScope(
            wide.map_or("deskhand:full", |(scope, _)| scope),
        ))
    }

    fn check_rate(&self, client: &str) -> Result<(), Box<Response>> {
        self.limiter.check(client).map_err(|wait| {
            let why = "too many requests; try again later".to_owned();
            Box::new(retry_later(StatusCode::TOO_MANY_REQUESTS, wait, why))
        })
    }
}

/// Returns the least permissive scope.
fn least_permissive_scope() -> &'static str {
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
pub(super) fn retry_later(status: StatusCode, wait: Duration, why: String) -> Response {
    let mut error = failure::unavailable(why);
    let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1);
    error.data = Some(serde_json::json!({ "retry_after_ms": wait_ms }));
    let mut response = mcp_endpoint::http_error(status, &ErrorResponse::without_id(error));
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(wait_ms.div_ceil(1000)));
    response
}

/// Middleware for routes that require authentication.
pub(super) async fn require(
    Shared(authenticator): Shared<Arc<Authenticator>>,
    mut request: Request<Body>,
    next: Next,
) -> Response {
    let principal = match authenticator.authenticate(request.headers()).await {
        Ok(principal) => principal,
        Err(refused) => {
            let address = request.extensions().get::<ClientIp>();
            let address = address.map_or_else(String::new, |peer| peer.0.to_string());
            return *authenticator.check_rate(&address).err().unwrap_or(refused);
        }
    };
    if let Err(refused) = authenticator.check_rate(&principal.name) {
        return *refused;
    }
    let expires = principal.expires;
    request.extensions_mut().insert(principal);
    let response = next.run(request).await;
    let Some(expires) = expires.filter(|_| is_event_stream(&response)) else { return response };
    // A stream ends when the authentication of its reader expires.
    response.map(|body| {
        let over = tokio::time::sleep_until(expires.into());
        Body::from_stream(body.into_data_stream().take_until(over))
    })
}

fn is_event_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(accept::EVENT_STREAM.as_bytes()))
}

/// Middleware for routes that do not require authentication.
pub(super) async fn identify(
    Shared(authenticator): Shared<Arc<Authenticator>>,
    mut request: Request<Body>,
    next: Next,
) -> Response {
    let principal = match authenticator.authenticate(request.headers()).await {
        Ok(principal) => principal,
        Err(_) => Principal::anonymous(),
    };
    if let Err(refused) = authenticator.check_rate(&principal.name) {
        return *refused;
    }
    request.extensions_mut().insert(principal);
    next.run(request).await
}

/// `GET /.well-known/oauth-protected-resource`.
pub(super) async fn describe(Shared(authenticator): Shared<Arc<Authenticator>>) -> Response {
    match authenticator.metadata() {
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
