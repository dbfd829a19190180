//! An authorization server for tests, with rotating keys and arbitrary tokens.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::{
    hmac,
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair},
};
use serde_json::{Value, json};

/// A private key and its id.
pub(crate) struct Key {
    id: String,
    pair: EcdsaKeyPair,
}

impl Key {
    /// Creates a key with this id.
    pub(crate) fn new(id: &str) -> Self {
        let (random, algorithm) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, pkcs8.as_ref(), &random).unwrap();
        Self { id: id.to_owned(), pair }
    }

    /// The public key as a JWK.
    pub(crate) fn public(&self) -> Value {
        let point = self.pair.public_key().as_ref();
        json!({
            "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": self.id,
            "x": base64url(&point[1..33]), "y": base64url(&point[33..]),
        })
    }

    /// Signs a token with this header.
    pub(crate) fn sign(&self, header: &Value, claims: &Value) -> String {
        let signed_part = signed_part(header, claims);
        let signature = self.pair.sign(&SystemRandom::new(), signed_part.as_bytes()).unwrap();
        format!("{signed_part}.{}", base64url(signature.as_ref()))
    }

    /// Signs a token with the correct header.
    pub(crate) fn token(&self, claims: &Value) -> String {
        self.sign(&json!({ "alg": "ES256", "typ": "at+jwt", "kid": self.id }), claims)
    }
}

/// A token signed with HMAC, which uses public data as the secret.
pub(crate) fn hmac_token(secret: &[u8], header: &Value, claims: &Value) -> String {
    let signed_part = signed_part(header, claims);
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
    format!("{signed_part}.{}", base64url(hmac::sign(&key, signed_part.as_bytes()).as_ref()))
}

/// The part of a token that is signed.
pub(crate) fn signed_part(header: &Value, claims: &Value) -> String {
    format!(
        "{}.{}",
        base64url(header.to_string().as_bytes()),
        base64url(claims.to_string().as_bytes())
    )
}

fn base64url(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Seconds since the epoch.
pub(crate) fn now() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()).unwrap()
}

/// State that is shared with the server thread.
#[derive(Default)]
struct SharedState {
    keys: Mutex<Vec<Value>>,
    fetched: AtomicUsize,
    is_stopped: AtomicBool,
    is_slow: AtomicBool,
}

/// An authorization server.
pub(crate) struct OauthIssuer {
    /// Its issuer name and URL.
    pub(crate) address: String,
    /// The current signing key.
    pub(crate) key: Key,
    state: Arc<SharedState>,
    thread: Option<JoinHandle<()>>,
}

/// Delay of each response in slow mode.
const SLOW_RESPONSE_DELAY: Duration = Duration::from_millis(300);

/// The audience of its tokens.
pub(crate) const AUDIENCE: &str = "https://desk.example/mcp";

impl OauthIssuer {
    /// Starts the server.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (key, state) = (Key::new("first"), Arc::new(SharedState::default()));
        state.keys.lock().unwrap().push(key.public());
        let (shared, name) = (Arc::clone(&state), address.clone());
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if shared.is_stopped.load(Ordering::Relaxed) {
                    return;
                }
                respond(stream, &name, &shared);
            }
        });
        Self { address, key, state, thread: Some(thread) }
    }

    /// Environment variables of a deskhand server that trusts this issuer.
    pub(crate) fn variables(&self) -> [(&'static str, &str); 2] {
        [("DESKHAND_HTTP_OAUTH_ISSUER", &self.address), ("DESKHAND_HTTP_OAUTH_AUDIENCE", AUDIENCE)]
    }

    /// Valid claims.
    pub(crate) fn claims(&self, subject: &str, scope: &str) -> Value {
        json!({
            "iss": self.address, "aud": AUDIENCE, "sub": subject, "scope": scope,
            "iat": now(), "nbf": now(), "exp": now() + 600,
        })
    }

    /// A valid token.
    pub(crate) fn token(&self, subject: &str, scope: &str) -> String {
        self.key.token(&self.claims(subject, scope))
    }

    /// Replaces the signing key. Only the new key is published.
    pub(crate) fn rotate(&mut self, id: &str) {
        self.key = Key::new(id);
        *self.state.keys.lock().unwrap() = vec![self.key.public()];
    }

    /// Delays every response from now on.
    pub(crate) fn slow_down(&self) {
        self.state.is_slow.store(true, Ordering::Relaxed);
    }

    /// Number of times the keys were fetched.
    pub(crate) fn fetched(&self) -> usize {
        self.state.fetched.load(Ordering::Relaxed)
    }
}

impl Drop for OauthIssuer {
    fn drop(&mut self) {
        self.state.is_stopped.store(true, Ordering::Relaxed);
        // The connection wakes the thread. If it fails, the thread has ended.
        let _ = TcpStream::connect(self.address.trim_start_matches("http://"));
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has already been reported.
            let _ = thread.join();
        }
    }
}

fn respond(mut stream: TcpStream, name: &str, state: &SharedState) {
    let (mut header, mut byte) = (Vec::new(), [0]);
    while !header.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|count| count == 1) {
        header.push(byte[0]);
    }
    let header = String::from_utf8_lossy(&header).into_owned();
    if state.is_slow.load(Ordering::Relaxed) {
        std::thread::sleep(SLOW_RESPONSE_DELAY);
    }
    let body = match header.split(' ').nth(1).unwrap_or_default() {
        "/.well-known/oauth-authorization-server" => {
            Some(json!({ "issuer": name, "jwks_uri": format!("{name}/keys") }))
        }
        "/keys" => {
            state.fetched.fetch_add(1, Ordering::Relaxed);
            Some(json!({ "keys": *state.keys.lock().unwrap() }))
        }
        _ => None,
    };
    let (status, body) =
        body.map_or(("404 Not Found", String::new()), |it| ("200 OK", it.to_string()));
    // The client may have disconnected.
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    );
}
