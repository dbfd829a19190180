//! Seals what travels through clients between the rounds of a call, and lets each seal be used once:
//! a person's yes is for one call.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use rmcp::model::{RequestStateCodec, SealOptions};
use serde::{Serialize, de::DeserializeOwned};

/// How long a seal is good for.
pub(super) const LIFE: Duration = Duration::from_secs(600);

/// How many used seals make it worth looking for those that are over.
const MANY: usize = 1024;

/// Seals and opens.
#[derive(Debug)]
pub(crate) struct Seals {
    codec: RequestStateCodec,
    used: Mutex<HashMap<String, Instant>>,
}

/// What is sealed, with the name it is known by when it is used.
#[derive(Serialize, serde::Deserialize)]
struct Sealed<T> {
    name: String,
    inner: T,
}

impl Seals {
    /// Seals nobody else can make.
    pub(crate) fn new() -> Self {
        let mut key = uuid::Uuid::new_v4().as_bytes().to_vec();
        key.extend_from_slice(uuid::Uuid::new_v4().as_bytes());
        Self { codec: RequestStateCodec::new_unchecked(key), used: Mutex::default() }
    }

    /// Seals something for one subject.
    pub(super) fn seal<T: Serialize>(&self, inner: &T, subject: &[u8]) -> Result<String, String> {
        let sealed = Sealed { name: uuid::Uuid::new_v4().simple().to_string(), inner };
        let options = SealOptions::new().associated_data(subject).ttl(LIFE);
        self.codec.seal_json_with(&sealed, &options).map_err(|error| error.to_string())
    }

    /// Opens what was sealed for the same subject, once.
    pub(super) fn open<T: DeserializeOwned>(
        &self,
        sealed: &str,
        subject: &[u8],
    ) -> Result<T, String> {
        let Sealed { name, inner } = self
            .codec
            .open_json_with::<Sealed<T>>(sealed, subject)
            .map_err(|error| format!("not as it was given out: {error}"))?;
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.len() >= MANY {
            used.retain(|_, since| since.elapsed() < LIFE);
        }
        if used.insert(name, Instant::now()).is_some() {
            return Err("used before; make the call again without it".to_owned());
        }
        Ok(inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_is_good_once_and_for_its_subject_alone() {
        let seals = Seals::new();
        let sealed = seals.seal(&7, b"a").unwrap();
        assert!(seals.open::<i32>(&sealed, b"b").is_err());
        assert!(seals.open::<i32>(&format!("{sealed}x"), b"a").is_err());
        assert!(Seals::new().open::<i32>(&sealed, b"a").is_err(), "another server's");
        assert_eq!(seals.open(&sealed, b"a"), Ok(7));
        assert!(seals.open::<i32>(&sealed, b"a").unwrap_err().contains("used before"));
    }
}
