//! A session on one desktop.

use std::{fmt, sync::Arc};

use deskhand_engine::{
    Call, CallOptions, Effect as EffectClass, Engine, Origin, OutputForm, SecurityMode, SessionKey,
    ToolEntry, ToolKey, Vocabulary,
};
use deskhand_model::Delivery;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    App, AppInfo, CommandOutput, Error, Image, Reply, SessionBuilder,
    host::{self, HelperProcesses, PrivateDesktop},
    results::Outcome,
};

/// The tool that runs commands in the sandbox.
const SHELL: &str = "sandboxed_shell";

/// The tools that write the clipboard.
const CLIPBOARD_WRITERS: [&str; 2] = ["clipboard_write", "ax_clipboard"];

/// A session on one desktop.
///
/// Every method makes a call that passes the same checks as calls of the command line and of MCP
/// clients: policy, app rules, rate limits, consent, audit log. Threads can share a session.
pub struct Session {
    engine: Arc<Engine>,
    /// Dropped after the engine, which still uses it.
    private: Option<PrivateDesktop>,
    helpers: HelperProcesses,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("private", &self.private).finish_non_exhaustive()
    }
}

impl Session {
    /// Opens the desktop of this process.
    ///
    /// # Errors
    ///
    /// See [`SessionBuilder::open`].
    pub fn open() -> Result<Self, Error> {
        Self::builder().open()
    }

    /// Starts a private desktop: headless, separate from the user's, and removed with the session.
    /// Linux only. It needs Xvfb, a window manager, D-Bus and at-spi2-core.
    ///
    /// If this process is killed, the next start of a private desktop removes what is left.
    ///
    /// # Errors
    ///
    /// See [`SessionBuilder::open`].
    pub fn private() -> Result<Self, Error> {
        Self::builder().private().open()
    }

    /// Returns the options of a new session. By default it works on the desktop of this process.
    pub fn builder() -> SessionBuilder {
        SessionBuilder::default()
    }

    pub(crate) fn new(
        engine: Engine,
        private: Option<PrivateDesktop>,
        helpers: HelperProcesses,
    ) -> Self {
        Self { engine: Arc::new(engine), private, helpers }
    }

    /// Lists the running apps.
    ///
    /// # Errors
    ///
    /// `no_accessibility` if the desktop has no accessibility bus.
    pub fn apps(&self) -> Result<Vec<AppInfo>, Error> {
        self.call("apps", json!({}))?.parse("apps")
    }

    /// Starts a program and waits until its window is open and its elements can be read.
    ///
    /// `program` is a name as shown in menus, a desktop-file id, a program on the search path, or a
    /// path.
    ///
    /// # Errors
    ///
    /// - `program_not_found` or `ambiguous_program`
    /// - `app_not_ready` if the program started but shows no readable window
    pub fn open_app(&self, program: &str, arguments: &[&str]) -> Result<App<'_>, Error> {
        let reply = self.call("open", json!({ "name": program, "arguments": arguments }))?;
        let started: StartedProgram = reply.clone().parse("open")?;
        let outcome = reply.outcome("open")?;
        match started.app {
            Some(name) if started.tree => Ok(App::started(self, name, started.pid, outcome)),
            Some(_) | None => Err(not_ready(program, outcome)),
        }
    }

    /// Returns a running app by its name, process id or desktop-file id.
    ///
    /// # Errors
    ///
    /// `app_not_running` or `ambiguous_app`.
    pub fn app(&self, name: &str) -> Result<App<'_>, Error> {
        let found: FoundApp = self.call("app", json!({ "app": name }))?.parse("app")?;
        Ok(App::running(self, found.name, found.pid))
    }

    /// Captures the whole screen. Password fields are masked, and a large image is reduced; the tool
    /// `screenshot` has options for both.
    ///
    /// # Errors
    ///
    /// `unimplemented` if the desktop has no screen.
    pub fn screenshot(&self) -> Result<Image, Error> {
        self.capture(json!({}))
    }

    /// Runs a shell command in the sandbox and waits for its end. It can read and write the scope,
    /// read the system, and nothing else. See [`SessionBuilder::command_scope`].
    ///
    /// Commands do not run on a private desktop: they have no display.
    ///
    /// # Errors
    ///
    /// - `helper_process_missing` if `main` does not call
    ///   [`run_helper_process_if_requested`](crate::run_helper_process_if_requested)
    /// - `scope_required` if the working folder cannot be the scope, such as the home folder
    /// - an error of the sandbox if the kernel cannot enforce it
    pub fn run_command(&self, command: &str) -> Result<CommandOutput, Error> {
        self.call(SHELL, json!({ "command": command }))?.parse(SHELL)
    }

    /// Calls a tool by its name, for everything that has no method. `docs/tools.md` and
    /// `docs/commands.md` describe all tools; [`tools`](Self::tools) lists them.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), deskhand::Error> {
    /// # let session = deskhand::Session::open()?;
    /// use serde_json::json;
    ///
    /// let windows = session.call("windows", json!({}))?;
    /// println!("{}", windows.text);
    /// session.call("expand", json!({ "app": "gtk3-demo", "query": "role:row Benchmark" }))?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// `unknown_tool`, `invalid_parameter`, and the errors of the tool.
    pub fn call(&self, tool: &str, arguments: Value) -> Result<Reply, Error> {
        self.call_as(tool, arguments, OutputForm::Data)
    }

    /// Returns the names of all tools.
    pub fn tools(&self) -> Vec<String> {
        self.engine.catalogue().iter().map(|entry| entry.name().to_owned()).collect()
    }

    /// Ends the session and reports errors, unlike dropping it. A private desktop is removed with
    /// all programs on it.
    ///
    /// # Errors
    ///
    /// If the private desktop cannot be removed.
    pub fn close(mut self) -> Result<(), Error> {
        self.engine.end_sessions();
        self.private.take().map_or(Ok(()), host::stop_private)
    }

    pub(crate) fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Calls a tool for an output of this form.
    pub(crate) fn call_as(
        &self,
        tool: &str,
        arguments: Value,
        form: OutputForm,
    ) -> Result<Reply, Error> {
        let entry = self.engine.catalogue().find(tool);
        if let Some(entry) = &entry {
            self.check_helpers(entry)?;
        }
        let vocabulary = entry.map_or(Vocabulary::Commands, |entry| entry.vocabulary());
        let key = vocabulary.tool(tool.to_owned());
        let options = CallOptions::non_interactive(&|_| true);
        match self.engine.call(library_call(key, arguments, form), &options) {
            Ok(output) => Ok(Reply::from(output)),
            Err(error) => Err(self.explain_clipboard(tool, Error::from(error))),
        }
    }

    pub(crate) fn capture(&self, arguments: Value) -> Result<Image, Error> {
        let tool = "screenshot";
        let image = self.call(tool, arguments)?.image;
        image.ok_or_else(|| Error::unexpected_result(tool, "it has no image"))
    }

    /// Returns an error if a tool runs commands and the sandbox has no helper process.
    fn check_helpers(&self, entry: &ToolEntry) -> Result<(), Error> {
        let runs_commands = matches!(entry.effect(), EffectClass::Command | EffectClass::Script);
        if runs_commands && self.helpers == HelperProcesses::Unavailable {
            return Err(helper_missing("commands in the sandbox"));
        }
        Ok(())
    }

    /// Replaces the error of a write to the clipboard that has no helper process.
    fn explain_clipboard(&self, tool: &str, error: Error) -> Error {
        let is_missing = self.helpers == HelperProcesses::Unavailable
            && host::CLIPBOARD_OWNER.is_some()
            && CLIPBOARD_WRITERS.contains(&tool)
            && error.code() == "unsupported";
        if is_missing { helper_missing("writing the clipboard") } else { error }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.engine.end_sessions();
    }
}

/// The result of `open` beside its outcome.
#[derive(Deserialize)]
struct StartedProgram {
    app: Option<String>,
    pid: u32,
    tree: bool,
}

/// The result of `app`.
#[derive(Deserialize)]
struct FoundApp {
    name: String,
    pid: u32,
}

/// Builds a call of this program.
pub(crate) fn library_call(tool: ToolKey, arguments: Value, form: OutputForm) -> Call {
    Call {
        tool,
        arguments,
        form,
        origin: Origin::Library,
        session: SessionKey::Shared,
        principal: None,
        caller_mode: SecurityMode::Normal,
    }
}

fn helper_missing(feature: &str) -> Error {
    Error::new(
        "helper_process_missing",
        format!("{feature}: this program does not run its helper processes"),
        "call `deskhand::run_helper_process_if_requested()` first in `main`",
    )
    .with_delivery(Delivery::NotSent)
}

fn not_ready(program: &str, outcome: Outcome) -> Error {
    let evidence: Vec<String> =
        outcome.evidence.into_iter().map(|one| one.subject).chain(outcome.changes).collect();
    let message =
        format!("`{program}` started, but has no readable window: {}", evidence.join("; "));
    let advice = outcome.next_step.unwrap_or_else(|| "start it by hand to see why".to_owned());
    Error::new("app_not_ready", message, advice).with_delivery(Delivery::Sent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_can_share_a_session() {
        fn check<T: Send + Sync>() {}
        check::<Session>();
        check::<App<'_>>();
    }

    #[test]
    fn calls_have_the_origin_of_the_library() {
        let key = Vocabulary::Commands.tool("click");
        let call = library_call(key.clone(), json!({ "query": "OK" }), OutputForm::Data);
        assert_eq!(call.origin, Origin::Library);
        assert_eq!(call.tool, key);
    }

    #[test]
    fn a_program_without_a_window_is_an_error_with_its_evidence() {
        let reply = Reply {
            data: json!({
                "effect": "no_effect", "way": "start", "target": "x",
                "evidence": [{"sign": "process", "what": "process 7", "after": "ended"}],
                "changes": ["its output: no such display"], "pid": 7, "tree": false,
            }),
            text: String::new(),
            image: None,
            succeeded: false,
            warnings: Vec::new(),
        };
        let error = not_ready("x", reply.outcome("open").unwrap());
        assert_eq!((error.code(), error.delivery()), ("app_not_ready", Some(Delivery::Sent)));
        assert!(error.message().contains("process 7; its output: no such display"), "{error}");
    }
}
