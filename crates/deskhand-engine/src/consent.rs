//! The person's yes: when it is needed, who has given it before, and what holds where nobody can be
//! asked.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use deskhand_model::{App, Flag, Node, outline::quote};
use deskhand_platform::{Identities, Identity};
use deskhand_tools::{
    Ask, Asked, Door, Effect, Entry, Error, Leave, Question, Result, Reviewed, Risk, Said, Script,
    Session, Warden, Warning, questions,
};
use serde_json::Value;

use crate::{
    Failure, Gate, Mode,
    policy::Confirm,
    records::Told,
    reply::{Pause, Stopped},
};

/// What a call is aimed at, as records tell it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Aim {
    /// The app.
    pub(crate) app: String,
    /// What kind of element.
    pub(crate) role: String,
    /// What it is called.
    pub(crate) title: String,
    /// Where its middle is.
    pub(crate) position: Option<[i32; 2]>,
}

/// What was noted about a call while it ran.
#[derive(Debug, Clone, Default)]
pub(crate) struct Noted {
    /// Words for what made it noteworthy.
    pub(crate) flags: Vec<&'static str>,
    /// What it was aimed at last.
    pub(crate) aim: Option<Aim>,
    /// What a person said, where one was asked.
    pub(crate) confirmed: Option<bool>,
    /// Whether a person had to be asked, and there was none.
    pub(crate) unasked: bool,
    /// What the caller should know.
    pub(crate) warnings: Vec<String>,
}

/// The flag of a call that showed a model something.
pub(crate) const MODEL_ASKED: &str = "model_asked";

/// Where nobody can be asked and a person must.
const NOBODY: &str = "in safe mode a person must agree to this, and nobody can be asked here";

/// What can be done then.
const ALLOW: &str = "use a client that can ask its person (elicitation), or have the person allow it \
                     beforehand in approvals.toml";

/// Decides for one call.
pub(crate) struct Consent<'a> {
    /// The gate.
    pub(crate) gate: &'a Gate,
    /// Tells what apps are.
    pub(crate) identities: Option<&'a dyn Identities>,
    /// The tool.
    pub(crate) tool: &'a str,
    /// The mode that holds for the caller.
    pub(crate) mode: Mode,
    /// The door.
    pub(crate) door: Door,
    /// Asks the person.
    pub(crate) ask: &'a dyn Ask,
    /// Hears warnings.
    pub(crate) listener: &'a (dyn Fn(Said) -> bool + Sync),
    noted: Mutex<Noted>,
}

impl<'a> Consent<'a> {
    /// The consent of a call of a tool.
    pub(crate) fn new(
        gate: &'a Gate,
        identities: Option<&'a dyn Identities>,
        tool: &'a str,
        mode: Mode,
        door: Door,
        ask: &'a dyn Ask,
        listener: &'a (dyn Fn(Said) -> bool + Sync),
    ) -> Self {
        Self { gate, identities, tool, mode, door, ask, listener, noted: Mutex::default() }
    }

    /// What was noted so far.
    pub(crate) fn noted(&self) -> Noted {
        self.lock().clone()
    }

    /// Asks what must be asked before the tool runs at all.
    pub(crate) fn before(
        &self,
        entry: &Entry,
        told: Told<'_>,
        session: &Session,
    ) -> std::result::Result<(), Stopped> {
        let effect = entry.effect();
        let flags = session.flagged();
        if self.mode == Mode::Safe && effect.mutates() && !flags.is_empty() {
            self.flag("untrusted_content");
            let words: Vec<&str> = flags.iter().copied().map(Flag::word).collect();
            let words = words.join(", ");
            self.must(&questions::after_flagged(self.tool, &shown(told), &words), "proceed")?;
            session.clear_flag();
        }
        if effect == Effect::Destroy && self.heeds_risks() {
            self.flag("destructive_tool");
            if self.was_approved(None) {
                return Ok(());
            }
            let question = questions::may_end(self.tool, &shown(told));
            let leave = self.asked(&question, None, "ends something").map_err(paused)?;
            return match leave {
                Leave::Free | Leave::Given => Ok(()),
                Leave::Refused { why, next } => Err(declined(self.tool, &why, next).into()),
            };
        }
        Ok(())
    }

    /// Asks, and goes on only after a yes.
    fn must(&self, question: &Question, field: &str) -> std::result::Result<(), Stopped> {
        match self.ask.ask(question) {
            Asked::Given(answer) if answer[field] == true => {
                self.lock().confirmed = Some(true);
                Ok(())
            }
            Asked::Given(_) | Asked::Declined | Asked::Cancelled => {
                self.lock().confirmed = Some(false);
                Err(declined(self.tool, "the person declined", None).into())
            }
            Asked::Later => Err(Stopped::Pause(Pause::Asks(vec![question.clone()]))),
            Asked::Nobody => Err(declined(self.tool, NOBODY, Some(ALLOW.to_owned())).into()),
        }
    }

    /// Asks whether something may be lost in an app.
    fn asked(&self, question: &Question, app: Option<&str>, doing: &str) -> Result<Leave> {
        if self.mode == Mode::Normal && self.gate.policy.confirm == Confirm::Skip {
            return Ok(Leave::Free);
        }
        match self.ask.ask(question) {
            Asked::Given(answer) if answer["confirm"] == true => {
                self.lock().confirmed = Some(true);
                if answer["remember"] == true {
                    self.remember(app);
                }
                Ok(Leave::Given)
            }
            Asked::Given(_) | Asked::Declined | Asked::Cancelled => {
                self.lock().confirmed = Some(false);
                Ok(Leave::Refused { why: "the person declined".to_owned(), next: None })
            }
            Asked::Later => Err(Error::Asks { question: Box::new(question.clone()) }),
            Asked::Nobody if self.mode == Mode::Normal => {
                if self.door == Door::Mcp {
                    self.warn(format!(
                        "{doing}: done without asking, since this client cannot ask"
                    ));
                }
                Ok(Leave::Free)
            }
            Asked::Nobody => {
                self.lock().unasked = true;
                Ok(Leave::Refused { why: NOBODY.to_owned(), next: Some(ALLOW.to_owned()) })
            }
        }
    }

    /// What an app surely is; its number may belong to another process by now.
    fn identity(&self, app: &App) -> Option<Arc<Identity>> {
        let identity = self.identities?.of(app.pid)?;
        let started = identity.process.map(|process| process.started);
        (app.started == 0 || started == Some(app.started)).then_some(identity)
    }

    /// Keeps a yes for later; one that cannot be kept is asked for again, and that is told.
    fn remember(&self, app: Option<&str>) {
        let Some(app) = app else {
            self.warn(
                "the approval is not kept: which program the app runs is not sure".to_owned(),
            );
            return;
        };
        if let Err(error) = self.gate.approvals.remember(app, self.tool, SystemTime::now()) {
            self.warn(format!("the approval could not be kept: {error}"));
        }
    }

    fn was_approved(&self, app: Option<&Identity>) -> bool {
        match self.gate.approvals.allows(app, self.tool, SystemTime::now()) {
            Ok(Some(_)) => {
                self.flag("approved_before");
                true
            }
            Ok(None) => false,
            Err(error) => {
                self.warn(format!("earlier approvals do not count: {error}"));
                false
            }
        }
    }

    fn warn(&self, words: String) {
        let known = {
            let mut noted = self.lock();
            let known = noted.warnings.contains(&words);
            if !known {
                noted.warnings.push(words.clone());
            }
            known
        };
        if !known {
            // Whether anybody hears it changes nothing: the answer says it, too.
            let _heard = (self.listener)(Said::warning(words));
        }
    }

    fn flag(&self, word: &'static str) {
        let mut noted = self.lock();
        if !noted.flags.contains(&word) {
            noted.flags.push(word);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Warden for Consent<'_> {
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
        self.asked(&question, key, &format!("{} {}", risk.doing, risk.what))
    }

    fn heeds_risks(&self) -> bool {
        match self.door {
            Door::Mcp => true,
            // Who types a command is the person; in a stricter mode nobody's word is enough.
            Door::CommandLine | Door::Own => self.mode > Mode::Normal,
        }
    }

    fn review(&self, script: &Script<'_>) -> Result<Reviewed> {
        self.flag("script");
        let unasked = !self.heeds_risks() || self.gate.policy.confirm == Confirm::Skip;
        if unasked || self.was_approved(None) {
            return Ok(Reviewed::Unasked);
        }
        let seconds = script.timeout.as_millis().div_ceil(1000);
        let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
        let question = questions::review(script.language, script.text, seconds);
        match self.ask.ask(&question) {
            Asked::Given(answer) if answer["approve"] == true => {
                self.lock().confirmed = Some(true);
                let timeout = answer["timeout_seconds"].as_u64().map(Duration::from_secs);
                Ok(Reviewed::Approved { timeout })
            }
            Asked::Given(_) | Asked::Declined | Asked::Cancelled => {
                self.lock().confirmed = Some(false);
                Ok(Reviewed::Refused { why: "the person declined".to_owned(), next: None })
            }
            Asked::Later => Err(Error::Asks { question: Box::new(question) }),
            Asked::Nobody => {
                self.warn("the script ran unread, since this client cannot ask".to_owned());
                Ok(Reviewed::Unasked)
            }
        }
    }

    fn show_model(&self) -> Result<()> {
        if self.mode == Mode::Safe {
            self.flag(MODEL_ASKED);
        }
        self.gate.limits.vision().map_err(|exceeded| Error::RateLimited {
            why: exceeded.to_string(),
            retry_after_ms: exceeded.retry_after_ms(),
        })
    }

    fn aims(&self, app: &App, node: &Node) {
        let position = node.bounds.filter(|bounds| !bounds.is_empty()).map(|bounds| {
            let (x, y) = bounds.center();
            [x, y]
        });
        self.lock().aim = Some(Aim {
            app: app.name.clone(),
            role: node.role.ax().to_owned(),
            title: node.name.clone(),
            position,
        });
    }
}

/// How many characters of an argument a person reads.
const SHOWN: usize = 200;

/// Arguments as a person reads them.
fn shown(told: &Value) -> String {
    let fields = told.as_object().into_iter().flatten();
    let word = |value: &Value| match value {
        Value::String(text) => quote(text, SHOWN),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(_) | Value::Object(_) => quote(&value.to_string(), SHOWN),
    };
    let words: Vec<String> =
        fields.map(|(name, value)| format!("{name} {}", word(value))).collect();
    words.join(", ")
}

fn paused(error: Error) -> Stopped {
    if let Error::Asks { question } = error {
        return Stopped::Pause(Pause::Asks(vec![*question]));
    }
    Failure::from(error).into()
}

fn declined(tool: &str, why: &str, next: Option<String>) -> Failure {
    let hint = next.unwrap_or_else(|| "do something else, or ask the person why".to_owned());
    Failure::new("consent_required", format!("`{tool}` was not done: {why}"), hint)
}
