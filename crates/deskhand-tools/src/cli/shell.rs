//! `sandboxed_shell`: run a shell command in the scope.

use deskhand_run::{
    mtdf::Mode,
    operation::{Job, Work},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Seconds, duration};
use crate::{
    Context, Effect, Offer, Result, Spec, TaskSupport, Tool, Toolset,
    verbs::{command, operation_report::OperationReport},
};

pub(crate) struct Shell;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// What `sh` runs: a command, a pipeline, or a whole script with here-documents.
    command: String,
    /// The folder to begin in, inside the scope; the scope itself when absent.
    working_directory: Option<String>,
    /// Whether to answer when the command has ended, or at once with the result pushed later (usual).
    execution_mode: Option<Mode>,
    /// How long it may run.
    timeout_seconds: Option<Seconds>,
}

impl Tool for Shell {
    const SPEC: Spec = Spec {
        name: "sandboxed_shell",
        command: "shell",
        about: "Run a shell command inside the scope: it can read and write there, read the system, and \
                nothing else. Both output streams come back in order. Runs in the background unless told \
                otherwise: go on with other work, the result is pushed.",
        effect: Effect::Command,
        needs: &[],
    };
    const OFFER: Option<Offer> = Some(Offer {
        title: "Run a shell command",
        toolsets: &[Toolset::Cli],
        task: TaskSupport::Optional,
    });
    type Args = Args;
    type Output = OperationReport;

    fn run(cx: &Context<'_>, args: Args) -> Result<OperationReport> {
        let job = Job {
            tool: Self::SPEC.name.to_owned(),
            title: args.command.lines().next().unwrap_or_default().to_owned(),
            work: Work::Shell {
                script: args.command,
                folder: args.working_directory.unwrap_or_default().into(),
            },
            timeout: duration(args.timeout_seconds),
        };
        command::run(cx, job, args.execution_mode.unwrap_or(Mode::AsyncResultPush))
    }
}
