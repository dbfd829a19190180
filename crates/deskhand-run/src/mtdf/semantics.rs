//! Checks that a schema cannot express: valid names, usable options, steps of sequences. It checks one file on its
//! own; `assemble` checks files against each other.

use super::{
    definition::{Definition, SequenceStep, Subcommand},
    parameters,
    source::{Finding, shorten},
};

/// Maximum length of a tool name. MCP clients refuse longer ones.
pub(super) const MAX_NAME_LENGTH: usize = 64;

/// The errors and warnings of a file.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) errors: Vec<Finding>,
    pub(super) warnings: Vec<Finding>,
}

impl Findings {
    pub(super) fn error(&mut self, at: impl Into<String>, message: impl Into<String>) {
        self.errors.push(Finding::new(at, message));
    }

    pub(super) fn error_with_hint(
        &mut self,
        at: impl Into<String>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.errors.push(Finding::new(at, message).with_suggestion(Some(hint.into())));
    }

    pub(super) fn warn(
        &mut self,
        at: impl Into<String>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.warnings.push(Finding::at_name(at, message).with_suggestion(Some(hint.into())));
    }
}

/// Checks a whole file.
pub(super) fn check(tool: &Definition) -> Findings {
    let mut findings = Findings::default();
    check_name(tool, &mut findings);
    check_command(tool, &mut findings);
    warn_ignored_fields(tool, &mut findings);
    for (index, one) in tool.subcommands().iter().enumerate() {
        let at = format!("/subcommand/{index}");
        check_subcommand(one, tool.subcommands(), &at, &tool.name, &mut findings);
    }
    check_steps(tool.sequence.as_deref(), "", StepOwner::File, &mut findings);
    findings
}

fn check_name(tool: &Definition, findings: &mut Findings) {
    let letters =
        |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if tool.name.is_empty() || tool.name.len() > MAX_NAME_LENGTH || !letters(&tool.name) {
        let message = format!("`{}` is not a valid tool name", shorten(&tool.name));
        findings.error_with_hint("/name", message, "use 1 to 64 letters, digits, `_` and `-`");
    }
}

fn check_command(tool: &Definition, findings: &mut Findings) {
    if tool.command.contains('\0') {
        findings.error("/command", "a command cannot contain a NUL byte");
    }
    if tool.command == "sequence" {
        if tool.sequence.is_none() {
            let hint = "add `sequence`: a list of steps";
            findings.error_with_hint("/command", "the sequence has no steps", hint);
        }
        if !tool.subcommands().is_empty() {
            let hint = "move the steps to another tool, or the sequence into a subcommand";
            findings.error_with_hint("/subcommand", "a sequence cannot have subcommands", hint);
        }
    } else if tool.command.split_whitespace().next().is_none() {
        findings.error_with_hint("/command", "the program is missing", "name one, such as `git`");
    } else if tool.sequence.is_some() {
        let hint = "set `command` to `sequence`, or move the steps into a subcommand";
        findings.error_with_hint("/sequence", "these steps have no effect", hint);
    }
}

/// Warns about fields that other servers use and this one ignores.
fn warn_ignored_fields(tool: &Definition, findings: &mut Findings) {
    let given = [
        ("input_schema", tool.input_schema.is_some()),
        ("guidance_key", tool.guidance_key.is_some()),
        ("monitor_level", tool.monitor_level.is_some()),
        ("monitor_stream", tool.monitor_stream.is_some()),
    ];
    for (name, _) in given.iter().filter(|(_, given)| *given) {
        let message = format!("`{name}` is ignored");
        findings.warn(format!("/{name}"), message, "remove it");
    }
}

fn check_subcommand(
    subcommand: &Subcommand,
    siblings: &[Subcommand],
    at: &str,
    parent: &str,
    findings: &mut Findings,
) {
    let name_at = format!("{at}/name");
    let letters = subcommand.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if subcommand.name.contains('_') {
        let message = format!(
            "`{}` contains an underscore, which separates tool and subcommand",
            shorten(&subcommand.name)
        );
        findings.error_with_hint(
            &name_at,
            message,
            format!("rename it to `{}`", shorten(&subcommand.name.replace('_', "-"))),
        );
    } else if subcommand.name.is_empty() || !letters {
        let message = format!("`{}` is not a valid subcommand name", shorten(&subcommand.name));
        findings.error_with_hint(&name_at, message, "use letters, digits and `-`");
    }
    let twins = siblings.iter().filter(|other| other.name == subcommand.name).count();
    let first = siblings.iter().position(|other| other.name == subcommand.name);
    if twins > 1 && first.is_some_and(|first| !at.ends_with(&format!("/{first}"))) {
        findings.error_with_hint(
            &name_at,
            format!("duplicate name `{}`", shorten(&subcommand.name)),
            "give each its own name",
        );
    }
    let name = full_name(parent, &subcommand.name);
    if name.len() > MAX_NAME_LENGTH && subcommand.subcommands().is_empty() {
        let message = format!("`{}` is longer than {MAX_NAME_LENGTH} characters", shorten(&name));
        findings.error_with_hint(
            &name_at,
            message,
            "shorten the name of the tool or of the subcommand",
        );
    }
    if subcommand.guidance_key.is_some() {
        findings.warn(format!("{at}/guidance_key"), "`guidance_key` is ignored", "remove it");
    }
    check_steps(subcommand.sequence.as_deref(), at, StepOwner::Subcommand, findings);
    let own = [
        ("options", subcommand.options.is_some()),
        ("positional_args", subcommand.positional_args.is_some()),
        ("sequence", subcommand.sequence.is_some()),
    ];
    for (field, _) in own.iter().filter(|(_, given)| *given && !subcommand.subcommands().is_empty())
    {
        let message = format!("`{field}` of a group has no effect");
        let hint = "move it into a subcommand, such as `default`";
        findings.error_with_hint(format!("{at}/{field}"), message, hint);
    }
    if subcommand.sequence.is_some()
        && (subcommand.options.is_some() || subcommand.positional_args.is_some())
    {
        let field = if subcommand.options.is_some() { "options" } else { "positional_args" };
        let message = format!("`{field}` of a sequence has no effect");
        findings.error_with_hint(
            format!("{at}/{field}"),
            message,
            "give the steps their own arguments",
        );
    }
    parameters::check(subcommand, at, findings);
    for (index, inner) in subcommand.subcommands().iter().enumerate() {
        check_subcommand(
            inner,
            subcommand.subcommands(),
            &format!("{at}/subcommand/{index}"),
            &name,
            findings,
        );
    }
}

/// Returns the tool name of a subcommand. `default` adds no word.
pub(super) fn full_name(parent: &str, name: &str) -> String {
    if name == "default" { parent.to_owned() } else { format!("{parent}_{name}") }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StepOwner {
    File,
    Subcommand,
}

fn check_steps(all: Option<&[SequenceStep]>, at: &str, owner: StepOwner, findings: &mut Findings) {
    let Some(all) = all else { return };
    let at = format!("{at}/sequence");
    if all.is_empty() {
        findings.error_with_hint(&at, "the sequence has no steps", "add one, or remove `sequence`");
    }
    for (index, step) in all.iter().enumerate() {
        let at = format!("{at}/{index}");
        if step.tool.is_none() && owner == StepOwner::File {
            let hint = "name the tool it calls";
            findings.error_with_hint(&at, "this step has no `tool`", hint);
        }
        if step.skip_if_file_exists.is_some() && step.skip_if_file_missing.is_some() {
            let message = "a step can have only one skip condition";
            let at = format!("{at}/skip_if_file_missing");
            findings.error_with_hint(at, message, "split it into two steps");
        }
    }
}
