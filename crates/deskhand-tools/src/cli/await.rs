//! `await`: waits for operations and returns their results.

use std::time::{Duration, Instant};

use deskhand_run::OperationFilter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::verbs::{command, command::OperationReport};
use crate::{
    Context, Effect, Int, Offer, Render, Result, Style, StyledLine, StyledText, TaskSupport, Tool,
    ToolSpec, Toolset,
};

pub(crate) struct AwaitTool;

/// The default timeout.
const USUAL: i64 = 240;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Tool name prefixes, separated by commas, such as `cargo,git` (default: all operations).
    tools: Option<String>,
    /// Operation ids, separated by commas.
    #[serde(alias = "id")]
    operation_id: Option<String>,
    /// Seconds to wait (default: 240). The operations continue afterwards.
    timeout_seconds: Option<Int<1, 1_800>>,
}

/// The result of waiting.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AwaitResult {
    /// Operations that have ended.
    ended: Vec<OperationReport>,
    /// Operations that are still running.
    running: Vec<OperationReport>,
}

impl Render for AwaitResult {
    fn render(&self) -> StyledText {
        let mut page = StyledText::default();
        if self.ended.is_empty() && self.running.is_empty() {
            return page.line(StyledLine::new().with(Style::Faint, "no operations"));
        }
        for one in &self.ended {
            if self.ended.len() > 1 || !self.running.is_empty() {
                page = page.line(one.headline());
            }
            page.blocks.extend(one.render().blocks);
        }
        for one in &self.running {
            page = page.line(one.headline());
        }
        if !self.running.is_empty() {
            let words = "still running: call `await` again, read with `operation_output`, or \
                         `cancel`";
            page = page.line(StyledLine::new().with(Style::Faint, words));
        }
        page
    }

    fn succeeded(&self) -> bool {
        self.ended.iter().all(OperationReport::is_ok)
    }
}

impl Tool for AwaitTool {
    const SPEC: ToolSpec = ToolSpec {
        name: "await",
        command: "",
        about: "Wait until operations end and return their output. Call it only when you have \
                nothing else to do: results are pushed without it.",
        effect: Effect::Observe,
        needs: &[],
    };
    const OFFER: Option<Offer> = Some(Offer {
        title: "Wait for operations",
        toolsets: &[Toolset::Cli],
        task: TaskSupport::Never,
    });
    type Args = Args;
    type Output = AwaitResult;

    fn run(cx: &Context<'_>, args: Args) -> Result<AwaitResult> {
        let filter = OperationFilter::parse(args.tools.as_deref(), args.operation_id.as_deref());
        let seconds = args.timeout_seconds.map_or(USUAL, Int::get).unsigned_abs();
        let until = Instant::now() + Duration::from_secs(seconds);
        let workshop = cx.command_session()?;
        let awaited = workshop.wait(&filter, until, &|| cx.cancel.is_cancelled())?;
        let room = command::max_output_bytes(cx.origin) / awaited.finished.len().max(1);
        Ok(AwaitResult {
            ended: awaited
                .finished
                .iter()
                .map(|one| OperationReport::with_output(one, room))
                .collect(),
            running: awaited
                .running
                .iter()
                .map(|one| OperationReport::from_summary(one.summary()))
                .collect(),
        })
    }
}
