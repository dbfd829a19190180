//! Reads one element into a node.

use deskhand_model::{Node, Relation, RelationKind, Role, State, Value as Content};
use deskhand_platform::{Deadline, NodeFields};

use super::{
    Value, action,
    attribute_set::{
        AttributeSet, BASIC_ATTRIBUTES, RELATION_ATTRIBUTES, extra_attributes,
        is_single_line_field, is_toggle,
    },
    ax_api::{AxApi, AxResult},
    session::AxSession,
    state::{self, Settable, Visibility},
};
use crate::timing::MESSAGE_TIMEOUT;

/// An element that was read, and what the walk needs to read its children.
pub(crate) struct ElementReading<E> {
    pub(crate) node: Node,
    pub(crate) ax_role: String,
    /// The visibility of its children.
    pub(crate) inner_visibility: Visibility,
    /// `true` for a row of an outline, which has a disclosed state.
    pub(crate) is_outline_row: bool,
    /// The button that a window presses on Return.
    pub(crate) default_button: Option<E>,
}

impl<A: AxApi> AxSession<A> {
    /// Reads everything about an element but its children.
    pub(crate) fn read_element(
        &self,
        element: &A::Element,
        parent_role: Role,
        visibility: Visibility,
        wanted: NodeFields,
        deadline: Deadline,
    ) -> AxResult<ElementReading<A::Element>> {
        let attributes = if wanted.relations {
            self.read_attributes(
                element,
                &[BASIC_ATTRIBUTES, RELATION_ATTRIBUTES].concat(),
                deadline,
            )?
        } else {
            self.read_basics(element, deadline)?
        };
        let mut role = attributes.role(parent_role);
        let id = self.node_id(element);
        let mut name = self.accessible_name(&attributes, deadline);
        if self.is_secret(role, &id, &attributes, &name) {
            role = Role::Password;
        }
        let secret = visibility.secret || role == Role::Password;
        let settable = self.settable(element, role, attributes.ax_role(), deadline)?;
        let none = AttributeSet::new(Vec::new(), Vec::new());
        let showing =
            state::derive(role, &attributes, &none, settable, visibility).has(State::Showing);
        let include_details = wanted.hidden || showing;
        let is_text = matches!(role, Role::Label | Role::StaticText);
        let read_value =
            !secret && (is_toggle(role) || is_text || (wanted.values && include_details));
        let details = if read_value {
            self.read_attributes(element, extra_attributes(role), deadline)?
        } else {
            AttributeSet::new(Vec::new(), Vec::new())
        };
        // The content of a text is its name, whatever its description is.
        let content = if is_text { details.text("AXValue") } else { "" };
        if !content.is_empty() {
            content.clone_into(&mut name);
        }
        // The texts inside a password field are parts of the password.
        if visibility.secret && !role.is_control() {
            name.clear();
        }
        let mut node = Node::new(id, role);
        node.states = state::derive(role, &attributes, &details, settable, visibility);
        node.description =
            if visibility.secret { String::new() } else { attributes.description(&name) };
        node.identifier = if wanted.identifiers { attributes.identifier() } else { String::new() };
        node.bounds = attributes.bounds().filter(|_| wanted.bounds && include_details);
        node.value = if secret && wanted.values {
            Some(Content::Secret)
        } else if read_value && wanted.values {
            self.content(element, role, &details, deadline)?
        } else {
            None
        };
        node.name = name;
        if wanted.actions {
            node.actions = self.actions(element, deadline)?;
        }
        node.relations = if wanted.relations { self.relations(&attributes) } else { Vec::new() };
        Ok(ElementReading {
            node,
            ax_role: attributes.ax_role().to_owned(),
            inner_visibility: visibility.inside(role, &attributes),
            is_outline_row: attributes.flag("AXDisclosing").is_some(),
            default_button: attributes.get("AXDefaultButton").and_then(Value::element).cloned(),
        })
    }

    /// The display names of an element's actions.
    pub(crate) fn actions(&self, of: &A::Element, deadline: Deadline) -> AxResult<Vec<String>> {
        match self.ax.action_names(of, deadline.at_most(MESSAGE_TIMEOUT)) {
            Ok(names) => Ok(names.iter().map(|name| action::display_name(name)).collect()),
            Err(error) if error.is_absent() => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    fn settable(
        &self,
        of: &A::Element,
        role: Role,
        ax_role: &str,
        deadline: Deadline,
    ) -> AxResult<Settable> {
        let text = is_single_line_field(role) || role == Role::Text || ax_role == "AXComboBox";
        let mut settable = Settable::default();
        if text {
            settable.value = Some(self.can_set(of, "AXValue", deadline)?);
        }
        // Menu items are highlighted, not focused.
        let menu_item = matches!(role, Role::Menu | Role::MenuItem | Role::CheckMenuItem);
        if text || (role.is_control() && !menu_item) {
            settable.focus = Some(self.can_set(of, "AXFocused", deadline)?);
        }
        Ok(settable)
    }

    fn relations(&self, attributes: &AttributeSet<A::Element>) -> Vec<Relation> {
        const KINDS: &[(&str, RelationKind)] = &[
            ("AXTitleUIElement", RelationKind::LabelledBy),
            ("AXServesAsTitleForUIElements", RelationKind::LabelFor),
            ("AXLinkedUIElements", RelationKind::ControllerFor),
            ("AXDisclosedByRow", RelationKind::ChildOf),
            ("AXDescribedBy", RelationKind::DescribedBy),
            ("AXErrorMessageElements", RelationKind::ErrorMessage),
            ("AXDetailsElements", RelationKind::Details),
            ("AXOwns", RelationKind::ParentOf),
        ];
        let relation = |(name, kind): &(&str, RelationKind)| {
            let targets: Vec<_> =
                attributes.elements(name).iter().map(|one| self.node_id(one)).collect();
            (!targets.is_empty()).then_some(Relation { kind: *kind, targets })
        };
        KINDS.iter().filter_map(relation).collect()
    }

    /// The menu that a menu item opens. It is the item's only child, and its items count as the item's.
    pub(crate) fn menu_of(
        &self,
        of: &A::Element,
        ax_role: &str,
        deadline: Deadline,
    ) -> AxResult<Option<A::Element>> {
        if !matches!(ax_role, "AXMenuBarItem" | "AXMenuItem") {
            return Ok(None);
        }
        let mut items = self.children(of, ax_role, 0, 1, deadline)?.items;
        let Some(only) = items.pop() else { return Ok(None) };
        Ok((self.string(&only, "AXRole", deadline)? == "AXMenu").then_some(only))
    }

    /// The app's status items at the right end of the menu bar, which are not among its children.
    pub(crate) fn extras_menu_bar(
        &self,
        app: &A::Element,
        deadline: Deadline,
    ) -> AxResult<Option<A::Element>> {
        match self.ax.attribute(app, "AXExtrasMenuBar", deadline.at_most(MESSAGE_TIMEOUT)) {
            Ok(value) => Ok(value.element().cloned()),
            Err(error) if error.is_absent() => Ok(None),
            Err(error) => Err(error),
        }
    }
}
