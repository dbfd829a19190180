//! Resolves the steps of a sequence: finds the tool of each step and checks its arguments.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use serde_json::{Map, Value};

use super::{
    definition::SequenceStep,
    error::Error,
    leaf::LeafTool,
    meta_arguments,
    nearest::nearest,
    semantics::full_name,
    source::{Finding, child_pointer, shorten},
    tool::{CallTarget, CommandTool, SequenceCall, ToolAction},
};
use crate::operation::Skip;

/// The server's own tool that steps may call.
const SHELL_TOOL: &str = "sandboxed_shell";

/// Maximum number of steps of a sequence, including those of nested sequences.
const MAX_STEPS: usize = 200;

/// The tools that steps can call.
pub(super) struct KnownTools<'a> {
    pub(super) tools: &'a BTreeMap<String, Arc<CommandTool>>,
    pub(super) unresolved: &'a BTreeSet<String>,
    pub(super) disabled: &'a BTreeSet<String>,
}

/// The result of resolving a sequence.
pub(super) enum Resolution {
    Ready(Vec<SequenceCall>),
    /// It calls a sequence that is not resolved yet.
    Waiting(Finding),
    Invalid(Vec<Finding>),
}

/// Resolves the steps of a sequence.
pub(super) fn resolve_steps(leaf: &LeafTool<'_>, known: &KnownTools<'_>) -> Resolution {
    let Some((steps, at)) = leaf.sequence() else { return Resolution::Ready(Vec::new()) };
    let mut all = Vec::new();
    let mut findings = Vec::new();
    let mut waiting_for = None;
    for (index, step) in steps.iter().enumerate() {
        let at = format!("{at}/{index}");
        let delay = if index == 0 { Duration::ZERO } else { leaf.delay() };
        match resolve_step(step, &leaf.tool.name, delay, &at, known) {
            Resolution::Ready(calls) => all.extend(calls),
            Resolution::Waiting(finding) => waiting_for = waiting_for.or(Some(finding)),
            Resolution::Invalid(more) => findings.extend(more),
        }
    }
    let count: usize = all.iter().map(|call| count_steps(&call.target)).sum();
    if count > MAX_STEPS {
        let message = format!("this sequence has {count} steps, including nested ones");
        let hint = Some(format!("use at most {MAX_STEPS}"));
        findings.push(Finding::new(at, message).with_suggestion(hint));
    }
    match (findings.is_empty(), waiting_for) {
        (false, _) => Resolution::Invalid(findings),
        (true, Some(finding)) => Resolution::Waiting(finding),
        (true, None) => Resolution::Ready(all),
    }
}

fn count_steps(target: &CallTarget) -> usize {
    match target {
        CallTarget::Shell => 1,
        CallTarget::Tool(tool) => match &tool.action {
            ToolAction::Command(_) => 1,
            ToolAction::Sequence(calls) => calls.iter().map(|call| count_steps(&call.target)).sum(),
        },
    }
}

fn resolve_step(
    step: &SequenceStep,
    own: &str,
    delay: Duration,
    at: &str,
    known: &KnownTools<'_>,
) -> Resolution {
    let tool = step.tool.as_deref().unwrap_or(own);
    let arguments = step.args.clone().unwrap_or_default();
    let target = if tool == SHELL_TOOL {
        CallTarget::Shell
    } else {
        let name = full_name(tool, step.subcommand.as_deref().unwrap_or("default"));
        match known.tools.get(&name) {
            Some(tool) => CallTarget::Tool(Arc::clone(tool)),
            None if known.unresolved.contains(&name) => {
                let message = format!("`{}` calls itself in a cycle", shorten(&name));
                let hint = Some("remove one of the calls".to_owned());
                return Resolution::Waiting(Finding::new(at, message).with_suggestion(hint));
            }
            None => return Resolution::Invalid(vec![missing_tool(&name, tool, step, at, known)]),
        }
    };
    let checked = match &target {
        CallTarget::Tool(tool) => tool.check(&arguments),
        CallTarget::Shell => check_script(&arguments),
    };
    if let Err(error) = checked {
        return Resolution::Invalid(vec![invalid_arguments(&error, at)]);
    }
    if arguments.contains_key("timeout_seconds") {
        let at = child_pointer(&child_pointer(at, "args"), "timeout_seconds");
        let message = "a step cannot have its own timeout";
        let hint = Some("set `timeout_seconds` of the sequence".to_owned());
        return Resolution::Invalid(vec![Finding::new(at, message).with_suggestion(hint)]);
    }
    let exists = step.skip_if_file_exists.as_ref().map(|path| Skip::IfExists(path.into()));
    let missing = step.skip_if_file_missing.as_ref().map(|path| Skip::IfMissing(path.into()));
    let title = step.description.clone();
    Resolution::Ready(vec![SequenceCall {
        title,
        target,
        arguments,
        skip: exists.or(missing),
        delay,
    }])
}

/// Creates the finding for a step whose tool does not exist.
fn missing_tool(
    name: &str,
    tool: &str,
    step: &SequenceStep,
    at: &str,
    known: &KnownTools<'_>,
) -> Finding {
    let field = if step.subcommand.is_some() { "subcommand" } else { "tool" };
    let at = child_pointer(at, field);
    if known.disabled.contains(name) {
        let message = format!("`{}` is disabled", shorten(name));
        return Finding::new(at, message)
            .with_suggestion(Some("enable it, or remove the step".to_owned()));
    }
    let names = known.tools.keys().chain(known.unresolved).map(String::as_str);
    let nearest_name = nearest(name, names.chain([SHELL_TOOL]));
    let hint = match nearest_name {
        Some(nearest_name) => format!("did you mean `{nearest_name}`?"),
        None => format!("add a file that defines it, or check the `name` of `{}`", shorten(tool)),
    };
    Finding::new(at, format!("there is no tool `{}`", shorten(name))).with_suggestion(Some(hint))
}

/// Creates the finding for a step with invalid arguments.
fn invalid_arguments(error: &Error, at: &str) -> Finding {
    Finding::new(child_pointer(at, "args"), error.to_string())
        .with_suggestion(Some(error.suggestion()))
}

fn check_script(arguments: &Map<String, Value>) -> Result<(), Error> {
    let tool = || SHELL_TOOL.to_owned();
    let known = |name: &str| name == "command" || meta_arguments::NAMES.contains(&name);
    if let Some(name) = arguments.keys().find(|name| !known(name)) {
        let known = vec!["command".to_owned()];
        let near = nearest(name, ["command"]).map(str::to_owned);
        return Err(Error::Unknown { tool: tool(), name: name.clone(), near, known });
    }
    match arguments.get("command") {
        Some(Value::String(text)) if text.contains('\0') => {
            Err(Error::ZeroByte { name: "command".to_owned() })
        }
        Some(Value::String(_)) => meta_arguments::MetaArguments::read(arguments).map(|_| ()),
        Some(_) => Err(Error::WrongType { name: "command".to_owned(), wanted: "text".to_owned() }),
        None => Err(Error::Missing { tool: tool(), name: "command".to_owned() }),
    }
}
