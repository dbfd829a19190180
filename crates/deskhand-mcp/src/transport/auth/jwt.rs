//! Verification of access tokens: issuer, audience, expiry and scopes.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use deskhand_engine::SecurityMode;
use jsonwebtoken::{
    Algorithm, AlgorithmFamily, Validation, decode, decode_header, errors::ErrorKind,
};
use serde::Deserialize;

use super::{
    crypto_provider,
    fetch::JwksFetcher,
    jwks::{KeyError, KeySet},
    token_cache::{self, TokenCache},
};
use crate::{Error, http_options::OAuthIssuer, server::principal::Principal, timing};

/// Allowed clock difference in seconds.
const LEEWAY_SECONDS: u64 = 30;

/// The scopes and the mode each one allows, most permissive first.
pub(super) const SCOPES: [(&str, SecurityMode); 3] = [
    ("deskhand:full", SecurityMode::Normal),
    ("deskhand:act", SecurityMode::Safe),
    ("deskhand:read", SecurityMode::Sandboxed),
];

/// The claims that are checked.
#[derive(Debug, Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    exp: f64,
    scope: Option<Scopes>,
    scp: Option<Scopes>,
}

/// Scopes as a string or as a list.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Scopes {
    Words(String),
    List(Vec<String>),
}

impl Scopes {
    fn has(&self, wanted: &str) -> bool {
        match self {
            Self::Words(words) => words.split(' ').any(|word| word == wanted),
            Self::List(list) => list.iter().any(|word| word == wanted),
        }
    }
}

/// An error of verifying a token.
#[derive(Debug)]
pub(super) enum TokenError {
    /// The token is invalid.
    Invalid(String),
    /// The token is valid, but has no scope of this server.
    NoScope,
    /// The keys of the issuer cannot be fetched.
    Unreachable(String),
}

/// Verifies tokens of one issuer for one audience.
#[derive(Debug)]
pub(super) struct TokenVerifier {
    issuer: String,
    audience: String,
    keys: KeySet,
    cache: TokenCache,
}

impl TokenVerifier {
    /// Creates a verifier. `resource` is the audience if none is configured.
    ///
    /// # Errors
    ///
    /// Returns an error if the keys cannot be fetched with these options.
    pub(super) fn new(oauth: &OAuthIssuer, resource: &str) -> Result<Self, Error> {
        crypto_provider::install();
        let audience = oauth.audience.clone().unwrap_or_else(|| resource.to_owned());
        let keys = KeySet::new(JwksFetcher::new(oauth)?);
        Ok(Self { issuer: oauth.issuer.clone(), audience, keys, cache: TokenCache::default() })
    }

    /// Verifies a token and returns its principal.
    pub(super) async fn verify(&self, token: &str) -> Result<Principal, TokenError> {
        let (digest, now) = (token_cache::digest(token), Instant::now());
        let fetch = self.keys.current_fetch(now);
        if let Some(known) = fetch.and_then(|fetch| self.cache.get(&digest, fetch, now)) {
            return Ok(known);
        }
        let principal = self.verify_uncached(token).await?;
        // Cache the result only if no new keys were fetched during the verification.
        if let Some(fetch) = fetch.filter(|_| self.keys.current_fetch(Instant::now()) == fetch) {
            self.cache.insert(digest, fetch, &principal, now);
        }
        Ok(principal)
    }

    async fn verify_uncached(&self, token: &str) -> Result<Principal, TokenError> {
        let invalid = |why: &str| TokenError::Invalid(why.to_owned());
        let header = decode_header(token).map_err(|_| invalid("the token is not a signed JWT"))?;
        if !is_asymmetric(header.alg) {
            return Err(invalid("the signature algorithm of the token is not accepted"));
        }
        if header.crit.is_some() {
            return Err(invalid("the token has an unsupported critical header"));
        }
        let key =
            self.keys.find(header.kid.as_deref(), header.alg).await.map_err(|why| match why {
                KeyError::Unknown => invalid("the token is not signed by a key of the issuer"),
                KeyError::Unreachable(why) => TokenError::Unreachable(why),
            })?;
        let decoded = decode::<Claims>(token, &key, &self.validation(header.alg));
        let claims = decoded.map_err(|error| invalid(describe(error.kind())))?.claims;
        if claims.sub.is_empty() {
            return Err(invalid("the token has no subject"));
        }
        let has = |wanted: &str| {
            [&claims.scope, &claims.scp].into_iter().flatten().any(|scopes| scopes.has(wanted))
        };
        let widest = SCOPES.iter().find(|(scope, _)| has(scope));
        let (_, ceiling) = widest.ok_or(TokenError::NoScope)?;
        Ok(Principal::oauth(&claims.iss, &claims.sub, *ceiling, expiry(claims.exp)))
    }

    fn validation(&self, algorithm: Algorithm) -> Validation {
        let mut validation = Validation::new(algorithm);
        validation.leeway = LEEWAY_SECONDS;
        validation.validate_nbf = true;
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[&self.audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation
    }
}

fn is_asymmetric(algorithm: Algorithm) -> bool {
    match algorithm.family() {
        AlgorithmFamily::Rsa | AlgorithmFamily::Ec | AlgorithmFamily::Ed => true,
        AlgorithmFamily::Hmac => false,
    }
}

/// Describes a validation error to the client.
fn describe(kind: &ErrorKind) -> &'static str {
    if matches!(kind, ErrorKind::ExpiredSignature) {
        "the token has expired"
    } else if matches!(kind, ErrorKind::ImmatureSignature) {
        "the token is not valid yet"
    } else if matches!(kind, ErrorKind::InvalidAudience) {
        "the token is not for this server"
    } else if matches!(kind, ErrorKind::InvalidIssuer) {
        "the token comes from another issuer"
    } else if matches!(kind, ErrorKind::MissingRequiredClaim(_) | ErrorKind::Json(_)) {
        "the token needs the claims iss, sub, aud and exp"
    } else {
        "the signature of the token is invalid"
    }
}

/// Returns the time when a token expires.
fn expiry(expires: f64) -> Instant {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    let leeway = Duration::from_secs(LEEWAY_SECONDS).as_secs_f64();
    let left = Duration::try_from_secs_f64(expires + leeway - now).unwrap_or_default();
    let start = Instant::now();
    start.checked_add(left.min(timing::MAX_TOKEN_LIFETIME)).unwrap_or(start)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn scopes_match_as_whole_words() {
        let of = |value| serde_json::from_value::<Scopes>(value).unwrap();
        assert!(of(json!("openid deskhand:act")).has("deskhand:act"));
        assert!(of(json!(["deskhand:act"])).has("deskhand:act"));
        for not in [json!("deskhand:action"), json!("xdeskhand:act"), json!(""), json!([])] {
            assert!(!of(not.clone()).has("deskhand:act"), "{not}");
        }
    }

    #[test]
    fn only_asymmetric_signatures_are_accepted() {
        for shared in [Algorithm::HS256, Algorithm::HS384, Algorithm::HS512] {
            assert!(!is_asymmetric(shared), "{shared:?}");
        }
        assert!(is_asymmetric(Algorithm::ES256));
    }
}
