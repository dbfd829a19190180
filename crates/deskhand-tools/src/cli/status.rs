//! `status`: lists the operations and their progress.

use deskhand_run::OperationFilter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::verbs::command::OperationReport;
use crate::{
    Context, Effect, Offer, Render, Result, Style, StyledLine, StyledText, TaskSupport, Tool,
    ToolSpec, Toolset,
};

pub(crate) struct StatusTool;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Tool name prefixes, separated by commas (default: all operations).
    tools: Option<String>,
    /// Operation ids, separated by commas.
    #[serde(alias = "id")]
    operation_id: Option<String>,
}

/// The selected operations.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OperationList {
    /// The sandbox scope.
    scope: String,
    /// In start order. Ended operations stay listed until they expire.
    operations: Vec<OperationReport>,
}

impl Render for OperationList {
    fn render(&self) -> StyledText {
        let mut page = StyledText::default();
        page = page.line(StyledLine::new().with(Style::Faint, format!("scope {}", self.scope)));
        if self.operations.is_empty() {
            page = page.line(StyledLine::new().with(Style::Faint, "no operations"));
        }
        self.operations.iter().fold(page, |page, one| page.line(one.headline()))
    }
}

impl Tool for StatusTool {
    const SPEC: ToolSpec = ToolSpec {
        name: "status",
        command: "",
        about: "Show the progress of operations without waiting.",
        effect: Effect::Observe,
        needs: &[],
    };
    const OFFER: Option<Offer> = Some(Offer {
        title: "Show operation status",
        toolsets: &[Toolset::Cli],
        task: TaskSupport::Never,
    });
    type Args = Args;
    type Output = OperationList;

    fn run(cx: &Context<'_>, args: Args) -> Result<OperationList> {
        let workshop = cx.command_session()?;
        let filter = OperationFilter::parse(args.tools.as_deref(), args.operation_id.as_deref());
        let operations = workshop.operations(&filter)?;
        Ok(OperationList {
            scope: workshop.scope().display().to_string(),
            operations: operations
                .iter()
                .map(|one| OperationReport::from_summary(one.summary()))
                .collect(),
        })
    }
}
