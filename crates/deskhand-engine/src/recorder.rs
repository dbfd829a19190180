//! Records a call in the audit log, and sends the record to the caller as a progress event.

use std::ops::Deref;

use deskhand_model::{Delivery, Explain};
use deskhand_tools::{Effect, spell_advice};
use deskhand_verbs::{Origin, ProgressEvent, Severity};
use serde_json::{Value, json};

use crate::{
    Call, CallFailure, Gate,
    audit_log::{CallEnd, CallStart, CallTarget, OpenCall, REFUSAL_CODES},
    background,
    consent::{CallNotes, MODEL_ASKED},
    outcome::{CallError, CallResult},
};

/// The arguments of a call without typed text. They are computed on first use.
pub(crate) type RedactedArgs<'a> = &'a dyn Deref<Target = Value>;

/// Records one call.
pub(crate) struct CallRecorder<'a> {
    /// The gate with the audit log.
    pub(crate) gate: &'a Gate,
    /// The call.
    pub(crate) call: &'a Call,
    /// Its arguments.
    pub(crate) redacted_args: RedactedArgs<'a>,
    /// Receives the records.
    pub(crate) progress: &'a (dyn Fn(ProgressEvent) -> bool + Sync),
}

impl CallRecorder<'_> {
    /// Records the start of a call that changes something.
    ///
    /// # Errors
    ///
    /// If the audit log cannot be written; the call must not run.
    pub(crate) fn record_start(&self, effect: Effect) -> Result<Option<OpenCall>, CallFailure> {
        if !effect.mutates() || self.call.origin == Origin::Internal {
            return Ok(None);
        }
        let open = self.gate.audit_log.begin(self.start(CallTarget::default()));
        open.map(Some).map_err(|error| {
            let failure = CallFailure::of_error(&error, self.call.origin).before_run(effect);
            self.notify(&failure.code, Severity::Refusal, &CallNotes::default(), &json!({}));
            failure
        })
    }

    /// Records a refused call and returns its failure.
    pub(crate) fn record_refusal(&self, failure: CallFailure, notes: &CallNotes) -> CallFailure {
        if self.call.origin == Origin::Internal {
            return failure;
        }
        tracing::debug!(tool = self.call.tool.name(), code = failure.code, "call refused");
        // The call is refused even if that cannot be recorded.
        let _ = self.gate.audit_log.refused(self.start(target(notes)), &failure.code, &notes.flags);
        self.notify(&failure.code, Severity::Refusal, notes, &json!({}));
        failure
    }

    /// Records the end of a call.
    pub(crate) fn record_end(
        &self,
        open: Option<OpenCall>,
        mut reply: CallResult,
        notes: &CallNotes,
    ) -> CallResult {
        let (result, effect, delivery) = outcome(&reply, notes);
        tracing::debug!(tool = self.call.tool.name(), origin = ?self.call.origin, result, "call ended");
        let is_refusal = REFUSAL_CODES.contains(&result.as_str());
        let end = CallEnd {
            result: &result,
            effect: effect.as_deref(),
            delivery,
            target: target(notes),
            flags: &notes.flags,
        };
        match open {
            Some(open) => {
                let written = open.end(end);
                if is_refusal {
                    self.charge_refusal();
                }
                let weight = if is_refusal { Severity::Refusal } else { Severity::Audit };
                // A call that waits for an answer is reported when it is made again.
                if !matches!(reply, Err(CallError::Pause(_))) {
                    let more = json!({ "effect": effect, "delivery": delivery });
                    self.notify(&result, weight, notes, &more);
                }
                if let (Err(error), Ok(answer)) = (written, &mut reply) {
                    let advice = error.advice().unwrap_or_default();
                    let hint = spell_advice(&advice, self.call.origin);
                    answer.warnings.push(format!(
                        "the call succeeded, but its end is not in the audit log: {error}; {hint}"
                    ));
                }
            }
            None if is_refusal => {
                if let Err(CallError::Failure(failure)) = reply {
                    self.charge_refusal();
                    return Err(self.record_refusal(failure, notes).into());
                }
            }
            None if notes.flags.contains(&MODEL_ASKED) => {
                let open = self.gate.audit_log.begin(self.start(target(notes)));
                let written = open.and_then(|open| open.end(end));
                if let (Err(error), Ok(answer)) = (written, &mut reply) {
                    answer.warnings.push(format!(
                        "a model received data, but that is not in the audit log: {error}"
                    ));
                }
            }
            None => {}
        }
        reply
    }

    /// Counts a refused call a second time against the rate limit.
    fn charge_refusal(&self) {
        // If this exceeds the limit, the next call is refused.
        let _ = self.gate.limits.admit(&self.call.caller());
    }

    fn start<'b>(&'b self, target: CallTarget<'b>) -> CallStart<'b> {
        CallStart {
            principal: self.call.principal.as_deref(),
            session: self.call.session.name(),
            origin: background::origin_name(self.call.origin),
            tool: self.call.tool.name(),
            args: self.redacted_args,
            target,
        }
    }

    /// Sends a record to the caller. A caller that is gone misses nothing: the audit log has it.
    fn notify(&self, result: &str, weight: Severity, notes: &CallNotes, more: &Value) {
        let args = self.redacted_args;
        let mut record = json!({ "tool": self.call.tool.name(), "args": **args, "result": result });
        for name in ["app", "query"] {
            if let Some(value) = args.get(name) {
                record[name] = value.clone();
            }
        }
        for (name, value) in more.as_object().into_iter().flatten() {
            if !value.is_null() {
                record[name] = value.clone();
            }
        }
        if let Some(target) = &notes.target {
            record["target"] =
                json!({ "app": target.app, "role": target.role, "title": target.title });
            if let Some(position) = target.position {
                record["target"]["position"] = json!(position);
            }
        }
        if !notes.flags.is_empty() {
            record["security_flags"] = json!(notes.flags);
        }
        if let Some(confirmed) = notes.confirmed {
            record["confirmed"] = json!(confirmed);
        }
        let _still_listening = (self.progress)(ProgressEvent::audit(record, weight));
    }
}

/// Returns the result code, the effect and the delivery of a call.
fn outcome(reply: &CallResult, notes: &CallNotes) -> (String, Option<String>, Option<Delivery>) {
    let declined = (notes.confirmed == Some(false)).then(|| "elicitation_declined".to_owned());
    match reply {
        Ok(answer) => {
            let data = &answer.data;
            let effect = data["effect"].as_str().or_else(|| data["status"].as_str());
            let effect = effect.map(str::to_owned);
            // A tool without consent returns an answer, but has done nothing.
            let refused = notes.consent_unavailable && effect.as_deref() == Some("refused");
            let refused = refused.then(|| "consent_required".to_owned());
            let result = declined.or(refused);
            let delivery = result.is_some().then_some(Delivery::NotSent);
            (result.unwrap_or_else(|| "ok".to_owned()), effect, delivery)
        }
        Err(CallError::Failure(failure)) if declined.is_some() => {
            (declined.unwrap_or_default(), None, failure.delivery)
        }
        Err(CallError::Failure(failure)) => (failure.code.clone(), None, failure.delivery),
        Err(CallError::Pause(_)) => ("input_required".to_owned(), None, Some(Delivery::NotSent)),
    }
}

fn target(notes: &CallNotes) -> CallTarget<'_> {
    match &notes.target {
        Some(target) => CallTarget {
            app: Some(&target.app),
            role: Some(&target.role),
            title: Some(&target.title),
            position: target.position,
        },
        None => CallTarget::default(),
    }
}
