//! Compares the tree of deskhand with an independent walk, element by element.

use std::collections::{HashMap, HashSet};

use harness::reference_walk::{ReferenceNode, ReferenceTree};
use harness::{Element, Tree};

use super::roles::KINDS;

/// Maximum number of differences in a message.
const MAX_SHOWN: usize = 25;

/// The tree of deskhand, with parent lookup.
struct DeskhandTree<'a> {
    tree: &'a Tree,
    refs: HashMap<&'a str, &'a Element>,
}

impl<'a> DeskhandTree<'a> {
    fn new(tree: &'a Tree) -> Self {
        let refs = tree.elements.iter().map(|one| (one.reference.as_str(), one)).collect();
        Self { tree, refs }
    }

    fn parent(&self, one: &Element) -> Option<&'a Element> {
        self.refs.get(one.parent.as_deref()?).copied()
    }

    fn ancestors(&self, one: &Element) -> impl Iterator<Item = &'a Element> {
        std::iter::successors(self.parent(one), |up| self.parent(up))
    }
}

/// Compares a tree with independent walks before and after it. Every element that both walks found
/// must be in the tree with the same parent, name and role, and the tree must contain no element
/// that neither walk found.
///
/// Swing and Qt 6 give list items a new path on each request. These transient elements are compared
/// by the roles and names up to the nearest stable ancestor.
pub(crate) fn assert_same(before: &ReferenceTree, tree: &Tree, after: &ReferenceTree) {
    let deskhand = &DeskhandTree::new(tree);
    let by_id = tree.by_id();
    let mut faults = Vec::new();
    if by_id.len() != tree.elements.len() {
        faults.push(format!("{} elements are listed twice", tree.elements.len() - by_id.len()));
    }
    let cut_paths = cut_paths(tree);
    for (id, plain) in before.iter().filter(|(id, _)| after.contains_key(*id)) {
        match by_id.get(id.as_str()) {
            Some(one) => faults.extend(differences(before, after, deskhand, id, one)),
            None if is_below(before, id, &cut_paths) => {}
            None => faults.push(format!("missing: {id} role {} {:?}", plain.role, plain.name)),
        }
    }
    let (chains_before, chains_after) =
        (transient_chains(before, after), transient_chains(after, before));
    let mut deskhand_chains: HashMap<String, usize> = HashMap::new();
    for one in &tree.elements {
        let known = before.contains_key(&one.id) || after.contains_key(&one.id);
        let sampled = deskhand.ancestors(one).any(|up| up.cut.is_some());
        if !known && !sampled {
            *deskhand_chains.entry(deskhand_chain(deskhand, one, before, after)).or_default() += 1;
        }
    }
    for (chain, count) in &deskhand_chains {
        let expected = chains_before.get(chain).max(chains_after.get(chain)).copied().unwrap_or(0);
        if *count > expected {
            faults.push(format!("only in deskhand, {count} instead of {expected}: {chain}"));
        }
    }
    for (chain, count) in
        chains_before.iter().filter(|(chain, _)| chains_after.contains_key(*chain))
    {
        let required = chains_after[chain].min(*count);
        let cut = cut_paths.iter().any(|path| chain.ends_with(path.as_str()));
        if deskhand_chains.get(chain).copied().unwrap_or(0) < required && !cut {
            faults.push(format!("missing: {chain}"));
        }
    }
    let (count, plain) = (faults.len(), before.len());
    faults.truncate(MAX_SHOWN);
    let deskhand = tree.elements.len();
    assert!(
        count == 0,
        "{count} differences; deskhand has {deskhand} elements, the walk {plain}:\n{}",
        faults.join("\n")
    );
}

/// Elements of a walk that the other walk does not contain, counted by their chain.
fn transient_chains(walk: &ReferenceTree, other: &ReferenceTree) -> HashMap<String, usize> {
    let mut chains = HashMap::new();
    for node in walk.values().filter(|node| !other.contains_key(&node.id())) {
        *chains.entry(walk_chain(walk, node, other)).or_default() += 1;
    }
    chains
}

fn walk_chain(walk: &ReferenceTree, node: &ReferenceNode, other: &ReferenceTree) -> String {
    let mut chain = chain_link(kind_of(node.role), &node.name);
    let mut at = node;
    while let Some(path) = &at.parent_path {
        let id = format!("{}{path}", at.bus);
        if other.contains_key(&id) {
            return chain + path;
        }
        at = &walk[&id];
        chain.push_str(&chain_link(kind_of(at.role), &at.name));
    }
    chain
}

fn deskhand_chain(
    deskhand: &DeskhandTree<'_>,
    one: &Element,
    before: &ReferenceTree,
    after: &ReferenceTree,
) -> String {
    let mut chain = chain_link(&one.kind, &one.title);
    for up in deskhand.ancestors(one) {
        if before.contains_key(&up.id) && after.contains_key(&up.id) {
            return chain + path_in(&up.id);
        }
        chain.push_str(&chain_link(&up.kind, &up.title));
    }
    chain
}

fn chain_link(kind: &str, name: &str) -> String {
    format!("{kind} {name:?} in ")
}

fn kind_of(number: u32) -> &'static str {
    KINDS.get(number as usize).copied().unwrap_or("unknown")
}

fn path_in(id: &str) -> &str {
    id.find('/').map_or("", |at| &id[at..])
}

/// The prefix of text that is invisible to the user.
const INVISIBLE_PREFIX: &str = "[invisible] ";

fn differences(
    before: &ReferenceTree,
    after: &ReferenceTree,
    deskhand: &DeskhandTree<'_>,
    id: &str,
    one: &Element,
) -> Vec<String> {
    let mut faults = Vec::new();
    let (node_before, node_after) = (&before[id], &after[id]);
    // A GTK 4 entry that hides its text has the role of a plain entry. deskhand reports it as a
    // password.
    let is_hidden_entry = one.kind == "password" && one.secret;
    if !is_hidden_entry
        && !matches_role(node_before.role, &one.kind)
        && !matches_role(node_after.role, &one.kind)
    {
        faults
            .push(format!("{id} {:?}: a {}, plain role {}", one.title, one.kind, node_before.role));
    }
    let invisible_title = one.title.strip_prefix(INVISIBLE_PREFIX);
    let allowed = || {
        invisible_title.is_some_and(|title| title == node_before.name || title == node_after.name)
            || (one.title.is_empty() && is_inside_secret(deskhand, one))
            || is_derived_name(deskhand, one, &node_before.name)
            || is_derived_name(deskhand, one, &node_after.name)
    };
    if one.title != node_before.name && one.title != node_after.name && !allowed() {
        faults
            .push(format!("{id} {}: name {:?}, plain {:?}", one.kind, one.title, node_before.name));
    }
    let parent = deskhand.parent(one).map(|up| path_in(&up.id));
    let parents = [node_before.parent_path.as_deref(), node_after.parent_path.as_deref()];
    if !parents.contains(&parent) {
        faults.push(format!(
            "{id} {}: parent {parent:?}, plain {:?}",
            one.kind, node_before.parent_path
        ));
    }
    faults
}

/// Returns `true` if deskhand derived the title. A window without a name has its title on the screen.
/// In GTK 4, a widget type is not a name, a doubled name is reported once and without the mark of its
/// mnemonic, and an unnamed element is named by the text inside it.
fn is_derived_name(deskhand: &DeskhandTree<'_>, one: &Element, plain: &str) -> bool {
    if one.kind == "window" && plain.is_empty() {
        return true;
    }
    if one.id.contains("/org/a11y/atspi/") {
        return false;
    }
    // Widget types are single words in camel case; tabs are all named `Tab`.
    let is_type = plain.starts_with(char::is_uppercase)
        && plain.chars().all(char::is_alphanumeric)
        && (plain == "Tab" || plain.chars().filter(|c| c.is_uppercase()).count() > 1);
    let written = plain.replace('_', "");
    if written == one.title || written == format!("{0} {0}", one.title) {
        return true;
    }
    (is_type || plain.is_empty()) && {
        let inside: HashSet<&str> =
            descendants(deskhand, one).flat_map(|o| o.title.split(' ')).collect();
        one.title.split(' ').all(|word| word.is_empty() || inside.contains(word))
    }
}

/// All elements below an element, which follow it in document order.
fn descendants<'a>(
    deskhand: &DeskhandTree<'a>,
    one: &Element,
) -> impl Iterator<Item = &'a Element> {
    let all = &deskhand.tree.elements;
    let at = all.iter().position(|other| other.id == one.id).unwrap_or(0);
    let depth = one.depth;
    all[at + 1..].iter().take_while(move |other| other.depth > depth)
}

/// Returns `true` if a role number may have this kind. GTK 3 uses one number for entries and text
/// views; deskhand distinguishes them by their states.
fn matches_role(number: u32, kind: &str) -> bool {
    let word = kind_of(number);
    kind == word || (word == "text" && kind == "textbox")
}

fn is_inside_secret(deskhand: &DeskhandTree<'_>, one: &Element) -> bool {
    one.secret || deskhand.ancestors(one).any(|up| up.secret)
}

/// Paths of the elements whose children were not all read.
fn cut_paths(deskhand: &Tree) -> HashSet<String> {
    let cut = deskhand.elements.iter().filter(|one| one.cut.is_some());
    cut.map(|one| path_in(&one.id).to_owned()).collect()
}

fn is_below(walk: &ReferenceTree, id: &str, cut: &HashSet<String>) -> bool {
    let bus = id.split('/').next().unwrap_or_default();
    let mut at = walk[id].parent_path.clone();
    while let Some(path) = at {
        if cut.contains(&path) {
            return true;
        }
        at = walk.get(&format!("{bus}{path}")).and_then(|node| node.parent_path.clone());
    }
    false
}
