//! `deskhand config show`: every setting, what it is and who said so.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use deskhand_engine::{Failure, Line, Page, Span, Style};
use serde_json::{Value, json};

use super::{Declared, FILE, Settings, Source, table::TABLE};
use crate::{
    mcp,
    output::{Format, Output},
};

/// `deskhand config`.
pub(crate) fn command() -> Command {
    Command::new("config")
        .about("What is set, and where")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(mcp::server_options(
            Command::new("show")
                .about("Show every setting and where it comes from, as a server would have it"),
        ))
}

/// Runs a subcommand of `config`.
pub(crate) fn run(
    given: &ArgMatches,
    settings: &Settings,
    output: Output,
) -> Result<ExitCode, Failure> {
    let Some(("show", _)) = given.subcommand() else { return Ok(ExitCode::from(2)) };
    // What holds is worth seeing also, and most of all, when the file is no good.
    let broken = settings.sheet().err();
    if broken.is_some() {
        settings.forget_file();
    }
    let mut rows = Vec::new();
    for declared in TABLE {
        let (value, source) = declared.found(settings)?;
        rows.push((*declared, value, source));
    }
    let file = settings.file();
    let mut page = Page::default().table(
        vec!["SETTING", "FROM", "VALUE"],
        rows.iter().map(|(declared, value, source)| line(*declared, value, source)).collect(),
    );
    let there = match (&broken, file.exists()) {
        (Some(_), _) => "without the file, which is no good:",
        (None, true) => "the file",
        (None, false) => "there is no file",
    };
    page = page
        .line(Line::new().with(Style::Faint, there).with(Style::Plain, file.display().to_string()));
    let without = settings.without_effect()?;
    for text in &without {
        page = page.line(Line::new().with(Style::Warning, text.as_str()));
    }
    let all: Vec<Value> =
        rows.iter().map(|(declared, value, source)| object(*declared, value, source)).collect();
    let data = json!({ "file": file, "settings": all, "without_effect": without });
    let wrong = broken.map(Failure::from).or_else(|| super::gate(settings).err());
    match (wrong, output.format()) {
        (None, _) => Ok(output.answer(&page, &data)),
        // Eyes see both; to a program an error comes with no answer.
        (Some(wrong), Format::Text) => {
            output.answer(&page, &data);
            Err(wrong)
        }
        (Some(wrong), Format::Json | Format::Quiet) => Err(wrong),
    }
}

fn line(declared: &dyn Declared, value: &Value, source: &Source) -> Vec<Span> {
    let style = match source {
        Source::Usual => Style::Faint,
        Source::Flag(_) | Source::Variable(_) | Source::File(..) => Style::Value,
    };
    vec![
        Span { style: Style::Strong, text: declared.about().key.to_owned() },
        Span { style: Style::Faint, text: short(source) },
        Span { style, text: text(value) },
    ]
}

fn object(declared: &dyn Declared, value: &Value, source: &Source) -> Value {
    let about = declared.about();
    json!({
        "key": about.key,
        "value": value,
        "source": source.to_string(),
        "default": declared.usual(),
        "takes": about.takes,
        "help": about.help,
        "flag": about.flag.map(|flag| format!("--{flag}")),
        "variables": about.names,
    })
}

/// A source for eyes; below the table stands where the file is.
fn short(source: &Source) -> String {
    match source {
        Source::File(_, line) => format!("{FILE}:{line}"),
        Source::Flag(_) | Source::Variable(_) | Source::Usual => source.to_string(),
    }
}

/// A value for eyes.
fn text(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(list) if list.is_empty() => "-".to_owned(),
        Value::Array(list) => list.iter().map(text).collect::<Vec<_>>().join(", "),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}
