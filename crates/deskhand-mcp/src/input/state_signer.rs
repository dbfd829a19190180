//! Seals the request state that travels through clients between the rounds of a call. Each state
//! can be used once, so that a user's approval is valid for one call.

use std::{collections::HashMap, time::Instant};

use parking_lot::Mutex;
use rmcp::model::{RequestStateCodec, SealOptions};
use serde::{Serialize, de::DeserializeOwned};

use crate::timing;

/// Number of used states above which expired ones are removed.
const USED_STATES_BEFORE_CLEANUP: usize = 1024;

/// Seals and opens request states.
#[derive(Debug)]
pub(crate) struct StateSigner {
    codec: RequestStateCodec,
    used: Mutex<HashMap<String, Instant>>,
}

/// A sealed value with a unique name, by which its use is recorded.
#[derive(Serialize, serde::Deserialize)]
struct Sealed<T> {
    name: String,
    inner: T,
}

impl StateSigner {
    /// Creates a signer with a random key.
    pub(crate) fn new() -> Self {
        let mut key = uuid::Uuid::new_v4().as_bytes().to_vec();
        key.extend_from_slice(uuid::Uuid::new_v4().as_bytes());
        Self { codec: RequestStateCodec::new_unchecked(key), used: Mutex::default() }
    }

    /// Seals a value for one subject.
    pub(super) fn seal<T: Serialize>(
        &self,
        inner: &T,
        bound_data: &[u8],
    ) -> Result<String, String> {
        let sealed = Sealed { name: uuid::Uuid::new_v4().simple().to_string(), inner };
        let options = SealOptions::new().associated_data(bound_data).ttl(timing::REQUEST_STATE_TTL);
        self.codec.seal_json_with(&sealed, &options).map_err(|error| error.to_string())
    }

    /// Opens a value that was sealed for the same subject, once.
    pub(super) fn open<T: DeserializeOwned>(
        &self,
        sealed: &str,
        bound_data: &[u8],
    ) -> Result<T, String> {
        let Sealed { name, inner } = self
            .codec
            .open_json_with::<Sealed<T>>(sealed, bound_data)
            .map_err(|error| format!("not a valid state of this server: {error}"))?;
        let mut used = self.used.lock();
        if used.len() >= USED_STATES_BEFORE_CLEANUP {
            used.retain(|_, since| since.elapsed() < timing::REQUEST_STATE_TTL);
        }
        if used.insert(name, Instant::now()).is_some() {
            return Err("already used; make the call again without it".to_owned());
        }
        Ok(inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_opens_once_and_only_for_its_subject() {
        let signer = StateSigner::new();
        let sealed = signer.seal(&7, b"a").unwrap();
        assert!(signer.open::<i32>(&sealed, b"b").is_err());
        assert!(signer.open::<i32>(&format!("{sealed}x"), b"a").is_err());
        assert!(StateSigner::new().open::<i32>(&sealed, b"a").is_err(), "another server's");
        assert_eq!(signer.open(&sealed, b"a"), Ok(7));
        assert!(signer.open::<i32>(&sealed, b"a").unwrap_err().contains("already used"));
    }
}
