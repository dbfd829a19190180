//! The steps of a sequence: which tool each calls, and whether it can be called so.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use serde_json::{Map, Value};

use super::{
    callable::{Act, Callable, Calls, Link},
    definition::SequenceStep,
    error::Error,
    leaves::Leaf,
    meta,
    nearest::nearest,
    sense::full_name,
    source::{Remark, below, short},
};
use crate::operation::Skip;

/// The tool of the server that steps may call.
const SHELL: &str = "sandboxed_shell";

/// How many steps a sequence may come to, with those of the sequences it calls.
const MOST: usize = 200;

/// What steps can call.
pub(super) struct Known<'a> {
    pub(super) tools: &'a BTreeMap<String, Arc<Callable>>,
    pub(super) waiting: &'a BTreeSet<String>,
    pub(super) off: &'a BTreeSet<String>,
}

/// What became of a sequence.
pub(super) enum Outcome {
    Ready(Vec<Link>),
    /// It calls a sequence that is not made yet.
    Waits(Remark),
    Wrong(Vec<Remark>),
}

/// The steps of a sequence.
pub(super) fn links(leaf: &Leaf<'_>, known: &Known<'_>) -> Outcome {
    let Some((steps, at)) = leaf.sequence() else { return Outcome::Ready(Vec::new()) };
    let mut all = Vec::new();
    let mut wrong = Vec::new();
    let mut waits = None;
    for (index, step) in steps.iter().enumerate() {
        let at = format!("{at}/{index}");
        let delay = if index == 0 { Duration::ZERO } else { leaf.delay() };
        match link(step, &leaf.tool.name, delay, &at, known) {
            Outcome::Ready(link) => all.extend(link),
            Outcome::Waits(remark) => waits = waits.or(Some(remark)),
            Outcome::Wrong(remarks) => wrong.extend(remarks),
        }
    }
    let count: usize = all.iter().map(|link| count(&link.calls)).sum();
    if count > MOST {
        let why = format!("this sequence comes to {count} steps");
        let hint = Some(format!("keep it to {MOST}"));
        wrong.push(Remark::new(at, why).suggesting(hint));
    }
    match (wrong.is_empty(), waits) {
        (false, _) => Outcome::Wrong(wrong),
        (true, Some(remark)) => Outcome::Waits(remark),
        (true, None) => Outcome::Ready(all),
    }
}

fn count(calls: &Calls) -> usize {
    match calls {
        Calls::Shell => 1,
        Calls::Tool(tool) => match &tool.act {
            Act::Command(_) => 1,
            Act::Sequence(links) => links.iter().map(|link| count(&link.calls)).sum(),
        },
    }
}

fn link(step: &SequenceStep, own: &str, delay: Duration, at: &str, known: &Known<'_>) -> Outcome {
    let tool = step.tool.as_deref().unwrap_or(own);
    let arguments = step.args.clone().unwrap_or_default();
    let calls = if tool == SHELL {
        Calls::Shell
    } else {
        let name = full_name(tool, step.subcommand.as_deref().unwrap_or("default"));
        match known.tools.get(&name) {
            Some(tool) => Calls::Tool(Arc::clone(tool)),
            None if known.waiting.contains(&name) => {
                let why = format!("`{}` calls itself in the end", short(&name));
                let hint = Some("break the circle".to_owned());
                return Outcome::Waits(Remark::new(at, why).suggesting(hint));
            }
            None => return Outcome::Wrong(vec![absent(&name, tool, step, at, known)]),
        }
    };
    let checked = match &calls {
        Calls::Tool(tool) => tool.check(&arguments),
        Calls::Shell => script(&arguments),
    };
    if let Err(error) = checked {
        return Outcome::Wrong(vec![unfit(&error, at)]);
    }
    if arguments.contains_key("timeout_seconds") {
        let at = below(&below(at, "args"), "timeout_seconds");
        let why = "a step has no time of its own";
        let hint = Some("set `timeout_seconds` where the sequence is".to_owned());
        return Outcome::Wrong(vec![Remark::new(at, why).suggesting(hint)]);
    }
    let exists = step.skip_if_file_exists.as_ref().map(|path| Skip::IfExists(path.into()));
    let missing = step.skip_if_file_missing.as_ref().map(|path| Skip::IfMissing(path.into()));
    let title = step.description.clone();
    Outcome::Ready(vec![Link { title, calls, arguments, skip: exists.or(missing), delay }])
}

/// A step whose tool is not there.
fn absent(name: &str, tool: &str, step: &SequenceStep, at: &str, known: &Known<'_>) -> Remark {
    let field = if step.subcommand.is_some() { "subcommand" } else { "tool" };
    let at = below(at, field);
    if known.off.contains(name) {
        let why = format!("`{}` is switched off", short(name));
        return Remark::new(at, why).suggesting(Some("enable it, or drop the step".to_owned()));
    }
    let there = known.tools.keys().chain(known.waiting).map(String::as_str);
    let near = nearest(name, there.chain([SHELL]));
    let hint = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("add a file that makes it, or check the `name` of `{}`", short(tool)),
    };
    Remark::new(at, format!("there is no tool `{}`", short(name))).suggesting(Some(hint))
}

/// A step whose arguments its tool does not take.
fn unfit(error: &Error, at: &str) -> Remark {
    use deskhand_model::Explain;
    Remark::new(below(at, "args"), error.to_string()).suggesting(error.hint())
}

fn script(arguments: &Map<String, Value>) -> Result<(), Error> {
    let tool = || SHELL.to_owned();
    let known = |name: &str| name == "command" || meta::NAMES.contains(&name);
    if let Some(name) = arguments.keys().find(|name| !known(name)) {
        let known = vec!["command".to_owned()];
        let near = nearest(name, ["command"]).map(str::to_owned);
        return Err(Error::Unknown { tool: tool(), name: name.clone(), near, known });
    }
    match arguments.get("command") {
        Some(Value::String(text)) if text.contains('\0') => {
            Err(Error::ZeroByte { name: "command".to_owned() })
        }
        Some(Value::String(_)) => meta::Meta::read(arguments).map(|_| ()),
        Some(_) => Err(Error::WrongType { name: "command".to_owned(), wanted: "text".to_owned() }),
        None => Err(Error::Missing { tool: tool(), name: "command".to_owned() }),
    }
}
