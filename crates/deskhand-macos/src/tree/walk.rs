//! Walks a subtree and assembles the snapshot.

use std::collections::{HashMap, HashSet, VecDeque};

use deskhand_model::{App, Cut, Node, NodeId, Notice, Role, Snapshot, State};
use deskhand_platform::{Deadline, NodeFields, Result, WalkOptions};

use super::{
    AxError,
    action::{COLLAPSE, EXPAND},
    ax_api::{AxApi, AxResult},
    session::{AxSession, describe_app, element_error},
    state::Visibility,
};

/// The walk stops after this many unanswered messages in a row.
const MAX_SILENT_MESSAGES: usize = 2;
/// The role of the control that opens and closes an outline row.
const TRIANGLE: &str = "AXDisclosureTriangle";
/// Upper limit of cells in which a row's triangle is searched.
const MAX_TRIANGLE_CELLS: usize = 20;

/// An element of the snapshot that may not be read yet.
struct PendingNode<E> {
    element: E,
    node: Node,
    ax_role: String,
    depth: u32,
    parent: Option<u32>,
    parent_role: Role,
    visibility: Visibility,
    read: bool,
    /// `true` for an outline row, which has a disclosed state.
    is_outline_row: bool,
    children: Vec<u32>,
}

/// A walk in progress.
struct TreeReader<'a, A: AxApi> {
    session: &'a AxSession<A>,
    within: &'a WalkOptions,
    deadline: Deadline,
    nodes: Vec<PendingNode<A::Element>>,
    known: HashSet<A::Element>,
    queue: VecDeque<u32>,
    default_buttons: HashSet<A::Element>,
    silent_messages: usize,
}

impl<A: AxApi> AxSession<A> {
    /// Reads a subtree.
    pub(crate) fn walk(
        &self,
        app: &App,
        from: &NodeId,
        within: &WalkOptions,
        deadline: Deadline,
    ) -> Result<Snapshot> {
        let root = self.resolve_element(app, from, deadline)?;
        let whole = *from == app.root;
        let (visibility, parent_role) = if whole {
            (Visibility::UNRESTRICTED, Role::Unknown)
        } else {
            self.visibility_of(&root, &mut HashMap::new(), deadline)
                .map_err(|error| element_error(error, app))?
        };
        let mut reader = TreeReader {
            session: self,
            within,
            deadline,
            nodes: Vec::new(),
            known: HashSet::new(),
            queue: VecDeque::new(),
            default_buttons: HashSet::new(),
            silent_messages: 0,
        };
        reader.enqueue(root, None, 0, parent_role, visibility);
        reader.run().map_err(|error| element_error(error, app))?;
        let silent = reader.silent_messages >= MAX_SILENT_MESSAGES;
        let mut snapshot = reader.assemble(app);
        if silent {
            snapshot.add_notice(Notice::NotResponding);
        }
        Ok(snapshot)
    }

    /// Reads single elements without their children.
    pub(crate) fn read(
        &self,
        app: &App,
        ids: &[NodeId],
        what: NodeFields,
        deadline: Deadline,
    ) -> Result<Vec<Option<Node>>> {
        let mut known = HashMap::new();
        let mut nodes = Vec::with_capacity(ids.len());
        for id in ids {
            if deadline.has_passed() {
                return Err(AxError::CannotComplete.into_platform_error(&describe_app(app)));
            }
            nodes.push(match self.read_one(app, id, what, &mut known, deadline) {
                Err(AxError::InvalidElement) => None,
                answer => answer.map_err(|error| element_error(error, app))?,
            });
        }
        Ok(nodes)
    }

    fn read_one(
        &self,
        app: &App,
        id: &NodeId,
        what: NodeFields,
        known: &mut HashMap<A::Element, (Visibility, Role)>,
        deadline: Deadline,
    ) -> AxResult<Option<Node>> {
        let element = match self.resolve_element(app, id, deadline) {
            Ok(element) => element,
            Err(deskhand_platform::Error::Gone { .. }) => return Ok(None),
            Err(deskhand_platform::Error::NoAccessibility { .. }) => {
                return Err(AxError::ApiDisabled);
            }
            Err(_) => return Err(AxError::CannotComplete),
        };
        let (visibility, parent_role) = self.visibility_of(&element, known, deadline)?;
        let reading = self.read_element(&element, parent_role, visibility, what, deadline)?;
        let mut node = reading.node;
        let total = match self.menu_of(&element, &reading.ax_role, deadline)? {
            Some(menu) => {
                node.role = Role::Menu;
                self.child_count(&menu, "AXMenu", deadline)?
            }
            None => self.child_count(&element, &reading.ax_role, deadline)?,
        };
        node.child_count = u32::try_from(total).unwrap_or(u32::MAX);
        node.cut = (total > 0).then_some(Cut::Depth);
        if reading.is_outline_row {
            let open = node.states.has(State::Expanded);
            let has_triangle = !open && self.has_triangle(&element, &reading.ax_role, deadline)?;
            add_disclosure(&mut node, has_triangle, what.actions);
        }
        Ok(Some(node))
    }

    /// Returns `true` if a row contains a disclosure triangle, directly or in one of its cells.
    fn has_triangle(&self, row: &A::Element, ax_role: &str, deadline: Deadline) -> AxResult<bool> {
        for cell in self.children(row, ax_role, 0, MAX_TRIANGLE_CELLS, deadline)?.items {
            let role = self.string(&cell, "AXRole", deadline)?;
            if role == TRIANGLE {
                return Ok(true);
            }
            for part in self.children(&cell, &role, 0, MAX_TRIANGLE_CELLS, deadline)?.items {
                if self.string(&part, "AXRole", deadline)? == TRIANGLE {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

impl<A: AxApi> TreeReader<'_, A> {
    /// Adds an element to be read and returns its index, or `None` if it was added before.
    fn enqueue(
        &mut self,
        element: A::Element,
        parent: Option<u32>,
        depth: u32,
        parent_role: Role,
        visibility: Visibility,
    ) -> Option<u32> {
        if !self.known.insert(element.clone()) {
            return None;
        }
        let index = u32::try_from(self.nodes.len()).ok()?;
        let node = Node::new(self.session.node_id(&element), Role::Unknown);
        self.nodes.push(PendingNode {
            element,
            node,
            ax_role: String::new(),
            depth,
            parent,
            parent_role,
            visibility,
            read: false,
            is_outline_row: false,
            children: Vec::new(),
        });
        self.queue.push_back(index);
        Some(index)
    }

    /// Reads level by level, so that limits cut off the deepest elements.
    fn run(&mut self) -> AxResult<()> {
        while let Some(index) = self.queue.pop_front() {
            let stopped = if self.deadline.has_passed() {
                Some(Cut::Deadline)
            } else if self.silent_messages >= MAX_SILENT_MESSAGES {
                Some(Cut::Silent)
            } else {
                None
            };
            if let Some(cut) = stopped {
                self.mark_cut(index, cut)?;
                continue;
            }
            match self.read_at(index) {
                Ok(()) => self.silent_messages = 0,
                Err(AxError::ApiDisabled) => return Err(AxError::ApiDisabled),
                Err(error @ AxError::InvalidElement) if index == 0 => return Err(error),
                // The app removed it during the walk.
                Err(AxError::InvalidElement) => {}
                Err(error) => {
                    if index == 0 && !self.nodes[0].read {
                        return Err(error);
                    }
                    self.silent_messages += usize::from(error == AxError::CannotComplete);
                    let cut = if self.deadline.has_passed() { Cut::Deadline } else { Cut::Silent };
                    self.mark_cut(index, cut)?;
                }
            }
        }
        Ok(())
    }

    /// Marks where the walk stopped: on the node if only its children are missing, else on its parent.
    fn mark_cut(&mut self, index: u32, cut: Cut) -> AxResult<()> {
        let pending = &self.nodes[index as usize];
        let at = match (pending.read, pending.parent) {
            (true, _) => index,
            (false, Some(parent)) => parent,
            (false, None) => return Err(AxError::CannotComplete),
        };
        self.nodes[at as usize].node.cut.get_or_insert(cut);
        Ok(())
    }

    fn read_at(&mut self, index: u32) -> AxResult<()> {
        let pending = &self.nodes[index as usize];
        let (element, parent_role, visibility) =
            (pending.element.clone(), pending.parent_role, pending.visibility);
        let facets = self.within.fields;
        let reading =
            self.session.read_element(&element, parent_role, visibility, facets, self.deadline)?;
        let pending = &mut self.nodes[index as usize];
        pending.node = reading.node;
        pending.ax_role = reading.ax_role;
        pending.is_outline_row = reading.is_outline_row;
        pending.read = true;
        self.default_buttons.extend(reading.default_button);
        self.enqueue_children(index, &element, reading.inner_visibility)
    }

    fn enqueue_children(
        &mut self,
        index: u32,
        element: &A::Element,
        inside: Visibility,
    ) -> AxResult<()> {
        let (depth, ax_role) = {
            let pending = &self.nodes[index as usize];
            (pending.depth, pending.ax_role.clone())
        };
        let menu = self.session.menu_of(element, &ax_role, self.deadline)?;
        if menu.is_some() {
            self.nodes[index as usize].node.role = Role::Menu;
        }
        let (parent, ax_role) = match &menu {
            Some(menu) => (menu, "AXMenu"),
            None => (element, ax_role.as_str()),
        };
        if self.within.max_depth.is_some_and(|limit| depth >= limit) {
            let total = self.session.child_count(parent, ax_role, self.deadline)?;
            let node = &mut self.nodes[index as usize].node;
            node.child_count = u32::try_from(total).unwrap_or(u32::MAX);
            node.cut = (total > 0).then_some(Cut::Depth);
            return Ok(());
        }
        let first = if index == 0 { self.within.first_child } else { 0 };
        let limit = self.within.max_children;
        let page = self.session.children(parent, ax_role, first, limit, self.deadline)?;
        let (mut items, mut total) = (page.items, page.total);
        let extras = match ax_role {
            "AXApplication" => self.session.extras_menu_bar(element, self.deadline)?,
            _other => None,
        };
        if let Some(extras) = &extras {
            let last = first.saturating_add(items.len()) == total;
            total += 1;
            items.extend((last && items.len() < limit).then(|| extras.clone()));
        }
        let left = self.within.max_nodes.saturating_sub(self.nodes.len());
        let cut = if items.len() > left {
            items.truncate(left);
            Some(Cut::Budget)
        } else {
            (first.saturating_add(items.len()) < total).then_some(Cut::Many)
        };
        let pending = &mut self.nodes[index as usize];
        pending.node.child_count = u32::try_from(total).unwrap_or(u32::MAX);
        pending.node.cut = cut;
        let parent_role = pending.node.role;
        for item in items {
            let visibility =
                if extras.as_ref() == Some(&item) { inside.in_extras_menu_bar() } else { inside };
            let child = self.enqueue(item, Some(index), depth + 1, parent_role, visibility);
            self.nodes[index as usize].children.extend(child);
        }
        Ok(())
    }

    fn assemble(mut self, app: &App) -> Snapshot {
        self.mark_expandable_rows();
        let read: Vec<bool> = self.nodes.iter().map(|pending| pending.read).collect();
        let mut nodes = Vec::with_capacity(self.nodes.len());
        let mut children = Vec::with_capacity(self.nodes.len());
        for mut pending in self.nodes {
            if self.default_buttons.contains(&pending.element) {
                pending.node.states = pending.node.states.with(State::Default);
            }
            pending.children.retain(|child| read[*child as usize]);
            children.push(pending.children);
            nodes.push(pending.node);
        }
        Snapshot::assemble(app.clone(), nodes, &children)
    }

    /// Marks collapsed rows that contain a triangle, directly or in a cell, as expandable.
    fn mark_expandable_rows(&mut self) {
        for index in 0..self.nodes.len() {
            let row = &self.nodes[index];
            if !row.is_outline_row {
                continue;
            }
            let parts = row.children.iter().flat_map(|cell| {
                let inner = &self.nodes[*cell as usize].children;
                std::iter::once(cell).chain(inner)
            });
            let mut roles = parts.map(|at| self.nodes[*at as usize].ax_role.as_str());
            let has_triangle = roles.any(|role| role == TRIANGLE);
            add_disclosure(&mut self.nodes[index].node, has_triangle, self.within.fields.actions);
        }
    }
}

/// Adds the collapsed state and the expand and collapse actions to an outline row. An expanded row has its
/// state already.
fn add_disclosure(row: &mut Node, has_triangle: bool, actions: bool) {
    let open = row.states.has(State::Expanded);
    if has_triangle && !open {
        row.states = row.states.with(State::Expandable).with(State::Collapsed);
    }
    if (has_triangle || open) && actions {
        row.actions.extend([EXPAND.to_owned(), COLLAPSE.to_owned()]);
    }
}
