//! Builds tools from parsed files: checks that names are unique, and resolves the steps of sequences.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    definition::Definition,
    diagnostic::Diagnostic,
    leaf::{LeafTool, leaf_tools},
    sequence::{KnownTools, Resolution, resolve_steps},
    source::{Finding, SourceFile},
    tool::{CommandTool, ToolAction},
};

/// A file that is valid on its own.
#[derive(Debug, PartialEq)]
pub(crate) struct ParsedFile {
    pub(crate) source: SourceFile,
    pub(crate) definition: Definition,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// The tools of a folder.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LoadedTools {
    /// The tools, sorted by name.
    pub tools: Vec<Arc<CommandTool>>,
    /// Problems of the files that were left out.
    pub refused: Vec<Diagnostic>,
    /// Warnings about files that are in use.
    pub warnings: Vec<Diagnostic>,
}

/// Builds the tools of parsed files. Files that conflict with others are refused.
pub(crate) fn assemble(files: &[Arc<ParsedFile>], reserved: &[&str]) -> LoadedTools {
    let mut refused_files: BTreeSet<usize> = BTreeSet::new();
    let mut refused = Vec::new();
    // Sequences may need the tools of a refused file, so the rest is tried again without it.
    loop {
        let is_kept = |index: &usize| !refused_files.contains(index);
        let attempt = attempt(files, &is_kept, reserved);
        if attempt.errors.is_empty() {
            let kept = files.iter().enumerate().filter(|(index, _)| is_kept(index));
            let mut warnings: Vec<Diagnostic> =
                kept.flat_map(|(_, one)| one.warnings.iter().cloned()).collect();
            warnings.sort_by(compare_positions);
            refused.sort_by(compare_positions);
            return LoadedTools { tools: attempt.tools.into_values().collect(), refused, warnings };
        }
        for (index, findings) in attempt.errors {
            refused.extend(files[index].source.diagnostics(findings));
            refused_files.insert(index);
        }
    }
}

pub(crate) fn compare_positions(a: &Diagnostic, b: &Diagnostic) -> std::cmp::Ordering {
    (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column))
}

struct Attempt {
    tools: BTreeMap<String, Arc<CommandTool>>,
    errors: BTreeMap<usize, Vec<Finding>>,
}

fn attempt(
    files: &[Arc<ParsedFile>],
    is_kept: &dyn Fn(&usize) -> bool,
    reserved: &[&str],
) -> Attempt {
    let mut errors: BTreeMap<usize, Vec<Finding>> = BTreeMap::new();
    let mut owners: HashMap<String, PathBuf> = HashMap::new();
    let mut disabled: BTreeSet<String> = BTreeSet::new();
    let mut tools = BTreeMap::new();
    let mut unresolved: Vec<(usize, &Path, LeafTool<'_>)> = Vec::new();
    for (index, parsed) in files.iter().enumerate().filter(|(index, _)| is_kept(index)) {
        let file = parsed.source.file();
        for leaf in leaf_tools(&parsed.definition) {
            if !leaf.enabled {
                disabled.insert(leaf.name);
                continue;
            }
            if let Some(finding) = name_conflict(&leaf, file, &mut owners, reserved) {
                errors.entry(index).or_default().push(finding);
            } else if leaf.sequence().is_some() {
                unresolved.push((index, file, leaf));
            } else {
                tools.insert(leaf.name.clone(), Arc::new(leaf.build_command_tool(file)));
            }
        }
    }
    if !errors.is_empty() {
        return Attempt { tools, errors };
    }
    loop {
        let names: BTreeSet<String> =
            unresolved.iter().map(|(_, _, leaf)| leaf.name.clone()).collect();
        let mut resolved = Vec::new();
        let mut still_unresolved = Vec::new();
        for (index, file, leaf) in unresolved {
            match resolve_steps(
                &leaf,
                &KnownTools { tools: &tools, unresolved: &names, disabled: &disabled },
            ) {
                Resolution::Ready(all) => {
                    resolved.push(Arc::new(leaf.build_tool(
                        leaf.name.clone(),
                        ToolAction::Sequence(all),
                        file,
                    )));
                }
                Resolution::Waiting(finding) => still_unresolved.push((index, file, leaf, finding)),
                Resolution::Invalid(findings) => errors.entry(index).or_default().extend(findings),
            }
        }
        let is_stuck = resolved.is_empty();
        tools.extend(resolved.into_iter().map(|tool| (tool.name.clone(), tool)));
        // Sequences that wait only for each other form a cycle.
        if is_stuck && errors.is_empty() {
            for (index, _, _, finding) in &still_unresolved {
                errors.entry(*index).or_default().push(finding.clone());
            }
        }
        unresolved = still_unresolved
            .into_iter()
            .map(|(index, file, leaf, _)| (index, file, leaf))
            .collect();
        if unresolved.is_empty() || !errors.is_empty() {
            return Attempt { tools, errors };
        }
    }
}

fn name_conflict(
    leaf: &LeafTool<'_>,
    file: &Path,
    owners: &mut HashMap<String, PathBuf>,
    reserved: &[&str],
) -> Option<Finding> {
    let at = format!("{}/name", leaf.at);
    let hint = Some("give one of them another name".to_owned());
    if reserved.contains(&leaf.name.as_str()) {
        let message = format!("`{}` is a tool of the server itself", leaf.name);
        return Some(
            Finding::new(at, message).with_suggestion(Some("give it another name".to_owned())),
        );
    }
    match owners.insert(leaf.name.clone(), file.to_owned()) {
        Some(other) if other == file => {
            let message = format!("this file defines two tools named `{}`", leaf.name);
            Some(Finding::new(at, message).with_suggestion(hint))
        }
        Some(other) => {
            let name =
                other.file_name().unwrap_or(other.as_os_str()).to_string_lossy().into_owned();
            // The first file keeps the name.
            owners.insert(leaf.name.clone(), other);
            let message = format!("`{}` is already defined by {name}", leaf.name);
            Some(Finding::new(at, message).with_suggestion(hint))
        }
        None => None,
    }
}
