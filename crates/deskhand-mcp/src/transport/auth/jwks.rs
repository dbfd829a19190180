//! The keys of an authorization server: fetched when they are needed, kept for a while, and fetched
//! again when a token names one that is not among them, though not as often as tokens are made up.

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

/// How long keys are kept before they are fetched again.
const FRESH: Duration = Duration::from_secs(600);

/// How long they count while they cannot be fetched again.
const LONGEST: Duration = Duration::from_secs(3600);

/// The mean time between two fetches, whatever tokens name; two may follow one another at once.
const PAUSE: Duration = Duration::from_secs(10);
const AT_ONCE: NonZeroU32 = NonZeroU32::MIN.saturating_add(1);

/// How many keys are looked at.
const MOST: usize = 64;

/// One key.
#[derive(Debug)]
struct Key {
    id: Option<String>,
    algorithms: Vec<Algorithm>,
    key: DecodingKey,
}

/// Ends when the fetch it belongs to has.
type Flight = watch::Receiver<()>;

#[derive(Debug, Default)]
struct Held {
    keys: Vec<Arc<Key>>,
    fetched: Option<Instant>,
    failed: Option<Unreachable>,
    fetches: u64,
    flight: Option<Flight>,
}

/// Why there is no key.
#[derive(Debug)]
pub(super) enum NoKey {
    /// The authorization server has none of this name.
    Unknown,
    /// It could not be asked.
    Unreachable(String),
}

/// The keys of one authorization server.
#[derive(Debug)]
pub(super) struct Keys {
    source: Arc<Source>,
    pace: Option<DefaultDirectRateLimiter>,
}

/// Where keys come from, and those that came; a fetch outlives whoever asked for it, or else whoever
/// asks and leaves would keep all others from the keys.
#[derive(Debug)]
struct Source {
    fetch: Fetch,
    held: Mutex<Held>,
}

/// Who began a fetch.
enum Begun {
    /// This caller.
    Now(Flight),
    /// Another, who may be gone.
    Before(Flight),
    /// Nobody: it was done too often of late.
    TooOften,
}

impl Keys {
    /// The keys that come from somewhere.
    pub(super) fn new(fetch: Fetch) -> Self {
        let quota = Quota::with_period(PAUSE).map(|quota| quota.allow_burst(AT_ONCE));
        let source = Arc::new(Source { fetch, held: Mutex::default() });
        Self { source, pace: quota.map(DefaultDirectRateLimiter::direct) }
    }

    /// The key of a name that is good for an algorithm; without a name, the only one that is.
    pub(super) async fn find(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<DecodingKey, NoKey> {
        match self.known(id, algorithm, Instant::now()) {
            (Some(key), true) => return Ok(key),
            (Some(key), false) => match self.begin() {
                Begun::Now(flight) => landed(flight).await,
                // Whoever comes first waits for the new ones; the others need not.
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

    /// Which fetch the keys are of, while they need not be fetched again.
    pub(super) fn fetch_of(&self, now: Instant) -> Option<u64> {
        let held = self.source.held();
        (held.age(now)? <= FRESH).then_some(held.fetches)
    }

    /// A key that is held, and whether it need not be fetched again.
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

    /// Begins to fetch, unless that is under way or was done too often of late.
    fn begin(&self) -> Begun {
        let mut held = self.source.held();
        // A fetch that has ended has let go of its side.
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
            (None, _) => NoKey::Unreachable("its keys were asked for a moment ago".to_owned()),
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

/// Waits for the end of a fetch.
async fn landed(mut flight: Flight) {
    while flight.changed().await.is_ok() {}
}

/// A key for checking signatures; one for something else, or of a kind we do not know, is none.
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
    fn a_key_is_good_for_its_own_algorithm_alone() {
        assert_eq!(read(&curve(json!({}))).unwrap().algorithms, [Algorithm::ES256]);
        let sure = curve(json!({ "alg": "ES256", "use": "sig", "key_ops": ["verify"] }));
        assert_eq!(read(&sure).unwrap().id.as_deref(), Some("one"));
        let modulus = json!({ "kty": "RSA", "n": "AQAB", "e": "AQAB", "alg": "PS256" });
        assert_eq!(read(&modulus).unwrap().algorithms, [Algorithm::PS256]);
    }

    #[test]
    fn what_is_no_public_key_for_signatures_is_no_key() {
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
