//! Everything a verb receives with a call: the desktop, the deadline, the caller's session, and the
//! interfaces to report progress, ask questions and check consent.

pub(crate) mod cancel;
pub(crate) mod consent;
mod progress;
mod session;

use std::{path::Path, sync::Arc};

use deskhand_platform::{Deadline, Desktop};
use deskhand_run::{CommandService, CommandSession, Network};

pub use self::{
    cancel::CancelToken,
    consent::{ConsentGate, Decision, Risk, RiskCause, ScriptRequest, ScriptReview},
    progress::{ProgressEvent, ProgressSink, Severity, Verbosity},
    session::{CallerSession, Connection, TerminalInput},
};
use crate::{Elicitor, Error, EventListeners, HiddenTextReport, Result};

/// The interface through which a call reached Deskhand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The command line.
    Cli,
    /// The MCP server.
    Mcp,
    /// A program that uses the library.
    Library,
    /// The server itself, which reads the desktop to notify clients of changes.
    Internal,
}

/// The form in which the caller shows the result. A tool may read less for the shorter form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputForm {
    /// Text for a reader, within a size budget.
    Text,
    /// Complete structured data.
    Data,
}

/// Decides if a call waits for the background work that it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WaitMode {
    /// The mode that the tool declares.
    #[default]
    Default,
    /// Wait until the work is done, because the caller cannot be notified later.
    UntilDone,
}

/// Gives a call access to command execution.
#[derive(Debug, Clone, Copy)]
pub struct CommandAccess<'a> {
    /// The service that opens command sessions.
    pub service: &'a CommandService,
    /// The network access of the caller's commands, unless the service sets another.
    pub network: &'a Network,
}

/// The environment of one call.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The desktop to work on.
    pub desktop: &'a Desktop,
    /// The private folder that keeps refs, screenshot ids and the clipboard history between calls.
    pub state_dir: &'a Path,
    /// The event listeners that stay open between calls.
    pub listeners: &'a EventListeners,
    /// The deadline of the call. All reads of the desktop share it.
    pub deadline: Deadline,
    /// The form in which the caller shows the result.
    pub output_form: OutputForm,
    /// Receives events while the call runs. Returns `false` when the caller no longer listens.
    pub progress: &'a (dyn Fn(ProgressEvent) -> bool + Sync),
    /// Receives events after the reply was sent; `None` if the caller cannot receive any.
    pub after_reply: Option<&'a ProgressSink>,
    /// Decides if the call waits for background work.
    pub wait_mode: WaitMode,
    /// Reports that the caller has cancelled the call. Loops and waits check it.
    pub cancel: &'a CancelToken,
    /// Asks the user or the client's model. Used only before anything is sent to the desktop.
    pub elicitor: &'a dyn Elicitor,
    /// Runs commands; `None` if commands are disabled.
    pub commands: Option<CommandAccess<'a>>,
    /// The state that the caller has built up in earlier calls.
    pub session: &'a CallerSession,
    /// The interface through which the call came.
    pub origin: Origin,
    /// The name of the security mode that applies to the call.
    pub security_mode: &'static str,
    /// Makes the policy decisions that depend on what the running tool finds.
    pub consent: &'a dyn ConsentGate,
    /// Collects the invisible text that the call comes across.
    pub hidden_text: &'a HiddenTextReport,
}

impl Context<'_> {
    /// Returns the session that runs the caller's commands. The first call opens it.
    ///
    /// # Errors
    ///
    /// Fails if commands are disabled, no sandbox scope is configured, or the kernel cannot enforce
    /// the sandbox.
    pub fn command_session(&self) -> Result<Arc<CommandSession>> {
        let CommandAccess { service, network } = self.commands.ok_or(Error::NoCommands)?;
        let scope = service.scope().or_else(|| self.session.scope());
        let scope =
            scope.ok_or_else(|| Error::NoScope { refused: self.session.scope_refusal() })?;
        let network = service.network().unwrap_or(network);
        self.session.command_session(network, || Ok(service.open_session(scope, network.clone())?))
    }
}
