//! The pipeline.

use std::{path::PathBuf, time::Duration};

use deskhand_platform::{Deadline, Desktop};
use deskhand_tools::{Answer, Context, Form, Said};
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
    patience: Duration,
}

impl Engine {
    /// An engine on an open desktop; `refs` is where refs are kept between calls, `patience` is how
    /// long one call may take.
    pub fn new(desktop: Desktop, refs: PathBuf, patience: Duration) -> Self {
        Self { desktop, catalogue: Catalogue::all(), refs, patience }
    }

    /// Runs one call. What the tool says on the way goes to the listener, which answers whether it
    /// still wants to hear more.
    pub fn call(&self, call: Call, listener: &(dyn Fn(Said) -> bool + Sync)) -> Reply {
        let entry = self.catalogue.get(&call.tool).ok_or_else(|| Failure {
            code: "unknown_tool".to_owned(),
            message: format!("there is no tool called `{}`", call.tool),
            hint: Some("`deskhand --help` lists them".to_owned()),
        })?;
        if let Some(need) = entry.spec.needs.iter().find(|need| !need.met_by(&self.desktop)) {
            return Err(Failure {
                code: "unimplemented".to_owned(),
                message: format!("this desktop cannot serve `{}`: it lacks {need:?}", call.tool),
                hint: Some("run it on a desktop with an X server".to_owned()),
            });
        }
        let context = Context {
            desktop: &self.desktop,
            refs: &self.refs,
            by: Deadline::after(self.patience),
            form: call.form,
            listener,
        };
        Ok(entry.run(&context, call.arguments)?)
    }
}
