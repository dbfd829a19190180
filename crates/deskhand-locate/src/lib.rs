//! From what a caller wrote to one element: queries, stable refs, strict matching, healing. Pure
//! over a snapshot, except that a table of refs can be kept in a file. What the caller does with
//! the element is no business of this crate.

mod candidate;
mod error;
pub mod heal;
mod label;
mod query;
mod refs;
mod resolve;
#[cfg(test)]
mod testing;
mod text;

pub use candidate::Candidate;
pub use error::{Error, Replacement, Result};
pub use query::{Query, Selector, Strategy, path};
pub use refs::{InvalidRef, Ref, RefTable};
pub use resolve::{LocatedElement, Match, MatchMethod, find_all, find_one, is_conclusive};
