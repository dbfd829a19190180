//! The password fields of an app, found with few questions: menus and what is worked by a click hold
//! none, and the rows of long lists are not looked through.

use std::collections::{HashSet, VecDeque};

use deskhand_model::{App, Cut, Notice, Role};
use deskhand_platform::{Deadline, Extent, Facets, Missed, Passwords, Result};

use super::{
    Fault,
    children::Page,
    facts::is_line,
    room::{Room, lost},
    system::{Answer, Ax},
};

/// No more children of one element are searched through; those of a list are rows like the others.
const CHILDREN: usize = 1_000;
/// The most elements one search looks at.
const ELEMENTS: usize = 20_000;
/// What tells a password field.
const ASKED: &[&str] = &[
    "AXRole",
    "AXSubrole",
    "AXTitle",
    "AXDescription",
    "AXPlaceholderValue",
    "AXIdentifier",
    "AXDOMIdentifier",
    "AXTitleUIElement",
];

/// What an element stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Setting {
    /// The windows of an app, as its toolkit makes them.
    App,
    /// A page, where anything may stand in anything.
    Page,
}

impl<G: Ax> Room<G> {
    /// Finds the password fields of an app.
    pub(crate) fn passwords(&self, app: &App, by: Deadline) -> Result<Passwords> {
        let mut found = Passwords { fields: Vec::new(), missed: None };
        // A whole look also wakes an app that sleeps, or says that it does.
        if matches!(app.toolkit.name.as_str(), "Electron" | "Chromium") {
            let within = Extent::of(Facets::NAMES);
            let snapshot = self.look(app, &app.root, &within, by)?;
            let fields = snapshot.iter().filter(|(_, node)| node.role == Role::Password);
            found.fields = fields.map(|(_, node)| node.id.clone()).collect();
            let off = |notice: &Notice| matches!(notice, Notice::AccessibilityOff { .. });
            let late = snapshot
                .iter()
                .any(|(_, node)| matches!(node.cut, Some(Cut::Deadline | Cut::Silent)));
            let large = snapshot.iter().any(|(_, node)| node.cut == Some(Cut::Budget));
            found.missed = if snapshot.notices().iter().any(off) {
                Some(Missed::Off)
            } else if late {
                Some(Missed::Late)
            } else {
                large.then_some(Missed::Large)
            };
            return Ok(found);
        }
        let root = self.element(app, &app.root, by)?;
        let mut queue = VecDeque::from([(root.clone(), Setting::App)]);
        let mut seen: HashSet<G::Element> = HashSet::from([root.clone()]);
        while let Some((element, setting)) = queue.pop_front() {
            if by.passed() {
                found.missed = Some(Missed::Late);
                break;
            }
            match self.search(&element, setting, &mut found, by) {
                Ok((below, inside)) => {
                    let new = below.into_iter().filter(|one| seen.insert(one.clone()));
                    queue.extend(new.map(|one| (one, inside)));
                }
                Err(fault) if element == root => return Err(lost(fault, app)),
                Err(Fault::CannotComplete) => {
                    found.missed = Some(Missed::Late);
                    break;
                }
                // An element that is gone has nothing to hide.
                Err(_) => {}
            }
            if seen.len() > ELEMENTS {
                found.missed = Some(Missed::Large);
                break;
            }
        }
        Ok(found)
    }

    /// Judges one element; what is below it when that may hold a field.
    fn search(
        &self,
        element: &G::Element,
        setting: Setting,
        found: &mut Passwords,
        by: Deadline,
    ) -> Answer<(Vec<G::Element>, Setting)> {
        let facts = self.facts(element, ASKED, by)?;
        let role = facts.role(Role::Unknown);
        let id = self.name(element);
        if is_line(role) {
            if self.is_secret(role, &id, &facts, &self.called(&facts, by)) {
                found.fields.push(id);
            }
            return Ok((Vec::new(), setting));
        }
        let page = setting == Setting::Page || role == Role::WebDocument;
        let inside = if page { Setting::Page } else { Setting::App };
        if !page && !may_hold(role) {
            return Ok((Vec::new(), inside));
        }
        let Page { items, total } = self.children(element, facts.ax_role(), 0, CHILDREN, by)?;
        if total > items.len() {
            if is_listing(role) {
                return Ok((Vec::new(), inside));
            }
            found.missed = found.missed.or(Some(Missed::Large));
        }
        Ok((items, inside))
    }
}

fn is_listing(role: Role) -> bool {
    matches!(role, Role::Table | Role::Tree | Role::List | Role::ListBox)
}

/// Whether a field can stand in such an element.
fn may_hold(role: Role) -> bool {
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
