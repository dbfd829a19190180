//! Policy decisions that can be made only while a tool runs, because only then it is known what the
//! tool is about to do. The engine implements the gate; the verbs call it.

use std::time::Duration;

use deskhand_model::{App, Node};

use crate::Result;

/// Decides on risky steps of a running tool.
pub trait ConsentGate: Sync {
    /// Decides if a risky action may proceed.
    ///
    /// # Errors
    ///
    /// [`Error::QuestionPending`](crate::Error::QuestionPending) if the user's answer comes with a
    /// later call.
    fn check(&self, risk: &Risk<'_>) -> Result<Decision>;

    /// Returns `true` if [`check`](Self::check) may ever refuse or ask. If it returns `false`, verbs
    /// skip the search for risks.
    fn checks_risks(&self) -> bool;

    /// Checks that an image may be sent to the client's model.
    ///
    /// # Errors
    ///
    /// Fails if the limit of images is reached.
    fn check_model_image(&self) -> Result<()>;

    /// Decides if a script of the caller may run, after the user has read it where policy demands that.
    ///
    /// # Errors
    ///
    /// [`Error::QuestionPending`](crate::Error::QuestionPending) if the user's answer comes with a
    /// later call.
    fn review_script(&self, script: &ScriptRequest<'_>) -> Result<ScriptReview>;

    /// Records the element that an action targets, for the audit log.
    fn record_target(&self, app: &App, node: &Node);
}

/// An action that may lose the user's data.
#[derive(Debug, Clone)]
pub struct Risk<'a> {
    /// The app that receives the action.
    pub app: &'a App,
    /// The verb for the action, such as `Click`.
    pub action: &'a str,
    /// The element that receives the action, such as `button "Delete" in editor`.
    pub target: String,
    /// The reason why the action is risky.
    pub cause: RiskCause,
}

/// A script that a caller wants to run.
#[derive(Debug, Clone, Copy)]
pub struct ScriptRequest<'a> {
    /// The name of the script's language.
    pub language: &'static str,
    /// The complete script.
    pub text: &'a str,
    /// The longest time the script may run.
    pub timeout: Duration,
}

/// The result of a script review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptReview {
    /// The script may run without a review.
    NotRequired,
    /// The user approved the script.
    Approved {
        /// The timeout that the user chose, if any.
        timeout: Option<Duration>,
    },
    /// The script may not run.
    Refused {
        /// The reason.
        why: String,
        /// An alternative for the caller.
        next: Option<String>,
    },
}

/// The reason why an action is risky.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RiskCause {
    /// A word in the element's name or description, such as `delete`.
    Word(String),
    /// The icon of an element without a name.
    Icon(String),
    /// A key combination that closes or deletes.
    Key(String),
}

/// The decision on a risky action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The action may proceed without a question.
    Allowed,
    /// The user approved the action. Answering took time, so the element must be found again.
    Approved,
    /// The action may not proceed.
    Refused {
        /// The reason.
        why: String,
        /// An alternative for the caller.
        next: Option<String>,
    },
}
