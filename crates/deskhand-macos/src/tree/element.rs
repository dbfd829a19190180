//! One element, asked about and understood.

use deskhand_model::{Node, Relation, RelationKind, Role, State, Value as Content};
use deskhand_platform::{Deadline, Facets};

use super::{
    Value, action,
    facts::{BASICS, Facts, RELATIONS, details, is_line, is_toggle},
    room::{MESSAGE, Room},
    state::{self, Settable, Sight},
    system::{Answer, Ax},
};

/// What was found out about an element.
pub(crate) struct Found<E> {
    /// The element as the look shows it.
    pub(crate) node: Node,
    /// The role the system gives it.
    pub(crate) ax_role: String,
    /// What can be seen of what is inside.
    pub(crate) inside: Sight,
    /// Whether it is a row of an outline.
    pub(crate) row: bool,
    /// The button a window presses on Return.
    pub(crate) default: Option<E>,
}

impl<G: Ax> Room<G> {
    /// Asks everything a look wants to know of an element but its children.
    pub(crate) fn look_at(
        &self,
        element: &G::Element,
        around: Role,
        sight: Sight,
        wanted: Facets,
        by: Deadline,
    ) -> Answer<Found<G::Element>> {
        let facts = if wanted.relations {
            self.facts(element, &[BASICS, RELATIONS].concat(), by)?
        } else {
            self.basics(element, by)?
        };
        let mut role = facts.role(around);
        let id = self.name(element);
        let mut name = self.called(&facts, by);
        if self.is_secret(role, &id, &facts, &name) {
            role = Role::Password;
        }
        let secret = sight.secret || role == Role::Password;
        let settable = self.settable(element, role, facts.ax_role(), by)?;
        let none = Facts::new(Vec::new(), Vec::new());
        let seen = state::of(role, &facts, &none, settable, sight).has(State::Showing);
        let told = wanted.hidden || seen;
        let worded = matches!(role, Role::Label | Role::StaticText);
        let asks = !secret && (is_toggle(role) || worded || (wanted.values && told));
        let details = if asks {
            self.facts(element, details(role), by)?
        } else {
            Facts::new(Vec::new(), Vec::new())
        };
        // What a text says is its name, whatever it is described as.
        let says = if worded { details.text("AXValue") } else { "" };
        if !says.is_empty() {
            says.clone_into(&mut name);
        }
        // Within a field that holds a secret, texts are parts of it.
        if sight.secret && !role.is_control() {
            name.clear();
        }
        let mut node = Node::new(id, role);
        node.states = state::of(role, &facts, &details, settable, sight);
        node.description = if sight.secret { String::new() } else { facts.description(&name) };
        node.identifier = if wanted.identifiers { facts.identifier() } else { String::new() };
        node.bounds = facts.bounds().filter(|_| wanted.bounds && told);
        node.value = if secret && wanted.values {
            Some(Content::Secret)
        } else if asks && wanted.values {
            self.content(element, role, &details, by)?
        } else {
            None
        };
        node.name = name;
        if wanted.actions {
            node.actions = self.actions(element, by)?;
        }
        node.relations = if wanted.relations { self.relations(&facts) } else { Vec::new() };
        Ok(Found {
            node,
            ax_role: facts.ax_role().to_owned(),
            inside: sight.inside(role, &facts),
            row: facts.flag("AXDisclosing").is_some(),
            default: facts.get("AXDefaultButton").and_then(Value::element).cloned(),
        })
    }

    /// The names of the actions of an element as they are shown.
    pub(crate) fn actions(&self, of: &G::Element, by: Deadline) -> Answer<Vec<String>> {
        match self.ax.actions(of, by.or_after(MESSAGE)) {
            Ok(names) => Ok(names.iter().map(|name| action::shown(name)).collect()),
            Err(fault) if fault.is_absence() => Ok(Vec::new()),
            Err(fault) => Err(fault),
        }
    }

    fn settable(
        &self,
        of: &G::Element,
        role: Role,
        ax_role: &str,
        by: Deadline,
    ) -> Answer<Settable> {
        let text = is_line(role) || role == Role::Text || ax_role == "AXComboBox";
        let mut settable = Settable::default();
        if text {
            settable.value = Some(self.may_set(of, "AXValue", by)?);
        }
        // An item of a menu is highlighted, which is no focus.
        let item = matches!(role, Role::Menu | Role::MenuItem | Role::CheckMenuItem);
        if text || (role.is_control() && !item) {
            settable.focus = Some(self.may_set(of, "AXFocused", by)?);
        }
        Ok(settable)
    }

    fn relations(&self, facts: &Facts<G::Element>) -> Vec<Relation> {
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
            let targets: Vec<_> = facts.elements(name).iter().map(|one| self.name(one)).collect();
            (!targets.is_empty()).then_some(Relation { kind: *kind, targets })
        };
        KINDS.iter().filter_map(relation).collect()
    }

    /// The menu an item opens: it stands alone in the item, and what is in it counts as the item's.
    pub(crate) fn menu_of(
        &self,
        of: &G::Element,
        ax_role: &str,
        by: Deadline,
    ) -> Answer<Option<G::Element>> {
        if !matches!(ax_role, "AXMenuBarItem" | "AXMenuItem") {
            return Ok(None);
        }
        let mut items = self.children(of, ax_role, 0, 1, by)?.items;
        let Some(only) = items.pop() else { return Ok(None) };
        Ok((self.string(&only, "AXRole", by)? == "AXMenu").then_some(only))
    }

    /// The items an app has at the right end of the menu bar, which are not among its children.
    pub(crate) fn extras(&self, app: &G::Element, by: Deadline) -> Answer<Option<G::Element>> {
        match self.ax.get(app, "AXExtrasMenuBar", by.or_after(MESSAGE)) {
            Ok(value) => Ok(value.element().cloned()),
            Err(fault) if fault.is_absence() => Ok(None),
            Err(fault) => Err(fault),
        }
    }
}
