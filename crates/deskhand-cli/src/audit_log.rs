//! `deskhand audit-log`: shows and verifies the audit log.

use std::{process::ExitCode, time::SystemTime};

use clap::{Arg, ArgAction, ArgMatches, Command};
use deskhand::settings::{self, Settings};
use deskhand_engine::{
    CallFailure, Style, StyledLine, StyledSpan, StyledText,
    audit_log::{
        Action, ActionFilter, ActionFollower, ActionState, Checkpoint, Verification, actions,
        verify,
    },
};

use crate::{output::Output, timing::AUDIT_LOG_POLL_INTERVAL};

/// Returns the `audit-log` command.
pub(crate) fn command() -> Command {
    let option = |id: &'static str, value: &'static str, help: &'static str| {
        Arg::new(id).long(id).value_name(value).help(help)
    };
    let time = |id: &'static str, help: &'static str| {
        option(id, "TIME", help).value_parser(|text: &str| {
            parse_time(text, SystemTime::now())
                .ok_or("expected a time such as 2026-01-31, 2026-01-31T08:00:00Z or 15m (ago)")
        })
    };
    Command::new("audit-log")
        .about("Show and verify the audit log, which records every change to the desktop")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("show")
                .about("Show calls that changed something or were refused")
                .arg(time(
                    "since",
                    "Show calls at or after this time; 15m or 2h means that long ago",
                ))
                .arg(time("until", "Show calls at or before this time"))
                .arg(option("tool", "NAME", "Show calls of this tool"))
                .arg(option("session", "ID", "Show calls of sessions whose id starts with this"))
                .arg(option("app", "NAME", "Show calls to apps whose name contains this"))
                .arg(option(
                    "result",
                    "RESULT",
                    "Show calls with this result: ok, an error code, refused or unfinished",
                ))
                .arg(option("flag", "FLAG", "Show calls with this security flag"))
                .arg(
                    option("tail", "COUNT", "Show only the last COUNT calls")
                        .value_parser(clap::value_parser!(usize)),
                )
                .arg(
                    Arg::new("follow")
                        .long("follow")
                        .short('f')
                        .action(ArgAction::SetTrue)
                        .help("Keep running, and show new calls as they happen"),
                ),
        )
        .subcommand(
            Command::new("verify")
                .about("Check that no record was changed, removed, reordered or added")
                .after_help(
                    "A program that can write your files can also replace the whole log. To detect \
                     this, save the value that `verify` prints as `last` in another place and pass \
                     it to --noted later: it proves all records before it.",
                )
                .arg(
                    option(
                        "noted",
                        "SEQ:HASH",
                        "Value of `last` from an earlier run, which must be in the log",
                    )
                    .value_parser(|text: &str| {
                        Checkpoint::parse(text).ok_or("expected the `last` value of an earlier run")
                    }),
                ),
        )
}

/// Runs a subcommand of `audit-log`.
pub(crate) fn run(
    matches: &ArgMatches,
    settings: &Settings,
    output: Output,
) -> Result<ExitCode, CallFailure> {
    let (file, _) = settings::audit_log_file(settings)?;
    match matches.subcommand() {
        Some(("verify", matches)) => {
            let verdict = verify(file, matches.get_one::<Checkpoint>("noted"))?;
            let code = output.print(&verdict_page(&verdict), &verdict);
            Ok(if verdict.is_intact() { code } else { ExitCode::FAILURE })
        }
        Some(("show", matches)) => {
            let filter = filter(matches);
            let follow = if matches.get_flag("follow") {
                Some(ActionFollower::new(file.clone(), filter.clone())?)
            } else {
                None
            };
            let mut shown = actions(file, &filter)?;
            if let Some(count) = matches.get_one::<usize>("tail") {
                shown.drain(..shown.len().saturating_sub(*count));
            }
            match follow {
                Some(follow) => follow_log(shown, follow, output),
                None => Ok(output.print(&table(&shown), &shown)),
            }
        }
        Some((_, _)) | None => Ok(ExitCode::from(2)),
    }
}

fn filter(matches: &ArgMatches) -> ActionFilter {
    let word = |id: &str| matches.get_one::<String>(id).cloned();
    ActionFilter {
        since: word("since"),
        until: word("until"),
        tool: word("tool"),
        session: word("session"),
        app: word("app"),
        result: word("result"),
        flag: word("flag"),
    }
}

/// Prints existing and new records until the reader closes the output.
fn follow_log(
    mut shown: Vec<Action>,
    mut follow: ActionFollower,
    output: Output,
) -> Result<ExitCode, CallFailure> {
    loop {
        for action in &shown {
            if !output.print_item(&StyledText::default().line(line(action)), action) {
                return Ok(ExitCode::SUCCESS);
            }
        }
        std::thread::sleep(AUDIT_LOG_POLL_INTERVAL);
        shown = follow.poll()?;
    }
}

/// Parses a time, a date or a duration before `now`; returns it in the format of the log.
fn parse_time(text: &str, now: SystemTime) -> Option<String> {
    let day = || humantime::parse_rfc3339(&format!("{text}T00:00:00Z")).ok();
    let at = humantime::parse_rfc3339_weak(text).ok().or_else(day).or_else(|| {
        let ago = humantime::parse_duration(text).ok()?;
        now.checked_sub(ago)
    })?;
    Some(humantime::format_rfc3339_millis(at).to_string())
}

/// Returns the result of a call for display.
fn result_span(action: &Action) -> StyledSpan {
    let result = action.result.clone().unwrap_or_default();
    let (style, text) = match action.state {
        ActionState::Unfinished => (Style::Warning, "unfinished".to_owned()),
        ActionState::Refused => (Style::Warning, refusal_text(action, &result)),
        ActionState::Ended => match &action.effect {
            Some(effect) if result == "ok" => (Style::Value, effect.clone()),
            Some(_) | None if result == "ok" => (Style::Value, result),
            Some(_) | None => (Style::Warning, result),
        },
    };
    StyledSpan { style, text }
}

/// Describes a refusal, and how many refusals share its record.
fn refusal_text(action: &Action, result: &str) -> String {
    match action.left_out {
        Some(count) if action.tool.is_empty() => format!("{count} refused: {result}"),
        Some(count) => format!("refused: {result}, and {count} times before"),
        None => format!("refused: {result}"),
    }
}

/// Returns the name of the tool. A record that only counts refusals has none.
fn tool_name(action: &Action) -> String {
    if action.tool.is_empty() { "-".to_owned() } else { action.tool.clone() }
}

/// Describes the target of a call, or its arguments if it has no target.
fn target_text(action: &Action) -> String {
    let target = &action.target;
    let mut parts: Vec<String> = target.role.iter().cloned().collect();
    parts.extend(target.title.iter().map(|title| format!("{title:?}")));
    if parts.is_empty()
        && let Some(arguments) = action.args.as_object()
    {
        let arguments = arguments.iter().filter(|(name, _)| *name != "app");
        parts.extend(arguments.map(|(name, value)| format!("{name}={value}")));
    }
    parts.extend(action.security_flags.iter().map(|flag| format!("[{flag}]")));
    parts.join(" ")
}

fn app_name(action: &Action) -> String {
    let app = action.target.app.as_deref().or_else(|| action.args["app"].as_str());
    app.unwrap_or("-").to_owned()
}

fn time_text(action: &Action) -> String {
    let (day, time) = action.timestamp.split_once('T').unwrap_or((&action.timestamp, ""));
    format!("{day} {}", time.get(..8).unwrap_or(time))
}

fn table(all: &[Action]) -> StyledText {
    if all.is_empty() {
        return StyledText::default().line(StyledLine::new().with(Style::Plain, "no calls"));
    }
    let span = |style, text: String| StyledSpan { style, text };
    let rows = all.iter().map(|action| {
        vec![
            span(Style::Faint, time_text(action)),
            span(Style::Strong, tool_name(action)),
            span(Style::Plain, app_name(action)),
            result_span(action),
            span(Style::Plain, target_text(action)),
        ]
    });
    StyledText::default()
        .table(vec!["TIME (UTC)", "TOOL", "APP", "RESULT", "TARGET"], rows.collect())
}

fn line(action: &Action) -> StyledLine {
    let StyledSpan { style, text } = result_span(action);
    StyledLine::new()
        .with(Style::Faint, time_text(action))
        .with(Style::Strong, tool_name(action))
        .with(Style::Plain, app_name(action))
        .with(style, text)
        .with(Style::Plain, target_text(action))
}

fn verdict_page(verdict: &Verification) -> StyledText {
    let line = |style, text: String| StyledLine::new().with(style, text);
    let Verification { lines, files, first_seq, last_seq, last_hash, .. } = verdict;
    if *lines == 0 && verdict.is_intact() {
        return StyledText::default().line(line(Style::Plain, "the log is empty".to_owned()));
    }
    let mut page = StyledText::default();
    page = page.line(if verdict.is_intact() {
        line(
            Style::Value,
            format!("OK: {} in {}", count(*lines, "record"), count(*files as u64, "file")),
        )
    } else {
        let errors = count(verdict.faults.len() as u64 + verdict.more_faults, "error");
        line(Style::Warning, format!("FAILED: {errors}, {} OK", count(*lines, "record")))
    });
    if verdict.rotated_away() > 0 {
        let deleted = count(verdict.rotated_away(), "older record");
        let since = verdict.since.as_deref().unwrap_or("an unknown time");
        let text = format!("{deleted} deleted with rotated files; the oldest here is from {since}");
        page = page.line(line(Style::Warning, text));
    }
    for fault in &verdict.faults {
        let place = match (&fault.file, fault.line) {
            (Some(file), Some(line)) => format!("{}:{line}:", file.display()),
            (Some(file), None) => format!("{}:", file.display()),
            (None, _) => String::new(),
        };
        let line = StyledLine::new().with(Style::Faint, place);
        page = page.line(line.with(Style::Warning, fault.kind.to_string()));
    }
    if verdict.more_faults > 0 {
        page = page.line(line(Style::Faint, format!("and {} more", verdict.more_faults)));
    }
    if verdict.left_out > 0 {
        let text = format!("{} counted but not recorded", count(verdict.left_out, "refused call"));
        page = page.line(line(Style::Plain, text));
    }
    if verdict.mended > 0 {
        let records = count(verdict.mended, "incomplete record");
        let text = format!("{records} left by a killed program, and reported in the log");
        page = page.line(line(Style::Plain, text));
    }
    if !verdict.unfinished.is_empty() {
        let all: Vec<String> = verdict.unfinished.iter().map(u64::to_string).collect();
        let text = format!("started but not finished (running, or killed): {}", all.join(", "));
        page = page.line(line(Style::Plain, text));
    }
    page.line(line(Style::Faint, format!("first {first_seq}, last {last_seq}:{last_hash}")))
}

fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_have_three_forms() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(3600);
        let read = |text| parse_time(text, now);
        assert_eq!(read("15m").as_deref(), Some("1970-01-01T00:45:00.000Z"));
        assert_eq!(read("2026-01-31").as_deref(), Some("2026-01-31T00:00:00.000Z"));
        assert_eq!(read("2026-01-31T08:00:00Z").as_deref(), Some("2026-01-31T08:00:00.000Z"));
        assert_eq!(read("2026-01-31 08:00:00").as_deref(), Some("2026-01-31T08:00:00.000Z"));
        assert_eq!(read("soon"), None);
    }
}
