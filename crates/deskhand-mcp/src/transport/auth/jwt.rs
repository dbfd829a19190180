//! One access token: whether it is the issuer's, for this server, of now, and what it allows.

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

/// How far clocks may be apart, in seconds.
const LEEWAY: u64 = 30;

/// The scopes and the most each allows, the widest first.
pub(super) const SCOPES: [(&str, Mode); 3] = [
    ("deskhand:full", Mode::Normal),
    ("deskhand:act", Mode::Safe),
    ("deskhand:read", Mode::Sandboxed),
];

/// The claims of a token that matter here.
#[derive(Debug, Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    exp: f64,
    scope: Option<Scopes>,
    scp: Option<Scopes>,
}

/// Scopes as servers write them.
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

/// Why a token lets nobody in.
#[derive(Debug)]
pub(super) enum Rejected {
    /// It is no good.
    Invalid(String),
    /// It is good, and allows nothing here.
    Scope,
    /// Its issuer cannot be asked for keys.
    Unreachable(String),
}

/// Judges tokens of one issuer for one audience.
#[derive(Debug)]
pub(super) struct Judge {
    issuer: String,
    audience: String,
    keys: Keys,
    seen: Seen,
}

impl Judge {
    /// Judges tokens of an authorization server; `resource` is what they are for, unless that says.
    ///
    /// # Errors
    ///
    /// When its keys cannot be had in any way.
    pub(super) fn new(authority: &Authority, resource: &str) -> Result<Self, Error> {
        verifier::install();
        let audience = authority.audience.clone().unwrap_or_else(|| resource.to_owned());
        let keys = Keys::new(Fetch::new(authority)?);
        Ok(Self { issuer: authority.issuer.clone(), audience, keys, seen: Seen::default() })
    }

    /// Who sends a token.
    pub(super) async fn judge(&self, token: &str) -> Result<Principal, Rejected> {
        let (mark, now) = (seen::mark(token), Instant::now());
        let fetch = self.keys.fetch_of(now);
        if let Some(known) = fetch.and_then(|fetch| self.seen.get(&mark, fetch, now)) {
            return Ok(known);
        }
        let whose = self.examine(token).await?;
        // Where keys were fetched meanwhile, it may have been examined by those before.
        if let Some(fetch) = fetch.filter(|_| self.keys.fetch_of(Instant::now()) == fetch) {
            self.seen.note(mark, fetch, &whose, now);
        }
        Ok(whose)
    }

    async fn examine(&self, token: &str) -> Result<Principal, Rejected> {
        let invalid = |why: &str| Rejected::Invalid(why.to_owned());
        let header = decode_header(token).map_err(|_| invalid("the token is no signed JWT"))?;
        if !is_asymmetric(header.alg) {
            return Err(invalid("the token is not signed in a way that is accepted"));
        }
        if header.crit.is_some() {
            return Err(invalid("the token asks for something that is not known here"));
        }
        let key =
            self.keys.find(header.kid.as_deref(), header.alg).await.map_err(|why| match why {
                NoKey::Unknown => invalid("the token is signed by a key that is not the issuer's"),
                NoKey::Unreachable(why) => Rejected::Unreachable(why),
            })?;
        let decoded = decode::<Claims>(token, &key, &self.validation(header.alg));
        let claims = decoded.map_err(|error| invalid(words(error.kind())))?.claims;
        if claims.sub.is_empty() {
            return Err(invalid("the token does not say whose it is"));
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

/// What is wrong with a token, for whoever sent it.
fn words(kind: &ErrorKind) -> &'static str {
    if matches!(kind, ErrorKind::ExpiredSignature) {
        "the token has expired"
    } else if matches!(kind, ErrorKind::ImmatureSignature) {
        "the token is not valid yet"
    } else if matches!(kind, ErrorKind::InvalidAudience) {
        "the token is not for this server"
    } else if matches!(kind, ErrorKind::InvalidIssuer) {
        "the token is of another issuer"
    } else if matches!(kind, ErrorKind::MissingRequiredClaim(_) | ErrorKind::Json(_)) {
        "the token must say iss, sub, aud and exp"
    } else {
        "the signature of the token is not good"
    }
}

/// When a token runs out, by this machine's clock.
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
    fn scopes_are_whole_words() {
        let of = |value| serde_json::from_value::<Scopes>(value).unwrap();
        assert!(of(json!("openid deskhand:act")).has("deskhand:act"));
        assert!(of(json!(["deskhand:act"])).has("deskhand:act"));
        for not in [json!("deskhand:action"), json!("xdeskhand:act"), json!(""), json!([])] {
            assert!(!of(not.clone()).has("deskhand:act"), "{not}");
        }
    }

    #[test]
    fn only_signatures_by_private_keys_count() {
        for shared in [Algorithm::HS256, Algorithm::HS384, Algorithm::HS512] {
            assert!(!is_asymmetric(shared), "{shared:?}");
        }
        assert!(is_asymmetric(Algorithm::ES256));
    }
}
