//! `deskhand config show`: every setting, its value and its source.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use deskhand::settings::{
    self, AnySetting, FILE, SettingSource, Settings, table::TABLE, values::OutputFormat,
};
use deskhand_engine::{CallFailure, Style, StyledLine, StyledSpan, StyledText};
use serde_json::{Value, json};

use crate::{host, mcp, output::Output};

/// Returns the `config` command.
pub(crate) fn command() -> Command {
    Command::new("config")
        .about("Show settings and their sources")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(mcp::server_options(
            Command::new("show")
                .about("Show every setting, its source and its value, as `mcp serve` would use it"),
        ))
}

/// Runs a subcommand of `config`.
pub(crate) fn run(
    matches: &ArgMatches,
    settings: &Settings,
    output: Output,
) -> Result<ExitCode, CallFailure> {
    let Some(("show", _)) = matches.subcommand() else { return Ok(ExitCode::from(2)) };
    // With an invalid file, the other settings are still shown, followed by the error.
    let file_error = settings.config_file().err();
    if file_error.is_some() {
        settings.ignore_config_file();
    }
    let mut rows = Vec::new();
    for setting in TABLE {
        let (value, source) = setting.current_value(settings)?;
        rows.push((*setting, value, source));
    }
    let file = settings.config_path();
    let mut page = StyledText::default().table(
        vec!["SETTING", "FROM", "VALUE"],
        rows.iter().map(|(setting, value, source)| row(*setting, value, source)).collect(),
    );
    let status = match (&file_error, file.exists()) {
        (Some(_), _) => "file ignored because it is invalid:",
        (None, true) => "file:",
        (None, false) => "file (does not exist):",
    };
    let path = file.display().to_string();
    page = page.line(StyledLine::new().with(Style::Faint, status).with(Style::Plain, path));
    let warnings = settings.unsupported_warnings()?;
    for warning in &warnings {
        page = page.line(StyledLine::new().with(Style::Warning, warning.as_str()));
    }
    let all: Vec<Value> =
        rows.iter().map(|(setting, value, source)| object(*setting, value, source)).collect();
    let data = json!({ "file": file, "settings": all, "without_effect": warnings });
    let failure = file_error
        .map(CallFailure::from)
        .or_else(|| settings::gate(settings, host::machine()).err());
    match (failure, output.format()) {
        (None, _) => Ok(output.print(&page, &data)),
        // As text, both are shown; as JSON, the error replaces the result.
        (Some(failure), OutputFormat::Text) => {
            output.print(&page, &data);
            Err(failure)
        }
        (Some(failure), OutputFormat::Json | OutputFormat::Quiet) => Err(failure),
    }
}

fn row(setting: &dyn AnySetting, value: &Value, source: &SettingSource) -> Vec<StyledSpan> {
    let style = match source {
        SettingSource::Default => Style::Faint,
        SettingSource::Flag(_) | SettingSource::Variable(_) | SettingSource::File(..) => {
            Style::Value
        }
    };
    vec![
        StyledSpan { style: Style::Strong, text: setting.info().key.to_owned() },
        StyledSpan { style: Style::Faint, text: short_source(source) },
        StyledSpan { style, text: value_text(value) },
    ]
}

fn object(setting: &dyn AnySetting, value: &Value, source: &SettingSource) -> Value {
    let info = setting.info();
    json!({
        "key": info.key,
        "value": value,
        "source": source.to_string(),
        "default": setting.default_value(),
        "takes": info.expects,
        "help": info.help,
        "flag": info.flag.map(|flag| format!("--{flag}")),
        "variables": info.variables,
    })
}

/// Returns a source with the name of the file only; its path follows below the table.
fn short_source(source: &SettingSource) -> String {
    match source {
        SettingSource::File(_, line) => format!("{FILE}:{line}"),
        SettingSource::Flag(_) | SettingSource::Variable(_) | SettingSource::Default => {
            source.to_string()
        }
    }
}

fn value_text(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(list) if list.is_empty() => "-".to_owned(),
        Value::Array(list) => list.iter().map(value_text).collect::<Vec<_>>().join(", "),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}
