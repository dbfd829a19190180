//! Builds a tool's command from its JSON schema: required arguments are positional, others are flags.

use clap::{
    Arg, ArgAction, ArgMatches, Command,
    builder::{PossibleValuesParser, ValueParser},
    parser::ValueSource,
};
use deskhand_engine::ToolEntry;
use serde_json::{Map, Value};

/// The type of an argument.
#[derive(Debug, Clone, PartialEq)]
enum ArgKind {
    Switch,
    Number {
        min: i64,
        max: i64,
    },
    Decimal,
    Text,
    Choice(Vec<String>),
    List(Box<ArgKind>),
    /// All remaining words, unparsed.
    Rest,
}

/// Returns the command of a tool without its arguments.
pub(crate) fn bare_command(entry: &ToolEntry) -> Command {
    Command::new(last_word(entry)).about(entry.description().to_owned())
}

/// Returns the command of a tool.
pub(crate) fn command(entry: &ToolEntry) -> Command {
    let schema = entry.full_input_schema();
    bare_command(entry).args(properties(&schema).into_iter().map(|(name, property)| {
        let required = is_required(&schema, name);
        argument(name, property, required)
    }))
}

/// Returns the group of a tool's command, if it has one.
pub(crate) fn group(entry: &ToolEntry) -> Option<&'static str> {
    entry.command().split_once(' ').map(|(group, _)| group)
}

/// Returns the last word of a tool's command.
pub(crate) fn last_word(entry: &ToolEntry) -> &'static str {
    entry.command().split_once(' ').map_or(entry.command(), |(_, word)| word)
}

fn argument(name: &str, property: &Value, required: bool) -> Arg {
    let kind = kind(property);
    // Descriptions contain line breaks; clap wraps help itself.
    let help = property["description"].as_str().unwrap_or_default().replace('\n', " ");
    let arg = Arg::new(name.to_owned()).help(help).required(required);
    // The main argument of a command is positional even if it is optional.
    let positional = required || property["x-positional"] == true;
    let arg = if positional { arg } else { arg.long(name.replace('_', "-")) };
    let arg = match property["x-alias"].as_str() {
        Some(alias) => arg.visible_alias(alias.to_owned()),
        None => arg,
    };
    match &kind {
        ArgKind::Switch => arg.action(ArgAction::SetTrue),
        ArgKind::Rest => Arg::new(name.to_owned())
            .help(arg.get_help().cloned().unwrap_or_default())
            .num_args(0..)
            .trailing_var_arg(true)
            .allow_hyphen_values(true)
            .value_name(value_name(name)),
        ArgKind::List(item) if required => {
            arg.num_args(1..).value_parser(parser(item)).value_name(value_name(name))
        }
        ArgKind::List(item) => arg
            .action(ArgAction::Append)
            .value_delimiter(',')
            .value_parser(parser(item))
            .value_name(value_name(name)),
        one @ (ArgKind::Number { .. } | ArgKind::Decimal | ArgKind::Text | ArgKind::Choice(_)) => {
            arg.value_parser(parser(one))
                // "-1" is a number out of range, not an unknown flag.
                .allow_negative_numbers(true)
                .value_name(value_name(name))
        }
    }
}

fn value_name(name: &str) -> String {
    name.to_uppercase()
}

fn parser(kind: &ArgKind) -> ValueParser {
    match kind {
        ArgKind::Number { min, max } => clap::value_parser!(i64).range(*min..=*max).into(),
        ArgKind::Decimal => clap::value_parser!(f64).into(),
        ArgKind::Choice(words) => PossibleValuesParser::new(words.clone()).into(),
        ArgKind::Text | ArgKind::Switch | ArgKind::List(_) | ArgKind::Rest => ValueParser::string(),
    }
}

fn properties(schema: &Value) -> Vec<(&str, &Value)> {
    schema["properties"]
        .as_object()
        .map(|all| all.iter().map(|(name, property)| (name.as_str(), property)).collect())
        .unwrap_or_default()
}

fn is_required(schema: &Value, name: &str) -> bool {
    schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name))
}

fn kind(property: &Value) -> ArgKind {
    if let Some(words) = choices(property) {
        return ArgKind::Choice(words);
    }
    let is = |wanted: &str| match &property["type"] {
        Value::String(one) => one == wanted,
        Value::Array(several) => several.iter().any(|one| one == wanted),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    };
    if is("boolean") {
        ArgKind::Switch
    } else if is("integer") {
        let bound = |name: &str, or: i64| property[name].as_i64().unwrap_or(or);
        ArgKind::Number { min: bound("minimum", i64::MIN), max: bound("maximum", i64::MAX) }
    } else if is("number") {
        ArgKind::Decimal
    } else if property["x-trailing"] == true {
        ArgKind::Rest
    } else if is("array") {
        ArgKind::List(Box::new(kind(&property["items"])))
    } else {
        ArgKind::Text
    }
}

/// Returns the values of an enum, which a schema writes as `enum` or as `oneOf` with `const`.
fn choices(property: &Value) -> Option<Vec<String>> {
    let word = |value: &Value| value.as_str().map(str::to_owned);
    if let Some(words) = property["enum"].as_array() {
        return words.iter().map(word).collect();
    }
    property["oneOf"].as_array()?.iter().map(|one| word(&one["const"])).collect()
}

/// Returns the given arguments in the form the tool expects.
pub(crate) fn read(entry: &ToolEntry, matches: &ArgMatches) -> Value {
    let schema = entry.full_input_schema();
    let mut given = Map::new();
    for (name, property) in properties(&schema) {
        if matches.value_source(name).is_none_or(|source| source == ValueSource::DefaultValue) {
            continue;
        }
        let text = || matches.get_one::<String>(name).map(|text| Value::from(text.clone()));
        let value = match kind(property) {
            ArgKind::Switch => Some(Value::from(matches.get_flag(name))),
            ArgKind::Number { .. } => {
                matches.get_one::<i64>(name).map(|number| Value::from(*number))
            }
            ArgKind::Decimal => matches.get_one::<f64>(name).map(|number| Value::from(*number)),
            ArgKind::Text | ArgKind::Choice(_) => text(),
            ArgKind::List(_) | ArgKind::Rest => matches
                .get_many::<String>(name)
                .map(|all| all.map(|text| Value::from(text.clone())).collect()),
        };
        given.extend(value.map(|value| (name.to_owned(), value)));
    }
    Value::Object(given)
}

#[cfg(test)]
mod tests {
    use deskhand_engine::{Catalogue, Vocabulary};
    use serde_json::json;

    use super::*;

    fn given(argv: &[&str]) -> Result<Value, i32> {
        let tools = Catalogue::all();
        let entry = tools.get(&Vocabulary::Commands.tool(argv[0].to_owned())).unwrap();
        command(&entry)
            .try_get_matches_from(argv)
            .map(|matches| read(&entry, &matches))
            .map_err(|error| error.exit_code())
    }

    #[test]
    fn required_arguments_are_positional_and_the_rest_are_flags() {
        assert_eq!(
            given(&["find", "Save", "--app", "mousepad", "--all", "--strategy", "exact"]),
            Ok(json!({"query": "Save", "app": "mousepad", "all": true, "strategy": "exact"}))
        );
        assert_eq!(given(&["find"]), Err(2));
    }

    #[test]
    fn a_flag_can_have_a_second_name() {
        for flag in ["--into", "--element"] {
            let typed = given(&["type", "hello", flag, "URL bar"]);
            assert_eq!(typed, Ok(json!({"text": "hello", "into": "URL bar"})));
        }
    }

    #[test]
    fn numeric_text_stays_text() {
        assert_eq!(given(&["find", "42"]), Ok(json!({"query": "42"})));
        assert_eq!(given(&["tree", "--app", "007"]), Ok(json!({"app": "007"})));
    }

    #[test]
    fn numbers_out_of_range_are_usage_errors() {
        assert_eq!(given(&["tree", "--depth", "3"]), Ok(json!({"depth": 3})));
        assert_eq!(given(&["tree", "--depth", "-1"]), Err(2));
        assert_eq!(given(&["tree", "--depth", "many"]), Err(2));
    }

    #[test]
    fn lists_are_comma_separated() {
        let both = given(&["watch", "--events", "focus_changed,title_changed"]);
        assert_eq!(both, Ok(json!({"events": ["focus_changed", "title_changed"]})));
        assert_eq!(given(&["watch", "--events", "earthquake"]), Err(2));
    }
}
