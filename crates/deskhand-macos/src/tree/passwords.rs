//! Finds the password fields of an app with few messages: skips menus, buttons and the rows of long
//! lists.

use std::collections::{HashSet, VecDeque};

use deskhand_model::{App, Cut, Notice, Role};
use deskhand_platform::{
    Deadline, IncompleteReason, NodeFields, PasswordFields, Result, WalkOptions,
};

use super::{
    AxError,
    attribute_set::is_single_line_field,
    ax_api::{AxApi, AxResult},
    children::ChildPage,
    session::{AxSession, element_error},
};

/// Upper limit of children searched per element. A longer list is skipped, since its rows are alike.
const MAX_CHILDREN: usize = 1_000;
/// Upper limit of elements per search.
const MAX_SEARCHED: usize = 20_000;
/// The attributes that identify a password field.
const PASSWORD_ATTRIBUTES: &[&str] = &[
    "AXRole",
    "AXSubrole",
    "AXTitle",
    "AXDescription",
    "AXPlaceholderValue",
    "AXIdentifier",
    "AXDOMIdentifier",
    "AXTitleUIElement",
];

/// The kind of content that an element is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SearchArea {
    /// A window with native controls.
    Native,
    /// A web page, where any element may contain any other.
    WebPage,
}

impl<A: AxApi> AxSession<A> {
    /// Finds the password fields of an app.
    pub(crate) fn passwords(&self, app: &App, deadline: Deadline) -> Result<PasswordFields> {
        let mut found = PasswordFields { fields: Vec::new(), incomplete: None };
        // A snapshot switches the accessibility of such apps on, or notes that it is off.
        if matches!(app.toolkit.name.as_str(), "Electron" | "Chromium") {
            let within = WalkOptions::with_fields(NodeFields::MINIMAL);
            let snapshot = self.snapshot(app, &app.root, &within, deadline)?;
            let fields = snapshot.iter().filter(|(_, node)| node.role == Role::Password);
            found.fields = fields.map(|(_, node)| node.id.clone()).collect();
            let off = |notice: &Notice| matches!(notice, Notice::AccessibilityOff { .. });
            let late = snapshot
                .iter()
                .any(|(_, node)| matches!(node.cut, Some(Cut::Deadline | Cut::Silent)));
            let large = snapshot.iter().any(|(_, node)| node.cut == Some(Cut::Budget));
            found.incomplete = if snapshot.notices().iter().any(off) {
                Some(IncompleteReason::ContentNotExposed)
            } else if late {
                Some(IncompleteReason::Timeout)
            } else {
                large.then_some(IncompleteReason::TooManyNodes)
            };
            return Ok(found);
        }
        let root = self.resolve_element(app, &app.root, deadline)?;
        let mut queue = VecDeque::from([(root.clone(), SearchArea::Native)]);
        let mut seen: HashSet<A::Element> = HashSet::from([root.clone()]);
        while let Some((element, area)) = queue.pop_front() {
            if deadline.has_passed() {
                found.incomplete = Some(IncompleteReason::Timeout);
                break;
            }
            match self.search(&element, area, &mut found, deadline) {
                Ok((below, inside)) => {
                    let new = below.into_iter().filter(|one| seen.insert(one.clone()));
                    queue.extend(new.map(|one| (one, inside)));
                }
                Err(error) if element == root => return Err(element_error(error, app)),
                Err(AxError::CannotComplete) => {
                    found.incomplete = Some(IncompleteReason::Timeout);
                    break;
                }
                // An element that no longer exists contains no field.
                Err(_) => {}
            }
            if seen.len() > MAX_SEARCHED {
                found.incomplete = Some(IncompleteReason::TooManyNodes);
                break;
            }
        }
        Ok(found)
    }

    /// Adds the element to `found` if it is a password field, else returns the children to search.
    fn search(
        &self,
        element: &A::Element,
        area: SearchArea,
        found: &mut PasswordFields,
        deadline: Deadline,
    ) -> AxResult<(Vec<A::Element>, SearchArea)> {
        let attributes = self.read_attributes(element, PASSWORD_ATTRIBUTES, deadline)?;
        let role = attributes.role(Role::Unknown);
        let id = self.node_id(element);
        if is_single_line_field(role) {
            if self.is_secret(role, &id, &attributes, &self.accessible_name(&attributes, deadline))
            {
                found.fields.push(id);
            }
            return Ok((Vec::new(), area));
        }
        let page = area == SearchArea::WebPage || role == Role::WebDocument;
        let inside = if page { SearchArea::WebPage } else { SearchArea::Native };
        if !page && !can_contain_field(role) {
            return Ok((Vec::new(), inside));
        }
        let ChildPage { items, total } =
            self.children(element, attributes.ax_role(), 0, MAX_CHILDREN, deadline)?;
        if total > items.len() {
            if is_listing(role) {
                return Ok((Vec::new(), inside));
            }
            found.incomplete = found.incomplete.or(Some(IncompleteReason::TooManyNodes));
        }
        Ok((items, inside))
    }
}

fn is_listing(role: Role) -> bool {
    matches!(role, Role::Table | Role::Tree | Role::List | Role::ListBox)
}

/// Returns `true` if a native control of this role can contain a text field.
fn can_contain_field(role: Role) -> bool {
    !matches!(
        role,
        Role::Menu
            | Role::MenuBar
            | Role::MenuItem
            | Role::PopupMenu
            | Role::CheckMenuItem
            | Role::Button
            | Role::ToggleButton
            | Role::CheckBox
            | Role::RadioButton
            | Role::Switch
            | Role::Image
            | Role::Icon
            | Role::Slider
            | Role::ScrollBar
            | Role::ProgressBar
            | Role::Separator
            | Role::Label
            | Role::Text
    )
}
