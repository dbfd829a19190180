//! What a schema cannot say about a file: names that fit, options that can be passed, sequences that
//! have steps. Only the file itself is looked at; what needs the others is in `assemble`.

use super::{
    definition::{Definition, SequenceStep, Subcommand},
    parameters,
    source::{Remark, short},
};

/// The longest name a tool may have; MCP clients refuse longer ones.
pub(super) const LONGEST_NAME: usize = 64;

/// What is wrong with a file, and what is odd about it.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) faults: Vec<Remark>,
    pub(super) oddities: Vec<Remark>,
}

impl Findings {
    pub(super) fn fault(&mut self, at: impl Into<String>, why: impl Into<String>) {
        self.faults.push(Remark::new(at, why));
    }

    pub(super) fn fault_with(
        &mut self,
        at: impl Into<String>,
        why: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.faults.push(Remark::new(at, why).suggesting(Some(hint.into())));
    }

    pub(super) fn oddity(
        &mut self,
        at: impl Into<String>,
        why: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.oddities.push(Remark::of_name(at, why).suggesting(Some(hint.into())));
    }
}

/// Looks at a whole file.
pub(super) fn check(tool: &Definition) -> Findings {
    let mut found = Findings::default();
    names(tool, &mut found);
    command(tool, &mut found);
    without_effect(tool, &mut found);
    for (index, one) in tool.subcommands().iter().enumerate() {
        let at = format!("/subcommand/{index}");
        subcommand(one, tool.subcommands(), &at, &tool.name, &mut found);
    }
    steps(tool.sequence.as_deref(), "", Whose::File, &mut found);
    found
}

fn names(tool: &Definition, found: &mut Findings) {
    let letters =
        |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if tool.name.is_empty() || tool.name.len() > LONGEST_NAME || !letters(&tool.name) {
        let why = format!("`{}` cannot be the name of a tool", short(&tool.name));
        found.fault_with("/name", why, "use 1 to 64 letters, digits, `_` and `-`");
    }
}

fn command(tool: &Definition, found: &mut Findings) {
    if tool.command.contains('\0') {
        found.fault("/command", "a command cannot hold a zero byte");
    }
    if tool.command == "sequence" {
        if tool.sequence.is_none() {
            let hint = "add `sequence`: a list of steps";
            found.fault_with("/command", "a sequence has no steps", hint);
        }
        if !tool.subcommands().is_empty() {
            let hint = "give its steps a tool of their own, or the subcommand a sequence";
            found.fault_with("/subcommand", "a sequence has no subcommands", hint);
        }
    } else if tool.command.split_whitespace().next().is_none() {
        found.fault_with("/command", "no program is named", "name one, such as `git`");
    } else if tool.sequence.is_some() {
        let hint = "set `command` to `sequence`, or move the steps into a subcommand";
        found.fault_with("/sequence", "these steps would never run", hint);
    }
}

/// Fields other servers read, and this one does not.
fn without_effect(tool: &Definition, found: &mut Findings) {
    let given = [
        ("input_schema", tool.input_schema.is_some()),
        ("guidance_key", tool.guidance_key.is_some()),
        ("monitor_level", tool.monitor_level.is_some()),
        ("monitor_stream", tool.monitor_stream.is_some()),
    ];
    for (name, _) in given.iter().filter(|(_, given)| *given) {
        let why = format!("`{name}` has no effect here");
        found.oddity(format!("/{name}"), why, "it can go");
    }
}

fn subcommand(
    it: &Subcommand,
    siblings: &[Subcommand],
    at: &str,
    parent: &str,
    found: &mut Findings,
) {
    let name_at = format!("{at}/name");
    let letters = it.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if it.name.contains('_') {
        let why =
            format!("`{}` has an underscore, which parts tool from subcommand", short(&it.name));
        found.fault_with(&name_at, why, format!("call it `{}`", short(&it.name.replace('_', "-"))));
    } else if it.name.is_empty() || !letters {
        let why = format!("`{}` cannot be the name of a subcommand", short(&it.name));
        found.fault_with(&name_at, why, "use letters, digits and `-`");
    }
    let twins = siblings.iter().filter(|other| other.name == it.name).count();
    let first = siblings.iter().position(|other| other.name == it.name);
    if twins > 1 && first.is_some_and(|first| !at.ends_with(&format!("/{first}"))) {
        found.fault_with(
            &name_at,
            format!("`{}` stands here twice", short(&it.name)),
            "give each a name of its own",
        );
    }
    let name = full_name(parent, &it.name);
    if name.len() > LONGEST_NAME && it.subcommands().is_empty() {
        let why = format!("`{}` is longer than {LONGEST_NAME} characters", short(&name));
        found.fault_with(&name_at, why, "shorten the name of the tool or of the subcommand");
    }
    if it.guidance_key.is_some() {
        found.oddity(
            format!("{at}/guidance_key"),
            "`guidance_key` has no effect here",
            "it can go",
        );
    }
    steps(it.sequence.as_deref(), at, Whose::Subcommand, found);
    let own = [
        ("options", it.options.is_some()),
        ("positional_args", it.positional_args.is_some()),
        ("sequence", it.sequence.is_some()),
    ];
    for (field, _) in own.iter().filter(|(_, given)| *given && !it.subcommands().is_empty()) {
        let why = format!("`{field}` of a group is never used");
        let hint = "move it into a subcommand, for instance one called `default`";
        found.fault_with(format!("{at}/{field}"), why, hint);
    }
    if it.sequence.is_some() && (it.options.is_some() || it.positional_args.is_some()) {
        let field = if it.options.is_some() { "options" } else { "positional_args" };
        let why = format!("`{field}` of a sequence is never used");
        found.fault_with(format!("{at}/{field}"), why, "the steps have arguments of their own");
    }
    parameters::check(it, at, found);
    for (index, inner) in it.subcommands().iter().enumerate() {
        subcommand(inner, it.subcommands(), &format!("{at}/subcommand/{index}"), &name, found);
    }
}

/// The name of a subcommand's tool; `default` adds no word.
pub(super) fn full_name(parent: &str, name: &str) -> String {
    if name == "default" { parent.to_owned() } else { format!("{parent}_{name}") }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    File,
    Subcommand,
}

fn steps(all: Option<&[SequenceStep]>, at: &str, whose: Whose, found: &mut Findings) {
    let Some(all) = all else { return };
    let at = format!("{at}/sequence");
    if all.is_empty() {
        found.fault_with(&at, "a sequence has no steps", "add one, or remove `sequence`");
    }
    for (index, step) in all.iter().enumerate() {
        let at = format!("{at}/{index}");
        if step.tool.is_none() && whose == Whose::File {
            let hint = "name the tool it calls";
            found.fault_with(&at, "a step of this sequence has no `tool`", hint);
        }
        if step.skip_if_file_exists.is_some() && step.skip_if_file_missing.is_some() {
            let why = "a step is left out by one condition, not by two";
            let at = format!("{at}/skip_if_file_missing");
            found.fault_with(at, why, "make two steps of it");
        }
    }
}
