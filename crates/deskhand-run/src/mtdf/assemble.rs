//! From files that are sound by themselves to tools: names that occur once, sequences whose steps
//! are there.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    callable::{Act, Callable},
    definition::Definition,
    leaves::{Leaf, State, leaves},
    refusal::Refusal,
    sequence::{Known, Outcome, links},
    source::{Remark, Source},
};

/// A file that is sound by itself.
#[derive(Debug, PartialEq)]
pub(crate) struct Document {
    pub(crate) source: Source,
    pub(crate) definition: Definition,
    pub(crate) warnings: Vec<Refusal>,
}

/// What a folder of tools came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Loaded {
    /// The tools, sorted by name.
    pub tools: Vec<Arc<Callable>>,
    /// Why files are left out.
    pub refused: Vec<Refusal>,
    /// What is odd about files that are not.
    pub warnings: Vec<Refusal>,
}

/// Makes the tools of files; those that do not fit with the others are refused.
pub(crate) fn assemble(documents: &[Arc<Document>], taken: &[&str]) -> Loaded {
    let mut out: BTreeSet<usize> = BTreeSet::new();
    let mut refused = Vec::new();
    // A refused file takes tools away that sequences of others need, so it is tried again without.
    loop {
        let left = |index: &usize| !out.contains(index);
        let attempt = attempt(documents, &left, taken);
        if attempt.faults.is_empty() {
            let kept = documents.iter().enumerate().filter(|(index, _)| left(index));
            let mut warnings: Vec<Refusal> =
                kept.flat_map(|(_, one)| one.warnings.iter().cloned()).collect();
            warnings.sort_by(order);
            refused.sort_by(order);
            return Loaded { tools: attempt.tools.into_values().collect(), refused, warnings };
        }
        for (index, remarks) in attempt.faults {
            refused.extend(documents[index].source.told(remarks));
            out.insert(index);
        }
    }
}

pub(crate) fn order(a: &Refusal, b: &Refusal) -> std::cmp::Ordering {
    (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column))
}

struct Attempt {
    tools: BTreeMap<String, Arc<Callable>>,
    faults: BTreeMap<usize, Vec<Remark>>,
}

fn attempt(documents: &[Arc<Document>], left: &dyn Fn(&usize) -> bool, taken: &[&str]) -> Attempt {
    let mut faults: BTreeMap<usize, Vec<Remark>> = BTreeMap::new();
    let mut owners: HashMap<String, PathBuf> = HashMap::new();
    let mut off: BTreeSet<String> = BTreeSet::new();
    let mut tools = BTreeMap::new();
    let mut waiting: Vec<(usize, &Path, Leaf<'_>)> = Vec::new();
    for (index, document) in documents.iter().enumerate().filter(|(index, _)| left(index)) {
        let file = document.source.file();
        for leaf in leaves(&document.definition) {
            if leaf.state == State::Off {
                off.insert(leaf.name);
                continue;
            }
            if let Some(remark) = collision(&leaf, file, &mut owners, taken) {
                faults.entry(index).or_default().push(remark);
            } else if leaf.sequence().is_some() {
                waiting.push((index, file, leaf));
            } else {
                tools.insert(leaf.name.clone(), Arc::new(leaf.command(file)));
            }
        }
    }
    if !faults.is_empty() {
        return Attempt { tools, faults };
    }
    loop {
        let names: BTreeSet<String> =
            waiting.iter().map(|(_, _, leaf)| leaf.name.clone()).collect();
        let mut made = Vec::new();
        let mut still = Vec::new();
        for (index, file, leaf) in waiting {
            match links(&leaf, &Known { tools: &tools, waiting: &names, off: &off }) {
                Outcome::Ready(all) => {
                    made.push(Arc::new(leaf.callable(leaf.name.clone(), Act::Sequence(all), file)));
                }
                Outcome::Waits(remark) => still.push((index, file, leaf, remark)),
                Outcome::Wrong(remarks) => faults.entry(index).or_default().extend(remarks),
            }
        }
        let stuck = made.is_empty();
        tools.extend(made.into_iter().map(|tool| (tool.name.clone(), tool)));
        // What only waits for others that wait runs in a circle.
        if stuck && faults.is_empty() {
            for (index, _, _, remark) in &still {
                faults.entry(*index).or_default().push(remark.clone());
            }
        }
        waiting = still.into_iter().map(|(index, file, leaf, _)| (index, file, leaf)).collect();
        if waiting.is_empty() || !faults.is_empty() {
            return Attempt { tools, faults };
        }
    }
}

fn collision(
    leaf: &Leaf<'_>,
    file: &Path,
    owners: &mut HashMap<String, PathBuf>,
    taken: &[&str],
) -> Option<Remark> {
    let at = format!("{}/name", leaf.at);
    let hint = Some("give one of them another name".to_owned());
    if taken.contains(&leaf.name.as_str()) {
        let why = format!("`{}` is a tool of the server itself", leaf.name);
        return Some(Remark::new(at, why).suggesting(Some("give it another name".to_owned())));
    }
    match owners.insert(leaf.name.clone(), file.to_owned()) {
        Some(other) if other == file => {
            let why = format!("two tools of this file would be called `{}`", leaf.name);
            Some(Remark::new(at, why).suggesting(hint))
        }
        Some(other) => {
            let name =
                other.file_name().unwrap_or(other.as_os_str()).to_string_lossy().into_owned();
            // The first file keeps the name, whichever comes later.
            owners.insert(leaf.name.clone(), other);
            let why = format!("`{}` is already made by {name}", leaf.name);
            Some(Remark::new(at, why).suggesting(hint))
        }
        None => None,
    }
}
