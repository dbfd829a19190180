//! Reads the target of an action.

use deskhand_model::{Index, Node, Snapshot, State};
use deskhand_platform::{Deadline, Error as PlatformError, NodeFields, TextContent};

use super::{
    super::expectation::{ElementState, Expectation},
    Observer,
};
use crate::act::{scroll, select, target::SNAPSHOT_FACETS, timing};

/// The result of reading the target once.
pub(super) enum ElementReading {
    Present(Box<ElementState>),
    Gone,
    AppGone,
    NoAnswer,
}

impl Observer<'_> {
    /// Returns `true` if the tree does not contain the target any more. Qt creates cells anew for every
    /// read, so there an element that cannot be read may still be in the tree.
    pub(super) fn has_left(&self) -> bool {
        let is_qt = self.target.app.toolkit.name.starts_with("Qt");
        self.read_tree()
            .map_or(!is_qt, |now| now.position(&self.id).is_none() && !self.is_recreated(&now))
    }

    /// Returns `true` if the container of the target has a new element in its place, with the same name.
    /// GTK 3 creates the cells of a list anew when the list is updated.
    pub(super) fn is_recreated(&self, now: &Snapshot) -> bool {
        let before = &self.target.tree.snapshot;
        let parent = before.parent(self.target.index).map(|up| &before.node(up).id);
        let own = &self.target.node;
        let is_same = |at: Index| now.node(at).role == own.role && now.node(at).name == own.name;
        let container = parent.and_then(|id| now.position(id)).filter(|_| !own.name.is_empty());
        container.is_some_and(|up| now.children(up).any(is_same))
    }

    /// Reads the text if the expectation needs it. An element without text is judged by its value.
    pub(super) fn read_text(
        &self,
        expectation: &Expectation,
    ) -> deskhand_platform::Result<Option<TextContent>> {
        if !expectation.needs_text(self.target.node.role) {
            return Ok(None);
        }
        let deadline = Deadline::after(timing::ELEMENT_READ_TIMEOUT * 4);
        self.cx.desktop.tree.text(&self.target.app, &self.id, deadline)
    }

    pub(super) fn read_element(&self, expectation: &Expectation) -> ElementReading {
        let deadline = Deadline::after(timing::ELEMENT_READ_TIMEOUT);
        let ids = std::slice::from_ref(&self.id);
        // Reading the bounds costs as much as all the rest.
        let what = NodeFields {
            bounds: *expectation == Expectation::InView,
            hidden: true,
            ..SNAPSHOT_FACETS
        };
        match self.cx.desktop.tree.read(&self.target.app, ids, what, deadline) {
            Ok(mut nodes) => match nodes.pop().flatten() {
                Some(mut node) => {
                    if node.name.is_empty() {
                        node.name.clone_from(&self.before.node.name);
                    }
                    if self.is_selected_in_container(expectation, &node) {
                        node.states = node.states.with(State::Selected);
                    }
                    let choice = self.before.choice.as_ref().and_then(|_| self.read_choice());
                    let in_view = self.in_view(expectation, &node);
                    let Ok(text) = self.read_text(expectation) else {
                        return ElementReading::NoAnswer;
                    };
                    ElementReading::Present(Box::new(ElementState { node, text, choice, in_view }))
                }
                None => ElementReading::Gone,
            },
            Err(PlatformError::Gone { .. } | PlatformError::Disconnected { .. }) => {
                if self.app_runs() { ElementReading::Gone } else { ElementReading::AppGone }
            }
            Err(_) => ElementReading::NoAnswer,
        }
    }

    /// Reads the current choice of the target.
    pub(super) fn read_choice(&self) -> Option<String> {
        select::current_choice(
            self.cx,
            &self.target.app,
            &self.id,
            Deadline::after(timing::ELEMENT_READ_TIMEOUT),
        )
    }

    /// Returns `true` if the container of an item reports it as selected although the item itself does
    /// not, as in the icon views of GTK 3 file managers.
    pub(super) fn is_selected_in_container(&self, expectation: &Expectation, node: &Node) -> bool {
        if *expectation != Expectation::HasState(State::Selected, true)
            || node.states.has(State::Selected)
        {
            return false;
        }
        let snapshot = &self.target.tree.snapshot;
        let Some(container) = snapshot.parent(self.target.index) else { return false };
        let deadline = Deadline::after(timing::ELEMENT_READ_TIMEOUT);
        let id = &snapshot.node(container).id;
        // A container that does not answer reports nothing.
        let selected = self.cx.desktop.tree.selected_items(&self.target.app, id, deadline);
        selected.ok().flatten().is_some_and(|items| items.contains(&self.id))
    }

    pub(super) fn in_view(&self, expectation: &Expectation, node: &Node) -> bool {
        *expectation == Expectation::InView
            && scroll::is_in_view(
                self.cx,
                self.target,
                node,
                Deadline::after(timing::ELEMENT_READ_TIMEOUT),
            )
    }

    pub(super) fn app_runs(&self) -> bool {
        let apps = self.cx.desktop.tree.apps(Deadline::after(timing::ELEMENT_READ_TIMEOUT));
        // A failed list says nothing about the app.
        apps.map_or(true, |apps| apps.iter().any(|app| app.id == self.target.app.id))
    }
}
