//! `cancel`: ends an operation and every process it started.

use deskhand_run::operation::CancelOutcome;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::verbs::command::OperationReport;
use crate::{
    Context, Effect, Offer, Render, Result, Style, StyledLine, StyledText, TaskSupport, Tool,
    ToolSpec, Toolset,
};

pub(crate) struct CancelTool;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The operation id.
    #[serde(alias = "id")]
    operation_id: String,
    /// The reason, shown in the operation's result.
    reason: Option<String>,
}

/// The result of a cancellation.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CancelResult {
    /// `true` if this call ended the operation, `false` if it had already ended.
    cancelled: bool,
    /// The operation.
    operation: OperationReport,
}

impl Render for CancelResult {
    fn render(&self) -> StyledText {
        let words = if self.cancelled {
            "ended, including every process it started"
        } else {
            "it had already ended"
        };
        StyledText::default()
            .line(self.operation.headline())
            .line(StyledLine::new().with(Style::Plain, words))
    }
}

impl Tool for CancelTool {
    const SPEC: ToolSpec = ToolSpec {
        name: "cancel",
        command: "",
        about: "End an operation and every process it started. Its output stays available.",
        effect: Effect::Prepare { repeatable: true },
        needs: &[],
    };
    const OFFER: Option<Offer> = Some(Offer {
        title: "End an operation",
        toolsets: &[Toolset::Cli],
        task: TaskSupport::Never,
    });
    type Args = Args;
    type Output = CancelResult;

    fn run(cx: &Context<'_>, args: Args) -> Result<CancelResult> {
        let operation = cx.command_session()?.operation(args.operation_id.trim())?;
        let why = args.reason.unwrap_or_else(|| "cancelled by the caller".to_owned());
        let cancelled = match operation.cancel(&why) {
            CancelOutcome::Cancelled => true,
            CancelOutcome::AlreadyFinished(_) => false,
        };
        Ok(CancelResult {
            cancelled,
            operation: OperationReport::from_summary(operation.summary()),
        })
    }
}
