//! Tools from definition files.

use std::sync::Arc;

use deskhand_run::{
    mtdf::{CommandTool, ExecutionMode},
    operation::{OperationSpec, Work},
};
use serde_json::Value;

use crate::verbs::{command, command::OperationReport};
use crate::{
    Context, DynamicTool, Effect, Result, TaskSupport, ToolEntry, ToolOutput, Toolset, WaitMode,
    redact, schema,
};

struct DefinedTool {
    callable: Arc<CommandTool>,
    pace: WaitMode,
}

/// Creates a tool from a definition. If every call runs synchronously, the tool does not offer
/// another mode.
pub fn defined(callable: Arc<CommandTool>, pace: WaitMode) -> ToolEntry {
    ToolEntry::dynamic(Arc::new(DefinedTool { callable, pace }))
}

impl DynamicTool for DefinedTool {
    fn name(&self) -> &str {
        &self.callable.name
    }

    fn title(&self) -> &str {
        &self.callable.title
    }

    fn description(&self) -> &str {
        match self.pace {
            WaitMode::Default => &self.callable.description,
            WaitMode::UntilDone => &self.callable.summary,
        }
    }

    fn effect(&self) -> Effect {
        Effect::Command
    }

    fn toolsets(&self) -> &'static [Toolset] {
        &[Toolset::Cli]
    }

    fn task_support(&self) -> TaskSupport {
        TaskSupport::Optional
    }

    fn full_input_schema(&self) -> Value {
        self.callable.schema()
    }

    fn full_output_schema(&self) -> Value {
        schema::answered::<OperationReport>()
    }

    fn redacted_args(&self, arguments: &Value) -> Value {
        let schema = self.callable.schema();
        let fields = schema["properties"].as_object().into_iter().flatten();
        let names: Vec<String> = fields.map(|(name, _)| name.clone()).collect();
        redact::redact(&[], &names, arguments, || crate::TerminalInput::Secret)
    }

    fn run(&self, cx: &Context<'_>, arguments: Value) -> Result<ToolOutput> {
        let planned = self.callable.plan(&arguments, cx.command_session()?.scope())?;
        let declared = match self.callable.synchronous {
            Some(true) => ExecutionMode::Synchronous,
            Some(false) | None => ExecutionMode::AsyncResultPush,
        };
        let job = OperationSpec {
            tool: self.callable.name.clone(),
            title: self.callable.title.clone(),
            work: Work::Steps(planned.steps),
            timeout: planned.timeout,
        };
        let mut report = command::run_job(cx, job, planned.mode.unwrap_or(declared))?;
        if let (true, Some(words)) = (report.could_not_start(), &self.callable.install_instructions)
        {
            report.set_next(words);
        }
        ToolOutput::new(report)
    }
}
