//! A cache of verified tokens: clients send the same token with every request, and its signature
//! need not be verified each time.

use std::{collections::HashMap, time::Instant};

use parking_lot::Mutex;
use ring::digest::{self as ring_digest, SHA256};

use crate::server::principal::Principal;

/// Maximum number of cached tokens.
const MAX_TOKENS: usize = 256;

/// The SHA-256 digest of a token.
pub(super) type TokenDigest = [u8; 32];

/// Tokens verified with the keys of one fetch.
#[derive(Debug, Default)]
struct VerifiedTokens {
    fetch: u64,
    tokens: HashMap<TokenDigest, Principal>,
}

/// A cache of verified tokens.
#[derive(Debug, Default)]
pub(super) struct TokenCache(Mutex<VerifiedTokens>);

/// Returns the digest of a token.
pub(super) fn digest(token: &str) -> TokenDigest {
    let mut digest = TokenDigest::default();
    digest.copy_from_slice(ring_digest::digest(&SHA256, token.as_bytes()).as_ref());
    digest
}

impl TokenCache {
    /// Returns the principal of a token that was verified with the keys of this fetch and is not
    /// expired.
    pub(super) fn get(&self, digest: &TokenDigest, fetch: u64, now: Instant) -> Option<Principal> {
        let verified = self.0.lock();
        let found = verified.tokens.get(digest).filter(|_| verified.fetch == fetch)?;
        found.expires.is_some_and(|expires| now < expires).then(|| found.clone())
    }

    /// Stores the principal of a verified token.
    pub(super) fn insert(
        &self,
        digest: TokenDigest,
        fetch: u64,
        principal: &Principal,
        now: Instant,
    ) {
        let mut verified = self.0.lock();
        if verified.fetch != fetch {
            *verified = VerifiedTokens { fetch, tokens: HashMap::new() };
        }
        if verified.tokens.len() >= MAX_TOKENS {
            verified
                .tokens
                .retain(|_, principal| principal.expires.is_some_and(|expires| now < expires));
        }
        if verified.tokens.len() >= MAX_TOKENS {
            verified.tokens.clear();
        }
        verified.tokens.insert(digest, principal.clone());
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use deskhand_engine::SecurityMode;

    use super::*;

    const LIFE: Duration = Duration::from_secs(60);

    fn ann(now: Instant) -> Principal {
        Principal::oauth("https://id.example", "ann", SecurityMode::Safe, now + LIFE)
    }

    #[test]
    fn a_token_is_cached_until_it_or_its_key_expires() {
        let (cache, now) = (TokenCache::default(), Instant::now());
        let token = digest("a.good.token");
        assert_eq!(cache.get(&token, 1, now), None);
        cache.insert(token, 1, &ann(now), now);
        assert_eq!(cache.get(&token, 1, now), Some(ann(now)));
        assert_eq!(cache.get(&digest("a.good.tokeN"), 1, now), None, "another token");
        assert_eq!(cache.get(&token, 1, now + LIFE), None, "it has expired");
        assert_eq!(cache.get(&token, 2, now), None, "the keys have changed");
    }

    #[test]
    fn the_cache_is_limited() {
        let (cache, now) = (TokenCache::default(), Instant::now());
        for number in 0..10 * MAX_TOKENS {
            cache.insert(digest(&number.to_string()), 1, &ann(now), now);
        }
        assert!(cache.0.lock().tokens.len() <= MAX_TOKENS);
    }
}
