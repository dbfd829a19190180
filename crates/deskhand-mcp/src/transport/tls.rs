//! TLS from certificate files. Changed files are used for the next connection, because certificates
//! are often renewed while a server runs.

use std::{fs, os::unix::fs::MetadataExt, path::Path, sync::Arc, time::SystemTime};

use parking_lot::Mutex;

use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring::default_provider,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    },
};

use crate::{Error, http_options::TlsFiles};

/// The ALPN protocol.
const ALPN_HTTP: &[u8] = b"http/1.1";

/// The certificate of a server.
#[derive(Debug)]
pub(super) struct Certificates {
    files: TlsFiles,
    current: Mutex<CurrentCertificate>,
}

struct CurrentCertificate {
    acceptor: TlsAcceptor,
    /// The versions of both files that were read last, even if they are invalid.
    versions: [Option<FileVersion>; 2],
}

impl std::fmt::Debug for CurrentCertificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CurrentCertificate").finish_non_exhaustive()
    }
}

/// The version of a file, as far as its metadata show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileVersion {
    inode: u64,
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Certificates {
    /// Reads the certificate files.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read or is invalid, or if key and certificate do not match.
    pub(super) fn load(files: TlsFiles) -> Result<Self, Error> {
        let versions = versions(&files);
        let current = CurrentCertificate { acceptor: acceptor(&files)?, versions };
        Ok(Self { files, current: Mutex::new(current) })
    }

    /// Returns the acceptor for the next connection. Reads the files again if they have changed. If
    /// they are invalid then, the previous certificate stays in use until they change again: they may
    /// be written one after the other.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        let mut current = self.current.lock();
        let versions = versions(&self.files);
        if versions != current.versions {
            current.versions = versions;
            match acceptor(&self.files) {
                Ok(renewed) => {
                    tracing::info!("the TLS certificate was read again");
                    current.acceptor = renewed;
                }
                Err(error) => tracing::warn!("the previous TLS certificate stays in use: {error}"),
            }
        }
        current.acceptor.clone()
    }
}

fn versions(files: &TlsFiles) -> [Option<FileVersion>; 2] {
    [&files.chain, &files.key].map(|path| {
        let metadata = fs::metadata(path).ok()?;
        let modified = metadata.modified().ok();
        Some(FileVersion { inode: metadata.ino(), bytes: metadata.len(), modified })
    })
}

/// Reads the certificate files.
///
/// # Errors
///
/// Returns an error if a file cannot be read or is invalid, or if key and certificate do not match.
pub(crate) fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, Error> {
    let TlsFiles { chain, key } = files;
    let certificates = CertificateDer::pem_file_iter(chain)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| invalid(chain, &error))?;
    if certificates.is_empty() {
        return Err(invalid(chain, &"contains no certificate"));
    }
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| invalid(key, &error))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|it| it.with_no_client_auth().with_single_cert(certificates, secret))
        .map_err(|error| invalid(chain, &error))?;
    config.alpn_protocols = vec![ALPN_HTTP.to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn invalid(file: &Path, why: &dyn std::fmt::Display) -> Error {
    Error::InvalidOption { option: file.display().to_string(), reason: why.to_string() }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn write(folder: &Path, name: &str) -> TlsFiles {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let (chain, key) = (folder.join(name), folder.join(format!("{name}.key")));
        fs::write(&chain, made.cert.pem()).unwrap();
        fs::write(&key, made.signing_key.serialize_pem()).unwrap();
        TlsFiles { chain, key }
    }

    #[test]
    fn changed_files_are_used_and_invalid_ones_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let files = write(folder.path(), "own");
        let certificates = Certificates::load(files.clone()).unwrap();
        let config = || Arc::clone(certificates.acceptor().config());
        let first = config();
        assert!(Arc::ptr_eq(&first, &config()), "the files have not changed");
        let renewed = write(folder.path(), "renewed");
        fs::rename(&renewed.chain, &files.chain).unwrap();
        assert!(Arc::ptr_eq(&first, &config()), "the new certificate does not match the old key");
        fs::rename(&renewed.key, &files.key).unwrap();
        let second = config();
        assert!(!Arc::ptr_eq(&first, &second));
        fs::remove_file(&files.key).unwrap();
        assert!(Arc::ptr_eq(&second, &config()));
    }

    #[test]
    fn invalid_certificate_files_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (write(folder.path(), "one"), write(folder.path(), "other"));
        assert!(acceptor(&one).is_ok());
        let mixed = TlsFiles { chain: one.chain.clone(), key: other.key };
        assert!(acceptor(&mixed).is_err());
        let swapped = TlsFiles { chain: one.key.clone(), key: one.chain };
        assert!(acceptor(&swapped).is_err());
        let absent = TlsFiles { chain: folder.path().join("none"), key: one.key };
        assert!(matches!(acceptor(&absent), Err(Error::InvalidOption { .. })));
    }
}
