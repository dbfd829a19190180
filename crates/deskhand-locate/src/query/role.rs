//! Role names in queries.

use deskhand_model::{Role, suggest};

use super::role_words;
use crate::{
    Error, Result,
    text::{clip, fold, similarity},
};

/// Below this similarity, a suggestion would be a guess.
const MIN_SIMILARITY: f64 = 0.75;

/// The maximum number of suggested roles.
const MAX_SUGGESTIONS: usize = 4;

/// Returns every role with this name, or an error that suggests similar names. `dialog` means every
/// kind of dialog.
pub(super) fn roles(word: &str) -> Result<Vec<Role>> {
    if let Some(group) = role_words::group(word) {
        return Ok(group.to_vec());
    }
    let roles = Role::named(word);
    if !roles.is_empty() {
        return Ok(roles);
    }
    let wanted = fold(word);
    let wanted = wanted.strip_prefix("ax").unwrap_or(&wanted);
    let near = suggest::nearest_by(Role::ALL, MIN_SIMILARITY, MAX_SUGGESTIONS, |role| {
        let by_short = similarity(wanted, role.short());
        f64::from(by_short.max(similarity(wanted, &role.path_word())))
    });
    let near = near.into_iter().map(|role| role.short()).collect();
    Err(Error::UnknownRole { word: clip(word, 40), near })
}
