//! Advice in the vocabulary of the CLI: commands and flags.

use std::borrow::Cow;

use deskhand_model::{Advice, Step};

/// Spells advice for callers of the CLI.
pub(crate) fn spell(advice: &Advice) -> String {
    advice.spell(spell_step)
}

fn spell_step(step: &Step) -> Cow<'static, str> {
    Cow::Borrowed(match step {
        Step::ReadTree { pid: None } => "`deskhand tree`",
        Step::ReadTree { pid: Some(pid) } => return format!("`deskhand tree --app {pid}`").into(),
        Step::ReadAttributes => "`deskhand attributes REF`",
        Step::Screenshot => "`deskhand screenshot`",
        Step::ListApps => "`deskhand apps`",
        Step::WaitForApp { pid } => return format!("`deskhand apps --wait {pid}`").into(),
        Step::ListWindows => "`deskhand windows`",
        Step::WindowState => "`deskhand window state`",
        Step::RestoreWindow { id: None } => "`deskhand window restore`",
        Step::RestoreWindow { id: Some(id) } => {
            return format!("`deskhand window restore {id:#x}`").into();
        }
        Step::ReadClipboard => "`deskhand clipboard read`",
        Step::Click => "`deskhand click`",
        Step::TypeText => "`deskhand type`",
        Step::PressKey => "`deskhand key`",
        Step::ClickPoint => "`deskhand pointer click`",
        Step::ChooseItem => "`deskhand set` or `deskhand select`",
        Step::Check => "`deskhand check`",
        Step::ListTools => "`deskhand mcp tools`",
        Step::ToolHelp { tool } if crate::ax::is_tool(tool) => "the input schema of the tool",
        Step::ToolHelp { tool } => return format!("`deskhand {tool} --help`").into(),
        Step::FocusMode => "--mode focus",
        Step::BackgroundMode => "--mode background",
        Step::IncludeInvisible => "--hidden",
        Step::Argument(name) => return format!("--{}", name.replace('_', "-")).into(),
        Step::RaiseTimeout => "wait longer with --timeout",
        Step::NameWindow => "name one by its id, or narrow with --title",
        Step::ListDisplays => "see `deskhand display list`",
        Step::PlaceWindow => "place it with `deskhand window move` and `deskhand window resize`",
        Step::StartProgram => "start a program with `deskhand open NAME`",
        Step::OpenPermissionSettings => "`deskhand check --open-settings` opens the page",
        Step::Resume => "only the user can resume, with `deskhand resume`",
        Step::EndHangingProgram => "ask the user to end the hanging program with `deskhand halt`",
        Step::RevokeApprovals => "clear it with `deskhand approvals revoke --all`",
        Step::SetSandboxScope => "start the server with --sandbox-scope FOLDER",
        Step::EnableCommands => "start the server with --toolsets ax,cli",
        Step::DisableSandbox => "run commands without a sandbox: --no-sandbox",
        Step::ListServers => "see `deskhand servers list`",
        Step::LogIn { server } => {
            return format!("the user can run `deskhand servers login {server}`").into();
        }
        Step::StartDesktop => "start one: `deskhand desktop up`",
        Step::StopDesktop { name } => {
            return format!("stop that desktop: `deskhand desktop down {name}`").into();
        }
    })
}
