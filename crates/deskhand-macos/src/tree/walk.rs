//! One look at an app, from the first question to the finished snapshot.

use std::collections::{HashMap, HashSet, VecDeque};

use deskhand_model::{App, Cut, Node, NodeId, Notice, Role, Snapshot, State};
use deskhand_platform::{Deadline, Extent, Facets, Result};

use super::{
    Fault,
    action::{COLLAPSE, EXPAND},
    element::Found,
    room::{Room, described, lost},
    state::Sight,
    system::{Answer, Ax},
};

/// An app that left this many messages in a row unanswered is not asked more.
const SILENCES: usize = 2;
/// What opens and closes a row.
const TRIANGLE: &str = "AXDisclosureTriangle";
/// How many cells of a row it is looked for in.
const CELLS: usize = 20;

/// One element on its way into the snapshot.
struct Draft<E> {
    element: E,
    node: Node,
    ax_role: String,
    depth: u32,
    parent: Option<u32>,
    around: Role,
    sight: Sight,
    read: bool,
    /// Whether it is a row that can say that it is closed.
    row: bool,
    children: Vec<u32>,
}

/// A look in progress.
struct Look<'a, G: Ax> {
    room: &'a Room<G>,
    within: &'a Extent,
    by: Deadline,
    drafts: Vec<Draft<G::Element>>,
    placed: HashSet<G::Element>,
    queue: VecDeque<u32>,
    defaults: HashSet<G::Element>,
    silences: usize,
}

impl<G: Ax> Room<G> {
    /// Reads a subtree.
    pub(crate) fn walk(
        &self,
        app: &App,
        from: &NodeId,
        within: &Extent,
        by: Deadline,
    ) -> Result<Snapshot> {
        let root = self.element(app, from, by)?;
        let whole = *from == app.root;
        let (sight, around) = if whole {
            (Sight::FREE, Role::Unknown)
        } else {
            self.sight(&root, &mut HashMap::new(), by).map_err(|fault| lost(fault, app))?
        };
        let mut look = Look {
            room: self,
            within,
            by,
            drafts: Vec::new(),
            placed: HashSet::new(),
            queue: VecDeque::new(),
            defaults: HashSet::new(),
            silences: 0,
        };
        look.place(root, None, 0, around, sight);
        look.run().map_err(|fault| lost(fault, app))?;
        let silent = look.silences >= SILENCES;
        let mut snapshot = look.assemble(app);
        if silent {
            snapshot.remark(Notice::NotResponding);
        }
        Ok(snapshot)
    }

    /// Reads single elements again.
    pub(crate) fn read(
        &self,
        app: &App,
        ids: &[NodeId],
        what: Facets,
        by: Deadline,
    ) -> Result<Vec<Option<Node>>> {
        let mut around = HashMap::new();
        let mut nodes = Vec::with_capacity(ids.len());
        for id in ids {
            if by.passed() {
                return Err(Fault::CannotComplete.error(&described(app)));
            }
            nodes.push(match self.read_one(app, id, what, &mut around, by) {
                Err(Fault::InvalidElement) => None,
                answer => answer.map_err(|fault| lost(fault, app))?,
            });
        }
        Ok(nodes)
    }

    fn read_one(
        &self,
        app: &App,
        id: &NodeId,
        what: Facets,
        known: &mut HashMap<G::Element, (Sight, Role)>,
        by: Deadline,
    ) -> Answer<Option<Node>> {
        let element = match self.element(app, id, by) {
            Ok(element) => element,
            Err(deskhand_platform::Error::Gone { .. }) => return Ok(None),
            Err(deskhand_platform::Error::NoAccessibility { .. }) => {
                return Err(Fault::ApiDisabled);
            }
            Err(_) => return Err(Fault::CannotComplete),
        };
        let (sight, around) = self.sight(&element, known, by)?;
        let found = self.look_at(&element, around, sight, what, by)?;
        let mut node = found.node;
        let total = match self.menu_of(&element, &found.ax_role, by)? {
            Some(menu) => {
                node.role = Role::Menu;
                self.child_count(&menu, "AXMenu", by)?
            }
            None => self.child_count(&element, &found.ax_role, by)?,
        };
        node.child_count = u32::try_from(total).unwrap_or(u32::MAX);
        node.cut = (total > 0).then_some(Cut::Depth);
        if found.row {
            let open = node.states.has(State::Expanded);
            let turns = !open && self.has_triangle(&element, &found.ax_role, by)?;
            fold(&mut node, turns, what.actions);
        }
        Ok(Some(node))
    }

    /// Whether what opens a row stands in it, or in one of its cells.
    fn has_triangle(&self, row: &G::Element, ax_role: &str, by: Deadline) -> Answer<bool> {
        for cell in self.children(row, ax_role, 0, CELLS, by)?.items {
            let role = self.string(&cell, "AXRole", by)?;
            if role == TRIANGLE {
                return Ok(true);
            }
            for part in self.children(&cell, &role, 0, CELLS, by)?.items {
                if self.string(&part, "AXRole", by)? == TRIANGLE {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

impl<G: Ax> Look<'_, G> {
    fn place(
        &mut self,
        element: G::Element,
        parent: Option<u32>,
        depth: u32,
        around: Role,
        sight: Sight,
    ) -> Option<u32> {
        if !self.placed.insert(element.clone()) {
            return None;
        }
        let place = u32::try_from(self.drafts.len()).ok()?;
        let node = Node::new(self.room.name(&element), Role::Unknown);
        self.drafts.push(Draft {
            element,
            node,
            ax_role: String::new(),
            depth,
            parent,
            around,
            sight,
            read: false,
            row: false,
            children: Vec::new(),
        });
        self.queue.push_back(place);
        Some(place)
    }

    /// Reads level by level, so that what the limits leave out is what lies deepest.
    fn run(&mut self) -> Answer<()> {
        while let Some(place) = self.queue.pop_front() {
            let stopped = if self.by.passed() {
                Some(Cut::Deadline)
            } else if self.silences >= SILENCES {
                Some(Cut::Silent)
            } else {
                None
            };
            if let Some(cut) = stopped {
                self.leave(place, cut)?;
                continue;
            }
            match self.look_at(place) {
                Ok(()) => self.silences = 0,
                Err(Fault::ApiDisabled) => return Err(Fault::ApiDisabled),
                Err(fault @ Fault::InvalidElement) if place == 0 => return Err(fault),
                // It vanished while the look went on.
                Err(Fault::InvalidElement) => {}
                Err(fault) => {
                    if place == 0 && !self.drafts[0].read {
                        return Err(fault);
                    }
                    self.silences += usize::from(fault == Fault::CannotComplete);
                    let cut = if self.by.passed() { Cut::Deadline } else { Cut::Silent };
                    self.leave(place, cut)?;
                }
            }
        }
        Ok(())
    }

    /// Notes where the look stopped: at an element that was read, its children are missing, else it
    /// is itself missing in its parent.
    fn leave(&mut self, place: u32, cut: Cut) -> Answer<()> {
        let draft = &self.drafts[place as usize];
        let at = match (draft.read, draft.parent) {
            (true, _) => place,
            (false, Some(parent)) => parent,
            (false, None) => return Err(Fault::CannotComplete),
        };
        self.drafts[at as usize].node.cut.get_or_insert(cut);
        Ok(())
    }

    fn look_at(&mut self, place: u32) -> Answer<()> {
        let draft = &self.drafts[place as usize];
        let (element, around, sight) = (draft.element.clone(), draft.around, draft.sight);
        let found = self.room.look_at(&element, around, sight, self.within.facets, self.by)?;
        let draft = &mut self.drafts[place as usize];
        let Found { node, ax_role, inside, row, default } = found;
        (draft.node, draft.ax_role, draft.read, draft.row) = (node, ax_role, true, row);
        self.defaults.extend(default);
        self.reach_below(place, &element, inside)
    }

    fn reach_below(&mut self, place: u32, element: &G::Element, inside: Sight) -> Answer<()> {
        let (depth, ax_role) = {
            let draft = &self.drafts[place as usize];
            (draft.depth, draft.ax_role.clone())
        };
        let holder = self.room.menu_of(element, &ax_role, self.by)?;
        if holder.is_some() {
            let node = &mut self.drafts[place as usize].node;
            node.role = Role::Menu;
        }
        let (holder, ax_role) = match &holder {
            Some(menu) => (menu, "AXMenu"),
            None => (element, ax_role.as_str()),
        };
        if self.within.depth.is_some_and(|most| depth >= most) {
            let total = self.room.child_count(holder, ax_role, self.by)?;
            let node = &mut self.drafts[place as usize].node;
            node.child_count = u32::try_from(total).unwrap_or(u32::MAX);
            node.cut = (total > 0).then_some(Cut::Depth);
            return Ok(());
        }
        let first = if place == 0 { self.within.first_child } else { 0 };
        let most = self.within.children;
        let page = self.room.children(holder, ax_role, first, most, self.by)?;
        let (mut items, mut total) = (page.items, page.total);
        let extras = match ax_role {
            "AXApplication" => self.room.extras(element, self.by)?,
            _other => None,
        };
        if let Some(extras) = &extras {
            let last = first.saturating_add(items.len()) == total;
            total += 1;
            items.extend((last && items.len() < most).then(|| extras.clone()));
        }
        let left = self.within.nodes.saturating_sub(self.drafts.len());
        let cut = if items.len() > left {
            items.truncate(left);
            Some(Cut::Budget)
        } else {
            (first.saturating_add(items.len()) < total).then_some(Cut::Many)
        };
        let draft = &mut self.drafts[place as usize];
        draft.node.child_count = u32::try_from(total).unwrap_or(u32::MAX);
        draft.node.cut = cut;
        let around = draft.node.role;
        for item in items {
            let sight = if extras.as_ref() == Some(&item) { inside.always() } else { inside };
            let child = self.place(item, Some(place), depth + 1, around, sight);
            self.drafts[place as usize].children.extend(child);
        }
        Ok(())
    }

    fn assemble(mut self, app: &App) -> Snapshot {
        self.unfold_rows();
        let read: Vec<bool> = self.drafts.iter().map(|draft| draft.read).collect();
        let mut nodes = Vec::with_capacity(self.drafts.len());
        let mut children = Vec::with_capacity(self.drafts.len());
        for mut draft in self.drafts {
            if self.defaults.contains(&draft.element) {
                draft.node.states = draft.node.states.with(State::Default);
            }
            draft.children.retain(|child| read[*child as usize]);
            children.push(draft.children);
            nodes.push(draft.node);
        }
        Snapshot::assemble(app.clone(), nodes, &children)
    }

    /// A closed row can be opened when a triangle stands in it or in its first cells.
    fn unfold_rows(&mut self) {
        for place in 0..self.drafts.len() {
            let draft = &self.drafts[place];
            if !draft.row {
                continue;
            }
            let below = |draft: &Draft<G::Element>| draft.children.clone();
            let near = below(draft).into_iter().flat_map(|cell| {
                let inner = below(&self.drafts[cell as usize]);
                std::iter::once(cell).chain(inner)
            });
            let mut near = near.map(|at| self.drafts[at as usize].ax_role.as_str());
            let turns = near.any(|role| role == TRIANGLE);
            fold(&mut self.drafts[place].node, turns, self.within.facets.actions);
        }
    }
}

/// Notes that a row can be opened and closed: one that is open says so itself, a closed one by the
/// triangle in it.
fn fold(row: &mut Node, turns: bool, actions: bool) {
    let open = row.states.has(State::Expanded);
    if turns && !open {
        row.states = row.states.with(State::Expandable).with(State::Collapsed);
    }
    if (turns || open) && actions {
        row.actions.extend([EXPAND.to_owned(), COLLAPSE.to_owned()]);
    }
}
