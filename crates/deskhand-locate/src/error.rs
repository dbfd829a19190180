//! What can go wrong on the way from a query to one element.

use deskhand_model::Explain;

use crate::{Candidate, Ref, Strategy, heal::HealMethod, resolve::MatchMethod};

/// The result of locating something.
pub type Result<T> = std::result::Result<T, Error>;

/// The element a stale ref may mean now; nobody used it yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Replacement {
    /// The ref of the element offered.
    pub reference: Ref,
    /// What it looks like.
    pub candidate: Candidate,
    /// How it was found.
    pub by: HealMethod,
    /// How sure that is, from 0 to 1.
    pub confidence: f32,
}

/// Why no single element could be named.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// Nothing matches.
    #[error("`{query}` matches nothing in {scope}")]
    NoMatch {
        /// What was asked for.
        query: String,
        /// Where it was looked for.
        scope: String,
        /// Elements with a similar name, the most similar first.
        near: Vec<Candidate>,
        /// Elements of the kind that was asked for, when nothing has a similar name.
        same_role: Vec<Candidate>,
        /// Whether parts of the app were not read.
        partial: bool,
    },
    /// Several elements match.
    #[error("`{query}` matches {total} elements by {}; one was asked for", by.word())]
    Ambiguous {
        /// What was asked for.
        query: String,
        /// The strategy that found them.
        by: MatchMethod,
        /// The first of them.
        found: Vec<Candidate>,
        /// How many there are.
        total: usize,
    },
    /// The element the ref named is gone, or became another.
    #[error("{reference} is stale: {was} is gone")]
    Stale {
        /// The ref.
        reference: Ref,
        /// What it named.
        was: String,
        /// What it may mean now, whatever the confidence.
        replacement: Option<Box<Replacement>>,
        /// Whether parts of the app were not read, so that it may still be there.
        partial: bool,
    },
    /// No such ref was ever given out for this app.
    #[error("{reference} was never given out for this app")]
    UnknownRef {
        /// The ref.
        reference: Ref,
    },
    /// The query breaks the rules of its own form.
    #[error("`{query}` is not a valid {form}: {why}{}", place(*at))]
    BadQuery {
        /// What was asked for.
        query: String,
        /// Which form it was taken for.
        form: &'static str,
        /// What is wrong with it.
        why: String,
        /// Where it goes wrong, in characters from 0.
        at: Option<usize>,
        /// What to write instead.
        fix: String,
    },
    /// There is nothing to look for.
    #[error("the query is empty")]
    EmptyQuery,
    /// The word is no role.
    #[error("`{word}` is not a role")]
    UnknownRole {
        /// The word.
        word: String,
        /// Roles spelt alike.
        near: Vec<&'static str>,
    },
    /// No known strategy goes by this word.
    #[error("`{word}` is not a strategy")]
    UnknownStrategy {
        /// The word.
        word: String,
    },
    /// The literal query matches nothing, and what healing found is too uncertain to use.
    #[error("`{query}` matches nothing; the nearest is {best}, found by {} with confidence {confidence:.2}, below {threshold:.2}", by.word())]
    LowConfidence {
        /// What was asked for.
        query: String,
        /// The best healing found.
        best: Box<Candidate>,
        /// How it was found.
        by: HealMethod,
        /// How sure that is.
        confidence: f32,
        /// How sure it must be.
        threshold: f32,
    },
    /// The answer would take too long.
    #[error("`{query}` was given up: {why}")]
    TooCostly {
        /// What was asked for.
        query: String,
        /// Which bound it met.
        why: String,
    },
    /// The file that keeps refs across processes cannot be used.
    #[error("the refs of this app cannot be kept in {file}: {why}")]
    RefsFile {
        /// The file.
        file: String,
        /// What happened.
        why: String,
    },
}

fn place(at: Option<usize>) -> String {
    at.map(|at| format!(", at character {at}")).unwrap_or_default()
}

fn list<T: ToString>(all: &[T]) -> String {
    all.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

impl Error {
    /// The elements the error names, to be shown in a list.
    pub fn candidates(&self) -> &[Candidate] {
        match self {
            Self::NoMatch { near, same_role, .. } if near.is_empty() => same_role,
            Self::NoMatch { near, .. } => near,
            Self::Ambiguous { found, .. } => found,
            Self::Stale { replacement, .. } => replacement
                .as_ref()
                .map_or(&[], |replacement| std::slice::from_ref(&replacement.candidate)),
            Self::LowConfidence { best, .. } => std::slice::from_ref(best.as_ref()),
            Self::UnknownRef { .. }
            | Self::BadQuery { .. }
            | Self::EmptyQuery
            | Self::UnknownRole { .. }
            | Self::UnknownStrategy { .. }
            | Self::TooCostly { .. }
            | Self::RefsFile { .. } => &[],
        }
    }
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NoMatch { .. } => "no_match",
            Self::Ambiguous { .. } => "ambiguous",
            Self::Stale { .. } => "stale",
            Self::UnknownRef { .. } => "unknown_ref",
            Self::BadQuery { .. } => "bad_query",
            Self::EmptyQuery => "empty_query",
            Self::UnknownRole { .. } => "unknown_role",
            Self::UnknownStrategy { .. } => "unknown_strategy",
            Self::LowConfidence { .. } => "low_confidence",
            Self::TooCostly { .. } => "too_costly",
            Self::RefsFile { .. } => "refs_file",
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoMatch { near, .. } if !near.is_empty() => format!("nearest: {}", list(near)),
            Self::NoMatch { same_role, .. } if !same_role.is_empty() => {
                format!("of that role there are: {}", list(same_role))
            }
            Self::NoMatch { partial: true, .. } => {
                "parts of the app were not read; look deeper or longer, or at one part of it".into()
            }
            Self::NoMatch { .. } => "look at the app again: it may show something else now".into(),
            Self::Ambiguous { found, total, .. } => {
                let rest = total.saturating_sub(found.len());
                let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
                format!("pass one ref: {}{more}", list(found))
            }
            Self::Stale { replacement: Some(replacement), .. } => format!(
                "if you mean {}, pass {} (found by {}, confidence {:.2})",
                replacement.candidate,
                replacement.reference,
                replacement.by.word(),
                replacement.confidence
            ),
            Self::Stale { partial: true, .. } => {
                "it may be in a part that was not read; look deeper or longer".into()
            }
            Self::Stale { .. } => "look at the app again and take a new ref".into(),
            Self::UnknownRef { .. } => {
                "take refs from the last look at this app; put quotes around it to search the text"
                    .into()
            }
            Self::BadQuery { fix, .. } => fix.clone(),
            Self::EmptyQuery => {
                "write a name, a ref (e12), `role:button title:Save`, /regex/ or //xpath".into()
            }
            Self::UnknownRole { near, .. } if near.is_empty() => {
                "roles are words such as button, textbox, menuitem, checkbox, window".into()
            }
            Self::UnknownRole { near, .. } => format!("did you mean {}?", near.join(", ")),
            Self::UnknownStrategy { .. } => {
                let all: Vec<_> = Strategy::ALL.iter().map(|one| one.word()).collect();
                format!("use one of {}", all.join(", "))
            }
            Self::LowConfidence { best, .. } => {
                format!("if you mean it, pass its ref: {}", best.reference)
            }
            Self::TooCostly { .. } => {
                "ask for less: name the role, avoid axes that look at every element from each"
                    .into()
            }
            Self::RefsFile { .. } => {
                "make the directory writable; until then refs hold within this process only".into()
            }
        })
    }
}
