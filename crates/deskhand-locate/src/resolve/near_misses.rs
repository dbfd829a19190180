//! Suggestions for a query that matches nothing.

use deskhand_model::{Index, Role, Snapshot, suggest};

use super::nested::Scope;
use crate::{
    Query,
    query::{Interpretation, QueryForm},
    text::{fold, fold_into, similarity},
};

/// The maximum number of suggested elements.
const MAX_SUGGESTIONS: usize = 5;
/// Below this similarity, names share only a few letters.
const MIN_SIMILARITY: f32 = 0.72;

/// Returns elements with similar names or, if there are none, elements of the requested role.
pub(super) fn find(snapshot: &Snapshot, query: &Query) -> (Vec<Index>, Vec<Index>) {
    let (wanted, roles) = wanted_text_and_roles(snapshot, query);
    let near = wanted.map(|text| similar_elements(snapshot, text, roles)).unwrap_or_default();
    let same_role = match roles {
        Some(roles) if near.is_empty() => snapshot
            .iter()
            .filter(|(_, node)| roles.contains(&node.role))
            .map(|(at, _)| at)
            .take(MAX_SUGGESTIONS)
            .collect(),
        Some(_) | None => Vec::new(),
    };
    (near, same_role)
}

fn wanted_text_and_roles<'a>(
    snapshot: &Snapshot,
    query: &'a Query,
) -> (Option<&'a str>, Option<&'a [Role]>) {
    match &query.form {
        QueryForm::Auto { interpretation: Interpretation::Nested(parts), .. } => {
            // If a container is missing, its name is the wrong one.
            let missing = parts.split_last().and_then(|(_, around)| {
                Scope::inside(snapshot, around).missing().and_then(|at| around.get(at))
            });
            (missing.or(parts.last()).map(String::as_str), None)
        }
        QueryForm::Auto { interpretation: Interpretation::RoleTitle(terms), .. }
        | QueryForm::Terms { terms, .. } => (terms.wanted(), terms.roles()),
        QueryForm::Auto { interpretation: Interpretation::Text | Interpretation::Ref(_), text }
        | QueryForm::Literal { text, .. } => (Some(text), None),
        QueryForm::Auto {
            interpretation: Interpretation::Pattern(_) | Interpretation::Xpath(_),
            ..
        }
        | QueryForm::Pattern(_)
        | QueryForm::Xpath(_) => (None, None),
        QueryForm::Path(path) => (path.title(), None),
    }
}

fn similar_elements(snapshot: &Snapshot, text: &str, roles: Option<&[Role]>) -> Vec<Index> {
    let wanted = fold(text);
    let mut buffer = String::new();
    let near = suggest::nearest_by(
        snapshot.iter(),
        f64::from(MIN_SIMILARITY),
        MAX_SUGGESTIONS,
        |(_, node)| {
            let mut score = 0.0_f32;
            for text in [&node.name, &node.identifier] {
                // The name of a near miss is never this long, and long texts are slow to compare.
                if !text.is_empty() && text.len() <= 400 {
                    fold_into(text, &mut buffer);
                    score = score.max(name_similarity(&wanted, &buffer));
                }
            }
            if roles.is_some_and(|roles| roles.contains(&node.role)) {
                score += 0.05;
            }
            f64::from(score)
        },
    );
    near.into_iter().map(|(at, _)| at).collect()
}

/// Returns the similarity of two texts from 0 to 1, as a whole or by the words they share.
fn name_similarity(wanted: &str, text: &str) -> f32 {
    let whole = similarity(wanted, text);
    let words = wanted.split(' ').take(8).filter(|word| word.len() > 2);
    let shared = words.clone().filter(|word| text.split(' ').any(|other| other == *word)).count();
    let all = words.count();
    let by_words = if shared > 0 { 0.7 + 0.2 * shared as f32 / all as f32 } else { 0.0 };
    whole.max(by_words)
}
