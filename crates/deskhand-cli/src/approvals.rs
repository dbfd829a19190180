//! `deskhand approvals`: what persons have agreed to, and how to take it back.

use std::{process::ExitCode, time::SystemTime};

use clap::{Arg, ArgAction, ArgMatches, Command};
use deskhand_engine::{
    Failure, Line, Page, Span, Style,
    approvals::{Approval, Moment, Origin, Which},
};
use serde_json::json;

use crate::{
    output::Output,
    settings::{self, Settings},
};

/// `deskhand approvals`.
pub(crate) fn command() -> Command {
    let named = |id: &'static str, value: &'static str, help: &'static str| {
        Arg::new(id).long(id).value_name(value).help(help)
    };
    Command::new("approvals")
        .about("What you have agreed to: list it, take it back")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new("list").about("List the approvals that hold"))
        .subcommand(
            Command::new("revoke")
                .about("Take remembered approvals back; you are asked again then")
                .arg(named("app", "PATH", "Those for this app, as `list` shows it"))
                .arg(named("tool", "NAME", "Those for this tool"))
                .arg(
                    Arg::new("all")
                        .long("all")
                        .action(ArgAction::SetTrue)
                        .conflicts_with_all(["app", "tool"])
                        .required_unless_present_any(["app", "tool"])
                        .help("All of them, also when their file cannot be read"),
                ),
        )
}

/// Runs a subcommand of `approvals`.
pub(crate) fn run(
    given: &ArgMatches,
    settings: &Settings,
    output: Output,
) -> Result<ExitCode, Failure> {
    let approvals = settings::approvals(settings)?;
    match given.subcommand() {
        Some(("list", _)) => {
            let all = approvals.list(SystemTime::now())?;
            Ok(output.answer(&listed(&all), &all))
        }
        Some(("revoke", words)) => {
            let word = |id: &str| words.get_one::<String>(id).cloned();
            let gone = approvals.revoke(&Which { app: word("app"), tool: word("tool") })?;
            let text = match gone.len() {
                0 => "no approval was taken back".to_owned(),
                1 => "one approval was taken back".to_owned(),
                many => format!("{many} approvals were taken back"),
            };
            let page = Page::default().line(Line::new().with(Style::Plain, text));
            Ok(output.answer(&page, &json!({ "revoked": gone })))
        }
        Some((_, _)) | None => Ok(ExitCode::from(2)),
    }
}

fn listed(all: &[Approval]) -> Page {
    if all.is_empty() {
        return Page::default().line(Line::new().with(Style::Plain, "nothing is approved"));
    }
    let span = |style, text: String| Span { style, text };
    let when = |moment: Option<Moment>| moment.map_or("-".to_owned(), |it| it.to_string());
    let rows = all.iter().map(|one| {
        let origin = match one.origin {
            Origin::Remembered => "you were asked",
            Origin::ByHand => "approvals.toml",
        };
        vec![
            span(Style::Strong, one.app.clone()),
            span(Style::Plain, one.tool.clone()),
            span(Style::Plain, when(one.expires)),
            span(Style::Faint, when(one.granted)),
            span(Style::Faint, origin.to_owned()),
        ]
    });
    Page::default().table(vec!["APP", "TOOL", "UNTIL", "SINCE", "FROM"], rows.collect())
}
