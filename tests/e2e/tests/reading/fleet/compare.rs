//! Two readers of one app, element by element.

use std::collections::{HashMap, HashSet};

use harness::walk::{Plain, Walk};
use harness::{Seen, Tree};

use super::roles::KINDS;

/// How many differences a message shows.
const SHOWN: usize = 25;

/// Deskhand's look, with the way up from each element.
struct Ours<'a> {
    tree: &'a Tree,
    refs: HashMap<&'a str, &'a Seen>,
}

impl<'a> Ours<'a> {
    fn new(tree: &'a Tree) -> Self {
        let refs = tree.elements.iter().map(|one| (one.reference.as_str(), one)).collect();
        Self { tree, refs }
    }

    fn parent(&self, one: &Seen) -> Option<&'a Seen> {
        self.refs.get(one.parent.as_deref()?).copied()
    }

    fn ancestors(&self, one: &Seen) -> impl Iterator<Item = &'a Seen> {
        std::iter::successors(self.parent(one), |up| self.parent(up))
    }
}

/// Fails unless all elements that stood still between two plain walks are in Deskhand's look, with
/// the same parents, names and roles, and nothing is there that neither walk saw.
///
/// Swing and Qt 6 give the items of a list a new path each time they are asked for; such fleeting
/// elements are compared by their roles and names up to the nearest lasting one.
pub(crate) fn assert_same(before: &Walk, look: &Tree, after: &Walk) {
    let ours = &Ours::new(look);
    let seen = look.by_id();
    let mut faults = Vec::new();
    if seen.len() != look.elements.len() {
        faults.push(format!("{} elements stand twice", look.elements.len() - seen.len()));
    }
    let below_cut = below_cut(look);
    for (id, plain) in before.iter().filter(|(id, _)| after.contains_key(*id)) {
        match seen.get(id.as_str()) {
            Some(one) => faults.extend(differences(before, after, ours, id, one)),
            None if is_below(before, id, &below_cut) => {}
            None => faults.push(format!("not seen: {id} role {} {:?}", plain.role, plain.name)),
        }
    }
    let (once, again) = (fleeting(before, after), fleeting(after, before));
    let mut own: HashMap<String, usize> = HashMap::new();
    for one in &look.elements {
        let known = before.contains_key(&one.id) || after.contains_key(&one.id);
        let sampled = ours.ancestors(one).any(|up| up.cut.is_some());
        if !known && !sampled {
            *own.entry(chain_of_ours(ours, one, before, after)).or_default() += 1;
        }
    }
    for (chain, count) in &own {
        let most = once.get(chain).max(again.get(chain)).copied().unwrap_or(0);
        if *count > most {
            faults.push(format!("seen by us alone, {count} against {most}: {chain}"));
        }
    }
    for (chain, count) in once.iter().filter(|(chain, _)| again.contains_key(*chain)) {
        let least = again[chain].min(*count);
        let cut = below_cut.iter().any(|path| chain.ends_with(path.as_str()));
        if own.get(chain).copied().unwrap_or(0) < least && !cut {
            faults.push(format!("not seen: {chain}"));
        }
    }
    let (count, plain) = (faults.len(), before.len());
    faults.truncate(SHOWN);
    let ours = look.elements.len();
    assert!(count == 0, "{count} differences, ours {ours}, plain {plain}:\n{}", faults.join("\n"));
}

/// The elements of a walk that the other did not meet again, by their chains.
fn fleeting(walk: &Walk, other: &Walk) -> HashMap<String, usize> {
    let mut chains = HashMap::new();
    for node in walk.values().filter(|node| !other.contains_key(&node.id())) {
        *chains.entry(chain_of_plain(walk, node, other)).or_default() += 1;
    }
    chains
}

fn chain_of_plain(walk: &Walk, node: &Plain, other: &Walk) -> String {
    let mut chain = link(kind_of(node.role), &node.name);
    let mut at = node;
    while let Some(path) = &at.parent_path {
        let id = format!("{}{path}", at.bus);
        if other.contains_key(&id) {
            return chain + path;
        }
        at = &walk[&id];
        chain.push_str(&link(kind_of(at.role), &at.name));
    }
    chain
}

fn chain_of_ours(ours: &Ours<'_>, one: &Seen, before: &Walk, after: &Walk) -> String {
    let mut chain = link(&one.kind, &one.title);
    for up in ours.ancestors(one) {
        if before.contains_key(&up.id) && after.contains_key(&up.id) {
            return chain + path_in(&up.id);
        }
        chain.push_str(&link(&up.kind, &up.title));
    }
    chain
}

fn link(kind: &str, name: &str) -> String {
    format!("{kind} {name:?} in ")
}

fn kind_of(number: u32) -> &'static str {
    KINDS.get(number as usize).copied().unwrap_or("unknown")
}

fn path_in(id: &str) -> &str {
    id.find('/').map_or("", |at| &id[at..])
}

/// What stands before the text nobody can see.
const UNSEEN: &str = "[invisible] ";

fn differences(before: &Walk, after: &Walk, ours: &Ours<'_>, id: &str, one: &Seen) -> Vec<String> {
    let mut faults = Vec::new();
    let (then, now) = (&before[id], &after[id]);
    // A GTK 4 entry that hides its text has the role of any other.
    let is_known_better = one.kind == "password" && one.secret;
    if !is_known_better && !is_called(then.role, &one.kind) && !is_called(now.role, &one.kind) {
        faults.push(format!("{id} {:?}: a {}, plain role {}", one.title, one.kind, then.role));
    }
    let seen_by_nobody = one.title.strip_prefix(UNSEEN);
    let allowed = || {
        seen_by_nobody.is_some_and(|title| title == then.name || title == now.name)
            || (one.title.is_empty() && inside_secret(ours, one))
            || is_mended(ours, one, &then.name)
            || is_mended(ours, one, &now.name)
    };
    if one.title != then.name && one.title != now.name && !allowed() {
        faults.push(format!("{id} {}: name {:?}, plain {:?}", one.kind, one.title, then.name));
    }
    let parent = ours.parent(one).map(|up| path_in(&up.id));
    let parents = [then.parent_path.as_deref(), now.parent_path.as_deref()];
    if !parents.contains(&parent) {
        faults.push(format!("{id} {}: parent {parent:?}, plain {:?}", one.kind, then.parent_path));
    }
    faults
}

/// Whether a name is what Deskhand makes of one that GTK 4 gives: the type of a widget is no name,
/// said twice is said once, and what has no name is called by the texts inside it.
fn is_mended(ours: &Ours<'_>, one: &Seen, plain: &str) -> bool {
    if one.id.contains("/org/a11y/atspi/") {
        return false;
    }
    let is_type = ["Gtk", "Adw"].iter().any(|maker| {
        plain.strip_prefix(maker).is_some_and(|rest| {
            rest.starts_with(char::is_uppercase) && rest.chars().all(char::is_alphanumeric)
        })
    });
    if plain == format!("{0} {0}", one.title) {
        return true;
    }
    (is_type || plain.is_empty()) && {
        let inside: HashSet<&str> = below(ours, one).flat_map(|o| o.title.split(' ')).collect();
        one.title.split(' ').all(|word| word.is_empty() || inside.contains(word))
    }
}

/// Everything below an element, which in document order follows it.
fn below<'a>(ours: &Ours<'a>, one: &Seen) -> impl Iterator<Item = &'a Seen> {
    let all = &ours.tree.elements;
    let at = all.iter().position(|other| other.id == one.id).unwrap_or(0);
    let depth = one.depth;
    all[at + 1..].iter().take_while(move |other| other.depth > depth)
}

/// What an element of a role number may be called. GTK 3 gives one-line entries and text views the
/// same number; Deskhand tells them apart by their states.
fn is_called(number: u32, kind: &str) -> bool {
    let word = kind_of(number);
    kind == word || (word == "text" && kind == "textbox")
}

fn inside_secret(ours: &Ours<'_>, one: &Seen) -> bool {
    one.secret || ours.ancestors(one).any(|up| up.secret)
}

/// Paths of the elements whose children were not all read.
fn below_cut(ours: &Tree) -> HashSet<String> {
    let cut = ours.elements.iter().filter(|one| one.cut.is_some());
    cut.map(|one| path_in(&one.id).to_owned()).collect()
}

fn is_below(walk: &Walk, id: &str, cut: &HashSet<String>) -> bool {
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
