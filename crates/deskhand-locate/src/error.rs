//! The errors of this crate.

use deskhand_model::{Advice, Explain, Step};

use crate::{Candidate, Ref, Strategy, heal::HealMethod, resolve::MatchMethod};

/// The result of locating an element.
pub type Result<T> = std::result::Result<T, Error>;

/// An element that a stale ref may refer to now. It is only suggested, never used automatically.
#[derive(Debug, Clone, PartialEq)]
pub struct Replacement {
    /// The ref of the suggested element.
    pub reference: Ref,
    /// The description of the element.
    pub candidate: Candidate,
    /// The way it was found.
    pub by: HealMethod,
    /// The confidence from 0 to 1.
    pub confidence: f32,
}

/// An error while locating an element.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// Nothing matches.
    #[error("`{query}` matches nothing in {scope}")]
    NoMatch {
        /// The query.
        query: String,
        /// The app that was searched.
        scope: String,
        /// Elements with similar names, most similar first.
        near: Vec<Candidate>,
        /// Elements of the requested role, if no name is similar.
        same_role: Box<[Candidate]>,
        /// `true` if parts of the app were not read.
        partial: bool,
        /// The long lists that were not searched completely, in words.
        unsearched: Box<[String]>,
        /// The menu of a nested name, if the app fills it only when it is opened.
        unopened: Option<Box<Candidate>>,
    },
    /// Several elements match.
    #[error("`{query}` matches {total} elements by {}; it must match exactly one", by.word())]
    Ambiguous {
        /// The query.
        query: String,
        /// The way they matched.
        by: MatchMethod,
        /// The first matches.
        found: Vec<Candidate>,
        /// The number of matches.
        total: usize,
    },
    /// The element of the ref is gone or became another element.
    #[error("{reference} is stale: {was} is gone")]
    Stale {
        /// The ref.
        reference: Ref,
        /// The description of the element it referred to.
        was: String,
        /// The element it may refer to now, at any confidence.
        replacement: Option<Box<Replacement>>,
        /// `true` if parts of the app were not read, so that the element may still exist.
        partial: bool,
    },
    /// The ref was never assigned for this app.
    #[error("{reference} is not a known ref of this app")]
    UnknownRef {
        /// The ref.
        reference: Ref,
    },
    /// The query has a syntax error.
    #[error("`{query}` is not a valid {form}: {why}{}", position_suffix(*at))]
    BadQuery {
        /// The query.
        query: String,
        /// The syntax it was parsed as.
        form: &'static str,
        /// The problem.
        why: String,
        /// The position of the problem, in characters from 0.
        at: Option<usize>,
        /// Advice on how to fix it.
        fix: String,
    },
    /// The query is empty.
    #[error("the query is empty")]
    EmptyQuery,
    /// The role does not exist.
    #[error("`{word}` is not a role")]
    UnknownRole {
        /// The unknown role.
        word: String,
        /// Roles with similar names.
        near: Vec<&'static str>,
    },
    /// The strategy does not exist.
    #[error("`{word}` is not a strategy")]
    UnknownStrategy {
        /// The unknown strategy.
        word: String,
    },
    /// The path matches nothing, and the element found by healing is too uncertain to use.
    #[error("`{query}` matches nothing; the nearest is {best}, found by {} with confidence {confidence:.2}, below {threshold:.2}", by.word())]
    LowConfidence {
        /// The query.
        query: String,
        /// The best element found by healing.
        best: Box<Candidate>,
        /// The way it was found.
        by: HealMethod,
        /// The confidence of that element.
        confidence: f32,
        /// The required confidence.
        threshold: f32,
    },
    /// The query would take too long.
    #[error("`{query}` is too expensive: {why}")]
    TooCostly {
        /// The query.
        query: String,
        /// The limit it exceeded.
        why: String,
    },
    /// The file that keeps refs across processes cannot be used.
    #[error("cannot save the refs of this app in {file}: {why}")]
    RefsFile {
        /// The path of the file.
        file: String,
        /// The reason.
        why: String,
    },
}

fn position_suffix(at: Option<usize>) -> String {
    at.map(|at| format!(", at character {at}")).unwrap_or_default()
}

fn join<T: ToString>(all: &[T]) -> String {
    all.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

impl Error {
    /// Returns the elements that the error lists.
    pub fn candidates(&self) -> &[Candidate] {
        match self {
            Self::NoMatch { unopened: Some(menu), .. } => std::slice::from_ref(menu.as_ref()),
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

    fn advice(&self) -> Option<Advice> {
        if let Self::NoMatch { unopened: Some(menu), .. } = self {
            return Some(
                Advice::from(format!("{menu} has items only while it is open: use "))
                    .step(Step::Click)
                    .text(format!(" {} with ", menu.reference))
                    .step(Step::FocusMode)
                    .text(", then repeat this call"),
            );
        }
        Some(Advice::from(match self {
            Self::NoMatch { unsearched, .. } if !unsearched.is_empty() => format!(
                "not searched completely: {}; pass a longer timeout, or filter the list first",
                unsearched.join(", ")
            ),
            Self::NoMatch { near, .. } if !near.is_empty() => format!("nearest: {}", join(near)),
            Self::NoMatch { same_role, .. } if !same_role.is_empty() => {
                format!("elements with this role: {}", join(same_role))
            }
            Self::NoMatch { partial: true, .. } => {
                "parts of the app were not read; read it with a larger depth or timeout, or read only one part of it".into()
            }
            Self::NoMatch { .. } => "read the app again: it may have changed".into(),
            Self::Ambiguous { found, total, .. } => {
                let rest = total.saturating_sub(found.len());
                let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
                format!("pass one ref: {}{more}", join(found))
            }
            Self::Stale { replacement: Some(replacement), .. } => format!(
                "if you mean {}, pass {} (found by {}, confidence {:.2})",
                replacement.candidate,
                replacement.reference,
                replacement.by.word(),
                replacement.confidence
            ),
            Self::Stale { partial: true, .. } => {
                "it may be in a part that was not read; read the app with a larger depth or timeout".into()
            }
            Self::Stale { .. } => "read the app again and use a new ref".into(),
            Self::UnknownRef { .. } => {
                "use refs from the last snapshot of this app; put double quotes around it to search for it as text"
                    .into()
            }
            Self::BadQuery { fix, .. } => fix.clone(),
            Self::EmptyQuery => {
                "pass a name, a ref (e12), `role:button title:Save`, /regex/ or //xpath".into()
            }
            Self::UnknownRole { near, .. } if near.is_empty() => {
                "use a role such as button, textbox, menuitem, checkbox or window".into()
            }
            Self::UnknownRole { near, .. } => format!("did you mean {}?", near.join(", ")),
            Self::UnknownStrategy { .. } => {
                let all: Vec<_> = Strategy::ALL.iter().map(|one| one.word()).collect();
                format!("use one of {}", all.join(", "))
            }
            Self::LowConfidence { best, .. } => {
                format!("if this is the element you mean, pass its ref: {}", best.reference)
            }
            Self::TooCostly { .. } => {
                "narrow it down: name the role, and avoid axes such as following:: and preceding::"
                    .into()
            }
            Self::RefsFile { .. } => {
                "make the directory writable; until then, refs are valid only within this process".into()
            }
        }))
    }
}
