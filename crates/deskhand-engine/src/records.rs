//! What is recorded of a call: in the journal, and at the door for whoever follows along.

use std::ops::Deref;

use deskhand_model::{Delivery, Explain};
use deskhand_tools::{Door, Effect, Said, Weight};
use serde_json::{Value, json};

use crate::{
    Call, Failure, Gate, afterwards,
    consent::{MODEL_ASKED, Noted},
    journal::{Begun, Ended, Open, REFUSALS, Target},
    reply::{Reply, Stopped},
};

/// The arguments of a call without anything that was typed, made when somebody wants to read them.
pub(crate) type Told<'a> = &'a dyn Deref<Target = Value>;

/// What is recorded of one call.
pub(crate) struct Records<'a> {
    /// The gate.
    pub(crate) gate: &'a Gate,
    /// The call.
    pub(crate) call: &'a Call,
    /// Its arguments.
    pub(crate) told: Told<'a>,
    /// Hears the records.
    pub(crate) listener: &'a (dyn Fn(Said) -> bool + Sync),
}

impl Records<'_> {
    /// Records that a call is about to run, where it changes something.
    ///
    /// # Errors
    ///
    /// When it cannot be recorded: then it must not run.
    pub(crate) fn begin(&self, effect: Effect) -> Result<Option<Open>, Failure> {
        if !effect.mutates() || self.call.door == Door::Own {
            return Ok(None);
        }
        let begun = self.gate.journal.begin(self.begun(Target::default()));
        begun.map(Some).map_err(|error| {
            let failure = Failure::from(error).before(effect);
            self.tell(&failure.code, Weight::Alarm, &Noted::default(), &json!({}));
            failure
        })
    }

    /// Records that a call was not let through, and hands its failure on.
    pub(crate) fn refused(&self, failure: Failure, noted: &Noted) -> Failure {
        if self.call.door == Door::Own {
            return failure;
        }
        tracing::debug!(tool = self.call.tool, code = failure.code, "a call was refused");
        let target = target(noted);
        // A refusal stands whether or not it can be recorded.
        let _ = self.gate.journal.refused(self.begun(target), &failure.code, &noted.flags);
        self.tell(&failure.code, Weight::Alarm, noted, &json!({}));
        failure
    }

    /// Records what a call came to.
    pub(crate) fn end(&self, open: Option<Open>, mut reply: Reply, noted: &Noted) -> Reply {
        let (result, effect, delivery) = outcome(&reply, noted);
        tracing::debug!(tool = self.call.tool, door = ?self.call.door, result, "a call ended");
        let is_refusal = REFUSALS.contains(&result.as_str());
        match open {
            Some(open) => {
                let ended = open.end(Ended {
                    result: &result,
                    effect: effect.as_deref(),
                    delivery,
                    target: target(noted),
                    flags: &noted.flags,
                });
                let more = json!({ "effect": effect, "delivery": delivery });
                if is_refusal {
                    self.counts_twice();
                }
                let weight = if is_refusal { Weight::Alarm } else { Weight::Record };
                // A call that waits for an answer is told of when it is made again.
                if !matches!(reply, Err(Stopped::Pause(_))) {
                    self.tell(&result, weight, noted, &more);
                }
                if let (Err(error), Ok(answer)) = (ended, &mut reply) {
                    let hint = error.hint().unwrap_or_default();
                    let words =
                        format!("done, but the end of its record is missing: {error}; {hint}");
                    answer.warnings.push(words);
                }
            }
            None if is_refusal => {
                if let Err(Stopped::Failure(failure)) = reply {
                    self.counts_twice();
                    return Err(self.refused(failure, noted).into());
                }
            }
            None if noted.flags.contains(&MODEL_ASKED) => {
                let ended = Ended {
                    result: &result,
                    effect: effect.as_deref(),
                    delivery,
                    target: target(noted),
                    flags: &noted.flags,
                };
                let begun = self.gate.journal.begin(self.begun(target(noted)));
                let written = begun.and_then(|open| open.end(ended));
                if let (Err(error), Ok(answer)) = (written, &mut reply) {
                    answer.warnings.push(format!("a model was asked, without a record: {error}"));
                }
            }
            None => {}
        }
        reply
    }

    /// Who knocks at a closed door counts twice.
    fn counts_twice(&self) {
        // One too many is told to the next call.
        let _ = self.gate.limits.admit(&self.call.caller());
    }

    fn begun<'b>(&'b self, target: Target<'b>) -> Begun<'b> {
        Begun {
            principal: self.call.principal.as_deref(),
            session: self.call.session.word(),
            door: afterwards::word(self.call.door),
            tool: &self.call.tool,
            args: self.told,
            target,
        }
    }

    /// Tells the door; one that is gone misses nothing the journal has not.
    fn tell(&self, result: &str, weight: Weight, noted: &Noted, more: &Value) {
        let mut record = json!({ "tool": self.call.tool, "args": **self.told, "result": result });
        for name in ["app", "query"] {
            if let Some(value) = self.told.get(name) {
                record[name] = value.clone();
            }
        }
        for (name, value) in more.as_object().into_iter().flatten() {
            if !value.is_null() {
                record[name] = value.clone();
            }
        }
        if let Some(aim) = &noted.aim {
            record["target"] = json!({ "app": aim.app, "role": aim.role, "title": aim.title });
            if let Some(position) = aim.position {
                record["target"]["position"] = json!(position);
            }
        }
        if !noted.flags.is_empty() {
            record["security_flags"] = json!(noted.flags);
        }
        if let Some(confirmed) = noted.confirmed {
            record["confirmed"] = json!(confirmed);
        }
        let _heard = (self.listener)(Said::record(record, weight));
    }
}

/// What a call came to in one word, what it did, and whether it was sent.
fn outcome(reply: &Reply, noted: &Noted) -> (String, Option<String>, Option<Delivery>) {
    let declined = (noted.confirmed == Some(false)).then(|| "elicitation_declined".to_owned());
    match reply {
        Ok(answer) => {
            let data = &answer.data;
            let effect = data["effect"].as_str().or_else(|| data["status"].as_str());
            let effect = effect.map(str::to_owned);
            // A tool that was not given leave to act has an answer and has done nothing.
            let refused = noted.unasked && effect.as_deref() == Some("refused");
            let refused = refused.then(|| "consent_required".to_owned());
            let result = declined.or(refused);
            let delivery = result.is_some().then_some(Delivery::NotSent);
            (result.unwrap_or_else(|| "ok".to_owned()), effect, delivery)
        }
        Err(Stopped::Failure(failure)) if declined.is_some() => {
            (declined.unwrap_or_default(), None, failure.delivery)
        }
        Err(Stopped::Failure(failure)) => (failure.code.clone(), None, failure.delivery),
        Err(Stopped::Pause(_)) => ("input_required".to_owned(), None, Some(Delivery::NotSent)),
    }
}

fn target(noted: &Noted) -> Target<'_> {
    match &noted.aim {
        Some(aim) => Target {
            app: Some(&aim.app),
            role: Some(&aim.role),
            title: Some(&aim.title),
            position: aim.position,
        },
        None => Target::default(),
    }
}
