//! The pipeline of a call.

use std::{
    cell::LazyCell,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use deskhand_model::{Delivery, EventKind, Explain};
use deskhand_platform::{ClipboardChanges, Deadline, Desktop, EventStream, Selection};
use deskhand_run::CommandService;
use deskhand_tools::{Effect, ToolEntry};
use deskhand_verbs::{
    CallerSession, CancelToken, CommandAccess, Context, Error, EventListeners, HiddenTextReport,
    Origin, OutputForm, ProgressEvent, WaitMode,
};
use serde_json::Value;

use crate::{
    Call, CallFailure, CallOptions, Catalogue, Gate, background,
    consent::CallConsent,
    cost::{self, Cost, CostTimer},
    halt,
    limits::ConcurrencyPermit,
    outcome::{CallError, CallResult, Pause},
    policy::{self, CurrentPolicy},
    recorder::CallRecorder,
    remedies, sanitize,
    session::{SessionKey, Sessions},
    timing::{ACTION_TIMEOUT, LAUNCH_TIMEOUT, READ_TIMEOUT, RELEASE_TIMEOUT},
};

/// Runs calls on one desktop.
pub struct Engine {
    desktop: Arc<Desktop>,
    catalogue: Arc<Catalogue>,
    refs: PathBuf,
    listeners: EventListeners,
    timeout: Option<Duration>,
    sessions: Arc<Sessions>,
    commands: Option<CommandConfig>,
    gate: Gate,
    policy: CurrentPolicy,
}

/// The configuration of commands, the same for all callers.
struct CommandConfig {
    service: CommandService,
    wait_mode: WaitMode,
}

impl Engine {
    /// Creates an engine for an open desktop.
    ///
    /// `refs` is the file that stores refs between calls. `timeout` replaces the default timeouts of
    /// calls. `gate` decides about every call.
    pub fn new(desktop: Desktop, refs: PathBuf, timeout: Option<Duration>, gate: Gate) -> Self {
        let desktop = policy::guard_desktop(desktop, Arc::clone(&gate.apps), gate.halt.clone());
        Self {
            desktop: Arc::new(desktop),
            catalogue: Arc::new(Catalogue::all()),
            refs,
            listeners: EventListeners::default(),
            timeout,
            sessions: Arc::default(),
            commands: None,
            policy: gate.policy.into(),
            gate,
        }
    }

    /// Enables commands. With [`WaitMode::UntilDone`], all calls wait until their commands are done.
    #[must_use]
    pub fn with_commands(self, service: CommandService, wait_mode: WaitMode) -> Self {
        Self { commands: Some(CommandConfig { service, wait_mode }), ..self }
    }

    /// Returns the catalogue of tools.
    pub fn catalogue(&self) -> &Arc<Catalogue> {
        &self.catalogue
    }

    /// Returns `true` if commands are enabled.
    pub fn runs_commands(&self) -> bool {
        self.commands.is_some()
    }

    /// Returns the folder to which the commands of all callers are confined, if it is fixed.
    pub fn fixed_scope(&self) -> Option<&Path> {
        self.commands.as_ref()?.service.scope()
    }

    /// Confines the commands of a session to a folder that the caller requests. Returns `true` if
    /// the folder is the scope of the session from now on.
    ///
    /// # Errors
    ///
    /// If the folder does not exist or callers may not choose it.
    pub fn set_command_scope(&self, key: &SessionKey, folder: &Path) -> Result<bool, CallFailure> {
        let Some(commands) = &self.commands else { return Ok(false) };
        let session = self.session(key);
        match commands.service.validate_client_scope(folder) {
            Ok(folder) => Ok(session.set_scope(folder)),
            Err(refused) => {
                session.set_scope_refusal(&refused.to_string());
                Err(CallFailure::of_error(&refused, Origin::Mcp))
            }
        }
    }

    /// Returns the security policy, which can become stricter at run time.
    pub fn policy(&self) -> &CurrentPolicy {
        &self.policy
    }

    /// Returns the number of concurrent calls that one caller may make; 0 means no limit.
    pub fn max_concurrent(&self) -> u32 {
        self.gate.limits.max_concurrent()
    }

    /// Returns the state of a session.
    pub fn session(&self, key: &SessionKey) -> Arc<CallerSession> {
        self.sessions.get(key)
    }

    /// Returns the number of resource subscriptions of all sessions.
    pub fn subscriptions(&self) -> usize {
        self.sessions.subscriptions()
    }

    /// Removes a session and ends its operations.
    pub fn end_session(&self, key: &SessionKey) {
        self.sessions.end(key);
    }

    /// Removes all sessions and ends their operations.
    pub fn end_sessions(&self) {
        self.sessions.end_all();
    }

    /// Returns the cost of the last call of the current thread.
    pub fn last_cost() -> Cost {
        cost::last_cost()
    }

    /// Runs one call.
    pub fn call(&self, mut call: Call, options: &CallOptions<'_>) -> CallResult {
        let mut timer = CostTimer::start();
        let entry = self.find_tool(&call)?;
        let effect = entry.effect();
        let session = self.session(&call.session);
        // Text that one session of a caller read may influence the actions of its other sessions.
        let caller = self.session(&call.caller());
        let alias = call.arguments["app"].as_str().and_then(|name| session.pid_of_alias(name));
        if let Some(pid) = alias {
            call.arguments["app"] = Value::from(pid.to_string());
        }
        let redacted_args = LazyCell::new(|| entry.redacted_args(&call.arguments, &session));
        let progress = |mut event: ProgressEvent| {
            caller.add_flags(&sanitize::sanitize_progress(&mut event));
            (options.progress)(event)
        };
        let mode = self.policy.get().mode_for(call.caller_mode);
        let ask = sanitize::SanitizedPrompt(options.ask);
        let identities = self.desktop.identities.as_deref();
        let consent = CallConsent::new(
            &self.gate,
            identities,
            entry.name(),
            mode,
            call.origin,
            &ask,
            &progress,
        );
        let recorder = CallRecorder {
            gate: &self.gate,
            call: &call,
            redacted_args: &redacted_args,
            progress: &progress,
        };
        let (_permit, delayed) = match self.admit(&entry, &call, &options.cancel, &mut timer) {
            Ok(admitted) => admitted,
            Err(failure) => return Err(recorder.record_refusal(failure, &consent.notes()).into()),
        };
        let open = recorder.record_start(effect)?;
        let _running =
            obeys_halt(call.origin, effect).then(|| self.gate.halt.track(&options.cancel));
        let hidden_text = HiddenTextReport::default();
        let background_sink = (effect == Effect::Command).then(|| {
            let client = options.background_progress.as_ref();
            background::sink(&call, &caller, &self.gate.audit_log, client)
        });
        let commands = self
            .commands
            .as_ref()
            .map(|it| CommandAccess { service: &it.service, network: mode.default_network() });
        let wait_mode = match &self.commands {
            Some(CommandConfig { wait_mode: WaitMode::UntilDone, .. }) => WaitMode::UntilDone,
            Some(CommandConfig { wait_mode: WaitMode::Default, .. }) | None => options.wait_mode,
        };
        let timeout = self.timeout.unwrap_or_else(|| default_timeout(effect));
        let new_context = || Context {
            output_form: call.form,
            progress: &progress,
            after_reply: background_sink.as_ref(),
            wait_mode,
            commands,
            elicitor: &ask,
            origin: call.origin,
            security_mode: mode.name(),
            ..self.internal_context(timeout, options, &session, &consent, &hidden_text)
        };
        let mut result = match consent.check_before_run(&entry, &redacted_args, &caller) {
            Ok(()) => timer
                .exclude(|| remedies::run(&entry, new_context, call.arguments.clone()))
                .map_err(|error| self.to_call_error(error, effect, call.origin)),
            Err(CallError::Failure(failure)) => Err(failure.before_run(effect).into()),
            Err(paused @ CallError::Pause(_)) => Err(paused),
        };
        if let Ok(answer) = &mut result {
            answer.warnings.extend(delayed);
            answer.warnings.extend(consent.notes().warnings);
        }
        caller.add_flags(&sanitize::sanitize_result(&mut result, &hidden_text, call.origin));
        if let (Ok(answer), true) = (&result, is_action(effect)) {
            let effect = answer.data["effect"].as_str().unwrap_or("done");
            session.record_action(format!(
                "{}: {effect}",
                summarize(call.tool.name(), &redacted_args)
            ));
        }
        recorder.record_end(open, result, &consent.notes())
    }

    /// Returns the context of a call that this program makes itself, without commands.
    fn internal_context<'a>(
        &'a self,
        timeout: Duration,
        options: &'a CallOptions<'a>,
        session: &'a CallerSession,
        consent: &'a CallConsent<'a>,
        hidden_text: &'a HiddenTextReport,
    ) -> Context<'a> {
        Context {
            desktop: &self.desktop,
            state_dir: &self.refs,
            listeners: &self.listeners,
            deadline: Deadline::after(timeout),
            output_form: OutputForm::Data,
            progress: options.progress,
            after_reply: None,
            wait_mode: options.wait_mode,
            commands: None,
            cancel: &options.cancel,
            elicitor: options.ask,
            session,
            origin: Origin::Internal,
            security_mode: self.policy.get().mode.name(),
            consent,
            hidden_text,
        }
    }

    fn find_tool(&self, call: &Call) -> Result<Arc<ToolEntry>, CallFailure> {
        let entry = self.catalogue.get(&call.tool).ok_or_else(|| {
            let hint = match call.origin {
                Origin::Cli => "list the commands with `deskhand --help`",
                Origin::Library => "list the tools with `Session::tools`",
                Origin::Mcp | Origin::Internal => "list the tools with `tools/list`",
            };
            let message = format!("there is no tool called `{}`", call.tool);
            let unknown = CallFailure::new("unknown_tool", message, hint);
            CallFailure { delivery: Some(Delivery::NotSent), ..unknown }
        })?;
        if let Some(need) = entry.needs().iter().find(|need| !need.met_by(&self.desktop)) {
            let message =
                format!("this desktop does not support `{}`: it has no {need:?}", call.tool);
            let hint = "run it on a desktop with an X server";
            let failure = CallFailure::new("unimplemented", message, hint);
            return Err(failure.before_run(entry.effect()));
        }
        Ok(entry)
    }

    /// Checks halt, policy and rate limits. Returns a warning if the call was delayed.
    fn admit(
        &self,
        entry: &ToolEntry,
        call: &Call,
        cancel: &CancelToken,
        timer: &mut CostTimer,
    ) -> Result<(Option<ConcurrencyPermit<'_>>, Option<String>), CallFailure> {
        let effect = entry.effect();
        if call.origin == Origin::Internal {
            return Ok((None, None));
        }
        let limits = &self.gate.limits;
        let exceeded = |error| refusal(&error, effect, call.origin);
        // Refused calls count as well; otherwise nothing would limit them.
        let permit = limits.admit(&call.caller()).map_err(exceeded)?;
        if obeys_halt(call.origin, effect) {
            self.watch_halt().map_err(|error| refusal(&error, effect, call.origin))?;
            self.gate.halt.check().map_err(|halted| refusal(&halted, effect, call.origin))?;
        }
        let violation =
            |violation| CallFailure::of_violation(entry, violation, call.origin).before_run(effect);
        self.policy.get().check(effect, call.caller_mode).map_err(violation)?;
        if effect == Effect::Script {
            limits.check_script().map_err(exceeded)?;
        }
        let mut delayed = None;
        if effect.mutates() && effect != Effect::Command {
            let delay = limits.wait_for_write(|time| timer.exclude(|| cancel.sleep(time)));
            let delay = delay.map_err(|error| refusal(&error, effect, call.origin))?;
            if !delay.is_zero() {
                delayed = Some(format!("Rate limit reached. Delayed {:.3}s", delay.as_secs_f64()));
            }
        }
        Ok((Some(permit), delayed))
    }

    /// Starts to watch the halt flag, so that a halt takes effect immediately.
    fn watch_halt(&self) -> Result<(), halt::Error> {
        // Weak references: the desktop ends with its engine, and releases keys and buttons then.
        let desktop = Arc::downgrade(&self.desktop);
        let sessions = Arc::downgrade(&self.sessions);
        self.gate.halt.watch(move || {
            if let Some(sessions) = sessions.upgrade() {
                sessions.cancel_operations("everything was halted");
            }
            if let Some(input) = desktop.upgrade().as_ref().and_then(|it| it.input.as_ref()) {
                // If this fails, the call that pressed the key or button tries again.
                let _ = input.release_all(Deadline::after(RELEASE_TIMEOUT));
            }
        })
    }

    /// Subscribes to events of the given kinds, from one app or from all apps.
    ///
    /// # Errors
    ///
    /// If the app is not running or policy blocks it.
    pub fn watch(
        &self,
        app: Option<&str>,
        kinds: &[EventKind],
    ) -> Result<Box<dyn EventStream>, CallFailure> {
        let session = self.session(&SessionKey::Shared);
        let options = CallOptions::non_interactive(&|_| true);
        let consent = CallConsent::new(
            &self.gate,
            self.desktop.identities.as_deref(),
            "watch",
            self.policy.get().mode,
            Origin::Internal,
            options.ask,
            options.progress,
        );
        let timeout = self.timeout.unwrap_or(READ_TIMEOUT);
        let hidden_text = HiddenTextReport::default();
        let cx = self.internal_context(timeout, &options, &session, &consent, &hidden_text);
        let app = match app {
            Some(name) => {
                let app = deskhand_verbs::app::resolve_app(&cx, Some(name));
                Some(app.map_err(|error| CallFailure::of_error(&error, cx.origin))?)
            }
            None => None,
        };
        let app = app.as_ref().map(|app| &app.id);
        let events = self.desktop.tree.watch(app, kinds, cx.deadline);
        let events = events.map_err(|error| CallFailure::of_error(&error, cx.origin))?;
        Ok(sanitize::sanitize_events(events, Arc::clone(&self.sessions)))
    }

    /// Subscribes to changes of the clipboard.
    ///
    /// # Errors
    ///
    /// If this desktop has no clipboard, or it cannot be watched.
    pub fn watch_clipboard(&self) -> Result<Box<dyn ClipboardChanges>, CallFailure> {
        let clipboard = self.desktop.clipboard.as_ref();
        let changes = clipboard
            .ok_or(Error::MissingCapability { part: "clipboard" })
            .and_then(|it| Ok(it.watch(Selection::Clipboard, Deadline::after(READ_TIMEOUT))?));
        changes.map_err(|error| CallFailure::of_error(&error, Origin::Internal))
    }

    /// Converts the error of a tool.
    fn to_call_error(&self, error: Error, effect: Effect, origin: Origin) -> CallError {
        if let Error::QuestionPending { question } = error {
            return CallError::Pause(Pause::Questions(vec![*question]));
        }
        let delivery = (!effect.is_read_only()).then(|| error.delivery());
        let failure = match self.gate.halt.check() {
            // The halt is the cause, whatever error the tool returned.
            Err(halted) => CallFailure::of_error(&halted, origin),
            Ok(()) => CallFailure::of_error(&error, origin),
        };
        CallError::Failure(CallFailure { delivery, ..failure })
    }
}

/// Returns the failure of a call that was refused before the tool ran.
fn refusal(error: &impl Explain, effect: Effect, origin: Origin) -> CallFailure {
    CallFailure::of_error(error, origin).before_run(effect)
}

/// Returns `true` if a halt stops the call. The user may still read with the CLI, and the server may
/// still read for itself.
fn obeys_halt(origin: Origin, effect: Effect) -> bool {
    match origin {
        Origin::Mcp | Origin::Library => true,
        Origin::Cli | Origin::Internal => effect.mutates(),
    }
}

fn default_timeout(effect: Effect) -> Duration {
    match effect {
        Effect::Observe | Effect::Await | Effect::Prepare { .. } => READ_TIMEOUT,
        Effect::Adjust { .. } | Effect::Act { .. } | Effect::Destroy => ACTION_TIMEOUT,
        Effect::Execute | Effect::Command | Effect::Script => LAUNCH_TIMEOUT,
    }
}

/// Returns `true` if a call counts as an action of its session.
fn is_action(effect: Effect) -> bool {
    match effect {
        Effect::Act { .. }
        | Effect::Destroy
        | Effect::Execute
        | Effect::Command
        | Effect::Script => true,
        Effect::Observe | Effect::Await | Effect::Prepare { .. } | Effect::Adjust { .. } => false,
    }
}

/// Summarizes a call without any typed text.
fn summarize(tool: &str, redacted_args: &Value) -> String {
    let argument = |name: &str| redacted_args[name].as_str();
    let key = argument("key").filter(|_| tool == "ax_key_press");
    let target = argument("query").or(key).map_or(String::new(), |text| format!(" \"{text}\""));
    format!("{tool}{target}")
}
