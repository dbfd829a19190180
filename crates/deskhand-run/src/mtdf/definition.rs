//! What a file in the tools folder may say. The published schema is made from these types, so what
//! stands here is what authors read in their editors.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// A command-line program, offered as tools.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "a tool")]
pub struct Definition {
    /// Where an editor finds the schema of this file; nothing else reads it.
    #[serde(rename = "$schema")]
    pub schema: Option<String>,
    /// The beginning of the names of its tools: letters, digits, `_` and `-`.
    pub name: String,
    /// What the program is for.
    pub description: String,
    /// The program, and words that always follow it: `git`, `python3 -m pip`. No shell reads it.
    /// `sequence` for a tool that calls others.
    pub command: String,
    /// `false` takes the tool away: it is not listed, and nothing is tried.
    #[serde(default = "on")]
    pub enabled: bool,
    /// How many seconds a call may take.
    #[schemars(range(min = 1, max = 86_400))]
    pub timeout_seconds: Option<u64>,
    /// Whether a call answers when the program has ended; otherwise it answers at once, and the
    /// result comes later. Subcommands take it over unless they say otherwise.
    pub synchronous: Option<bool>,
    /// Advice to whoever calls, put into the descriptions of the tools.
    pub hints: Option<Hints>,
    /// The tools: each is called `NAME_SUBCOMMAND`.
    pub subcommand: Option<Vec<Subcommand>>,
    /// What a tool with the command `sequence` calls, one after the other.
    pub sequence: Option<Vec<SequenceStep>>,
    /// How many milliseconds to wait between the steps of a sequence.
    pub step_delay_ms: Option<u64>,
    /// How to find out whether the program is installed.
    pub availability_check: Option<Availability>,
    /// What to do when it is not.
    pub install_instructions: Option<String>,
    /// What kind of tool this is.
    pub tool_type: Option<Kind>,
    /// Taken for the sake of older files, without effect: the input is described by the options.
    pub input_schema: Option<Map<String, Value>>,
    /// Taken for the sake of older files, without effect.
    pub guidance_key: Option<String>,
    /// Taken for the sake of older files, without effect.
    pub monitor_level: Option<String>,
    /// Taken for the sake of older files, without effect.
    pub monitor_stream: Option<String>,
}

/// One tool, or a group of them.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "a subcommand")]
pub struct Subcommand {
    /// The word after the command: letters, digits and `-`, never `_`. `default` adds no word.
    pub name: String,
    /// What it does.
    pub description: String,
    /// `false` takes it away.
    #[serde(default = "on")]
    pub enabled: bool,
    /// Subcommands of this one; it is a group then, and no tool of its own.
    pub subcommand: Option<Vec<Subcommand>>,
    /// What is passed with a name: `--release`, `--message TEXT`.
    pub options: Option<Vec<Parameter>>,
    /// What is passed without one, in this order.
    pub positional_args: Option<Vec<Parameter>>,
    /// Whether the positional arguments come before the options.
    pub positional_args_first: Option<bool>,
    /// Whether `--` stands before the positional arguments. Without it a positional argument that
    /// begins with `-` is refused, because the program would take it for an option.
    pub end_of_options: Option<bool>,
    /// How many seconds a call may take.
    #[schemars(range(min = 1, max = 86_400))]
    pub timeout_seconds: Option<u64>,
    /// Whether a call answers when the program has ended.
    pub synchronous: Option<bool>,
    /// What to do instead of one call of the program: several, one after the other.
    pub sequence: Option<Vec<SequenceStep>>,
    /// How many milliseconds to wait between them.
    pub step_delay_ms: Option<u64>,
    /// How to find out whether it can be used.
    pub availability_check: Option<Availability>,
    /// What to do when it cannot.
    pub install_instructions: Option<String>,
    /// Taken for the sake of older files, without effect.
    pub guidance_key: Option<String>,
}

/// An option or a positional argument.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "an option")]
pub struct Parameter {
    /// Its name. An option is passed as `--name`, or as it is when it begins with `-`.
    pub name: String,
    /// What its value must be.
    #[serde(rename = "type")]
    pub kind: ValueType,
    /// What it is for.
    pub description: Option<String>,
    /// Whether it must be given.
    pub required: Option<bool>,
    /// `path` for every file or folder: it must stay inside the scope, links resolved.
    pub format: Option<String>,
    /// What the elements of an array are; text when absent.
    pub items: Option<Items>,
    /// The values it may have; any when absent.
    #[serde(rename = "enum")]
    pub choices: Option<Vec<String>>,
    /// Its value when it is not given.
    pub default: Option<Value>,
    /// Whether the value is written to a file of its own, and the path of that file is passed.
    pub file_arg: Option<bool>,
    /// What the path of that file is passed with, such as `-F`.
    pub file_flag: Option<String>,
    /// What it is passed with instead of `--name`: `m` makes it `-m`.
    pub alias: Option<String>,
}

/// What a value must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ValueType {
    /// Text.
    String,
    /// On or off.
    Boolean,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// Several values; an option is repeated for each.
    Array,
}

/// What the elements of an array are.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "items")]
pub struct Items {
    /// What each must be.
    #[serde(rename = "type")]
    pub kind: ItemType,
    /// `path` for files and folders.
    pub format: Option<String>,
    /// What each is for.
    pub description: Option<String>,
}

/// What an element of an array must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ItemType {
    /// Text.
    String,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
}

/// Advice to whoever calls, by the name of the subcommand.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "hints")]
pub struct Hints {
    /// For `build`.
    pub build: Option<String>,
    /// For `test`.
    pub test: Option<String>,
    /// For what changes dependencies: `add`, `remove`, `update`, `upgrade`, `install`, `uninstall`.
    pub dependencies: Option<String>,
    /// For `clean`.
    pub clean: Option<String>,
    /// For `run`.
    pub run: Option<String>,
    /// For any other, by its name.
    pub custom: Option<BTreeMap<String, String>>,
}

/// How to find out whether a program is installed: a command line, or its parts.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Availability {
    /// A command line, such as `which cargo-nextest`; no shell reads it.
    Line(String),
    /// The same in parts.
    Parts(Check),
}

/// A command that ends well where the tool can be used.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "an availability check")]
pub struct Check {
    /// The program to try; the tool's own when absent.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Option<Vec<String>>,
    /// The folder it is tried in; the scope when absent.
    pub working_directory: Option<String>,
    /// The exit codes that are good; 0 when absent.
    pub success_exit_codes: Option<Vec<i32>>,
    /// Whether the words of the subcommand are left out.
    pub skip_subcommand_args: Option<bool>,
}

/// One call of a sequence.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "a step")]
pub struct SequenceStep {
    /// The tool: the `name` of a file here, or `sandboxed_shell`. This one when absent.
    pub tool: Option<String>,
    /// Its subcommand; `default` when absent.
    pub subcommand: Option<String>,
    /// What it is called with.
    pub args: Option<Map<String, Value>>,
    /// What the step is for.
    pub description: Option<String>,
    /// The step is left out when there is such a file.
    pub skip_if_file_exists: Option<String>,
    /// The step is left out when there is no such file.
    pub skip_if_file_missing: Option<String>,
}

/// What kind of tool a file makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// It runs a program.
    Command,
}

fn on() -> bool {
    true
}

impl Definition {
    /// Its subcommands, those that are switched off too.
    pub(super) fn subcommands(&self) -> &[Subcommand] {
        self.subcommand.as_deref().unwrap_or_default()
    }
}

impl Subcommand {
    /// Its subcommands, those that are switched off too.
    pub(super) fn subcommands(&self) -> &[Subcommand] {
        self.subcommand.as_deref().unwrap_or_default()
    }
}

impl Hints {
    /// The advice for a subcommand.
    pub(super) fn of(&self, subcommand: &str) -> Option<&str> {
        let own = self.custom.as_ref().and_then(|all| all.get(subcommand));
        let by_name = match subcommand {
            "build" => self.build.as_ref(),
            "test" => self.test.as_ref(),
            "clean" => self.clean.as_ref(),
            "run" => self.run.as_ref(),
            "add" | "remove" | "update" | "upgrade" | "install" | "uninstall" => {
                self.dependencies.as_ref()
            }
            _ => None,
        };
        own.or(by_name).map(String::as_str)
    }
}

impl ValueType {
    /// What it is called in a schema and in messages.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Array => "array",
        }
    }
}

impl From<ItemType> for ValueType {
    fn from(item: ItemType) -> Self {
        match item {
            ItemType::String => Self::String,
            ItemType::Integer => Self::Integer,
            ItemType::Number => Self::Number,
        }
    }
}
