//! `await`: wait for operations and show what they came to.

use std::time::{Duration, Instant};

use deskhand_run::Filter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::verbs::{command, operation_report::OperationReport};
use crate::{
    Context, Effect, Int, Line, Offer, Page, Result, Shown, Spec, Style, TaskSupport, Tool, Toolset,
};

pub(crate) struct Await;

/// How long to wait when nobody says.
const USUAL: i64 = 240;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Beginnings of tool names, separated by commas, such as `cargo,git`; everything when absent.
    tools: Option<String>,
    /// Ids of operations, separated by commas.
    #[serde(alias = "id")]
    operation_id: Option<String>,
    /// How long to wait; 240 when absent. The operations go on after it.
    timeout_seconds: Option<Int<1, 1_800>>,
}

/// What came of waiting.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Awaited {
    /// The operations that are over.
    ended: Vec<OperationReport>,
    /// Those that are not.
    running: Vec<OperationReport>,
}

impl Shown for Awaited {
    fn page(&self) -> Page {
        let mut page = Page::default();
        if self.ended.is_empty() && self.running.is_empty() {
            return page
                .line(Line::new().with(Style::Faint, "nothing runs, and nothing has ended"));
        }
        for one in &self.ended {
            if self.ended.len() > 1 || !self.running.is_empty() {
                page = page.line(one.headline());
            }
            page.blocks.extend(one.page().blocks);
        }
        for one in &self.running {
            page = page.line(one.headline());
        }
        if !self.running.is_empty() {
            let words = "still running: wait again, look with `operation_output`, or `cancel`";
            page = page.line(Line::new().with(Style::Faint, words));
        }
        page
    }

    fn succeeded(&self) -> bool {
        self.ended.iter().all(OperationReport::is_well)
    }
}

impl Tool for Await {
    const SPEC: Spec = Spec {
        name: "await",
        command: "",
        about: "Wait until operations have ended and show what they printed. Use it only when nothing \
                else is left to do: results are pushed without it.",
        effect: Effect::Observe,
        needs: &[],
    };
    const OFFER: Option<Offer> = Some(Offer {
        title: "Wait for operations",
        toolsets: &[Toolset::Cli],
        task: TaskSupport::Never,
    });
    type Args = Args;
    type Output = Awaited;

    fn run(cx: &Context<'_>, args: Args) -> Result<Awaited> {
        let filter = Filter::named(args.tools.as_deref(), args.operation_id.as_deref());
        let seconds = args.timeout_seconds.map_or(USUAL, Int::get).unsigned_abs();
        let until = Instant::now() + Duration::from_secs(seconds);
        let workshop = cx.workshop()?;
        let awaited = workshop.wait(&filter, until, &|| cx.stop.asked())?;
        let room = command::room(cx.door) / awaited.ended.len().max(1);
        Ok(Awaited {
            ended: awaited.ended.iter().map(|one| OperationReport::whole(one, room)).collect(),
            running: awaited.running.iter().map(|one| OperationReport::of(one.summary())).collect(),
        })
    }
}
