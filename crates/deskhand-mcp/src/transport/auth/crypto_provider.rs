//! A JWT crypto provider based on `ring`. It only verifies, with public keys.

use jsonwebtoken::{
    Algorithm, DecodingKey, DecodingKeyKind, EncodingKey,
    crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils},
    errors::{ErrorKind, Result},
};
use ring::signature::{self as checks, RsaParameters, UnparsedPublicKey, VerificationAlgorithm};
use signature::Verifier;

/// RSA algorithms.
const RSA: [(Algorithm, &RsaParameters); 6] = [
    (Algorithm::RS256, &checks::RSA_PKCS1_2048_8192_SHA256),
    (Algorithm::RS384, &checks::RSA_PKCS1_2048_8192_SHA384),
    (Algorithm::RS512, &checks::RSA_PKCS1_2048_8192_SHA512),
    (Algorithm::PS256, &checks::RSA_PSS_2048_8192_SHA256),
    (Algorithm::PS384, &checks::RSA_PSS_2048_8192_SHA384),
    (Algorithm::PS512, &checks::RSA_PSS_2048_8192_SHA512),
];

/// Elliptic-curve algorithms.
const CURVES: [(Algorithm, &dyn VerificationAlgorithm); 3] = [
    (Algorithm::ES256, &checks::ECDSA_P256_SHA256_FIXED),
    (Algorithm::ES384, &checks::ECDSA_P384_SHA384_FIXED),
    (Algorithm::EdDSA, &checks::ED25519),
];

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: signer,
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Installs the provider for this process.
pub(super) fn install() {
    // This fails if another server of this process has already installed it.
    let _ = PROVIDER.install_default();
}

fn signer(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    Err(ErrorKind::UnsupportedAlgorithm.into())
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    if algorithm.family() != key.family() {
        return Err(ErrorKind::InvalidAlgorithm.into());
    }
    Ok(Box::new(RingVerifier { algorithm: *algorithm, key: key.clone() }))
}

/// Verifies with one algorithm and one key.
struct RingVerifier {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for RingVerifier {
    fn verify(&self, message: &[u8], given: &Vec<u8>) -> std::result::Result<(), signature::Error> {
        let is_good = match self.key.kind() {
            DecodingKeyKind::RsaModulusExponent { n, e } => RSA
                .iter()
                .find(|(algorithm, _)| *algorithm == self.algorithm)
                .is_some_and(|(_, how)| {
                    checks::RsaPublicKeyComponents { n, e }.verify(how, message, given).is_ok()
                }),
            DecodingKeyKind::SecretOrDer(key) => {
                CURVES.iter().find(|(algorithm, _)| *algorithm == self.algorithm).is_some_and(
                    |(_, how)| UnparsedPublicKey::new(*how, key).verify(message, given).is_ok(),
                )
            }
        };
        if is_good { Ok(()) } else { Err(signature::Error::new()) }
    }
}

impl JwtVerifier for RingVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7515, appendix A.2.
    const SIGNED: &str = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
    const SIGNATURE: &str = "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";
    const MODULUS: &str = "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ";

    #[test]
    fn a_known_signature_is_valid_and_altered_ones_are_not() {
        install();
        let key = DecodingKey::from_rsa_components(MODULUS, "AQAB").unwrap();
        let check = |text: &str, algorithm| {
            jsonwebtoken::crypto::verify(SIGNATURE, text.as_bytes(), &key, algorithm)
        };
        assert!(check(SIGNED, Algorithm::RS256).unwrap());
        assert!(!check(&SIGNED.replace("SUz", "SUy"), Algorithm::RS256).unwrap());
        for other in [Algorithm::RS384, Algorithm::RS512, Algorithm::PS256] {
            assert!(!check(SIGNED, other).unwrap(), "{other:?}");
        }
        for other in [Algorithm::HS256, Algorithm::ES256, Algorithm::EdDSA] {
            assert!(check(SIGNED, other).is_err(), "{other:?}");
        }
    }
}
