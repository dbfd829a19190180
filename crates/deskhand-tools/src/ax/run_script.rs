//! `ax_run_script`: runs a script after the user has reviewed it.

use std::time::Duration;

use deskhand_run::{mtdf::Mode, operation::Job};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Int, Offer, Result, Reviewed, Said, Script, TaskSupport, Tool, ToolSpec,
    Toolset,
    verbs::{
        command,
        operation_report::OperationReport,
        script::{self, Language, Refused},
    },
};

pub(crate) struct AxRunScript;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Source text; the user may be asked to review it
    script: String,
    /// applescript where available, else shell; javascript is gjs on Linux
    language: Option<Language>,
    /// Timeout, unless the user sets another
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
        let (language, runner) = script::language(args.language)?;
        script::reviewable(&args.script)?;
        // Progress is optional: a caller that no longer listens changes nothing.
        let _heard = (cx.listener)(Said::progress(0.0, None, "checking the script"));
        script::check(cx, Self::SPEC.name, runner, &args.script)?;
        let asked = Duration::from_millis(args.timeout_ms.count() as u64);
        let reviewed = cx.warden.review(&Script {
            language: language.word(),
            text: &args.script,
            timeout: asked,
        })?;
        let timeout = match reviewed {
            Reviewed::Unasked => asked,
            Reviewed::Approved { timeout } => timeout.unwrap_or(asked),
            Reviewed::Refused { why, next } => return Err(Refused::Declined { why, next }.into()),
        };
        let job = Job {
            tool: Self::SPEC.name.to_owned(),
            title: args.script.lines().next().unwrap_or_default().to_owned(),
            work: script::work(language, runner, args.script),
            timeout: Some(timeout),
        };
        // Progress is optional: a caller that no longer listens changes nothing.
        let _heard = (cx.listener)(Said::progress(1.0, None, "running the script"));
        command::run(cx, job, Mode::Synchronous)
    }
}
