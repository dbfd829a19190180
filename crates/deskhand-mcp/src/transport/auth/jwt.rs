//! Verification of access tokens: issuer, audience, expiry and scopes.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use deskhand_engine::Mode;
use jsonwebtoken::{
    Algorithm, AlgorithmFamily, Validation, decode, decode_header, errors::ErrorKind,
};
use serde::Deserialize;

use super::{
    fetch::Fetch,
    jwks::{Keys, NoKey},
    seen::{self, Seen},
    verifier,
};
use crate::{Error, server::principal::Principal, web::Authority};

/// Allowed clock difference in seconds.
const LEEWAY: u64 = 30;

/// The scopes and the mode each one allows, most permissive first.
pub(super) const SCOPES: [(&str, Mode); 3] = [
    ("deskhand:full", Mode::Normal),
    ("deskhand:act", Mode::Safe),
    ("deskhand:read", Mode::Sandboxed),
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
pub(super) enum Rejected {
    /// The token is invalid.
    Invalid(String),
    /// The token is valid, but has no scope of this server.
    Scope,
    /// The keys of the issuer cannot be fetched.
    Unreachable(String),
}

/// Verifies tokens of one issuer for one audience.
#[derive(Debug)]
pub(super) struct Judge {
    issuer: String,
    audience: String,
    keys: Keys,
    seen: Seen,
}

impl Judge {
    /// Creates a verifier. `resource` is the audience if none is configured.
    ///
    /// # Errors
    ///
    /// Returns an error if the keys cannot be fetched with these options.
    pub(super) fn new(authority: &Authority, resource: &str) -> Result<Self, Error> {
        verifier::install();
        let audience = authority.audience.clone().unwrap_or_else(|| resource.to_owned());
        let keys = Keys::new(Fetch::new(authority)?);
        Ok(Self { issuer: authority.issuer.clone(), audience, keys, seen: Seen::default() })
    }

    /// Verifies a token and returns its principal.
    pub(super) async fn judge(&self, token: &str) -> Result<Principal, Rejected> {
        let (mark, now) = (seen::mark(token), Instant::now());
        let fetch = self.keys.fetch_of(now);
        if let Some(known) = fetch.and_then(|fetch| self.seen.get(&mark, fetch, now)) {
            return Ok(known);
        }
        let whose = self.examine(token).await?;
        // Cache the result only if no new keys were fetched during the verification.
        if let Some(fetch) = fetch.filter(|_| self.keys.fetch_of(Instant::now()) == fetch) {
            self.seen.note(mark, fetch, &whose, now);
        }
        Ok(whose)
    }

    async fn examine(&self, token: &str) -> Result<Principal, Rejected> {
        let invalid = |why: &str| Rejected::Invalid(why.to_owned());
        let header = decode_header(token).map_err(|_| invalid("the token is not a signed JWT"))?;
        if !is_asymmetric(header.alg) {
            return Err(invalid("the signature algorithm of the token is not accepted"));
        }
        if header.crit.is_some() {
            return Err(invalid("the token has an unsupported critical header"));
        }
        let key =
            self.keys.find(header.kid.as_deref(), header.alg).await.map_err(|why| match why {
                NoKey::Unknown => invalid("the token is not signed by a key of the issuer"),
                NoKey::Unreachable(why) => Rejected::Unreachable(why),
            })?;
        let decoded = decode::<Claims>(token, &key, &self.validation(header.alg));
        let claims = decoded.map_err(|error| invalid(words(error.kind())))?.claims;
        if claims.sub.is_empty() {
            return Err(invalid("the token has no subject"));
        }
        let has = |wanted: &str| {
            [&claims.scope, &claims.scp].into_iter().flatten().any(|scopes| scopes.has(wanted))
        };
        let widest = SCOPES.iter().find(|(scope, _)| has(scope));
        let (_, ceiling) = widest.ok_or(Rejected::Scope)?;
        Ok(Principal::vouched(&claims.iss, &claims.sub, *ceiling, until(claims.exp)))
    }

    fn validation(&self, algorithm: Algorithm) -> Validation {
        let mut validation = Validation::new(algorithm);
        validation.leeway = LEEWAY;
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
fn words(kind: &ErrorKind) -> &'static str {
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
fn until(expires: f64) -> Instant {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    let leeway = Duration::from_secs(LEEWAY).as_secs_f64();
    let left = Duration::try_from_secs_f64(expires + leeway - now).unwrap_or_default();
    let start = Instant::now();
    start.checked_add(left.min(Duration::from_secs(86_400))).unwrap_or(start)
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
