//! An authorization server on this machine: it tells about itself, has keys that change, and signs
//! whatever a test asks for.

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

/// A private key and its name.
pub(crate) struct Key {
    id: String,
    pair: EcdsaKeyPair,
}

impl Key {
    /// A new key of a name.
    pub(crate) fn new(id: &str) -> Self {
        let (random, how) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(how, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(how, pkcs8.as_ref(), &random).unwrap();
        Self { id: id.to_owned(), pair }
    }

    /// Its public half, as everybody may read it.
    pub(crate) fn public(&self) -> Value {
        let point = self.pair.public_key().as_ref();
        json!({
            "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": self.id,
            "x": text(&point[1..33]), "y": text(&point[33..]),
        })
    }

    /// A token with this head, signed.
    pub(crate) fn sign(&self, head: &Value, claims: &Value) -> String {
        let message = message(head, claims);
        let signature = self.pair.sign(&SystemRandom::new(), message.as_bytes()).unwrap();
        format!("{message}.{}", text(signature.as_ref()))
    }

    /// A token signed as it should be.
    pub(crate) fn token(&self, claims: &Value) -> String {
        self.sign(&json!({ "alg": "ES256", "typ": "at+jwt", "kid": self.id }), claims)
    }
}

/// A token whose signature is made from what everybody may read.
pub(crate) fn forged(secret: &[u8], head: &Value, claims: &Value) -> String {
    let message = message(head, claims);
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
    format!("{message}.{}", text(hmac::sign(&key, message.as_bytes()).as_ref()))
}

/// The part of a token that is signed.
pub(crate) fn message(head: &Value, claims: &Value) -> String {
    format!("{}.{}", text(head.to_string().as_bytes()), text(claims.to_string().as_bytes()))
}

fn text(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Seconds since the epoch.
pub(crate) fn now() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()).unwrap()
}

/// What the server shows.
#[derive(Default)]
struct Shown {
    keys: Mutex<Vec<Value>>,
    fetched: AtomicUsize,
    is_over: AtomicBool,
    is_slow: AtomicBool,
}

/// An authorization server.
pub(crate) struct Issuer {
    /// Its name and address.
    pub(crate) at: String,
    /// The key it signs with.
    pub(crate) key: Key,
    shown: Arc<Shown>,
    thread: Option<JoinHandle<()>>,
}

/// How long an answer takes when it takes its time.
const SLOWLY: Duration = Duration::from_millis(300);

/// For whom its tokens are.
pub(crate) const AUDIENCE: &str = "https://desk.example/mcp";

impl Issuer {
    /// Starts one.
    pub(crate) fn begin() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = format!("http://{}", listener.local_addr().unwrap());
        let (key, shown) = (Key::new("first"), Arc::new(Shown::default()));
        shown.keys.lock().unwrap().push(key.public());
        let (seen, name) = (Arc::clone(&shown), at.clone());
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if seen.is_over.load(Ordering::Relaxed) {
                    return;
                }
                answer(stream, &name, &seen);
            }
        });
        Self { at, key, shown, thread: Some(thread) }
    }

    /// The variables of a server that trusts it.
    pub(crate) fn variables(&self) -> [(&'static str, &str); 2] {
        [("DESKHAND_HTTP_OAUTH_ISSUER", &self.at), ("DESKHAND_HTTP_OAUTH_AUDIENCE", AUDIENCE)]
    }

    /// Good claims.
    pub(crate) fn claims(&self, who: &str, scope: &str) -> Value {
        json!({
            "iss": self.at, "aud": AUDIENCE, "sub": who, "scope": scope,
            "iat": now(), "nbf": now(), "exp": now() + 600,
        })
    }

    /// A good token.
    pub(crate) fn token(&self, who: &str, scope: &str) -> String {
        self.key.token(&self.claims(who, scope))
    }

    /// Signs with a new key from now on and shows no other.
    pub(crate) fn rotate(&mut self, id: &str) {
        self.key = Key::new(id);
        *self.shown.keys.lock().unwrap() = vec![self.key.public()];
    }

    /// Takes its time for every answer from now on.
    pub(crate) fn slow_down(&self) {
        self.shown.is_slow.store(true, Ordering::Relaxed);
    }

    /// How often its keys were fetched.
    pub(crate) fn fetched(&self) -> usize {
        self.shown.fetched.load(Ordering::Relaxed)
    }
}

impl Drop for Issuer {
    fn drop(&mut self) {
        self.shown.is_over.store(true, Ordering::Relaxed);
        // It wakes up by that; where it cannot be reached it has ended.
        let _ = TcpStream::connect(self.at.trim_start_matches("http://"));
        if let Some(thread) = self.thread.take() {
            // What broke it was told there.
            let _ = thread.join();
        }
    }
}

fn answer(mut stream: TcpStream, name: &str, shown: &Shown) {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|count| count == 1) {
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    if shown.is_slow.load(Ordering::Relaxed) {
        std::thread::sleep(SLOWLY);
    }
    let body = match head.split(' ').nth(1).unwrap_or_default() {
        "/.well-known/oauth-authorization-server" => {
            Some(json!({ "issuer": name, "jwks_uri": format!("{name}/keys") }))
        }
        "/keys" => {
            shown.fetched.fetch_add(1, Ordering::Relaxed);
            Some(json!({ "keys": *shown.keys.lock().unwrap() }))
        }
        _ => None,
    };
    let (status, body) =
        body.map_or(("404 Not Found", String::new()), |it| ("200 OK", it.to_string()));
    // Who asked may be gone.
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    );
}
