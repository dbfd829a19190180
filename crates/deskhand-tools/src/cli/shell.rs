//! `sandboxed_shell`: runs a shell command in the sandbox scope.

use deskhand_run::{
    mtdf::ExecutionMode,
    operation::{OperationSpec, Work},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Seconds, duration};
use crate::{
    Context, Effect, Offer, Result, TaskSupport, Tool, ToolSpec, Toolset,
    verbs::{command, command::OperationReport},
};

pub(crate) struct ShellTool;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The script for `sh`: a command, a pipeline, or several lines with here-documents.
    command: String,
    /// Working directory inside the scope (default: the scope itself).
    working_directory: Option<String>,
    /// Wait for the end of the command, or return at once and push the result later (default).
    execution_mode: Option<ExecutionMode>,
    /// Timeout in seconds.
    timeout_seconds: Option<Seconds>,
}

impl Tool for ShellTool {
    const SPEC: ToolSpec = ToolSpec {
        name: "sandboxed_shell",
        command: "shell",
        about: "Run a shell command in the sandbox. It can read and write the scope, read the \
                system, and nothing else. Output of both streams is returned in order. Over MCP \
                it runs in the background by default and the result is pushed; the CLI waits for \
                the end.",
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
        let job = OperationSpec {
            tool: Self::SPEC.name.to_owned(),
            title: args.command.lines().next().unwrap_or_default().to_owned(),
            work: Work::Shell {
                script: args.command,
                folder: args.working_directory.unwrap_or_default().into(),
            },
            timeout: duration(args.timeout_seconds),
        };
        command::run_job(cx, job, args.execution_mode.unwrap_or(ExecutionMode::AsyncResultPush))
    }
}
