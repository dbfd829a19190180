//! The cached keys of an authorization server. They are fetched again when they are old, or when a
//! token names an unknown key; a rate limit keeps made-up tokens from causing many fetches.

use std::{
    num::NonZeroU32,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use governor::{DefaultDirectRateLimiter, Quota};
use jsonwebtoken::{
    Algorithm, AlgorithmFamily, DecodingKey,
    jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyOperations, PublicKeyUse},
};
use serde_json::Value;
use tokio::sync::watch;

use super::fetch::{Fetch, Unreachable};

/// Number of fetches that may follow each other immediately.
const AT_ONCE: NonZeroU32 = NonZeroU32::MIN.saturating_add(1);

/// Maximum number of keys.
const MOST: usize = 64;

/// A key.
#[derive(Debug)]
struct Key {
    id: Option<String>,
    algorithms: Vec<Algorithm>,
    key: DecodingKey,
}

/// Closes when the fetch has ended.
type Flight = watch::Receiver<()>;

#[derive(Debug, Default)]
struct Held {
    keys: Vec<Arc<Key>>,
    fetched: Option<Instant>,
    failed: Option<Unreachable>,
    fetches: u64,
    flight: Option<Flight>,
}

/// An error of finding a key.
#[derive(Debug)]
pub(super) enum NoKey {
    /// The authorization server has no such key.
    Unknown,
    /// The authorization server could not be reached.
    Unreachable(String),
}

/// The keys of one authorization server.
#[derive(Debug)]
pub(super) struct Keys {
    source: Arc<Source>,
    pace: Option<DefaultDirectRateLimiter>,
}

/// The fetcher and the cached keys. A fetch continues even if the request that started it is dropped, so
/// that clients that disconnect cannot keep others from the keys.
#[derive(Debug)]
struct Source {
    fetch: Fetch,
    held: Mutex<Held>,
}

/// The result of starting a fetch.
enum Begun {
    /// This call started it.
    Now(Flight),
    /// Another call had started it.
    Before(Flight),
    /// There were too many fetches.
    TooOften,
}

impl Keys {
    /// Creates an empty cache.
    pub(super) fn new(fetch: Fetch) -> Self {
        let quota = Quota::with_period(PAUSE).map(|quota| quota.allow_burst(AT_ONCE));
        let source = Arc::new(Source { fetch, held: Mutex::default() });
        Self { source, pace: quota.map(DefaultDirectRateLimiter::direct) }
    }

    /// Returns the key with this id for an algorithm. Without an id, returns the only matching key.
    pub(super) async fn find(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<DecodingKey, NoKey> {
        match self.known(id, algorithm, Instant::now()) {
            (Some(key), true) => return Ok(key),
            (Some(key), false) => match self.begin() {
                Begun::Now(flight) => landed(flight).await,
                // The first caller waits for the new keys. The others use the old ones.
                Begun::Before(_) | Begun::TooOften => return Ok(key),
            },
            (None, _) => match self.begin() {
                Begun::Now(flight) | Begun::Before(flight) => landed(flight).await,
                Begun::TooOften => {}
            },
        }
        let now = Instant::now();
        self.known(id, algorithm, now).0.ok_or_else(|| self.source.why_none(now))
    }

    /// Returns the number of the fetch the keys come from, while they are fresh.
    pub(super) fn fetch_of(&self, now: Instant) -> Option<u64> {
        let held = self.source.held();
        (held.age(now)? <= FRESH).then_some(held.fetches)
    }

    /// Returns a cached key, and whether the cache is fresh.
    fn known(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
        now: Instant,
    ) -> (Option<DecodingKey>, bool) {
        let held = self.source.held();
        let Some(age) = held.age(now).filter(|age| *age <= LONGEST) else { return (None, false) };
        let mut fitting = held.keys.iter().filter(|key| key.algorithms.contains(&algorithm));
        let found = match id {
            Some(id) => fitting.find(|key| key.id.as_deref() == Some(id)),
            None => fitting.next().filter(|_| fitting.next().is_none()),
        };
        (found.map(|key| key.key.clone()), age <= FRESH)
    }

    /// Starts a fetch, unless one is running or there were too many.
    fn begin(&self) -> Begun {
        let mut held = self.source.held();
        // A finished fetch has dropped its sender.
        if let Some(flight) = held.flight.as_ref().filter(|flight| flight.has_changed().is_ok()) {
            return Begun::Before(flight.clone());
        }
        if self.pace.as_ref().is_some_and(|pace| pace.check().is_err()) {
            return Begun::TooOften;
        }
        let (under_way, flight) = watch::channel(());
        held.flight = Some(flight.clone());
        drop(held);
        let source = Arc::clone(&self.source);
        tokio::spawn(async move {
            source.refresh().await;
            drop(under_way);
        });
        Begun::Now(flight)
    }
}

impl Source {
    async fn refresh(&self) {
        let fetched = self.fetch.keys().await;
        let mut held = self.held();
        match fetched {
            Ok(keys) => {
                held.keys = keys.iter().take(MOST).filter_map(read).map(Arc::new).collect();
                held.fetched = Some(Instant::now());
                held.fetches += 1;
                held.failed = None;
            }
            Err(why) => held.failed = Some(why),
        }
    }

    fn why_none(&self, now: Instant) -> NoKey {
        let held = self.held();
        match (&held.failed, held.age(now)) {
            (Some(why), _) => NoKey::Unreachable(why.to_string()),
            (None, Some(age)) if age <= LONGEST => NoKey::Unknown,
            (None, _) => NoKey::Unreachable("its keys were requested a moment ago; try again".to_owned()),
        }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn age(&self, now: Instant) -> Option<Duration> {
        self.fetched.map(|then| now.saturating_duration_since(then))
    }
}

/// Waits until a fetch has ended.
async fn landed(mut flight: Flight) {
    while flight.changed().await.is_ok() {}
}

/// Converts a JWK for verifying signatures. Returns `None` for other uses and unknown types.
fn read(value: &Value) -> Option<Key> {
    let jwk: Jwk = serde_json::from_value(value.clone()).ok()?;
    let all: &[Algorithm] = if let AlgorithmParameters::RSA(_) = &jwk.algorithm {
        AlgorithmFamily::Rsa.algorithms()
    } else if let AlgorithmParameters::EllipticCurve(on) = &jwk.algorithm {
        let of = [
            (EllipticCurve::P256, &[Algorithm::ES256]),
            (EllipticCurve::P384, &[Algorithm::ES384]),
        ];
        of.into_iter().find(|(curve, _)| *curve == on.curve)?.1
    } else if let AlgorithmParameters::OctetKeyPair(on) = &jwk.algorithm
        && on.curve == EllipticCurve::Ed25519
    {
        &[Algorithm::EdDSA]
    } else {
        return None;
    };
    let algorithms = match &jwk.common.key_algorithm {
        None => all.to_vec(),
        Some(named) => {
            let named: Algorithm = named.to_string().parse().ok()?;
            all.iter().copied().filter(|algorithm| *algorithm == named).collect()
        }
    };
    let key = DecodingKey::from_jwk(&jwk).ok()?;
    let is_for_checking = jwk.common.public_key_use.is_none_or(|it| it == PublicKeyUse::Signature)
        && jwk.common.key_operations.is_none_or(|all| all.contains(&KeyOperations::Verify));
    (is_for_checking && !algorithms.is_empty()).then_some(Key {
        id: jwk.common.key_id,
        algorithms,
        key,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const X: &str = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU";
    const Y: &str = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0";

    fn curve(more: Value) -> Value {
        let mut key = json!({ "kty": "EC", "crv": "P-256", "x": X, "y": Y, "kid": "one" });
        for (name, value) in more.as_object().cloned().unwrap_or_default() {
            key[name] = value;
        }
        key
    }

    #[test]
    fn a_key_is_valid_for_its_own_algorithm() {
        assert_eq!(read(&curve(json!({}))).unwrap().algorithms, [Algorithm::ES256]);
        let sure = curve(json!({ "alg": "ES256", "use": "sig", "key_ops": ["verify"] }));
        assert_eq!(read(&sure).unwrap().id.as_deref(), Some("one"));
        let modulus = json!({ "kty": "RSA", "n": "AQAB", "e": "AQAB", "alg": "PS256" });
        assert_eq!(read(&modulus).unwrap().algorithms, [Algorithm::PS256]);
    }

    #[test]
    fn only_public_signature_keys_are_accepted() {
        for none in [
            json!({ "kty": "oct", "k": "c2VjcmV0", "kid": "one", "alg": "HS256" }),
            curve(json!({ "alg": "HS256" })),
            curve(json!({ "alg": "RS256" })),
            curve(json!({ "alg": "none" })),
            curve(json!({ "use": "enc" })),
            curve(json!({ "key_ops": ["encrypt"] })),
            curve(json!({ "crv": "P-521" })),
            json!({ "kty": "new", "kid": "one" }),
            json!("key"),
        ] {
            assert!(read(&none).is_none(), "{none}");
        }
    }
}
