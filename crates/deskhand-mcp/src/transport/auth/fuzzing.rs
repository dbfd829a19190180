//! Fuzzing of the `Authorization` header, against a key whose private half is unknown.

use std::{
    io::{Read, Write},
    net::TcpListener,
};

use axum::http::{HeaderMap, HeaderValue, header::AUTHORIZATION};

use super::{bearer, jwt::TokenVerifier};
use crate::http_options::OAuthIssuer;

/// The key of the example in RFC 7515, appendix A.2.
const KEYS: &str = r#"{"keys":[{"kty":"RSA","kid":"a","alg":"RS256","use":"sig","e":"AQAB","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"}]}"#;

struct TestVerifier {
    verifier: TokenVerifier,
    runtime: tokio::runtime::Runtime,
}

thread_local! {
    static VERIFIER: TestVerifier = test_verifier();
}

/// Reads one header per line. No header may be accepted.
///
/// # Panics
///
/// Panics if a token is accepted.
pub fn token(data: &[u8]) {
    let mut headers = HeaderMap::new();
    for line in data.split(|byte| *byte == b'\n').take(8) {
        if let Ok(value) = HeaderValue::from_bytes(line) {
            headers.append(AUTHORIZATION, value);
        }
    }
    let Some(token) = bearer(&headers) else { return };
    VERIFIER.with(|test_verifier| {
        let verified = test_verifier.runtime.block_on(test_verifier.verifier.verify(token));
        assert!(verified.is_err(), "{token} was accepted: {verified:?}");
    });
}

fn test_verifier() -> TestVerifier {
    let listener = TcpListener::bind("127.0.0.1:0");
    let Ok(listener) = listener else { panic!("no port is free") };
    let Ok(at) = listener.local_addr() else { panic!("the port is unknown") };
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let length = KEYS.len();
            // A client that disconnects tries again.
            let _ = stream.read(&mut [0; 4096]).and_then(|_| {
                write!(
                    stream,
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\
                     content-length: {length}\r\n\r\n{KEYS}"
                )
            });
        }
    });
    let oauth = OAuthIssuer {
        issuer: format!("http://{at}"),
        audience: Some("deskhand".to_owned()),
        resource: None,
        jwks_url: Some(format!("http://{at}/keys")),
    };
    let Ok(verifier) = TokenVerifier::new(&oauth, "deskhand") else {
        panic!("the verifier is invalid")
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else { panic!("the runtime could not be started") };
    TestVerifier { verifier, runtime }
}
