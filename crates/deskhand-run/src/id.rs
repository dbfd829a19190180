//! Names for what a session starts, short enough to be said again.

/// Letters of an id; 36⁶ ids are two thousand million.
const LETTERS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// A new id, such as `op_k3x09f`.
pub(crate) fn fresh(prefix: &str) -> String {
    let mut left = uuid::Uuid::new_v4().as_u128();
    let mut id = String::with_capacity(prefix.len() + 6);
    id.push_str(prefix);
    for _ in 0..6 {
        let letter = usize::try_from(left % 36).unwrap_or(0);
        id.push(char::from(LETTERS[letter]));
        left /= 36;
    }
    id
}
