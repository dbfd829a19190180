//! A tool defined in a file: its name, its parameters, and the plan of a call.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde_json::{Map, Value, json};

use super::{
    command_line::CommandTemplate,
    error::Error,
    meta_arguments::{self, ExecutionMode, MetaArguments},
    scope::Scope,
    value,
};
use crate::operation::{ProgramStep, Skip};

/// The note in the description of tools that run in the background.
pub const BACKGROUND_NOTE: &str = "Runs in the background: the call returns an operation id at \
    once. Do not wait for it; continue with other work, and read the result when its notification \
    arrives.";

/// A tool defined in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandTool {
    /// The name of the tool, such as `git_commit`.
    pub name: String,
    /// The title for people, such as `git commit`.
    pub title: String,
    /// The full description: the summary, and [`BACKGROUND_NOTE`] if it runs in the background.
    pub description: String,
    /// The description without the note about the background.
    pub summary: String,
    /// `true` if a call returns when the command has ended. `None` uses the default of the server.
    pub synchronous: Option<bool>,
    /// The timeout of a call. `None` uses the default of the server.
    pub timeout: Option<Duration>,
    /// The command that checks whether the tool is available.
    pub availability: Option<AvailabilityProbe>,
    /// Instructions for users if it is not available.
    pub install_instructions: Option<String>,
    /// The file that defines it.
    pub file: PathBuf,
    pub(super) action: ToolAction,
}

/// A command that succeeds if a tool is available.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AvailabilityProbe {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The working folder, relative to the scope.
    pub folder: Option<String>,
    /// The exit codes that count as success.
    pub success_codes: Vec<i32>,
}

/// The plan of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct CallPlan {
    /// The programs to run, one after the other.
    pub steps: Vec<ProgramStep>,
    /// The timeout from the call or from the file.
    pub timeout: Option<Duration>,
    /// The execution mode, if the call requests one.
    pub mode: Option<ExecutionMode>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum ToolAction {
    Command(CommandTemplate),
    Sequence(Vec<SequenceCall>),
}

/// One call of a sequence.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SequenceCall {
    pub(super) title: Option<String>,
    pub(super) target: CallTarget,
    pub(super) arguments: Map<String, Value>,
    pub(super) skip: Option<Skip>,
    pub(super) delay: Duration,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum CallTarget {
    Tool(Arc<CommandTool>),
    Shell,
}

impl CommandTool {
    /// Returns the JSON schema of the arguments: one flat object.
    pub fn schema(&self) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        if let ToolAction::Command(template) = &self.action {
            for one in template.positionals.iter().chain(&template.options) {
                properties.insert(one.name.clone(), value::schema(one));
                if one.required == Some(true) && one.default.is_none() {
                    required.push(one.name.clone());
                }
            }
        }
        properties
            .extend(meta_arguments::properties().map(|(name, schema)| (name.to_owned(), schema)));
        let mut schema = json!({ "type": "object", "properties": properties });
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        schema["additionalProperties"] = json!(false);
        schema
    }

    /// Checks the arguments and plans a call. File arguments are written into the scope.
    pub fn plan(&self, arguments: &Value, scope: &Path) -> Result<CallPlan, Error> {
        let none = Map::new();
        let arguments = match arguments {
            Value::Object(all) => all,
            Value::Null => &none,
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                return Err(Error::NotAnObject);
            }
        };
        let scope = Scope::new(scope)?;
        let meta = MetaArguments::read(arguments)?;
        let folder = scope.folder(meta.folder.as_deref())?;
        let steps = self.steps(arguments, &scope, &folder)?;
        Ok(CallPlan { steps, timeout: meta.timeout.or(self.timeout), mode: meta.mode })
    }

    /// Checks the names and types of arguments.
    pub(super) fn check(&self, arguments: &Map<String, Value>) -> Result<(), Error> {
        MetaArguments::read(arguments)?;
        match &self.action {
            ToolAction::Command(template) => template.check(arguments),
            ToolAction::Sequence(_) => self.reject_unknown_arguments(arguments),
        }
    }

    fn reject_unknown_arguments(&self, arguments: &Map<String, Value>) -> Result<(), Error> {
        let unknown = arguments.keys().find(|name| !meta_arguments::NAMES.contains(&name.as_str()));
        unknown.map_or(Ok(()), |name| {
            let known = meta_arguments::NAMES.iter().map(|&name| name.to_owned()).collect();
            Err(Error::Unknown { tool: self.name.clone(), name: name.clone(), near: None, known })
        })
    }

    fn steps(
        &self,
        arguments: &Map<String, Value>,
        scope: &Scope,
        folder: &Path,
    ) -> Result<Vec<ProgramStep>, Error> {
        match &self.action {
            ToolAction::Command(template) => {
                let words = template.build(arguments, scope, folder)?;
                Ok(vec![ProgramStep {
                    title: self.title.clone(),
                    program: template.words.first().cloned().unwrap_or_default(),
                    arguments: words.all,
                    folder: folder.to_owned(),
                    skip: None,
                    delay_before: Duration::ZERO,
                    files: words.files,
                }])
            }
            ToolAction::Sequence(calls) => {
                self.reject_unknown_arguments(arguments)?;
                let mut steps = Vec::new();
                for call in calls {
                    steps.extend(call.steps(scope, folder)?);
                }
                if let Some(first) = steps.first_mut() {
                    first.delay_before = Duration::ZERO;
                }
                Ok(steps)
            }
        }
    }
}

impl SequenceCall {
    fn steps(&self, scope: &Scope, folder: &Path) -> Result<Vec<ProgramStep>, Error> {
        let own = MetaArguments::read(&self.arguments)?.folder;
        let folder = match own {
            Some(own) => scope.folder(Some(&own))?,
            None => folder.to_owned(),
        };
        let skip = match &self.skip {
            None => None,
            Some(Skip::IfExists(path)) => Some(Skip::IfExists(resolve_skip_path(
                "skip_if_file_exists",
                path,
                scope,
                &folder,
            )?)),
            Some(Skip::IfMissing(path)) => Some(Skip::IfMissing(resolve_skip_path(
                "skip_if_file_missing",
                path,
                scope,
                &folder,
            )?)),
        };
        let mut steps = match &self.target {
            CallTarget::Tool(tool) => tool.steps(&self.arguments, scope, &folder)?,
            CallTarget::Shell => vec![shell(&self.arguments, &folder)],
        };
        for step in &mut steps {
            step.skip = step.skip.take().or_else(|| skip.clone());
        }
        if let Some(first) = steps.first_mut() {
            first.delay_before = self.delay;
            if let Some(title) = &self.title {
                first.title.clone_from(title);
            }
        }
        Ok(steps)
    }
}

fn resolve_skip_path(
    name: &str,
    path: &Path,
    scope: &Scope,
    folder: &Path,
) -> Result<PathBuf, Error> {
    scope.require_inside(name, &path.to_string_lossy(), folder)
}

/// Plans a `sandboxed_shell` step. Its script was checked when the file was read.
fn shell(arguments: &Map<String, Value>, folder: &Path) -> ProgramStep {
    let script = arguments.get("command").and_then(Value::as_str).unwrap_or_default();
    ProgramStep {
        title: "sh".to_owned(),
        program: "sh".to_owned(),
        arguments: vec!["-c".to_owned(), script.to_owned()],
        folder: folder.to_owned(),
        skip: None,
        delay_before: Duration::ZERO,
        files: Vec::new(),
    }
}
