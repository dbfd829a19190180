//! `deskhand audit-log`: what was done, and whether its record is as it was written.

use std::{
    process::ExitCode,
    time::{Duration, SystemTime},
};

use clap::{Arg, ArgAction, ArgMatches, Command};
use deskhand_engine::{
    Failure, Line, Page, Span, Style,
    journal::{Action, Follow, Noted, State, Verdict, Wanted, actions, verify},
};

use crate::{
    output::Output,
    settings::{self, Settings},
};

/// How often it is looked for more.
const STEP: Duration = Duration::from_millis(200);

/// `deskhand audit-log`.
pub(crate) fn command() -> Command {
    let named = |id: &'static str, value: &'static str, help: &'static str| {
        Arg::new(id).long(id).value_name(value).help(help)
    };
    let moment = |id: &'static str, help: &'static str| {
        named(id, "TIME", help).value_parser(|text: &str| {
            moment(text, SystemTime::now()).ok_or("give 2026-01-31, 2026-01-31T08:00:00Z or 15m")
        })
    };
    Command::new("audit-log")
        .about("What was done to this desktop: show it, verify its record")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("show")
                .about("Show calls that changed something, or were refused")
                .arg(moment("since", "Not earlier than this, or than so long ago: 15m, 2h"))
                .arg(moment("until", "Not later than this, or than so long ago"))
                .arg(named("tool", "NAME", "Of this tool"))
                .arg(named("session", "ID", "Of a caller whose id begins so"))
                .arg(named("app", "NAME", "Aimed at an app whose name contains this"))
                .arg(named("result", "RESULT", "`ok`, a code, `refused` or `unfinished`"))
                .arg(named("flag", "FLAG", "With this flag"))
                .arg(
                    named("tail", "COUNT", "Only the last so many")
                        .value_parser(clap::value_parser!(usize)),
                )
                .arg(
                    Arg::new("follow")
                        .long("follow")
                        .short('f')
                        .action(ArgAction::SetTrue)
                        .help("Go on with what is done from now on"),
                ),
        )
        .subcommand(
            Command::new("verify")
                .about("Check that no record was changed, removed, moved or added")
                .after_help(
                    "Who can write your files can write a whole new log. Keep what this prints as \
                     `last` somewhere else, and give it back with --noted: it proves everything \
                     before it.",
                )
                .arg(
                    named("noted", "SEQ:HASH", "A record noted elsewhere that must be in the log")
                        .value_parser(|text: &str| {
                            Noted::parse(text).ok_or("give what an earlier check printed as `last`")
                        }),
                ),
        )
}

/// Runs a subcommand of `audit-log`.
pub(crate) fn run(
    given: &ArgMatches,
    settings: &Settings,
    output: Output,
) -> Result<ExitCode, Failure> {
    let (file, _) = settings::journal_place(settings)?;
    match given.subcommand() {
        Some(("verify", words)) => {
            let verdict = verify(file, words.get_one::<Noted>("noted"))?;
            let written = output.answer(&judged(&verdict), &verdict);
            Ok(if verdict.is_sound() { written } else { ExitCode::FAILURE })
        }
        Some(("show", words)) => {
            let wanted = wanted(words);
            let follow = if words.get_flag("follow") {
                Some(Follow::new(file.clone(), wanted.clone())?)
            } else {
                None
            };
            let mut shown = actions(file, &wanted)?;
            if let Some(most) = words.get_one::<usize>("tail") {
                shown.drain(..shown.len().saturating_sub(*most));
            }
            match follow {
                Some(follow) => follow_on(shown, follow, output),
                None => Ok(output.answer(&listed(&shown), &shown)),
            }
        }
        Some((_, _)) | None => Ok(ExitCode::from(2)),
    }
}

fn wanted(words: &ArgMatches) -> Wanted {
    let word = |id: &str| words.get_one::<String>(id).cloned();
    Wanted {
        since: word("since"),
        until: word("until"),
        tool: word("tool"),
        session: word("session"),
        app: word("app"),
        result: word("result"),
        flag: word("flag"),
    }
}

/// Shows what there is and what comes, until nobody reads it any more.
fn follow_on(
    mut shown: Vec<Action>,
    mut follow: Follow,
    output: Output,
) -> Result<ExitCode, Failure> {
    loop {
        for action in &shown {
            if !output.one_of_many(&Page::default().line(line(action)), action) {
                return Ok(ExitCode::SUCCESS);
            }
        }
        std::thread::sleep(STEP);
        shown = follow.news()?;
    }
}

/// A moment as the log writes it.
fn moment(text: &str, now: SystemTime) -> Option<String> {
    let day = || humantime::parse_rfc3339(&format!("{text}T00:00:00Z")).ok();
    let at = humantime::parse_rfc3339_weak(text).ok().or_else(day).or_else(|| {
        let ago = humantime::parse_duration(text).ok()?;
        now.checked_sub(ago)
    })?;
    Some(humantime::format_rfc3339_millis(at).to_string())
}

/// What a call came to, in a word or two.
fn outcome(action: &Action) -> Span {
    let result = action.result.clone().unwrap_or_default();
    let (style, text) = match action.state {
        State::Unfinished => (Style::Warning, "unfinished".to_owned()),
        State::Refused => (Style::Warning, refused(action, &result)),
        State::Ended => match &action.effect {
            Some(effect) if result == "ok" => (Style::Value, effect.clone()),
            Some(_) | None if result == "ok" => (Style::Value, result),
            Some(_) | None => (Style::Warning, result),
        },
    };
    Span { style, text }
}

/// A refusal, and how many more there were.
fn refused(action: &Action, result: &str) -> String {
    match action.left_out {
        Some(count) if action.tool.is_empty() => format!("{count} refused: {result}"),
        Some(count) => format!("refused: {result}, {count} more before"),
        None => format!("refused: {result}"),
    }
}

/// The tool; what only tells how many calls were refused has none.
fn tool(action: &Action) -> String {
    if action.tool.is_empty() { "-".to_owned() } else { action.tool.clone() }
}

/// What a call was aimed at, and with what arguments.
fn aim(action: &Action) -> String {
    let target = &action.target;
    let mut words: Vec<String> = target.role.iter().cloned().collect();
    words.extend(target.title.iter().map(|title| format!("{title:?}")));
    if words.is_empty()
        && let Some(given) = action.args.as_object()
    {
        let given = given.iter().filter(|(name, _)| *name != "app");
        words.extend(given.map(|(name, value)| format!("{name}={value}")));
    }
    words.extend(action.security_flags.iter().map(|flag| format!("[{flag}]")));
    words.join(" ")
}

fn app(action: &Action) -> String {
    let app = action.target.app.as_deref().or_else(|| action.args["app"].as_str());
    app.unwrap_or("-").to_owned()
}

fn time(action: &Action) -> String {
    let (day, time) = action.timestamp.split_once('T').unwrap_or((&action.timestamp, ""));
    format!("{day} {}", time.get(..8).unwrap_or(time))
}

fn listed(all: &[Action]) -> Page {
    if all.is_empty() {
        return Page::default().line(Line::new().with(Style::Plain, "nothing was done"));
    }
    let span = |style, text: String| Span { style, text };
    let rows = all.iter().map(|action| {
        vec![
            span(Style::Faint, time(action)),
            span(Style::Strong, tool(action)),
            span(Style::Plain, app(action)),
            outcome(action),
            span(Style::Plain, aim(action)),
        ]
    });
    Page::default().table(vec!["TIME (UTC)", "TOOL", "APP", "RESULT", "TARGET"], rows.collect())
}

fn line(action: &Action) -> Line {
    let Span { style, text } = outcome(action);
    Line::new()
        .with(Style::Faint, time(action))
        .with(Style::Strong, tool(action))
        .with(Style::Plain, app(action))
        .with(style, text)
        .with(Style::Plain, aim(action))
}

fn judged(verdict: &Verdict) -> Page {
    let line = |style, text: String| Line::new().with(style, text);
    let Verdict { lines, files, first_seq, last_seq, last_hash, .. } = verdict;
    if *lines == 0 && verdict.is_sound() {
        return Page::default().line(line(Style::Plain, "nothing was recorded yet".to_owned()));
    }
    let mut page = Page::default();
    page = page.line(if verdict.is_sound() {
        line(Style::Value, format!("sound: {lines} records in {files} files, nothing changed"))
    } else {
        let count = verdict.faults.len() as u64 + verdict.more_faults;
        line(Style::Warning, format!("not sound: {count} faults, {lines} good records"))
    });
    if verdict.rotated_away() > 0 {
        let words =
            format!("older ones are not kept: {} went with full files", verdict.rotated_away());
        let since = verdict.since.as_deref().unwrap_or("an unknown time");
        page = page.line(line(Style::Warning, format!("{words}, the oldest here is of {since}")));
    }
    for fault in &verdict.faults {
        let place = match (&fault.file, fault.line) {
            (Some(file), Some(line)) => format!("{}:{line}:", file.display()),
            (Some(file), None) => format!("{}:", file.display()),
            (None, _) => String::new(),
        };
        let told = Line::new().with(Style::Faint, place);
        page = page.line(told.with(Style::Warning, fault.kind.to_string()));
    }
    if verdict.more_faults > 0 {
        page = page.line(line(Style::Faint, format!("and {} more", verdict.more_faults)));
    }
    if verdict.left_out > 0 {
        let words = "refused calls have no record of their own and are told by their number";
        page = page.line(line(Style::Plain, format!("{} {words}", verdict.left_out)));
    }
    if verdict.mended > 0 {
        let words = "left unfinished by a killed program, noticed and told of by the next";
        page = page.line(line(Style::Plain, format!("{} {words}", verdict.mended)));
    }
    if !verdict.unfinished.is_empty() {
        let all: Vec<String> = verdict.unfinished.iter().map(u64::to_string).collect();
        let words = "begun and without an end: running, or died with their program";
        page = page.line(line(Style::Plain, format!("{}: {words}", all.join(", "))));
    }
    page.line(line(Style::Faint, format!("first {first_seq}, last {last_seq}:{last_hash}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_in_three_ways() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(3600);
        let read = |text| moment(text, now);
        assert_eq!(read("15m").as_deref(), Some("1970-01-01T00:45:00.000Z"));
        assert_eq!(read("2026-01-31").as_deref(), Some("2026-01-31T00:00:00.000Z"));
        assert_eq!(read("2026-01-31T08:00:00Z").as_deref(), Some("2026-01-31T08:00:00.000Z"));
        assert_eq!(read("2026-01-31 08:00:00").as_deref(), Some("2026-01-31T08:00:00.000Z"));
        assert_eq!(read("soon"), None);
    }
}
