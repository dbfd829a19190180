//! Role words in queries.

use deskhand_model::Role;

use crate::{
    Error, Result,
    text::{clip, fold, similarity},
};

/// Every role that goes by a word, or an error that names the words spelt alike.
pub(super) fn roles(word: &str) -> Result<Vec<Role>> {
    let roles = Role::named(word);
    if !roles.is_empty() {
        return Ok(roles);
    }
    let wanted = fold(word);
    let wanted = wanted.strip_prefix("ax").unwrap_or(&wanted);
    let mut near: Vec<_> = Role::ALL
        .iter()
        .map(|role| {
            let path_word = role.path_word();
            (similarity(wanted, role.short()).max(similarity(wanted, &path_word)), role.short())
        })
        .filter(|(similarity, _)| *similarity >= 0.75)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.truncate(4);
    let near = near.into_iter().map(|(_, word)| word).collect();
    Err(Error::UnknownRole { word: clip(word, 40), near })
}
