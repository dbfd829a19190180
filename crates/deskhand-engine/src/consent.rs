//! User consent: when a call needs it, earlier approvals, and the behaviour if no user can be asked.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use deskhand_model::{App, Flag, Node, outline::quote};
use deskhand_platform::{Identities, Identity};
use deskhand_tools::{Effect, ToolEntry};
use deskhand_verbs::{
    CallerSession, ConsentGate, Decision, ElicitResponse, Elicitor, Error, Origin, ProgressEvent,
    Question, Result, Risk, RiskCause, ScriptRequest, ScriptReview, elicitation::questions,
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
    pub(crate) origin: Origin,
    /// Asks the user.
    pub(crate) ask: &'a dyn Elicitor,
    /// Receives warnings.
    pub(crate) progress: &'a (dyn Fn(ProgressEvent) -> bool + Sync),
    notes: Mutex<CallNotes>,
}

impl<'a> CallConsent<'a> {
    /// Creates the consent check of a call.
    pub(crate) fn new(
        gate: &'a Gate,
        identities: Option<&'a dyn Identities>,
        tool: &'a str,
        mode: SecurityMode,
        origin: Origin,
        ask: &'a dyn Elicitor,
        progress: &'a (dyn Fn(ProgressEvent) -> bool + Sync),
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
        entry: &ToolEntry,
        redacted_args: RedactedArgs<'_>,
        session: &CallerSession,
    ) -> std::result::Result<(), CallError> {
        let effect = entry.effect();
        let flags = session.flags();
        if self.mode == SecurityMode::Safe && effect.mutates() && !flags.is_empty() {
            self.flag("untrusted_content");
            let flags: Vec<&str> = flags.iter().copied().map(Flag::word).collect();
            let args = format_args(redacted_args);
            let question =
                questions::confirm_after_hidden_text(self.tool, &args, &flags.join(", "));
            self.require_answer(&question, "proceed")?;
            session.clear_flags();
        }
        if effect == Effect::Destroy && self.checks_risks() {
            self.flag("destructive_tool");
            if self.was_approved(None) {
                return Ok(());
            }
            let question = questions::confirm_end(self.tool, &format_args(redacted_args));
            let decision = self
                .confirm(&question, None, "ends something")
                .map_err(|error| to_call_error(error, self.origin))?;
            return match decision {
                Decision::Allowed | Decision::Approved => Ok(()),
                Decision::Refused { why, next } => Err(declined(self.tool, &why, next).into()),
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
        match self.ask.elicit(question) {
            ElicitResponse::Accepted(answer) if answer[field] == true => {
                self.notes.lock().confirmed = Some(true);
                Ok(())
            }
            ElicitResponse::Accepted(_) | ElicitResponse::Declined | ElicitResponse::Cancelled => {
                self.notes.lock().confirmed = Some(false);
                Err(declined(self.tool, "the user declined", None).into())
            }
            ElicitResponse::Deferred => {
                Err(CallError::Pause(Pause::Questions(vec![question.clone()])))
            }
            ElicitResponse::Unavailable => {
                Err(declined(self.tool, NO_USER, Some(NO_USER_HINT.to_owned())).into())
            }
        }
    }

    /// Asks the user to confirm a risky action. `app` is the key under which an approval is stored.
    fn confirm(&self, question: &Question, app: Option<&str>, action: &str) -> Result<Decision> {
        if self.mode == SecurityMode::Normal && self.gate.policy.confirmation == Confirmation::Skip
        {
            return Ok(Decision::Allowed);
        }
        match self.ask.elicit(question) {
            ElicitResponse::Accepted(answer) if answer["confirm"] == true => {
                self.notes.lock().confirmed = Some(true);
                if answer["remember"] == true {
                    self.remember(app);
                }
                Ok(Decision::Approved)
            }
            ElicitResponse::Accepted(_) | ElicitResponse::Declined | ElicitResponse::Cancelled => {
                self.notes.lock().confirmed = Some(false);
                Ok(Decision::Refused { why: "the user declined".to_owned(), next: None })
            }
            ElicitResponse::Deferred => {
                Err(Error::QuestionPending { question: Box::new(question.clone()) })
            }
            ElicitResponse::Unavailable if self.mode == SecurityMode::Normal => {
                if self.origin == Origin::Mcp {
                    self.warn(format!(
                        "{action}: done without confirmation, because this client cannot ask the user"
                    ));
                }
                Ok(Decision::Allowed)
            }
            ElicitResponse::Unavailable => {
                self.notes.lock().consent_unavailable = true;
                Ok(Decision::Refused {
                    why: NO_USER.to_owned(),
                    next: Some(NO_USER_HINT.to_owned()),
                })
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
            let _still_listening = (self.progress)(ProgressEvent::warning(message));
        }
    }

    fn flag(&self, flag: &'static str) {
        let mut notes = self.notes.lock();
        if !notes.flags.contains(&flag) {
            notes.flags.push(flag);
        }
    }
}

impl ConsentGate for CallConsent<'_> {
    fn check(&self, risk: &Risk<'_>) -> Result<Decision> {
        self.flag(match risk.cause {
            RiskCause::Word(_) => "destructive_keyword",
            RiskCause::Icon(_) => "destructive_icon",
            RiskCause::Key(_) => "destructive_key",
        });
        let identity = self.identity(risk.app);
        if self.was_approved(identity.as_deref()) {
            return Ok(Decision::Allowed);
        }
        let key = identity.as_ref().and_then(|one| one.key.as_deref());
        let question = questions::confirm_risk(risk.action, &risk.target, &risk.cause);
        self.confirm(&question, key, &format!("{} {}", risk.action, risk.target))
    }

    fn checks_risks(&self) -> bool {
        match self.origin {
            Origin::Mcp => true,
            // The user types CLI commands and starts programs, which counts as consent in normal
            // mode only.
            Origin::Cli | Origin::Library | Origin::Internal => self.mode > SecurityMode::Normal,
        }
    }

    fn review_script(&self, script: &ScriptRequest<'_>) -> Result<ScriptReview> {
        self.flag("script");
        let skips_review =
            !self.checks_risks() || self.gate.policy.confirmation == Confirmation::Skip;
        if skips_review || self.was_approved(None) {
            return Ok(ScriptReview::NotRequired);
        }
        let seconds = script.timeout.as_millis().div_ceil(1000);
        let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
        let question = questions::review_script(script.language, script.text, seconds);
        match self.ask.elicit(&question) {
            ElicitResponse::Accepted(answer) if answer["approve"] == true => {
                self.notes.lock().confirmed = Some(true);
                let timeout = answer["timeout_seconds"].as_u64().map(Duration::from_secs);
                Ok(ScriptReview::Approved { timeout })
            }
            ElicitResponse::Accepted(_) | ElicitResponse::Declined | ElicitResponse::Cancelled => {
                self.notes.lock().confirmed = Some(false);
                Ok(ScriptReview::Refused { why: "the user declined".to_owned(), next: None })
            }
            ElicitResponse::Deferred => {
                Err(Error::QuestionPending { question: Box::new(question) })
            }
            ElicitResponse::Unavailable => {
                self.warn(
                    "the script ran without a review, because this client cannot ask the user"
                        .to_owned(),
                );
                Ok(ScriptReview::NotRequired)
            }
        }
    }

    fn check_model_image(&self) -> Result<()> {
        if self.mode == SecurityMode::Safe {
            self.flag(MODEL_ASKED);
        }
        self.gate.limits.check_vision().map_err(|exceeded| Error::RateLimited {
            why: exceeded.to_string(),
            retry_after_ms: exceeded.retry_after_ms(),
        })
    }

    fn record_target(&self, app: &App, node: &Node) {
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

fn to_call_error(error: Error, origin: Origin) -> CallError {
    if let Error::QuestionPending { question } = error {
        return CallError::Pause(Pause::Questions(vec![*question]));
    }
    CallFailure::of_error(&error, origin).into()
}

fn declined(tool: &str, why: &str, next: Option<String>) -> CallFailure {
    let hint = next.unwrap_or_else(|| "do something else, or ask the user why".to_owned());
    CallFailure::new("consent_required", format!("`{tool}` was not done: {why}"), hint)
}
