//! `ax_run_script`: runs a script after the user has reviewed it.

use std::time::Duration;

use deskhand_run::{mtdf::ExecutionMode, operation::OperationSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Int, Offer, ProgressEvent, Result, ScriptRequest, ScriptReview, TaskSupport,
    Tool, ToolSpec, Toolset,
    verbs::{
        command,
        command::OperationReport,
        script::{self, ScriptError, ScriptLanguage},
    },
};

pub(crate) struct AxRunScript;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Source text; the user may be asked to review it
    script: String,
    /// applescript where available, else shell; javascript is gjs on Linux
    language: Option<ScriptLanguage>,
    /// Timeout in milliseconds; the user can change it when reviewing the script
    #[serde(default = "ten_seconds")]
    timeout_ms: Int<1, 3_600_000>,
}

fn ten_seconds() -> Int<1, 3_600_000> {
    Int::of(10_000)
}

impl Tool for AxRunScript {
    const SPEC: ToolSpec = ToolSpec {
        name: "ax_run_script",
        command: "",
        about: "Run a script in the sandbox and return its output and exit code. Scripts can \
                compute and use files in the scope; they cannot reach apps or windows.",
        effect: Effect::Script,
        needs: &[],
    };
    const OFFER: Option<Offer> = Some(Offer {
        title: "Run a script",
        toolsets: &[Toolset::Ax],
        task: TaskSupport::Optional,
    });
    type Args = Args;
    type Output = OperationReport;

    fn run(cx: &Context<'_>, args: Args) -> Result<OperationReport> {
        let (language, runner) = script::choose_language(args.language)?;
        script::check_reviewable(&args.script)?;
        // Progress is optional: a caller that no longer listens changes nothing.
        let _heard = (cx.progress)(ProgressEvent::progress(0.0, None, "checking the script"));
        script::check_syntax(cx, Self::SPEC.name, runner, &args.script)?;
        let asked = Duration::from_millis(args.timeout_ms.count() as u64);
        let reviewed = cx.consent.review_script(&ScriptRequest {
            language: language.word(),
            text: &args.script,
            timeout: asked,
        })?;
        let timeout = match reviewed {
            ScriptReview::NotRequired => asked,
            ScriptReview::Approved { timeout } => timeout.unwrap_or(asked),
            ScriptReview::Refused { why, next } => {
                return Err(ScriptError::Declined { why, next }.into());
            }
        };
        let job = OperationSpec {
            tool: Self::SPEC.name.to_owned(),
            title: args.script.lines().next().unwrap_or_default().to_owned(),
            work: script::build_work(language, runner, args.script),
            timeout: Some(timeout),
        };
        // Progress is optional: a caller that no longer listens changes nothing.
        let _heard = (cx.progress)(ProgressEvent::progress(1.0, None, "running the script"));
        command::run_job(cx, job, ExecutionMode::Synchronous)
    }
}
