//! What a query that matches nothing may have meant.

use deskhand_model::{Index, Role, Snapshot};

use crate::{
    Query,
    query::{Form, Interpretation},
    text::{fold, fold_into, similarity},
};

const MAX_SUGGESTIONS: usize = 5;
/// Less alike names share only a few letters.
const MIN_SIMILARITY: f32 = 0.72;

/// Elements with names like the text wanted_text_and_roles for; and, when there are none, those of its role.
pub(super) fn find(snapshot: &Snapshot, query: &Query) -> (Vec<Index>, Vec<Index>) {
    let (wanted, roles) = wanted_text_and_roles(query);
    let near = wanted.map(|text| alike(snapshot, text, roles)).unwrap_or_default();
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

fn wanted_text_and_roles(query: &Query) -> (Option<&str>, Option<&[Role]>) {
    match &query.form {
        Form::Auto { interpretation: Interpretation::RoleTitle(terms), .. }
        | Form::Terms { terms, .. } => (terms.wanted(), terms.roles()),
        Form::Auto { interpretation: Interpretation::Text | Interpretation::Ref(_), text }
        | Form::Literal { text, .. } => (Some(text), None),
        Form::Auto {
            interpretation: Interpretation::Pattern(_) | Interpretation::Xpath(_),
            ..
        }
        | Form::Pattern(_)
        | Form::Xpath(_) => (None, None),
        Form::Path(path) => (path.title(), None),
    }
}

fn alike(snapshot: &Snapshot, text: &str, roles: Option<&[Role]>) -> Vec<Index> {
    let wanted = fold(text);
    let mut buffer = String::new();
    let mut near: Vec<(f32, Index)> = Vec::new();
    for (at, node) in snapshot.iter() {
        let texts = [node.name.as_str(), node.identifier.as_str()];
        let mut score = 0.0_f32;
        for text in texts.into_iter().filter(|text| !text.is_empty()) {
            // A name of a document's length is no near miss, and would cost most.
            if text.len() <= 400 {
                fold_into(text, &mut buffer);
                score = score.max(name_similarity(&wanted, &buffer));
            }
        }
        if roles.is_some_and(|roles| roles.contains(&node.role)) {
            score += 0.05;
        }
        if score >= MIN_SIMILARITY {
            near.push((score, at));
        }
    }
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    near.truncate(MAX_SUGGESTIONS);
    near.into_iter().map(|(_, at)| at).collect()
}

/// How alike two texts are, as wholes or by the words they share.
fn name_similarity(wanted: &str, text: &str) -> f32 {
    let whole = similarity(wanted, text);
    let words = wanted.split(' ').take(8).filter(|word| word.len() > 2);
    let shared = words.clone().filter(|word| text.split(' ').any(|other| other == *word)).count();
    let all = words.count();
    let by_words = if shared > 0 { 0.7 + 0.2 * shared as f32 / all as f32 } else { 0.0 };
    whole.max(by_words)
}
