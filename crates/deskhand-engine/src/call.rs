//! The pipeline.

use std::{path::PathBuf, time::Duration};

use deskhand_model::{Delivery, Explain};
use deskhand_platform::{Deadline, Desktop};
use deskhand_tools::{Answer, Context, Effect, Form, Memory, Said};
use serde_json::Value;

use crate::{Catalogue, Failure};

/// One call, from any door.
#[derive(Debug)]
pub struct Call {
    /// The tool's name.
    pub tool: String,
    /// Its arguments, not yet looked at.
    pub arguments: Value,
    /// The form of the answer the door will show.
    pub form: Form,
}

/// What a call came to.
pub type Reply = Result<Answer, Failure>;

/// Runs calls on one desktop.
pub struct Engine {
    desktop: Desktop,
    catalogue: Catalogue,
    refs: PathBuf,
    memory: Memory,
    patience: Option<Duration>,
}

/// How long a look may take.
const TO_LOOK: Duration = Duration::from_secs(2);

/// How long an action may wait until its element is ready for it.
const TO_BE_READY: Duration = Duration::from_secs(5);

/// How long a program may take to start; large ones take long on a busy machine.
const TO_START: Duration = Duration::from_secs(30);

impl Engine {
    /// An engine on an open desktop; `refs` is where refs are kept between calls, `patience` is how
    /// long one call may look, or wait for its element, where the usual time is not meant.
    pub fn new(desktop: Desktop, refs: PathBuf, patience: Option<Duration>) -> Self {
        Self { desktop, catalogue: Catalogue::all(), refs, memory: Memory::default(), patience }
    }

    /// Runs one call. What the tool says on the way goes to the listener, which answers whether it
    /// still wants to hear more.
    pub fn call(&self, call: Call, listener: &(dyn Fn(Said) -> bool + Sync)) -> Reply {
        let entry = self.catalogue.get(&call.tool).ok_or_else(|| Failure {
            code: "unknown_tool".to_owned(),
            message: format!("there is no tool called `{}`", call.tool),
            hint: Some("`deskhand --help` lists them".to_owned()),
            delivery: Some(Delivery::NotSent),
        })?;
        if let Some(need) = entry.spec.needs.iter().find(|need| !need.met_by(&self.desktop)) {
            let lacking = Failure {
                code: "unimplemented".to_owned(),
                message: format!("this desktop cannot serve `{}`: it lacks {need:?}", call.tool),
                hint: Some("run it on a desktop with an X server".to_owned()),
                delivery: None,
            };
            return Err(lacking.before(entry.spec.effect));
        }
        let usual = match entry.spec.effect {
            Effect::Observe => TO_LOOK,
            Effect::Act { .. } | Effect::Destroy => TO_BE_READY,
            Effect::Execute => TO_START,
        };
        let context = Context {
            desktop: &self.desktop,
            refs: &self.refs,
            memory: &self.memory,
            by: Deadline::after(self.patience.unwrap_or(usual)),
            form: call.form,
            listener,
        };
        entry.run(&context, call.arguments).map_err(|error| {
            let delivery = (!entry.spec.effect.is_look()).then(|| error.delivery());
            Failure { delivery, ..Failure::from(error) }
        })
    }
}
