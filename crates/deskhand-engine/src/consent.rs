//! User consent: when a call needs it, earlier approvals, and the behaviour if no user can be asked.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use deskhand_model::{App, Flag, Node, outline::quote};
use deskhand_platform::{Identities, Identity};
use deskhand_tools::{
    Ask, Asked, Door, Effect, Entry, Error, Leave, Question, Result, Reviewed, Risk, Said, Script,
    Session, Warden, Warning, questions,
};
use parking_lot::Mutex;
use serde_json::Value;

use crate::{
    CallFailure, Gate, SecurityMode,
    outcome::{CallError, Pause},
    policy::Confirmation,
    recorder::RedactedArgs,
};

/// The target of a call, for the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TargetInfo {
    /// The app.
    pub(crate) app: String,
    /// The role of the element.
    pub(crate) role: String,
    /// The name of the element.
    pub(crate) title: String,
    /// The center of the element.
    pub(crate) position: Option<[i32; 2]>,
}

/// Facts about a call that are collected while it runs.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallNotes {
    /// The security flags for the audit log.
    pub(crate) flags: Vec<&'static str>,
    /// Its most recent target.
    pub(crate) target: Option<TargetInfo>,
    /// The decision of the user, if the user was asked.
    pub(crate) confirmed: Option<bool>,
    /// Consent was required, but no user could be asked.
    pub(crate) consent_unavailable: bool,
    /// Warnings for the caller.
    pub(crate) warnings: Vec<String>,
}

/// The flag of a call that sent data to a model.
pub(crate) const MODEL_ASKED: &str = "model_asked";

/// The reason if consent is required but no user can be asked.
const NO_USER: &str =
    "safe mode requires the consent of the user, and this client cannot ask the user";

/// The hint for that case.
const NO_USER_HINT: &str =
    "use a client that supports elicitation, or ask the user to approve it in approvals.toml";

/// Decides if one call has the consent of the user.
pub(crate) struct CallConsent<'a> {
    /// The gate with policy and approvals.
    pub(crate) gate: &'a Gate,
    /// Identifies apps.
    pub(crate) identities: Option<&'a dyn Identities>,
    /// The tool.
    pub(crate) tool: &'a str,
    /// The security mode of the call.
    pub(crate) mode: SecurityMode,
    /// The origin of the call.
    pub(crate) origin: Door,
    /// Asks the user.
    pub(crate) ask: &'a dyn Ask,
    /// Receives warnings.
    pub(crate) progress: &'a (dyn Fn(Said) -> bool + Sync),
    notes: Mutex<CallNotes>,
}

impl<'a> CallConsent<'a> {
    /// Creates the consent check of a call.
    pub(crate) fn new(
        gate: &'a Gate,
        identities: Option<&'a dyn Identities>,
        tool: &'a str,
        mode: SecurityMode,
        origin: Door,
        ask: &'a dyn Ask,
        progress: &'a (dyn Fn(Said) -> bool + Sync),
    ) -> Self {
        Self { gate, identities, tool, mode, origin, ask, progress, notes: Mutex::default() }
    }

    /// Returns the notes collected so far.
    pub(crate) fn notes(&self) -> CallNotes {
        self.notes.lock().clone()
    }

    /// Asks the questions that must be answered before the tool runs.
    pub(crate) fn check_before_run(
        &self,
        entry: &Entry,
        redacted_args: RedactedArgs<'_>,
        session: &Session,
    ) -> std::result::Result<(), CallError> {
        let effect = entry.effect();
        let flags = session.flagged();
        if self.mode == SecurityMode::Safe && effect.mutates() && !flags.is_empty() {
            self.flag("untrusted_content");
            let flags: Vec<&str> = flags.iter().copied().map(Flag::word).collect();
            let args = format_args(redacted_args);
            let question = questions::after_flagged(self.tool, &args, &flags.join(", "));
            self.require_answer(&question, "proceed")?;
            session.clear_flag();
        }
        if effect == Effect::Destroy && self.heeds_risks() {
            self.flag("destructive_tool");
            if self.was_approved(None) {
                return Ok(());
            }
            let question = questions::may_end(self.tool, &format_args(redacted_args));
            let decision =
                self.confirm(&question, None, "ends something").map_err(to_call_error)?;
            return match decision {
                Leave::Free | Leave::Given => Ok(()),
                Leave::Refused { why, next } => Err(declined(self.tool, &why, next).into()),
            };
        }
        Ok(())
    }

    /// Asks a question and fails unless the user answers yes.
    fn require_answer(
        &self,
        question: &Question,
        field: &str,
    ) -> std::result::Result<(), CallError> {
        match self.ask.ask(question) {
            Asked::Given(answer) if answer[field] == true => {
                self.notes.lock().confirmed = Some(true);
                Ok(())
            }
            Asked::Given(_) | Asked::Declined | Asked::Cancelled => {
                self.notes.lock().confirmed = Some(false);
                Err(declined(self.tool, "the user declined", None).into())
            }
            Asked::Later => Err(CallError::Pause(Pause::Questions(vec![question.clone()]))),
            Asked::Nobody => {
                Err(declined(self.tool, NO_USER, Some(NO_USER_HINT.to_owned())).into())
            }
        }
    }

    /// Asks the user to confirm a risky action. `app` is the key under which an approval is stored.
    fn confirm(&self, question: &Question, app: Option<&str>, action: &str) -> Result<Leave> {
        if self.mode == SecurityMode::Normal && self.gate.policy.confirmation == Confirmation::Skip
        {
            return Ok(Leave::Free);
        }
        match self.ask.ask(question) {
            Asked::Given(answer) if answer["confirm"] == true => {
                self.notes.lock().confirmed = Some(true);
                if answer["remember"] == true {
                    self.remember(app);
                }
                Ok(Leave::Given)
            }
            Asked::Given(_) | Asked::Declined | Asked::Cancelled => {
                self.notes.lock().confirmed = Some(false);
                Ok(Leave::Refused { why: "the user declined".to_owned(), next: None })
            }
            Asked::Later => Err(Error::Asks { question: Box::new(question.clone()) }),
            Asked::Nobody if self.mode == SecurityMode::Normal => {
                if self.origin == Door::Mcp {
                    self.warn(format!(
                        "{action}: done without confirmation, because this client cannot ask the user"
                    ));
                }
                Ok(Leave::Free)
            }
            Asked::Nobody => {
                self.notes.lock().consent_unavailable = true;
                Ok(Leave::Refused { why: NO_USER.to_owned(), next: Some(NO_USER_HINT.to_owned()) })
            }
        }
    }

    /// Returns the identity of an app; `None` if its pid now belongs to another process.
    fn identity(&self, app: &App) -> Option<Arc<Identity>> {
        let identity = self.identities?.identify(app.pid)?;
        let started = identity.process.map(|process| process.started);
        (app.started == 0 || started == Some(app.started)).then_some(identity)
    }

    /// Stores an approval. If that fails, the caller gets a warning and the user is asked again next time.
    fn remember(&self, app: Option<&str>) {
        let Some(app) = app else {
            self.warn(
                "the approval is not stored: the program of the app could not be identified"
                    .to_owned(),
            );
            return;
        };
        if let Err(error) = self.gate.approvals.remember(app, self.tool, SystemTime::now()) {
            self.warn(format!("the approval could not be stored: {error}"));
        }
    }

    fn was_approved(&self, app: Option<&Identity>) -> bool {
        match self.gate.approvals.find(app, self.tool, SystemTime::now()) {
            Ok(Some(_)) => {
                self.flag("approved_before");
                true
            }
            Ok(None) => false,
            Err(error) => {
                self.warn(format!("earlier approvals are ignored: {error}"));
                false
            }
        }
    }

    fn warn(&self, message: String) {
        let is_new = {
            let mut notes = self.notes.lock();
            let is_new = !notes.warnings.contains(&message);
            if is_new {
                notes.warnings.push(message.clone());
            }
            is_new
        };
        if is_new {
            // The answer contains the warning as well.
            let _still_listening = (self.progress)(Said::warning(message));
        }
    }

    fn flag(&self, flag: &'static str) {
        let mut notes = self.notes.lock();
        if !notes.flags.contains(&flag) {
            notes.flags.push(flag);
        }
    }
}

impl Warden for CallConsent<'_> {
    fn leave(&self, risk: &Risk<'_>) -> Result<Leave> {
        self.flag(match risk.sign {
            Warning::Word(_) => "destructive_keyword",
            Warning::Icon(_) => "destructive_icon",
            Warning::Key(_) => "destructive_key",
        });
        let identity = self.identity(risk.app);
        if self.was_approved(identity.as_deref()) {
            return Ok(Leave::Free);
        }
        let key = identity.as_ref().and_then(|one| one.key.as_deref());
        let question = questions::may_lose(risk.doing, &risk.what, &risk.sign);
        self.confirm(&question, key, &format!("{} {}", risk.doing, risk.what))
    }

    fn heeds_risks(&self) -> bool {
        match self.origin {
            Door::Mcp => true,
            // The user types CLI commands, which counts as consent in normal mode only.
            Door::CommandLine | Door::Own => self.mode > SecurityMode::Normal,
        }
    }

    fn review(&self, script: &Script<'_>) -> Result<Reviewed> {
        self.flag("script");
        let skips_review =
            !self.heeds_risks() || self.gate.policy.confirmation == Confirmation::Skip;
        if skips_review || self.was_approved(None) {
            return Ok(Reviewed::Unasked);
        }
        let seconds = script.timeout.as_millis().div_ceil(1000);
        let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
        let question = questions::review(script.language, script.text, seconds);
        match self.ask.ask(&question) {
            Asked::Given(answer) if answer["approve"] == true => {
                self.notes.lock().confirmed = Some(true);
                let timeout = answer["timeout_seconds"].as_u64().map(Duration::from_secs);
                Ok(Reviewed::Approved { timeout })
            }
            Asked::Given(_) | Asked::Declined | Asked::Cancelled => {
                self.notes.lock().confirmed = Some(false);
                Ok(Reviewed::Refused { why: "the user declined".to_owned(), next: None })
            }
            Asked::Later => Err(Error::Asks { question: Box::new(question) }),
            Asked::Nobody => {
                self.warn(
                    "the script ran without a review, because this client cannot ask the user"
                        .to_owned(),
                );
                Ok(Reviewed::Unasked)
            }
        }
    }

    fn show_model(&self) -> Result<()> {
        if self.mode == SecurityMode::Safe {
            self.flag(MODEL_ASKED);
        }
        self.gate.limits.check_vision().map_err(|exceeded| Error::RateLimited {
            why: exceeded.to_string(),
            retry_after_ms: exceeded.retry_after_ms(),
        })
    }

    fn aims(&self, app: &App, node: &Node) {
        let position = node.bounds.filter(|bounds| !bounds.is_empty()).map(|bounds| {
            let (x, y) = bounds.center();
            [x, y]
        });
        self.notes.lock().target = Some(TargetInfo {
            app: app.name.clone(),
            role: node.role.ax().to_owned(),
            title: node.name.clone(),
            position,
        });
    }
}

/// The maximum length of an argument in a question, in characters.
const MAX_ARG_CHARS: usize = 200;

/// Formats the arguments for a question.
fn format_args(redacted_args: &Value) -> String {
    let fields = redacted_args.as_object().into_iter().flatten();
    let format = |value: &Value| match value {
        Value::String(text) => quote(text, MAX_ARG_CHARS),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(_) | Value::Object(_) => quote(&value.to_string(), MAX_ARG_CHARS),
    };
    let words: Vec<String> =
        fields.map(|(name, value)| format!("{name} {}", format(value))).collect();
    words.join(", ")
}

fn to_call_error(error: Error) -> CallError {
    if let Error::Asks { question } = error {
        return CallError::Pause(Pause::Questions(vec![*question]));
    }
    CallFailure::from(error).into()
}

fn declined(tool: &str, why: &str, next: Option<String>) -> CallFailure {
    let hint = next.unwrap_or_else(|| "do something else, or ask the user why".to_owned());
    CallFailure::new("consent_required", format!("`{tool}` was not done: {why}"), hint)
}
