//! The cached keys of an authorization server. They are fetched again when they are old, or when a
//! token names an unknown key; a rate limit keeps made-up tokens from causing many fetches.

use std::{
    num::NonZeroU32,
    sync::Arc,
    time::{Duration, Instant},
};

use governor::{DefaultDirectRateLimiter, Quota};
use jsonwebtoken::{
    Algorithm, AlgorithmFamily, DecodingKey,
    jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyOperations, PublicKeyUse},
};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::watch;

use super::fetch::{FetchError, JwksFetcher};
use crate::timing;

/// Number of fetches that may follow each other immediately.
const FETCH_BURST: NonZeroU32 = NonZeroU32::MIN.saturating_add(1);

/// Maximum number of keys.
const MAX_KEYS: usize = 64;

/// A key.
#[derive(Debug)]
struct Key {
    id: Option<String>,
    algorithms: Vec<Algorithm>,
    key: DecodingKey,
}

/// Closes when the fetch has ended.
type FetchDone = watch::Receiver<()>;

#[derive(Debug, Default)]
struct KeyCache {
    keys: Vec<Arc<Key>>,
    fetched: Option<Instant>,
    failed: Option<FetchError>,
    fetches: u64,
    fetch_done: Option<FetchDone>,
}

/// An error of finding a key.
#[derive(Debug)]
pub(super) enum KeyError {
    /// The authorization server has no such key.
    Unknown,
    /// The authorization server could not be reached.
    Unreachable(String),
}

/// The keys of one authorization server.
#[derive(Debug)]
pub(super) struct KeySet {
    source: Arc<KeySource>,
    limiter: Option<DefaultDirectRateLimiter>,
}

/// The fetcher and the cached keys. A fetch continues even if the request that started it is
/// dropped, so that clients that disconnect cannot keep others from the keys.
#[derive(Debug)]
struct KeySource {
    fetch: JwksFetcher,
    cache: Mutex<KeyCache>,
}

/// The result of starting a fetch.
enum FetchStart {
    /// This call started it.
    Started(FetchDone),
    /// Another call had started it.
    Running(FetchDone),
    /// There were too many fetches.
    RateLimited,
}

impl KeySet {
    /// Creates an empty cache.
    pub(super) fn new(fetch: JwksFetcher) -> Self {
        let quota = Quota::with_period(timing::JWKS_FETCH_INTERVAL)
            .map(|quota| quota.allow_burst(FETCH_BURST));
        let source = Arc::new(KeySource { fetch, cache: Mutex::default() });
        Self { source, limiter: quota.map(DefaultDirectRateLimiter::direct) }
    }

    /// Returns the key with this id for an algorithm. Without an id, returns the only matching key.
    pub(super) async fn find(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<DecodingKey, KeyError> {
        match self.cached_key(id, algorithm, Instant::now()) {
            (Some(key), true) => return Ok(key),
            (Some(key), false) => match self.start_fetch() {
                FetchStart::Started(fetch_done) => wait_until_done(fetch_done).await,
                // The first caller waits for the new keys. The others use the old ones.
                FetchStart::Running(_) | FetchStart::RateLimited => return Ok(key),
            },
            (None, _) => match self.start_fetch() {
                FetchStart::Started(fetch_done) | FetchStart::Running(fetch_done) => {
                    wait_until_done(fetch_done).await
                }
                FetchStart::RateLimited => {}
            },
        }
        let now = Instant::now();
        self.cached_key(id, algorithm, now).0.ok_or_else(|| self.source.missing_key_error(now))
    }

    /// Returns the number of the fetch the keys come from, while they are fresh.
    pub(super) fn current_fetch(&self, now: Instant) -> Option<u64> {
        let cache = self.source.cache.lock();
        (cache.age(now)? <= timing::JWKS_FRESH).then_some(cache.fetches)
    }

    /// Returns a cached key, and whether the cache is fresh.
    fn cached_key(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
        now: Instant,
    ) -> (Option<DecodingKey>, bool) {
        let cache = self.source.cache.lock();
        let Some(age) = cache.age(now).filter(|age| *age <= timing::JWKS_MAX_AGE) else {
            return (None, false);
        };
        let mut fitting = cache.keys.iter().filter(|key| key.algorithms.contains(&algorithm));
        let found = match id {
            Some(id) => fitting.find(|key| key.id.as_deref() == Some(id)),
            None => fitting.next().filter(|_| fitting.next().is_none()),
        };
        (found.map(|key| key.key.clone()), age <= timing::JWKS_FRESH)
    }

    /// Starts a fetch, unless one is running or there were too many.
    fn start_fetch(&self) -> FetchStart {
        let mut cache = self.source.cache.lock();
        // A finished fetch has dropped its sender.
        if let Some(fetch_done) =
            cache.fetch_done.as_ref().filter(|fetch_done| fetch_done.has_changed().is_ok())
        {
            return FetchStart::Running(fetch_done.clone());
        }
        if self.limiter.as_ref().is_some_and(|limiter| limiter.check().is_err()) {
            return FetchStart::RateLimited;
        }
        let (running, fetch_done) = watch::channel(());
        cache.fetch_done = Some(fetch_done.clone());
        drop(cache);
        let source = Arc::clone(&self.source);
        tokio::spawn(async move {
            source.refresh().await;
            drop(running);
        });
        FetchStart::Started(fetch_done)
    }
}

impl KeySource {
    async fn refresh(&self) {
        let fetched = self.fetch.keys().await;
        let mut cache = self.cache.lock();
        match fetched {
            Ok(keys) => {
                cache.keys =
                    keys.iter().take(MAX_KEYS).filter_map(key_from_jwk).map(Arc::new).collect();
                cache.fetched = Some(Instant::now());
                cache.fetches += 1;
                cache.failed = None;
            }
            Err(why) => cache.failed = Some(why),
        }
    }

    fn missing_key_error(&self, now: Instant) -> KeyError {
        let cache = self.cache.lock();
        match (&cache.failed, cache.age(now)) {
            (Some(why), _) => KeyError::Unreachable(why.to_string()),
            (None, Some(age)) if age <= timing::JWKS_MAX_AGE => KeyError::Unknown,
            (None, _) => {
                KeyError::Unreachable("its keys were requested a moment ago; try again".to_owned())
            }
        }
    }
}

impl KeyCache {
    fn age(&self, now: Instant) -> Option<Duration> {
        self.fetched.map(|then| now.saturating_duration_since(then))
    }
}

/// Waits until a fetch has ended.
async fn wait_until_done(mut fetch_done: FetchDone) {
    while fetch_done.changed().await.is_ok() {}
}

/// Converts a JWK for verifying signatures. Returns `None` for other uses and unknown types.
fn key_from_jwk(value: &Value) -> Option<Key> {
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
    let can_verify = jwk.common.public_key_use.is_none_or(|it| it == PublicKeyUse::Signature)
        && jwk.common.key_operations.is_none_or(|all| all.contains(&KeyOperations::Verify));
    (can_verify && !algorithms.is_empty()).then_some(Key { id: jwk.common.key_id, algorithms, key })
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
        assert_eq!(key_from_jwk(&curve(json!({}))).unwrap().algorithms, [Algorithm::ES256]);
        let sure = curve(json!({ "alg": "ES256", "use": "sig", "key_ops": ["verify"] }));
        assert_eq!(key_from_jwk(&sure).unwrap().id.as_deref(), Some("one"));
        let modulus = json!({ "kty": "RSA", "n": "AQAB", "e": "AQAB", "alg": "PS256" });
        assert_eq!(key_from_jwk(&modulus).unwrap().algorithms, [Algorithm::PS256]);
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
            assert!(key_from_jwk(&none).is_none(), "{none}");
        }
    }
}
