//! Generates short ids for operations and terminals.

/// The alphabet of an id. Six characters give about two billion ids.
const ALPHABET: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// Generates an id, such as `op_k3x09f`.
pub(crate) fn generate(prefix: &str) -> String {
    let mut remaining = uuid::Uuid::new_v4().as_u128();
    let mut id = String::with_capacity(prefix.len() + 6);
    id.push_str(prefix);
    for _ in 0..6 {
        let letter = usize::try_from(remaining % 36).unwrap_or(0);
        id.push(char::from(ALPHABET[letter]));
        remaining /= 36;
    }
    id
}
