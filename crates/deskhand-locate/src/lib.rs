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
mod words;

pub use candidate::Candidate;
pub use error::{Error, Offer, Result};
pub use query::{Query, Selector, Strategy, path};
pub use refs::{NotARef, Ref, Table};
pub use resolve::{By, Found, Match, find_all, find_one, settled};
