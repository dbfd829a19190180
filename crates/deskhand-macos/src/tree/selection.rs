//! What is selected in lists, tables and outlines, and how that is changed.

use deskhand_model::{App, NodeId};
use deskhand_platform::{Deadline, Reply, Result};

use super::{
    Fault, Value,
    act::{One, unsupported},
    room::{MESSAGE, Room, lost},
    system::{Answer, Ax},
};

/// How far above an item the container is looked for that keeps its selection.
const CONTAINER: usize = 4;
/// More selected items than this are not told.
const MOST: usize = 100;
/// The attributes that hold a selection, the most telling first.
const HOLDERS: [&str; 3] = ["AXSelectedRows", "AXSelectedChildren", "AXSelectedCells"];

/// The attribute that holds a selection, and what is selected.
type Held<E> = (&'static str, Vec<E>);

impl<G: Ax> Room<G> {
    /// The items an element says are selected in it.
    pub(crate) fn selected(
        &self,
        app: &App,
        id: &NodeId,
        by: Deadline,
    ) -> Result<Option<Vec<NodeId>>> {
        let element = self.element(app, id, by)?;
        let items = self.first_selected(&element, by).map_err(|fault| lost(fault, app))?;
        Ok(items.map(|items| items.iter().map(|item| self.name(item)).collect()))
    }

    /// The first of the selected items: of a hundred thousand rows all may be selected.
    fn first_selected(&self, of: &G::Element, by: Deadline) -> Answer<Option<Vec<G::Element>>> {
        let mut empty = None;
        for name in HOLDERS {
            match self.ax.count(of, name, by.or_after(MESSAGE)) {
                Ok(0) | Err(Fault::NoValue) => empty = Some(Vec::new()),
                Ok(count) => {
                    let page = self.ax.page(of, name, 0, count.min(MOST), by.or_after(MESSAGE))?;
                    return Ok(Some(page.iter().filter_map(Value::element).cloned().collect()));
                }
                // What is no list is an illegal argument.
                Err(fault) if fault.is_absence() || fault == Fault::IllegalArgument => {}
                Err(fault) => return Err(fault),
            }
        }
        Ok(empty)
    }

    /// The attribute in which an element keeps its selection, and what is selected.
    fn holder(&self, of: &G::Element, by: Deadline) -> Answer<Option<Held<G::Element>>> {
        let values = match self.ax.get_all(of, &HOLDERS, by.or_after(MESSAGE)) {
            Err(fault) if fault.is_absence() => return Ok(None),
            answer => answer?,
        };
        let mut empty = None;
        for (name, value) in HOLDERS.into_iter().zip(values) {
            match value {
                Value::List(_) if !value.elements().is_empty() => {
                    return Ok(Some((name, value.elements())));
                }
                // An empty list may come as one, or as no value of an attribute that exists.
                Value::List(_) | Value::Fault(Fault::NoValue) => {
                    empty = empty.or(Some((name, Vec::new())));
                }
                Value::Text(_)
                | Value::Flag(_)
                | Value::Whole(_)
                | Value::Real(_)
                | Value::Point(..)
                | Value::Size(..)
                | Value::Rect(..)
                | Value::Range(..)
                | Value::Element(_)
                | Value::Link(_)
                | Value::Date(_)
                | Value::Fault(_)
                | Value::Other(_) => {}
            }
        }
        Ok(empty)
    }
}

/// A container that keeps a selection, and the item of it that is meant.
struct Place<E> {
    holder: E,
    attribute: &'static str,
    selected: Vec<E>,
    item: E,
}

impl<G: Ax> One<'_, G> {
    /// Selects the element, or takes it out of the selection: by its own word where it has one, else
    /// in the container that keeps the selection.
    pub(super) fn select(&self, on: bool) -> Result<Reply> {
        if self.may("AXSelected")? {
            return self.set("select", "AXSelected", &Value::Flag(on));
        }
        let place = self.place()?;
        let mut items = place.selected;
        items.retain(|item| *item != place.item);
        if on {
            items.push(place.item);
        }
        self.of(&place.holder).set("select", place.attribute, &list(items))
    }

    /// Selects the element and nothing else.
    pub(super) fn select_only(&self) -> Result<Reply> {
        match self.place() {
            Ok(place) if self.of(&place.holder).may(place.attribute)? => {
                self.of(&place.holder).set("select", place.attribute, &list(vec![place.item]))
            }
            // Where no container takes a selection, the item's own word replaces it.
            Ok(_) | Err(deskhand_platform::Error::Unsupported { .. }) => {
                self.set("select", "AXSelected", &Value::Flag(true))
            }
            Err(error) => Err(error),
        }
    }

    /// Selects the item of this number in the element.
    pub(super) fn select_item(&self, index: usize) -> Result<Reply> {
        let (attribute, mut selected) = self.held()?;
        // Items are numbered as a look lists them: a header stands before the rows.
        let role = self.room.string(self.element, "AXRole", self.by);
        let page = role.and_then(|role| {
            self.room.children(self.element, &role, index, 1, self.by).map(|page| page.items)
        });
        let item = page.map_err(|fault| self.lost(fault))?.into_iter().next();
        let Some(item) = item else {
            return Err(unsupported("select", &format!("there is no item of number {index}")));
        };
        if self.of(&item).may("AXSelected")? {
            return self.of(&item).set("select", "AXSelected", &Value::Flag(true));
        }
        if !selected.contains(&item) {
            selected.push(item);
        }
        self.set("select", attribute, &list(selected))
    }

    /// Takes everything in the element out of its selection.
    pub(super) fn select_none(&self) -> Result<Reply> {
        let (attribute, _) = self.held()?;
        self.set("select", attribute, &list(Vec::new()))
    }

    fn may(&self, name: &str) -> Result<bool> {
        self.room.may_set(self.element, name, self.by).map_err(|fault| self.lost(fault))
    }

    fn held(&self) -> Result<Held<G::Element>> {
        let held = self.room.holder(self.element, self.by).map_err(|fault| self.lost(fault))?;
        held.ok_or_else(|| unsupported("select", "the element keeps no selection"))
    }

    /// Finds the container that keeps the element's selection; in a table the row is what is
    /// selected, whichever of its cells was meant.
    fn place(&self) -> Result<Place<G::Element>> {
        let mut item = self.element.clone();
        for _ in 0..CONTAINER {
            let parent = match self.room.ax.get(&item, "AXParent", self.by.or_after(MESSAGE)) {
                Ok(value) => value.element().cloned(),
                Err(fault) if fault.is_absence() => None,
                Err(fault) => return Err(self.lost(fault)),
            };
            let Some(parent) = parent else { break };
            let held = self.room.holder(&parent, self.by).map_err(|fault| self.lost(fault))?;
            if let Some((attribute, selected)) = held {
                return Ok(Place { holder: parent, attribute, selected, item });
            }
            item = parent;
        }
        Err(unsupported("select", "nothing around the element keeps a selection"))
    }
}

fn list<E>(items: Vec<E>) -> Value<E> {
    Value::List(items.into_iter().map(Value::Element).collect())
}
