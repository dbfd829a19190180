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
        let mut left = self.containers.iter().rev().peekable();
        for up in snapshot.ancestors(at) {
            if left.next_if(|containers| containers.contains(&up)).is_some()
                && left.peek().is_none()
            {
                return true;
            }
        }
        left.peek().is_none()
    }
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
