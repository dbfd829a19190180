//! `ax_wait_idle`: waits until an app is idle.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::core_task;
use crate::{Context, Effect, Int, Offer, Requirement, Result, Tool, ToolSpec, verbs};

pub(crate) struct AxWaitIdle;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Name, alias or pid
    app: String,
    /// Maximum time to wait
    #[serde(default = "five_seconds")]
    timeout_ms: Int<0, 600_000>,
    /// Poll interval
    #[serde(default = "a_moment")]
    poll_ms: Int<10, 10_000>,
}

fn five_seconds() -> Int<0, 600_000> {
    Int::of(5_000)
}

fn a_moment() -> Int<10, 10_000> {
    Int::of(100)
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct IdleResult {
    idle: bool,
    waited_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    busy_with: Option<String>,
}

impl Tool for AxWaitIdle {
    const SPEC: ToolSpec = ToolSpec {
        name: "ax_wait_idle",
        command: "",
        about: "Wait until an app is idle.",
        effect: Effect::Await,
        needs: &[Requirement::Tree],
    };
    const OFFER: Option<Offer> = core_task("Wait for application idle");
    type Args = Args;
    type Output = IdleResult;

    fn run(cx: &Context<'_>, args: Args) -> Result<IdleResult> {
        let app = verbs::app::resolve_app(cx, Some(&args.app))?;
        let time = |ms: usize| Duration::from_millis(ms as u64);
        let (timeout, poll) = (time(args.timeout_ms.count()), time(args.poll_ms.count()));
        let rest = verbs::idle::wait_until_idle(cx, &app, timeout, poll)?;
        Ok(IdleResult {
            idle: rest.busy_with.is_none(),
            waited_ms: rest.waited.as_millis() as u64,
            busy_with: rest.busy_with,
        })
    }
}
