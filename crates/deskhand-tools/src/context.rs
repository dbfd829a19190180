//! What a running tool has at hand.

use std::path::Path;

use deskhand_platform::{Deadline, Desktop};
use serde_json::Value;

use crate::{Memory, Page};

/// Which form of the answer the caller will show; a tool may read less for the shorter one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Text for a reader, within a budget.
    Text,
    /// Data with everything.
    Data,
}

/// Something a tool says before it is done.
#[derive(Debug)]
pub struct Said {
    /// For programs.
    pub data: Value,
    /// For people.
    pub page: Page,
}

/// The surroundings of one call.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The desktop it works on.
    pub desktop: &'a Desktop,
    /// Where refs are kept between calls.
    pub refs: &'a Path,
    /// What is remembered between calls.
    pub memory: &'a Memory,
    /// The moment by which the call has answered; all its looks share it.
    pub by: Deadline,
    /// The form the caller wants.
    pub form: Form,
    /// Takes what the tool says on the way; answers whether anybody still listens.
    pub listener: &'a (dyn Fn(Said) -> bool + Sync),
}
