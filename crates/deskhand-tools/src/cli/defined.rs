//! Tools from definition files.

use std::sync::Arc;

use deskhand_run::{
    mtdf::{Callable, Mode},
    operation::{Job, Work},
};
use serde_json::Value;

use crate::verbs::{command, operation_report::OperationReport};
use crate::{
    Answer, Context, Effect, Entry, Made, Pace, Result, TaskSupport, Toolset, private, schema,
};

struct Defined {
    callable: Arc<Callable>,
    pace: Pace,
}

/// Creates a tool from a definition. If every call runs synchronously, the tool does not offer
/// another mode.
pub fn defined(callable: Arc<Callable>, pace: Pace) -> Entry {
    Entry::made(Arc::new(Defined { callable, pace }))
}

impl Made for Defined {
    fn name(&self) -> &str {
        &self.callable.name
    }

    fn title(&self) -> &str {
        &self.callable.title
    }

    fn about(&self) -> &str {
        match self.pace {
            Pace::AsDeclared => &self.callable.about,
            Pace::ToTheEnd => &self.callable.summary,
        }
    }

    fn effect(&self) -> Effect {
        Effect::Command
    }

    fn toolsets(&self) -> &'static [Toolset] {
        &[Toolset::Cli]
    }

    fn task(&self) -> TaskSupport {
        TaskSupport::Optional
    }

    fn arguments(&self) -> Value {
        self.callable.schema()
    }

    fn output(&self) -> Value {
        schema::answered::<OperationReport>()
    }

    fn told(&self, arguments: &Value) -> Value {
        let schema = self.callable.schema();
        let fields = schema["properties"].as_object().into_iter().flatten();
        let names: Vec<String> = fields.map(|(name, _)| name.clone()).collect();
        private::told(&[], &names, arguments, || crate::TerminalInput::Secret)
    }

    fn run(&self, cx: &Context<'_>, arguments: Value) -> Result<Answer> {
        let planned = self.callable.plan(&arguments, cx.workshop()?.scope())?;
        let declared = match self.callable.synchronous {
            Some(true) => Mode::Synchronous,
            Some(false) | None => Mode::AsyncResultPush,
        };
        let job = Job {
            tool: self.callable.name.clone(),
            title: self.callable.title.clone(),
            work: Work::Steps(planned.steps),
            timeout: planned.timeout,
        };
        let mut told = command::run(cx, job, planned.mode.unwrap_or(declared))?;
        if let (true, Some(words)) = (told.could_not_start(), &self.callable.install_instructions) {
            told.advise(words);
        }
        Answer::of(told)
    }
}
