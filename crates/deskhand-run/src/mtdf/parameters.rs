//! Checks the options and positional arguments of a subcommand.

use super::{
    definition::{Parameter, Subcommand, ValueType},
    meta_arguments,
    semantics::Findings,
    source::shorten,
    value,
};

/// Parts of names that nearly always denote a path.
const PATH_WORDS: &[&str] = &["path", "file", "dir", "directory", "folder"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ParameterKind {
    Option,
    Positional,
}

/// Checks all parameters of a subcommand.
pub(super) fn check(subcommand: &Subcommand, at: &str, findings: &mut Findings) {
    let options = subcommand.options.as_deref().unwrap_or_default();
    let positionals = subcommand.positional_args.as_deref().unwrap_or_default();
    let mut names: Vec<&str> = Vec::new();
    let mut aliases: Vec<&str> = Vec::new();
    let each = |all: &'_ [Parameter], field: &str| -> Vec<String> {
        (0..all.len()).map(|index| format!("{at}/{field}/{index}")).collect()
    };
    for (one, at) in options.iter().zip(each(options, "options")) {
        check_parameter(one, ParameterKind::Option, &at, findings);
        check_unique(one, &mut names, &mut aliases, &at, findings);
    }
    let mut optional = None;
    for (one, at) in positionals.iter().zip(each(positionals, "positional_args")) {
        check_parameter(one, ParameterKind::Positional, &at, findings);
        check_unique(one, &mut names, &mut aliases, &at, findings);
        match (one.required == Some(true) || one.default.is_some(), optional) {
            (true, Some(before)) => {
                let before = shorten(before);
                let message = format!("without `{before}`, this argument takes its place");
                findings.warn(&at, message, format!("make `{before}` required, or put it last"));
            }
            (true, None) => {}
            (false, _) => optional = Some(one.name.as_str()),
        }
    }
    if subcommand.end_of_options == Some(true) && subcommand.positional_args_first == Some(true) {
        let message = "options cannot come after `--`";
        let hint = "remove `end_of_options` or `positional_args_first`";
        findings.error_with_hint(format!("{at}/end_of_options"), message, hint);
    }
}

fn check_unique<'a>(
    parameter: &'a Parameter,
    names: &mut Vec<&'a str>,
    aliases: &mut Vec<&'a str>,
    at: &str,
    findings: &mut Findings,
) {
    if names.contains(&parameter.name.as_str()) {
        let message = format!("duplicate name `{}`", shorten(&parameter.name));
        findings.error_with_hint(format!("{at}/name"), message, "give each its own name");
    }
    names.push(&parameter.name);
    if let Some(alias) = parameter.alias.as_deref() {
        if aliases.contains(&alias) {
            let message = format!("duplicate alias `{}`", shorten(alias));
            findings.error(format!("{at}/alias"), message);
        }
        aliases.push(alias);
    }
}

fn check_parameter(parameter: &Parameter, kind: ParameterKind, at: &str, findings: &mut Findings) {
    let name_at = format!("{at}/name");
    if meta_arguments::NAMES.contains(&parameter.name.as_str()) {
        let message =
            format!("`{}` is an argument of every tool and is not passed on", parameter.name);
        findings.error_with_hint(&name_at, message, "give it another name");
    } else if !is_valid_name(parameter.name.trim_start_matches('-')) || parameter.name.len() > 64 {
        let message = format!("`{}` cannot be the name of an option", shorten(&parameter.name));
        findings.error_with_hint(&name_at, message, "use letters, digits, `-`, `_` and `.`");
    }
    if let Some(alias) = &parameter.alias {
        let alias_at = format!("{at}/alias");
        if !is_valid_name(alias.trim_start_matches('-')) {
            let message = format!("`{}` cannot be an alias", shorten(alias));
            findings.error_with_hint(alias_at, message, "give the letter alone: `m` for `-m`");
        } else if kind == ParameterKind::Positional {
            findings.error(
                alias_at,
                "a positional argument has no name on the command line, so it cannot have an alias",
            );
        }
    }
    if kind == ParameterKind::Positional && parameter.kind == ValueType::Boolean {
        let hint = "make it an option, or a string";
        findings.error_with_hint(format!("{at}/type"), "a boolean cannot be positional", hint);
    }
    check_format(parameter, at, findings);
    check_file_arg(parameter, at, findings);
    check_values(parameter, at, findings);
}

fn is_valid_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_ascii_alphanumeric())
        && letters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

fn check_format(parameter: &Parameter, at: &str, findings: &mut Findings) {
    let item_format = parameter.items.as_ref().and_then(|items| items.format.as_deref());
    for (format, at) in [
        (parameter.format.as_deref(), format!("{at}/format")),
        (item_format, format!("{at}/items/format")),
    ] {
        if format.is_some_and(|format| format != "path") {
            let message = "only the format `path` has an effect";
            findings.warn(at, message, "use `path`, or remove it");
        }
    }
    let texts = match parameter.kind {
        ValueType::String => true,
        ValueType::Array => value::item_kind(parameter) == ValueType::String,
        ValueType::Boolean | ValueType::Integer | ValueType::Number => false,
    };
    if value::is_path(parameter) && !texts {
        let hint = "change the type to `string` or an array of strings";
        findings.error_with_hint(format!("{at}/format"), "only a string can be a path", hint);
    }
    let looks_like_path = parameter
        .name
        .split(['-', '_', '.'])
        .any(|word| PATH_WORDS.contains(&word.to_lowercase().as_str()));
    if looks_like_path && texts && !value::is_path(parameter) && parameter.file_arg != Some(true) {
        let message =
            format!("`{}` looks like a path but is not checked against the scope", parameter.name);
        findings.warn(format!("{at}/name"), message, "add `\"format\": \"path\"`");
    }
}

fn check_file_arg(parameter: &Parameter, at: &str, findings: &mut Findings) {
    if parameter.file_arg == Some(true) && parameter.kind != ValueType::String {
        findings.error(format!("{at}/file_arg"), "only a string can be written to a file");
    }
    if parameter.file_arg == Some(true) && value::is_path(parameter) {
        let message = "the value is the content of the file, not a path";
        findings.error_with_hint(format!("{at}/format"), message, "remove `format` or `file_arg`");
    }
    let Some(flag) = &parameter.file_flag else { return };
    let flag_at = format!("{at}/file_flag");
    if parameter.file_arg != Some(true) {
        findings.error_with_hint(flag_at, "this flag has no effect", "add `\"file_arg\": true`");
    } else if !flag.starts_with('-') || !is_valid_name(flag.trim_start_matches('-')) {
        findings.error_with_hint(
            flag_at,
            format!("`{}` is not a flag", shorten(flag)),
            "write it as `-F`",
        );
    }
}

fn check_values(parameter: &Parameter, at: &str, findings: &mut Findings) {
    if parameter.items.is_some() && parameter.kind != ValueType::Array {
        findings.error(format!("{at}/items"), "only an array has items");
    }
    if let Some(choices) = &parameter.choices {
        let choices_at = format!("{at}/enum");
        if parameter.kind != ValueType::String && parameter.kind != ValueType::Array {
            findings.error(choices_at, "only a string can have choices");
        } else if choices.is_empty() {
            findings.error(choices_at, "the list of allowed values is empty");
        }
    }
    let Some(default) = &parameter.default else { return };
    let default_at = format!("{at}/default");
    if let Err(error) = value::check(parameter, default) {
        findings.error(default_at, format!("invalid default: {error}"));
    } else if parameter.required == Some(true) {
        let message = "a required parameter never uses its default";
        findings.warn(default_at, message, "remove `required` or `default`");
    }
}
