//! The part of an app in which a query searches, such as a menu.

use std::collections::HashSet;

use deskhand_model::{Index, Node, Role, Snapshot, State};

use crate::query::{
    role_words,
    terms::{TextMatch, WantedText},
};

/// The containers that an element must lie in, outermost first. Without containers, the whole app is
/// in scope.
#[derive(Debug, Default)]
pub(super) struct Scope {
    containers: Vec<HashSet<Index>>,
}

impl Scope {
    /// Finds the containers with these names.
    pub(super) fn inside(snapshot: &Snapshot, names: &[String]) -> Self {
        Self { containers: names.iter().map(|name| containers(snapshot, name)).collect() }
    }

    /// Returns the number of the first name that no container has.
    pub(super) fn missing(&self) -> Option<usize> {
        self.containers.iter().position(HashSet::is_empty)
    }

    /// Keeps the elements in scope.
    pub(super) fn within(&self, snapshot: &Snapshot, mut found: Vec<Index>) -> Vec<Index> {
        if !self.containers.is_empty() {
            found.retain(|at| self.encloses(snapshot, *at));
        }
        found
    }

    fn encloses(&self, snapshot: &Snapshot, at: Index) -> bool {
        self.containers.is_empty() || self.depth(snapshot, at).is_some()
    }

    /// Returns the number of levels between an element and the nearest container of the last name;
    /// `None` if it is not in scope.
    fn depth(&self, snapshot: &Snapshot, at: Index) -> Option<usize> {
        let mut left = self.containers.iter().rev().peekable();
        let mut nearest = None;
        for (level, up) in snapshot.ancestors(at).enumerate() {
            if left.next_if(|containers| containers.contains(&up)).is_some() {
                nearest.get_or_insert(level);
                if left.peek().is_none() {
                    return nearest;
                }
            }
        }
        None
    }

    /// Keeps the elements that are nearest to their containers and returns the number of the others:
    /// an item of the menu `Page` is meant rather than a button somewhere in a panel `Page`.
    pub(super) fn keep_nearest(&self, snapshot: &Snapshot, found: &mut Vec<Index>) -> usize {
        let before = found.len();
        let depth = |at: &Index| self.depth(snapshot, *at);
        if let Some(nearest) = found.iter().filter_map(depth).min() {
            found.retain(|at| depth(at) == Some(nearest));
        }
        before - found.len()
    }

    /// Returns the menu in which the search ended because it has no items. Apps may fill a menu only
    /// when it is opened.
    pub(super) fn unopened_menu(&self, snapshot: &Snapshot) -> Option<Index> {
        let known = self.missing().unwrap_or(self.containers.len());
        let (last, around) = self.containers[..known].split_last()?;
        let around = Self { containers: around.to_vec() };
        let mut menus: Vec<Index> = last
            .iter()
            .copied()
            .filter(|at| around.encloses(snapshot, *at) && is_empty_menu(snapshot, *at))
            .collect();
        menus.sort_unstable();
        // Qt puts a menu inside each menu title.
        let outer = menus.first().copied()?;
        menus.iter().all(|at| snapshot.subtree(outer).any(|below| below == *at)).then_some(outer)
    }
}

/// Returns `true` for a menu without items, or with an empty pop-up only.
fn is_empty_menu(snapshot: &Snapshot, at: Index) -> bool {
    let is_popup = |role| matches!(role, Role::Menu | Role::PopupMenu);
    let role = snapshot.node(at).role;
    let is_menu = is_popup(role) || role == Role::MenuItem && snapshot.subtree_len(at) > 1;
    let name = &snapshot.node(at).name;
    is_menu
        && snapshot.subtree(at).all(|below| snapshot.node(below).cut.is_none())
        && snapshot.subtree(at).skip(1).all(|below| {
            let node = snapshot.node(below);
            is_popup(node.role) && (node.name.is_empty() || node.name == *name)
        })
}

/// Returns the elements that a part of a nested name can mean: those with the name, and the container
/// of a selected tab with that name. Qt puts tabs and pages side by side.
fn containers(snapshot: &Snapshot, name: &str) -> HashSet<Index> {
    let mut buffer = String::new();
    let plain = WantedText::new(name);
    let split = role_words::split(name);
    let stated = split.map(|split| (WantedText::new(&split.name), split.roles));
    let mut is_meant = |node: &Node| {
        plain.matches(TextMatch::Loose, &node.name, &mut buffer)
            || stated.as_ref().is_some_and(|(name, roles)| {
                (roles.is_empty() || roles.contains(&node.role))
                    && name.matches(TextMatch::Loose, &node.name, &mut buffer)
            })
    };
    let mut found = HashSet::new();
    for (at, node) in snapshot.iter().filter(|(_, node)| is_meant(node)) {
        found.insert(at);
        if node.role == Role::Tab && node.states.has(State::Selected) {
            let list = snapshot.parent(at);
            found.extend(list.and_then(|list| snapshot.parent(list)));
        }
    }
    found
}
