//! A tool made from a file: what it is called, what it takes, and what a call of it runs.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde_json::{Map, Value, json};

use super::{
    error::Error,
    line::Line,
    meta::{self, Meta, Mode},
    scope::Scope,
    value,
};
use crate::operation::{Skip, Step};

/// What callers of a tool that runs in the background are told.
pub const IN_THE_BACKGROUND: &str = "Runs in the background: the call answers at once with an \
    operation id. Do not wait for it; go on with other work, and take the result up when its \
    notification arrives.";

/// A tool made from a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Callable {
    /// What it is called by: `git_commit`.
    pub name: String,
    /// What it is called for eyes: `git commit`.
    pub title: String,
    /// What it does, with advice, and with what to expect when it runs in the background.
    pub about: String,
    /// The same without a word about the background.
    pub summary: String,
    /// Whether a call answers when the command has ended; as the server does when absent.
    pub synchronous: Option<bool>,
    /// How long a call may take; as the server has it when absent.
    pub timeout: Option<Duration>,
    /// How to find out whether it can be used.
    pub availability: Option<Probe>,
    /// What to do when it cannot.
    pub install_instructions: Option<String>,
    /// The file it comes from.
    pub file: PathBuf,
    pub(super) act: Act,
}

/// A command that ends well where a tool can be used.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Probe {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The folder it is tried in, below the scope.
    pub folder: Option<String>,
    /// The exit codes that are good.
    pub good: Vec<i32>,
}

/// What a call comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// What runs, one after the other.
    pub steps: Vec<Step>,
    /// How long the call asked it to take at most, or else its file.
    pub timeout: Option<Duration>,
    /// Whether the call asked to wait.
    pub mode: Option<Mode>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Act {
    Command(Line),
    Sequence(Vec<Link>),
}

/// One call of a sequence.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Link {
    pub(super) title: Option<String>,
    pub(super) calls: Calls,
    pub(super) arguments: Map<String, Value>,
    pub(super) skip: Option<Skip>,
    pub(super) delay: Duration,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Calls {
    Tool(Arc<Callable>),
    Shell,
}

impl Callable {
    /// What a call may pass: one flat object.
    pub fn schema(&self) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        if let Act::Command(line) = &self.act {
            for one in line.positionals.iter().chain(&line.options) {
                properties.insert(one.name.clone(), value::schema(one));
                if one.required == Some(true) && one.default.is_none() {
                    required.push(one.name.clone());
                }
            }
        }
        properties.extend(meta::properties().map(|(name, schema)| (name.to_owned(), schema)));
        let mut schema = json!({ "type": "object", "properties": properties });
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        schema["additionalProperties"] = json!(false);
        schema
    }

    /// What a call runs. Its arguments are checked; files it needs are written into the scope.
    pub fn plan(&self, arguments: &Value, scope: &Path) -> Result<Planned, Error> {
        let none = Map::new();
        let arguments = match arguments {
            Value::Object(all) => all,
            Value::Null => &none,
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                return Err(Error::NotAnObject);
            }
        };
        let scope = Scope::new(scope)?;
        let meta = Meta::read(arguments)?;
        let folder = scope.folder(meta.folder.as_deref())?;
        let steps = self.steps(arguments, &scope, &folder)?;
        Ok(Planned { steps, timeout: meta.timeout.or(self.timeout), mode: meta.mode })
    }

    /// Refuses arguments by their names and kinds alone.
    pub(super) fn check(&self, arguments: &Map<String, Value>) -> Result<(), Error> {
        Meta::read(arguments)?;
        match &self.act {
            Act::Command(line) => line.check(arguments),
            Act::Sequence(_) => self.only_meta(arguments),
        }
    }

    fn only_meta(&self, arguments: &Map<String, Value>) -> Result<(), Error> {
        let unknown = arguments.keys().find(|name| !meta::NAMES.contains(&name.as_str()));
        unknown.map_or(Ok(()), |name| {
            let known = meta::NAMES.iter().map(|&name| name.to_owned()).collect();
            Err(Error::Unknown { tool: self.name.clone(), name: name.clone(), near: None, known })
        })
    }

    fn steps(
        &self,
        arguments: &Map<String, Value>,
        scope: &Scope,
        folder: &Path,
    ) -> Result<Vec<Step>, Error> {
        match &self.act {
            Act::Command(line) => {
                let words = line.build(arguments, scope, folder)?;
                Ok(vec![Step {
                    title: self.title.clone(),
                    program: line.words.first().cloned().unwrap_or_default(),
                    arguments: words.all,
                    folder: folder.to_owned(),
                    skip: None,
                    delay_before: Duration::ZERO,
                    files: words.files,
                }])
            }
            Act::Sequence(links) => {
                self.only_meta(arguments)?;
                let mut steps = Vec::new();
                for link in links {
                    steps.extend(link.steps(scope, folder)?);
                }
                if let Some(first) = steps.first_mut() {
                    first.delay_before = Duration::ZERO;
                }
                Ok(steps)
            }
        }
    }
}

impl Link {
    fn steps(&self, scope: &Scope, folder: &Path) -> Result<Vec<Step>, Error> {
        let own = Meta::read(&self.arguments)?.folder;
        let folder = match own {
            Some(own) => scope.folder(Some(&own))?,
            None => folder.to_owned(),
        };
        let skip = match &self.skip {
            None => None,
            Some(Skip::IfExists(path)) => {
                Some(Skip::IfExists(held("skip_if_file_exists", path, scope, &folder)?))
            }
            Some(Skip::IfMissing(path)) => {
                Some(Skip::IfMissing(held("skip_if_file_missing", path, scope, &folder)?))
            }
        };
        let mut steps = match &self.calls {
            Calls::Tool(tool) => tool.steps(&self.arguments, scope, &folder)?,
            Calls::Shell => vec![shell(&self.arguments, &folder)],
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

fn held(name: &str, path: &Path, scope: &Scope, folder: &Path) -> Result<PathBuf, Error> {
    scope.holds(name, &path.to_string_lossy(), folder)
}

/// `sandboxed_shell` as a step: the script is an author's, checked when the file was read.
fn shell(arguments: &Map<String, Value>, folder: &Path) -> Step {
    let script = arguments.get("command").and_then(Value::as_str).unwrap_or_default();
    Step {
        title: "sh".to_owned(),
        program: "sh".to_owned(),
        arguments: vec!["-c".to_owned(), script.to_owned()],
        folder: folder.to_owned(),
        skip: None,
        delay_before: Duration::ZERO,
        files: Vec::new(),
    }
}
