//! The content of a file in a tools folder. The published JSON schema is generated from these types, so authors
//! read these comments in their editors.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// A command-line program, offered as tools.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "a tool")]
pub struct Definition {
    /// The URL of the schema, for editors. Ignored otherwise.
    #[serde(rename = "$schema")]
    pub schema: Option<String>,
    /// The prefix of the names of its tools: letters, digits, `_` and `-`.
    pub name: String,
    /// The purpose of the program.
    pub description: String,
    /// The program and its first arguments: `git`, `python3 -m pip`. No shell interprets it.
    /// `sequence` for a tool that calls other tools.
    pub command: String,
    /// `false` disables the tool: it is not listed and not checked (default: true).
    #[serde(default = "on")]
    pub enabled: bool,
    /// The timeout of a call, in seconds.
    #[schemars(range(min = 1, max = 86_400))]
    pub timeout_seconds: Option<u64>,
    /// `true`: a call returns when the program has ended. `false`: it returns at once and the result
    /// follows later. Subcommands inherit the value.
    pub synchronous: Option<bool>,
    /// Advice for callers, added to the descriptions of the tools.
    pub hints: Option<Hints>,
    /// The subcommands. Each becomes a tool named `NAME_SUBCOMMAND`.
    pub subcommand: Option<Vec<Subcommand>>,
    /// The calls of a tool with the command `sequence`, one after the other.
    pub sequence: Option<Vec<SequenceStep>>,
    /// The time between the steps of a sequence, in milliseconds.
    pub step_delay_ms: Option<u64>,
    /// The check whether the program is installed.
    pub availability_check: Option<Availability>,
    /// Instructions for users if it is not installed.
    pub install_instructions: Option<String>,
    /// The kind of tool.
    pub tool_type: Option<ToolKind>,
    /// Ignored; accepted for compatibility with older files. Options describe the input.
    pub input_schema: Option<Map<String, Value>>,
    /// Ignored; accepted for compatibility with older files.
    pub guidance_key: Option<String>,
    /// Ignored; accepted for compatibility with older files.
    pub monitor_level: Option<String>,
    /// Ignored; accepted for compatibility with older files.
    pub monitor_stream: Option<String>,
}

/// A tool, or a group of tools.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "a subcommand")]
pub struct Subcommand {
    /// The word after the command: letters, digits and `-`, never `_`. `default` adds no word.
    pub name: String,
    /// The purpose of the subcommand.
    pub description: String,
    /// `false` disables it (default: true).
    #[serde(default = "on")]
    pub enabled: bool,
    /// Nested subcommands. They make this one a group, which is not a tool itself.
    pub subcommand: Option<Vec<Subcommand>>,
    /// Arguments with a name: `--release`, `--message TEXT`.
    pub options: Option<Vec<Parameter>>,
    /// Arguments without a name, in this order.
    pub positional_args: Option<Vec<Parameter>>,
    /// `true` puts the positional arguments before the options (default: false).
    pub positional_args_first: Option<bool>,
    /// `true` puts `--` before the positional arguments (default: false). Without it, a positional argument
    /// that begins with `-` is refused, because the program would take it for an option.
    pub end_of_options: Option<bool>,
    /// The timeout of a call, in seconds.
    #[schemars(range(min = 1, max = 86_400))]
    pub timeout_seconds: Option<u64>,
    /// `true`: a call returns when the program has ended.
    pub synchronous: Option<bool>,
    /// Calls to run one after the other, instead of one call of the program.
    pub sequence: Option<Vec<SequenceStep>>,
    /// The time between the steps, in milliseconds.
    pub step_delay_ms: Option<u64>,
    /// The check whether the subcommand is available.
    pub availability_check: Option<Availability>,
    /// Instructions for users if it is not available.
    pub install_instructions: Option<String>,
    /// Ignored; accepted for compatibility with older files.
    pub guidance_key: Option<String>,
}

/// An option or a positional argument.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "an option")]
pub struct Parameter {
    /// The name. An option is passed as `--name`, or unchanged if it begins with `-`.
    pub name: String,
    /// The type of the value.
    #[serde(rename = "type")]
    pub kind: ValueType,
    /// The purpose of the parameter.
    pub description: Option<String>,
    /// `true` if it must be given (default: false).
    pub required: Option<bool>,
    /// `path` for a file or folder: it must be inside the scope after links are resolved.
    pub format: Option<String>,
    /// The elements of an array (default: strings).
    pub items: Option<Items>,
    /// The allowed values (default: any).
    #[serde(rename = "enum")]
    pub choices: Option<Vec<String>>,
    /// The default value.
    pub default: Option<Value>,
    /// `true` writes the value to a temporary file and passes the path of that file (default: false).
    pub file_arg: Option<bool>,
    /// The flag before the path of that file, such as `-F`.
    pub file_flag: Option<String>,
    /// A short flag instead of `--name`: `m` means `-m`.
    pub alias: Option<String>,
}

/// The type of a value.
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

/// The elements of an array.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "items")]
pub struct Items {
    /// The type of each element.
    #[serde(rename = "type")]
    pub kind: ItemType,
    /// `path` for files and folders.
    pub format: Option<String>,
    /// The purpose of each element.
    pub description: Option<String>,
}

/// The type of an array element.
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

/// Advice for callers, by the name of the subcommand.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "hints")]
pub struct Hints {
    /// For `build`.
    pub build: Option<String>,
    /// For `test`.
    pub test: Option<String>,
    /// For subcommands that change dependencies: `add`, `remove`, `update`, `upgrade`, `install`, `uninstall`.
    pub dependencies: Option<String>,
    /// For `clean`.
    pub clean: Option<String>,
    /// For `run`.
    pub run: Option<String>,
    /// For other subcommands, by name.
    pub custom: Option<BTreeMap<String, String>>,
}

/// The check whether a program is installed: a command line, or its parts.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Availability {
    /// A command line, such as `which cargo-nextest`. No shell interprets it.
    Line(String),
    /// The parts of a command line.
    Parts(AvailabilityCommand),
}

/// A command that succeeds if the tool is available.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "an availability check", rename = "Check")]
pub struct AvailabilityCommand {
    /// The program to run (default: the program of the tool).
    pub command: Option<String>,
    /// Its arguments.
    pub args: Option<Vec<String>>,
    /// The working folder (default: the scope).
    pub working_directory: Option<String>,
    /// The exit codes that count as success (default: 0).
    pub success_exit_codes: Option<Vec<i32>>,
    /// `true` leaves out the words of the subcommand (default: false).
    pub skip_subcommand_args: Option<bool>,
}

/// One call of a sequence.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "a step")]
pub struct SequenceStep {
    /// The tool: the `name` of a file in this folder, or `sandboxed_shell` (default: this tool).
    pub tool: Option<String>,
    /// Its subcommand (default: `default`).
    pub subcommand: Option<String>,
    /// The arguments of the call.
    pub args: Option<Map<String, Value>>,
    /// The purpose of the step.
    pub description: Option<String>,
    /// Skips the step if this file exists.
    pub skip_if_file_exists: Option<String>,
    /// Skips the step if this file does not exist.
    pub skip_if_file_missing: Option<String>,
}

/// The kind of tool that a file defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Kind")]
pub enum ToolKind {
    /// It runs a program.
    Command,
}

fn on() -> bool {
    true
}

impl Definition {
    /// The subcommands, including disabled ones.
    pub(super) fn subcommands(&self) -> &[Subcommand] {
        self.subcommand.as_deref().unwrap_or_default()
    }
}

impl Subcommand {
    /// The subcommands, including disabled ones.
    pub(super) fn subcommands(&self) -> &[Subcommand] {
        self.subcommand.as_deref().unwrap_or_default()
    }
}

impl Hints {
    /// The advice for a subcommand.
    pub(super) fn for_subcommand(&self, subcommand: &str) -> Option<&str> {
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
    /// The name in a schema and in messages.
    pub(super) fn as_str(self) -> &'static str {
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
