//! Selection in lists, tables and outlines.

use deskhand_model::{App, NodeId};
use deskhand_platform::{ActionReply, Deadline, Result};

use super::{
    AxError, Value,
    act::{AxActionTarget, unsupported},
    ax_api::{AxApi, AxResult},
    session::{AxSession, element_error},
};
use crate::timing::MESSAGE_TIMEOUT;

/// Upper limit of ancestors searched for the container of a selection.
const MAX_CONTAINER_DISTANCE: usize = 4;
/// Upper limit of selected items that are reported.
const MAX_SELECTED: usize = 100;
/// The attributes that contain a selection, in order of preference.
const SELECTION_ATTRIBUTES: [&str; 3] = ["AXSelectedRows", "AXSelectedChildren", "AXSelectedCells"];

/// The attribute that contains a selection, and the selected items.
type SelectionState<E> = (&'static str, Vec<E>);

impl<A: AxApi> AxSession<A> {
    /// The selected items of an element, or `None` if it has no selection attribute.
    pub(crate) fn selected(
        &self,
        app: &App,
        id: &NodeId,
        deadline: Deadline,
    ) -> Result<Option<Vec<NodeId>>> {
        let element = self.resolve_element(app, id, deadline)?;
        let items =
            self.first_selected(&element, deadline).map_err(|error| element_error(error, app))?;
        Ok(items.map(|items| items.iter().map(|item| self.node_id(item)).collect()))
    }

    /// The first selected items. A table may have a hundred thousand selected rows.
    fn first_selected(
        &self,
        of: &A::Element,
        deadline: Deadline,
    ) -> AxResult<Option<Vec<A::Element>>> {
        let mut empty = None;
        for name in SELECTION_ATTRIBUTES {
            match self.ax.value_count(of, name, deadline.at_most(MESSAGE_TIMEOUT)) {
                Ok(0) | Err(AxError::NoValue) => empty = Some(Vec::new()),
                Ok(count) => {
                    let page = self.ax.values(
                        of,
                        name,
                        0,
                        count.min(MAX_SELECTED),
                        deadline.at_most(MESSAGE_TIMEOUT),
                    )?;
                    return Ok(Some(page.iter().filter_map(Value::element).cloned().collect()));
                }
                // macOS reports an illegal argument for an attribute that is not a list.
                Err(error) if error.is_absent() || error == AxError::IllegalArgument => {}
                Err(error) => return Err(error),
            }
        }
        Ok(empty)
    }

    /// The selection of an element, with the attribute that contains it.
    fn selection_of(
        &self,
        of: &A::Element,
        deadline: Deadline,
    ) -> AxResult<Option<SelectionState<A::Element>>> {
        let values = match self.ax.attributes(
            of,
            &SELECTION_ATTRIBUTES,
            deadline.at_most(MESSAGE_TIMEOUT),
        ) {
            Err(error) if error.is_absent() => return Ok(None),
            answer => answer?,
        };
        let mut empty = None;
        for (name, value) in SELECTION_ATTRIBUTES.into_iter().zip(values) {
            match value {
                Value::List(_) if !value.elements().is_empty() => {
                    return Ok(Some((name, value.elements())));
                }
                // Some apps report an empty selection as no value.
                Value::List(_) | Value::Error(AxError::NoValue) => {
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
                | Value::Error(_)
                | Value::Other(_) => {}
            }
        }
        Ok(empty)
    }
}

/// A container with a selection, and the item in it to select.
struct SelectionContainer<E> {
    element: E,
    attribute: &'static str,
    selected: Vec<E>,
    item: E,
}

impl<A: AxApi> AxActionTarget<'_, A> {
    /// Selects or deselects the element, by its own attribute if it is settable, else through its container.
    pub(super) fn select(&self, on: bool) -> Result<ActionReply> {
        if self.can_set("AXSelected")? {
            return self.set("select", "AXSelected", &Value::Flag(on));
        }
        let found = self.container()?;
        let mut items = found.selected;
        items.retain(|item| *item != found.item);
        if on {
            items.push(found.item);
        }
        self.with_element(&found.element).set("select", found.attribute, &list(items))
    }

    /// Selects the element and deselects all others.
    pub(super) fn select_only(&self) -> Result<ActionReply> {
        match self.container() {
            Ok(found) if self.with_element(&found.element).can_set(found.attribute)? => {
                let only = list(vec![found.item]);
                self.with_element(&found.element).set("select", found.attribute, &only)
            }
            // Without a settable container, the item's own attribute replaces the selection.
            Ok(_) | Err(deskhand_platform::Error::Unsupported { .. }) => {
                self.set("select", "AXSelected", &Value::Flag(true))
            }
            Err(error) => Err(error),
        }
    }

    /// Selects the child with this index.
    pub(super) fn select_item(&self, index: usize) -> Result<ActionReply> {
        let (attribute, mut selected) = self.selection()?;
        // The index counts children as a snapshot lists them, with the header before the rows.
        let role = self.session.string(self.element, "AXRole", self.deadline);
        let page = role.and_then(|role| {
            self.session
                .children(self.element, &role, index, 1, self.deadline)
                .map(|page| page.items)
        });
        let item = page.map_err(|error| self.element_error(error))?.into_iter().next();
        let Some(item) = item else {
            return Err(unsupported("select", &format!("there is no item with index {index}")));
        };
        if self.with_element(&item).can_set("AXSelected")? {
            return self.with_element(&item).set("select", "AXSelected", &Value::Flag(true));
        }
        if !selected.contains(&item) {
            selected.push(item);
        }
        self.set("select", attribute, &list(selected))
    }

    /// Deselects all children.
    pub(super) fn select_none(&self) -> Result<ActionReply> {
        let (attribute, _) = self.selection()?;
        self.set("select", attribute, &list(Vec::new()))
    }

    fn can_set(&self, name: &str) -> Result<bool> {
        self.session
            .can_set(self.element, name, self.deadline)
            .map_err(|error| self.element_error(error))
    }

    fn selection(&self) -> Result<SelectionState<A::Element>> {
        let selection = self
            .session
            .selection_of(self.element, self.deadline)
            .map_err(|error| self.element_error(error))?;
        selection.ok_or_else(|| unsupported("select", "the element has no selection"))
    }

    /// Finds the container that has the element's selection. In a table the row is selected, not the
    /// cell.
    fn container(&self) -> Result<SelectionContainer<A::Element>> {
        let mut item = self.element.clone();
        for _ in 0..MAX_CONTAINER_DISTANCE {
            let parent = match self.session.ax.attribute(
                &item,
                "AXParent",
                self.deadline.at_most(MESSAGE_TIMEOUT),
            ) {
                Ok(value) => value.element().cloned(),
                Err(error) if error.is_absent() => None,
                Err(error) => return Err(self.element_error(error)),
            };
            let Some(parent) = parent else { break };
            let selection = self
                .session
                .selection_of(&parent, self.deadline)
                .map_err(|error| self.element_error(error))?;
            if let Some((attribute, selected)) = selection {
                return Ok(SelectionContainer { element: parent, attribute, selected, item });
            }
            item = parent;
        }
        Err(unsupported("select", "no container of the element has a selection"))
    }
}

fn list<E>(items: Vec<E>) -> Value<E> {
    Value::List(items.into_iter().map(Value::Element).collect())
}
