//! A call as its origin makes it.

use std::sync::Arc;

use deskhand_tools::ToolKey;
use deskhand_verbs::{
    CancelToken, Elicitor, NoElicitor, Origin, OutputForm, ProgressEvent, ProgressSink, WaitMode,
};
use serde_json::Value;

use crate::{SessionKey, policy::SecurityMode};

/// One call of a tool.
#[derive(Debug)]
pub struct Call {
    /// The tool.
    pub tool: ToolKey,
    /// Its arguments, not validated yet.
    pub arguments: Value,
    /// The form of the answer.
    pub form: OutputForm,
    /// The origin of the call: the CLI, an MCP client, a library user or the server itself.
    pub origin: Origin,
    /// The session whose state it uses.
    pub session: SessionKey,
    /// The caller, if it is not the owner of the engine.
    pub principal: Option<Arc<str>>,
    /// The security mode of the caller. The stricter of this mode and the policy's mode applies.
    pub caller_mode: SecurityMode,
}

impl Call {
    /// Creates a call that this program makes itself, in the shared session.
    pub fn internal(tool: ToolKey, arguments: Value) -> Self {
        Self {
            tool,
            arguments,
            form: OutputForm::Data,
            origin: Origin::Internal,
            session: SessionKey::Shared,
            principal: None,
            caller_mode: SecurityMode::Normal,
        }
    }

    /// Returns the key for rate limits and content flags. All sessions of one principal share it.
    pub(crate) fn caller(&self) -> SessionKey {
        match &self.principal {
            Some(principal) => SessionKey::Id(Arc::clone(principal)),
            None => self.session.clone(),
        }
    }
}

/// The interaction of a call with its caller while it runs.
pub struct CallOptions<'a> {
    /// Cancels the call when the caller no longer waits.
    pub cancel: Arc<CancelToken>,
    /// Asks the user behind the call.
    pub ask: &'a dyn Elicitor,
    /// Receives progress events; returns `false` if the caller no longer listens.
    pub progress: &'a (dyn Fn(ProgressEvent) -> bool + Sync),
    /// Receives progress events of background operations after the call has returned.
    pub background_progress: Option<ProgressSink>,
    /// Decides how long the call waits for background operations.
    pub wait_mode: WaitMode,
}

impl<'a> CallOptions<'a> {
    /// Waits until everything is done, asks no questions and receives no later events.
    pub fn non_interactive(progress: &'a (dyn Fn(ProgressEvent) -> bool + Sync)) -> Self {
        Self {
            cancel: Arc::default(),
            ask: &NoElicitor,
            progress,
            background_progress: None,
            wait_mode: WaitMode::UntilDone,
        }
    }
}
