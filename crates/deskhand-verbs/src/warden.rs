//! What is decided about a call only while it runs, because only then it is known what it means to
//! do: the gate behind it decides, the tools ask.

use std::time::Duration;

use deskhand_model::{App, Node};

use crate::Result;

/// Decides while a tool runs.
pub trait Warden: Sync {
    /// Whether something risky may be done.
    ///
    /// # Errors
    ///
    /// When a person must be asked first, and answers by another call.
    fn leave(&self, risk: &Risk<'_>) -> Result<Leave>;

    /// Whether it ever says anything but yes: where it does not, nothing need be looked at for it.
    fn heeds_risks(&self) -> bool;

    /// Whether a model may be shown a picture now.
    ///
    /// # Errors
    ///
    /// When too many were shown already.
    fn show_model(&self) -> Result<()>;

    /// Whether a script of the caller's may run, where need be after a person has read it.
    ///
    /// # Errors
    ///
    /// When a person must be asked first, and answers by another call.
    fn review(&self, script: &Script<'_>) -> Result<Reviewed>;

    /// Hears what an action is aimed at.
    fn aims(&self, app: &App, node: &Node);
}

/// Something that may lose what a person made.
#[derive(Debug, Clone)]
pub struct Risk<'a> {
    /// The app it is done to.
    pub app: &'a App,
    /// The word for what is done, such as `Click`.
    pub doing: &'a str,
    /// To what: `button "Delete" in editor`.
    pub what: String,
    /// What warns.
    pub sign: Warning,
}

/// A script somebody wants run.
#[derive(Debug, Clone, Copy)]
pub struct Script<'a> {
    /// The word for what it is written in.
    pub language: &'static str,
    /// All of it.
    pub text: &'a str,
    /// How long it is to run at most.
    pub timeout: Duration,
}

/// What came of a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reviewed {
    /// Nobody need be asked, or there is nobody to ask.
    Unasked,
    /// A person said yes.
    Approved {
        /// How long it may run, where the person said.
        timeout: Option<Duration>,
    },
    /// It may not run: why, and what could be done about it.
    Refused {
        /// Why.
        why: String,
        /// What to do instead.
        next: Option<String>,
    },
}

/// What warns of a risk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// A word on it.
    Word(String),
    /// The icon of something that has no name.
    Icon(String),
    /// The key itself, which closes or deletes.
    Key(String),
}

/// Whether an action may go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leave {
    /// Nobody need be asked, or there is nobody to ask.
    Free,
    /// A person said yes, and took time for it: the element must be found again.
    Given,
    /// It may not: why, and what could be done about it.
    Refused {
        /// Why.
        why: String,
        /// What to do instead.
        next: Option<String>,
    },
}
