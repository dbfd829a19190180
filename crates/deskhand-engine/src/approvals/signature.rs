//! Signs the approvals file with HMAC-SHA256, so that an agent that can save files in an editor cannot
//! forge approvals. The key is in a file beside it that only its owner can read.

use std::{
    fs::{self, File},
    io::{ErrorKind, Read, Write},
    path::PathBuf,
};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::{Error, file};

/// The length of the key in bytes.
const KEY_LENGTH: usize = 32;

/// Signs with the key in a file.
#[derive(Debug)]
pub(super) struct Signer {
    key: PathBuf,
}

impl Signer {
    pub(super) fn at(key: PathBuf) -> Self {
        Self { key }
    }

    /// Locks the key file, so that only one process changes the signed file. Creates the key if it
    /// does not exist.
    pub(super) fn lock(&self) -> Result<File, Error> {
        let key = match File::open(&self.key) {
            Err(error) if error.kind() == ErrorKind::NotFound => self.create_key()?,
            other => other.map_err(Error::io("read", &self.key))?,
        };
        key.lock().map_err(Error::io("locked", &self.key))?;
        Ok(key)
    }

    /// Returns the signature of some bytes.
    pub(super) fn sign(&self, bytes: &[u8]) -> Result<String, Error> {
        let mac = self.mac(bytes)?.finalize().into_bytes();
        Ok(mac.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Returns `true` if the signature matches the bytes.
    pub(super) fn verify(&self, bytes: &[u8], signature: &str) -> Result<bool, Error> {
        let pair = |at: usize| u8::from_str_radix(signature.get(at..at + 2)?, 16).ok();
        let given: Option<Vec<u8>> = (0..signature.len()).step_by(2).map(pair).collect();
        let Some(given) = given else { return Ok(false) };
        match self.mac(bytes) {
            Ok(mac) => Ok(mac.verify_slice(&given).is_ok()),
            Err(Error::Io { .. }) if !self.key.exists() => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn mac(&self, bytes: &[u8]) -> Result<Hmac<Sha256>, Error> {
        let mut key = Vec::new();
        let file = File::open(&self.key).map_err(Error::io("read", &self.key))?;
        file::check_owner(&file, &self.key)?;
        file.take(1024).read_to_end(&mut key).map_err(Error::io("read", &self.key))?;
        let invalid = Error::Unsafe { path: self.key.clone(), why: "it is not a valid key" };
        if key.len() != KEY_LENGTH {
            return Err(invalid);
        }
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).map_err(|_| invalid)?;
        mac.update(bytes);
        Ok(mac)
    }

    /// Creates a key. If two processes do this at the same time, the first key is used.
    fn create_key(&self) -> Result<File, Error> {
        let failed = || Error::io("written", &self.key);
        let other = |error| failed()(std::io::Error::other(error));
        let mut key = [0; KEY_LENGTH];
        getrandom::fill(&mut key).map_err(other)?;
        let number = getrandom::u64().map_err(other)?;
        let draft = self.key.with_extension(format!("key.{number:x}"));
        let mut file = file::create_private(&draft).map_err(failed())?;
        file.write_all(&key).and_then(|()| file.sync_all()).map_err(failed())?;
        match fs::hard_link(&draft, &self.key) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(failed()(error)),
            Ok(()) | Err(_) => {}
        }
        fs::remove_file(&draft).map_err(failed())?;
        File::open(&self.key).map_err(Error::io("read", &self.key))
    }
}
