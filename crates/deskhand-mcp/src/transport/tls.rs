//! TLS from certificate files.

use std::{path::Path, sync::Arc};

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

    #[test]
    fn invalid_certificate_files_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let own = |name: &str| {
            let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
            let (chain, key) =
                (folder.path().join(name), folder.path().join(format!("{name}.key")));
            fs::write(&chain, made.cert.pem()).unwrap();
            fs::write(&key, made.signing_key.serialize_pem()).unwrap();
            TlsFiles { chain, key }
        };
        let (one, other) = (own("one"), own("other"));
        assert!(acceptor(&one).is_ok());
        let mixed = TlsFiles { chain: one.chain.clone(), key: other.key };
        assert!(acceptor(&mixed).is_err());
        let swapped = TlsFiles { chain: one.key.clone(), key: one.chain };
        assert!(acceptor(&swapped).is_err());
        let absent = TlsFiles { chain: folder.path().join("none"), key: one.key };
        assert!(matches!(acceptor(&absent), Err(Error::InvalidOption { .. })));
    }
}
