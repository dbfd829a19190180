//! A seal that only this program puts on a file: an agent that can save a file in an editor cannot
//! make one. The key lies beside the file and is readable by its owner alone.

use std::{
    fs::{self, File},
    io::{ErrorKind, Read, Write},
    path::PathBuf,
};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::{Error, file};

/// How long the key is, in bytes.
const LENGTH: usize = 32;

/// A seal by the key of a file.
#[derive(Debug)]
pub(super) struct Seal {
    key: PathBuf,
}

impl Seal {
    pub(super) fn at(key: PathBuf) -> Self {
        Self { key }
    }

    /// Waits until no other process changes what is sealed; the key is made if need be.
    pub(super) fn turn(&self) -> Result<File, Error> {
        let key = match File::open(&self.key) {
            Err(error) if error.kind() == ErrorKind::NotFound => self.made()?,
            other => other.map_err(Error::io("read", &self.key))?,
        };
        key.lock().map_err(Error::io("locked", &self.key))?;
        Ok(key)
    }

    /// The seal over some bytes.
    pub(super) fn over(&self, bytes: &[u8]) -> Result<String, Error> {
        let mac = self.mac(bytes)?.finalize().into_bytes();
        Ok(mac.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Whether a seal is the one over some bytes.
    pub(super) fn fits(&self, bytes: &[u8], seal: &str) -> Result<bool, Error> {
        let pair = |at: usize| u8::from_str_radix(seal.get(at..at + 2)?, 16).ok();
        let given: Option<Vec<u8>> = (0..seal.len()).step_by(2).map(pair).collect();
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
        file::owned(&file, &self.key)?;
        file.take(1024).read_to_end(&mut key).map_err(Error::io("read", &self.key))?;
        let short = Error::Unsafe { path: self.key.clone(), why: "it is no key" };
        if key.len() != LENGTH {
            return Err(short);
        }
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).map_err(|_| short)?;
        mac.update(bytes);
        Ok(mac)
    }

    /// A new key; where two processes make one, the first stays.
    fn made(&self) -> Result<File, Error> {
        let failed = || Error::io("written", &self.key);
        let other = |error| failed()(std::io::Error::other(error));
        let mut key = [0; LENGTH];
        getrandom::fill(&mut key).map_err(other)?;
        let number = getrandom::u64().map_err(other)?;
        let draft = self.key.with_extension(format!("key.{number:x}"));
        let mut file = file::private(&draft).map_err(failed())?;
        file.write_all(&key).and_then(|()| file.sync_all()).map_err(failed())?;
        match fs::hard_link(&draft, &self.key) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(failed()(error)),
            Ok(()) | Err(_) => {}
        }
        fs::remove_file(&draft).map_err(failed())?;
        File::open(&self.key).map_err(Error::io("read", &self.key))
    }
}
