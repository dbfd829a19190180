//! A cache of verified tokens: clients send the same token with every request, and its signature need
//! not be verified each time.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use ring::digest::{SHA256, digest};

use crate::server::principal::Principal;

/// Maximum number of cached tokens.
const MOST: usize = 256;

/// The SHA-256 digest of a token.
pub(super) type Mark = [u8; 32];

/// Tokens verified with the keys of one fetch.
#[derive(Debug, Default)]
struct Good {
    fetch: u64,
    tokens: HashMap<Mark, Principal>,
}

/// A cache of verified tokens.
#[derive(Debug, Default)]
pub(super) struct Seen(Mutex<Good>);

/// Returns the digest of a token.
pub(super) fn mark(token: &str) -> Mark {
    let mut mark = Mark::default();
    mark.copy_from_slice(digest(&SHA256, token.as_bytes()).as_ref());
    mark
}

impl Seen {
    /// Returns the principal of a token that was verified with the keys of this fetch and is not expired.
    pub(super) fn get(&self, mark: &Mark, fetch: u64, now: Instant) -> Option<Principal> {
        let good = self.good();
        let found = good.tokens.get(mark).filter(|_| good.fetch == fetch)?;
        found.until.is_some_and(|until| now < until).then(|| found.clone())
    }

    /// Stores the principal of a verified token.
    pub(super) fn note(&self, mark: Mark, fetch: u64, whose: &Principal, now: Instant) {
        let mut good = self.good();
        if good.fetch != fetch {
            *good = Good { fetch, tokens: HashMap::new() };
        }
        if good.tokens.len() >= MOST {
            good.tokens.retain(|_, whose| whose.until.is_some_and(|until| now < until));
        }
        if good.tokens.len() >= MOST {
            good.tokens.clear();
        }
        good.tokens.insert(mark, whose.clone());
    }

    fn good(&self) -> MutexGuard<'_, Good> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use deskhand_engine::Mode;

    use super::*;

    const LIFE: Duration = Duration::from_secs(60);

    fn ann(now: Instant) -> Principal {
        Principal::vouched("https://id.example", "ann", Mode::Safe, now + LIFE)
    }

    #[test]
    fn a_token_is_cached_until_it_or_its_key_expires() {
        let (seen, now) = (Seen::default(), Instant::now());
        let token = mark("a.good.token");
        assert_eq!(seen.get(&token, 1, now), None);
        seen.note(token, 1, &ann(now), now);
        assert_eq!(seen.get(&token, 1, now), Some(ann(now)));
        assert_eq!(seen.get(&mark("a.good.tokeN"), 1, now), None, "another token");
        assert_eq!(seen.get(&token, 1, now + LIFE), None, "it has expired");
        assert_eq!(seen.get(&token, 2, now), None, "the keys have changed");
    }

    #[test]
    fn the_cache_is_limited() {
        let (seen, now) = (Seen::default(), Instant::now());
        for number in 0..10 * MOST {
            seen.note(mark(&number.to_string()), 1, &ann(now), now);
        }
        assert!(seen.good().tokens.len() <= MOST);
    }
}
