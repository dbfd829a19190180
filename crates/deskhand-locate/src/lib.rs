//! Finds the element a caller means: queries, stable refs, strict matching and healing.
//!
//! Everything works on snapshots. The only I/O is the optional file that keeps refs across
//! processes.

mod candidate;
mod error;
pub mod heal;
mod label;
mod purpose;
mod query;
mod refs;
mod resolve;
#[cfg(test)]
mod testing;
mod text;
pub mod visibility;

pub use candidate::Candidate;
pub use error::{Error, Replacement, Result};
pub use purpose::{Guess, OtherMatches, Preferences, Purpose, WantedValue, parse_switch};
pub use query::{NameFilter, Query, Selector, Strategy, path};
pub use refs::{InvalidRef, Ref, RefTable};
pub use resolve::{
    LocatedElement, Match, MatchMethod, find_all, find_all_for, find_one, find_one_for,
    is_conclusive,
};
