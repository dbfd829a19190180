//! Opens the menus that contain an item, with the pointer, so that the item can be clicked.

use deskhand_model::{App, Index, NodeId, Role, Snapshot, State};
use deskhand_platform::{Button, Deadline, NamedKey};

use super::{
    real_input::{self, ClickPoint},
    target::{self, ActionTarget, Readiness},
    timing,
    verify::poll_until,
};
use crate::{Context, Error, Result, error::Condition};

/// The state of the app after an item in opened menus could not be used.
pub(super) const MENUS_WERE_OPENED: &str = "its menus were opened and closed again";

/// The most menus that are opened for one item.
const MAX_MENU_LEVELS: usize = 4;

/// Menus that were opened and are closed again if their item is not clicked.
pub(super) struct OpenedMenus(usize);

impl OpenedMenus {
    /// Returns `true` if no menu was opened.
    pub(super) fn is_empty(&self) -> bool {
        self.0 == 0
    }

    /// Closes the menus with the Escape key.
    pub(super) fn close(&self, cx: &Context<'_>) {
        let Ok(input) = real_input::input(cx) else { return };
        for _ in 0..self.0 {
            let deadline = Deadline::after(timing::INPUT_TIMEOUT);
            // The error that made the menus useless is the one to report.
            let _ = real_input::press_key(NamedKey::Escape, deadline, |key, press, deadline| {
                input.send_key(key, press, deadline)
            });
        }
    }
}

/// Opens the closed menus above an item, the outermost first. Does nothing for other elements.
pub(super) fn open_menus_of(
    cx: &Context<'_>,
    app: &App,
    item: &mut ActionTarget,
) -> Result<OpenedMenus> {
    let mut opened = OpenedMenus(0);
    if item.node.states.has(State::Showing) {
        return Ok(opened);
    }
    let menus = closed_menus(&item.tree.snapshot, item.index);
    let mut inner: Vec<NodeId> =
        menus.iter().skip(1).map(|at| item.tree.snapshot.node(*at).id.clone()).collect();
    inner.push(item.node.id.clone());
    for (menu, inner) in menus.into_iter().zip(inner) {
        let reference = item.tree.assign_ref(menu).to_string();
        item.tree.save_refs()?;
        if let Err(error) = open_menu(cx, app, &reference, &inner, &mut opened) {
            opened.close(cx);
            let has_clicked = !opened.is_empty();
            return Err(if has_clicked { error.with_state(MENUS_WERE_OPENED) } else { error });
        }
    }
    Ok(opened)
}

/// Opens a menu that the app fills only while it is open, and the menus inside it that the query names,
/// until the item is there.
pub(super) fn open_to_find(
    cx: &Context<'_>,
    app: &App,
    query: &str,
    menu: &str,
) -> Result<ActionTarget> {
    let mut opened = OpenedMenus(0);
    let found = open_until_found(cx, app, query, menu, &mut opened);
    found.map_err(|error| {
        opened.close(cx);
        if opened.is_empty() { error } else { error.with_state(MENUS_WERE_OPENED) }
    })
}

fn open_until_found(
    cx: &Context<'_>,
    app: &App,
    query: &str,
    menu: &str,
    opened: &mut OpenedMenus,
) -> Result<ActionTarget> {
    let mut menu = menu.to_owned();
    loop {
        let target = target::wait_until_ready(cx, app, &menu, Readiness::POINTER)?;
        real_input::click_element(cx, &target, ClickPoint::Center, Button::Left, 1)?;
        opened.0 += 1;
        match target::wait_until_ready(cx, app, query, Readiness::POINTER) {
            Err(error) => match unopened_menu(&error) {
                Some(inner) if inner != menu && opened.0 < MAX_MENU_LEVELS => menu = inner,
                Some(_) | None => return Err(error),
            },
            found => return found,
        }
    }
}

/// Returns the ref of the menu that must be opened before the item of a query is in the tree.
pub(super) fn unopened_menu(error: &Error) -> Option<String> {
    let Error::Locate(deskhand_locate::Error::NoMatch { unopened, .. }) = error else {
        return None;
    };
    unopened.as_ref().map(|menu| menu.reference.to_string())
}

/// Returns the menus that must be opened before an item is shown, the outermost first.
fn closed_menus(snapshot: &Snapshot, item: Index) -> Vec<Index> {
    let is_item = matches!(
        snapshot.node(item).role,
        Role::MenuItem | Role::CheckMenuItem | Role::RadioMenuItem | Role::Menu
    );
    if !is_item {
        return Vec::new();
    }
    // A menu is open if one of its entries is shown.
    let is_open = |menu: Index| {
        snapshot.children(menu).any(|entry| {
            let inside = |at: Index| snapshot.node(at).states.has(State::Showing);
            inside(entry)
                || (snapshot.node(entry).role == Role::PopupMenu
                    && snapshot.children(entry).any(inside))
        })
    };
    let mut menus: Vec<Index> = snapshot
        .ancestors(item)
        .filter(|up| snapshot.node(*up).role == Role::Menu)
        .take_while(|menu| !is_open(*menu))
        .collect();
    menus.reverse();
    menus
}

/// Clicks a menu and waits until the element inside it is shown.
fn open_menu(
    cx: &Context<'_>,
    app: &App,
    reference: &str,
    inner: &NodeId,
    opened: &mut OpenedMenus,
) -> Result<()> {
    let menu = target::wait_until_ready(cx, app, reference, Readiness::POINTER)?;
    real_input::click_element(cx, &menu, ClickPoint::Center, Button::Left, 1)?;
    // The menu may be open although its items are not shown in the tree.
    opened.0 += 1;
    let is_shown = || {
        target::read_now(cx, app, inner).is_ok_and(|node| {
            node.states.has(State::Showing) && node.bounds.is_some_and(|bounds| !bounds.is_empty())
        })
    };
    if poll_until(timing::MENU_TIMEOUT, is_shown) {
        return Ok(());
    }
    Err(Error::NotReady {
        query: menu.label(),
        condition: Condition::Visible,
        last_state: "it was clicked, but its items did not appear".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{FakeCallEnv, element};

    fn hidden(id: &str, role: Role) -> deskhand_model::Node {
        let mut node = element(id, role);
        node.states = node.states.without(State::Showing);
        node
    }

    fn menus(env: &FakeCallEnv, item: &str) -> Vec<String> {
        let cx = env.context();
        let item = target::from_id(&cx, &env.fake.app(), &NodeId::new(item)).unwrap();
        let snapshot = &item.tree.snapshot;
        let all = closed_menus(snapshot, item.index).into_iter();
        all.map(|at| snapshot.node(at).name.clone()).collect()
    }

    #[test]
    fn the_closed_menus_of_an_item_are_opened_from_the_outside() {
        let env = FakeCallEnv::with_tree(vec![
            (element("bar", Role::MenuBar), 1),
            (element("View", Role::Menu), 2),
            (hidden("Zoom", Role::Menu), 3),
            (hidden("In", Role::MenuItem), 4),
            (element("Go", Role::Button), 1),
        ]);
        assert_eq!(menus(&env, "In"), ["View", "Zoom"]);
        assert_eq!(menus(&env, "Zoom"), ["View"]);
        assert!(menus(&env, "Go").is_empty());
    }

    #[test]
    fn an_open_menu_is_not_clicked_again() {
        let env = FakeCallEnv::with_tree(vec![
            (element("View", Role::Menu), 1),
            (element("Zoom", Role::Menu), 2),
            (hidden("In", Role::MenuItem), 3),
        ]);
        assert_eq!(menus(&env, "In"), ["Zoom"]);
    }
}
