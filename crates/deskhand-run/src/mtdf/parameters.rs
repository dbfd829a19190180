//! Whether the options and positional arguments of a subcommand can be passed to a program.

use super::{
    definition::{Parameter, Subcommand, ValueType},
    meta,
    sense::Findings,
    source::short,
    value,
};

/// Words in names of what is nearly always a path.
const PATH_WORDS: &[&str] = &["path", "file", "dir", "directory", "folder"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Option,
    Positional,
}

/// Looks at everything a subcommand takes.
pub(super) fn check(it: &Subcommand, at: &str, found: &mut Findings) {
    let options = it.options.as_deref().unwrap_or_default();
    let positionals = it.positional_args.as_deref().unwrap_or_default();
    let mut names: Vec<&str> = Vec::new();
    let mut aliases: Vec<&str> = Vec::new();
    let each = |all: &'_ [Parameter], field: &str| -> Vec<String> {
        (0..all.len()).map(|index| format!("{at}/{field}/{index}")).collect()
    };
    for (one, at) in options.iter().zip(each(options, "options")) {
        parameter(one, Way::Option, &at, found);
        unique(one, &mut names, &mut aliases, &at, found);
    }
    let mut optional = None;
    for (one, at) in positionals.iter().zip(each(positionals, "positional_args")) {
        parameter(one, Way::Positional, &at, found);
        unique(one, &mut names, &mut aliases, &at, found);
        match (one.required == Some(true) || one.default.is_some(), optional) {
            (true, Some(before)) => {
                let before = short(before);
                let why = format!("where `{before}` is not given, this one takes its place");
                found.oddity(&at, why, format!("make `{before}` required, or put it last"));
            }
            (true, None) => {}
            (false, _) => optional = Some(one.name.as_str()),
        }
    }
    if it.end_of_options == Some(true) && it.positional_args_first == Some(true) {
        let why = "options cannot come after `--`";
        let hint = "drop `end_of_options` or `positional_args_first`";
        found.fault_with(format!("{at}/end_of_options"), why, hint);
    }
}

fn unique<'a>(
    it: &'a Parameter,
    names: &mut Vec<&'a str>,
    aliases: &mut Vec<&'a str>,
    at: &str,
    found: &mut Findings,
) {
    if names.contains(&it.name.as_str()) {
        let why = format!("`{}` stands here twice", short(&it.name));
        found.fault_with(format!("{at}/name"), why, "give each a name of its own");
    }
    names.push(&it.name);
    if let Some(alias) = it.alias.as_deref() {
        if aliases.contains(&alias) {
            let why = format!("the alias `{}` stands here twice", short(alias));
            found.fault(format!("{at}/alias"), why);
        }
        aliases.push(alias);
    }
}

fn parameter(it: &Parameter, way: Way, at: &str, found: &mut Findings) {
    let name_at = format!("{at}/name");
    if meta::NAMES.contains(&it.name.as_str()) {
        let why = format!("`{}` is an argument of every tool, and never passed on", it.name);
        found.fault_with(&name_at, why, "give it another name");
    } else if !fits(it.name.trim_start_matches('-')) || it.name.len() > 64 {
        let why = format!("`{}` cannot be the name of an option", short(&it.name));
        found.fault_with(&name_at, why, "use letters, digits, `-`, `_` and `.`");
    }
    if let Some(alias) = &it.alias {
        let alias_at = format!("{at}/alias");
        if !fits(alias.trim_start_matches('-')) {
            let why = format!("`{}` cannot be an alias", short(alias));
            found.fault_with(alias_at, why, "give the letter alone: `m` for `-m`");
        } else if way == Way::Positional {
            found.fault(
                alias_at,
                "a positional argument is passed without a name, and has no alias",
            );
        }
    }
    if way == Way::Positional && it.kind == ValueType::Boolean {
        let hint = "make it an option, or a string";
        found.fault_with(format!("{at}/type"), "true and false cannot be positional", hint);
    }
    format_of(it, at, found);
    files(it, at, found);
    values(it, at, found);
}

fn fits(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_ascii_alphanumeric())
        && letters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

fn format_of(it: &Parameter, at: &str, found: &mut Findings) {
    let item_format = it.items.as_ref().and_then(|items| items.format.as_deref());
    for (format, at) in [
        (it.format.as_deref(), format!("{at}/format")),
        (item_format, format!("{at}/items/format")),
    ] {
        if format.is_some_and(|format| format != "path") {
            let why = "only the format `path` is checked";
            found.oddity(at, why, "use `path`, or drop it");
        }
    }
    let texts = match it.kind {
        ValueType::String => true,
        ValueType::Array => value::item_kind(it) == ValueType::String,
        ValueType::Boolean | ValueType::Integer | ValueType::Number => false,
    };
    if value::is_path(it) && !texts {
        let hint = "make the type `string`, or an array of them";
        found.fault_with(format!("{at}/format"), "only text can be a path", hint);
    }
    let named_so = it
        .name
        .split(['-', '_', '.'])
        .any(|word| PATH_WORDS.contains(&word.to_lowercase().as_str()));
    if named_so && texts && !value::is_path(it) && it.file_arg != Some(true) {
        let why = format!("`{}` looks like a path, and is not kept inside the scope", it.name);
        found.oddity(format!("{at}/name"), why, "add `\"format\": \"path\"`");
    }
}

fn files(it: &Parameter, at: &str, found: &mut Findings) {
    if it.file_arg == Some(true) && it.kind != ValueType::String {
        found.fault(format!("{at}/file_arg"), "only text can be written to a file");
    }
    if it.file_arg == Some(true) && value::is_path(it) {
        let why = "its value is what the file holds, not a path";
        found.fault_with(format!("{at}/format"), why, "drop `format` or `file_arg`");
    }
    let Some(flag) = &it.file_flag else { return };
    let flag_at = format!("{at}/file_flag");
    if it.file_arg != Some(true) {
        found.fault_with(flag_at, "this flag would never be passed", "add `\"file_arg\": true`");
    } else if !flag.starts_with('-') || !fits(flag.trim_start_matches('-')) {
        found.fault_with(flag_at, format!("`{}` is not a flag", short(flag)), "write it as `-F`");
    }
}

fn values(it: &Parameter, at: &str, found: &mut Findings) {
    if it.items.is_some() && it.kind != ValueType::Array {
        found.fault(format!("{at}/items"), "only an array has items");
    }
    if let Some(choices) = &it.choices {
        let choices_at = format!("{at}/enum");
        if it.kind != ValueType::String && it.kind != ValueType::Array {
            found.fault(choices_at, "only text can be one of several words");
        } else if choices.is_empty() {
            found.fault(choices_at, "no value is allowed");
        }
    }
    let Some(default) = &it.default else { return };
    let default_at = format!("{at}/default");
    if let Err(error) = value::check(it, default) {
        found.fault(default_at, format!("the default does not fit: {error}"));
    } else if it.required == Some(true) {
        let why = "what must be given has no use for a default";
        found.oddity(default_at, why, "drop `required` or `default`");
    }
}
