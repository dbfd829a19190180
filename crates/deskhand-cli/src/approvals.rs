//! `deskhand approvals`: lists and revokes the approvals that the user has given.

use std::{process::ExitCode, time::SystemTime};

use clap::{Arg, ArgAction, ArgMatches, Command};
use deskhand::settings::{self, Settings};
use deskhand_engine::{
    CallFailure, Style, StyledLine, StyledSpan, StyledText,
    approvals::{Approval, ApprovalFilter, ApprovalSource, Timestamp},
};
use serde_json::json;

use crate::output::Output;

/// Returns the `approvals` command.
pub(crate) fn command() -> Command {
    let named = |id: &'static str, value: &'static str, help: &'static str| {
        Arg::new(id).long(id).value_name(value).help(help)
    };
    Command::new("approvals")
        .about("List and revoke the approvals you have given")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new("list").about("List approvals that have not expired"))
        .subcommand(
            Command::new("revoke")
                .about("Revoke remembered approvals, so that you are asked again")
                .arg(named("app", "PATH", "Revoke approvals for this app, as `list` shows it"))
                .arg(named("tool", "NAME", "Revoke approvals for this tool"))
                .arg(
                    Arg::new("all")
                        .long("all")
                        .action(ArgAction::SetTrue)
                        .conflicts_with_all(["app", "tool"])
                        .required_unless_present_any(["app", "tool"])
                        .help("Revoke all approvals, even if their file cannot be read"),
                ),
        )
}

/// Runs a subcommand of `approvals`.
pub(crate) fn run(
    matches: &ArgMatches,
    settings: &Settings,
    output: Output,
) -> Result<ExitCode, CallFailure> {
    let approvals = settings::approvals(settings)?;
    match matches.subcommand() {
        Some(("list", _)) => {
            let all = approvals.list(SystemTime::now())?;
            Ok(output.print(&table(&all), &all))
        }
        Some(("revoke", matches)) => {
            let value = |id: &str| matches.get_one::<String>(id).cloned();
            let revoked =
                approvals.revoke(&ApprovalFilter { app: value("app"), tool: value("tool") })?;
            let text = match revoked.len() {
                0 => "no matching approvals".to_owned(),
                1 => "revoked 1 approval".to_owned(),
                many => format!("revoked {many} approvals"),
            };
            let page = StyledText::default().line(StyledLine::new().with(Style::Plain, text));
            Ok(output.print(&page, &json!({ "revoked": revoked })))
        }
        Some((_, _)) | None => Ok(ExitCode::from(2)),
    }
}

fn table(all: &[Approval]) -> StyledText {
    if all.is_empty() {
        return StyledText::default().line(StyledLine::new().with(Style::Plain, "no approvals"));
    }
    let span = |style, text: String| StyledSpan { style, text };
    let when = |moment: Option<Timestamp>| moment.map_or("-".to_owned(), |it| it.to_string());
    let rows = all.iter().map(|approval| {
        let origin = match approval.source {
            ApprovalSource::Remembered => "your answer",
            ApprovalSource::Manual => "approvals.toml",
        };
        vec![
            span(Style::Strong, approval.app.clone()),
            span(Style::Plain, approval.tool.clone()),
            span(Style::Plain, when(approval.expires)),
            span(Style::Faint, when(approval.granted)),
            span(Style::Faint, origin.to_owned()),
        ]
    });
    StyledText::default().table(vec!["APP", "TOOL", "EXPIRES", "GRANTED", "FROM"], rows.collect())
}
