//! The ways to click an element in the background, the most reliable first.

use deskhand_model::{App, Index, Node, NodeId, Role, Snapshot, State};
use deskhand_platform::{Deadline, NamedKey, NodeAction};

use super::{
    action_names, current_item, real_input,
    target::{self, ActionTarget},
    timing,
    verify::{SendOutcome, Strategy, send_outcome},
};
use crate::{Context, Result};

/// Returns the strategy that performs a named action on the target.
pub(crate) fn action_strategy(name: Option<String>) -> Option<Strategy<'static>> {
    name.map(|name| Strategy::accessibility(format!("action:{name}"), NodeAction::Invoke(name)))
}

/// Returns the strategies for a background click, the most reliable first.
pub(crate) fn click_strategies(target: &ActionTarget) -> Vec<Strategy<'static>> {
    let node = &target.node;
    let press = action_strategy(action_names::press_action(node));
    if changes_state_silently(&target.app, node) {
        let select = || action_strategy(action_names::selection_action(node));
        // A toolbar button that is on although its command did not run misleads the user and the
        // next click, which then switches it off.
        let silent = press.filter(|_| !is_in_toolbar(target)).or_else(select);
        let silent = silent.into_iter().chain(selection_strategy(node)).map(Strategy::silent);
        // Arrow keys make an item the current one, but do not emit the signal `clicked`, for which
        // places and other navigation wait.
        return same_named_menu_item(target)
            .into_iter()
            .chain(current_item_strategy(node).map(Strategy::silent))
            .chain(keyboard_strategy(node))
            .chain(silent)
            .collect();
    }
    let select = selection_strategy(node)
        .into_iter()
        .chain(item_focus_strategy(node))
        .chain(current_item_strategy(node));
    let is_silent = selects_silently(&target.app, node);
    let select = select.map(|one| if is_silent { one.silent() } else { one });
    press.into_iter().chain(select).chain(keyboard_strategy(node)).collect()
}

/// Returns the strategies for an action whose goal is the state of the element itself, such as
/// `select` and `set`.
pub(crate) fn state_strategies(target: &ActionTarget) -> Vec<Strategy<'static>> {
    let all = click_strategies(target).into_iter();
    all.map(Strategy::for_state).collect()
}

/// Returns `true` if the accessibility actions of an element change its state without running the
/// code that a click runs. In Qt, `Toggle` sets the state of a button without the signals `clicked`
/// and `triggered`, and selecting an item does not make it the current one.
fn changes_state_silently(app: &App, node: &Node) -> bool {
    let offers_toggle = node.actions.iter().any(|name| name.eq_ignore_ascii_case("toggle"));
    app.toolkit.name.eq_ignore_ascii_case("qt") && (offers_toggle || action_names::is_item(node))
}

/// Returns `true` if a click may do more than select the item. Lists of GTK can run a command for each
/// click on a row, which selecting the row does not.
fn selects_silently(app: &App, node: &Node) -> bool {
    app.toolkit.name.eq_ignore_ascii_case("gtk") && action_names::is_item(node)
}

fn selection_strategy(node: &Node) -> Option<Strategy<'static>> {
    let selects = node.role == Role::Tab || action_names::is_item(node);
    selects.then(|| Strategy::accessibility("selection", NodeAction::SelectOnly))
}

/// Returns the strategy that gives the focus to an item. The lists of GTK 3 select an item that
/// receives the focus, and some of them accept no other selection.
fn item_focus_strategy(node: &Node) -> Option<Strategy<'static>> {
    is_plain_item(node).then(|| {
        Strategy::new("focus", |cx: &Context<'_>, target: &ActionTarget| {
            real_input::with_background_keyboard(cx, target, |_, _| Ok(()))
        })
    })
}

fn is_plain_item(node: &Node) -> bool {
    action_names::is_item(node) && action_names::press_action(node).is_none()
}

fn current_item_strategy(node: &Node) -> Option<Strategy<'static>> {
    is_plain_item(node).then(|| Strategy::new("own keyboard", current_item::move_to_target))
}

/// Returns the strategy that presses the key for a click on the focused element. Elements that hold
/// text would take the key as input, and Return opens list items, so only buttons and the like are
/// pressed this way.
fn keyboard_strategy(node: &Node) -> Option<Strategy<'static>> {
    const RETURN: &[Role] = &[Role::Link, Role::MenuItem, Role::CheckMenuItem, Role::RadioMenuItem];
    const SPACE: &[Role] = &[
        Role::Button,
        Role::ToggleButton,
        Role::CheckBox,
        Role::RadioButton,
        Role::Switch,
        Role::MenuButton,
        Role::Tab,
        Role::ColumnHeader,
        Role::TableColumnHeader,
    ];
    let key = if RETURN.contains(&node.role) {
        NamedKey::Return
    } else if SPACE.contains(&node.role) {
        NamedKey::Space
    } else {
        return None;
    };
    Some(Strategy::new("own keyboard", move |cx: &Context<'_>, target: &ActionTarget| {
        real_input::with_background_keyboard(cx, target, |keyboard, deadline| {
            real_input::press_key(key, deadline, |key, press, deadline| {
                keyboard.send_key(key, press, deadline)
            })
        })
    }))
}

/// Returns the strategy that uses the menu item with the name of a toolbar button. Both stand for the
/// same command of the app, and the menu item runs it.
fn same_named_menu_item(target: &ActionTarget) -> Option<Strategy<'static>> {
    let snapshot = &target.tree.snapshot;
    let item = only_menu_item(snapshot, &target.node.name).filter(|_| is_in_toolbar(target))?;
    Some(Strategy::new("menu item", move |cx: &Context<'_>, target: &ActionTarget| {
        press_menu_item(cx, target, &item)
    }))
}

fn is_in_toolbar(target: &ActionTarget) -> bool {
    let snapshot = &target.tree.snapshot;
    snapshot.ancestors(target.index).any(|up| snapshot.node(up).role == Role::ToolBar)
}

/// Returns the menu item with this name, if there is exactly one.
fn only_menu_item(snapshot: &Snapshot, name: &str) -> Option<NodeId> {
    let is_match = |at: &Index| {
        let node = snapshot.node(*at);
        let item = matches!(node.role, Role::MenuItem | Role::CheckMenuItem | Role::RadioMenuItem);
        item && is_same_command(&node.name, name) && node.states.has(State::Enabled)
    };
    let mut found = snapshot.iter().map(|(at, _)| at).filter(is_match);
    let only = found.next().filter(|_| found.next().is_none())?;
    Some(snapshot.node(only).id.clone())
}

/// Returns `true` if two names stand for the same command. Qt removes the ellipsis from the text of
/// toolbar buttons.
fn is_same_command(item: &str, button: &str) -> bool {
    let plain = |name: &str| {
        name.trim().trim_end_matches(['.', '…']).replace('&', "").trim().to_lowercase()
    };
    let (item, button) = (plain(item), plain(button));
    !item.is_empty() && item == button
}

fn press_menu_item(cx: &Context<'_>, target: &ActionTarget, item: &NodeId) -> Result<SendOutcome> {
    let node = target::read_now(cx, &target.app, item)?;
    let Some(action) = action_names::press_action(&node) else {
        return Ok(SendOutcome::Impossible("the menu item has no action".to_owned()));
    };
    let deadline = Deadline::after(timing::ACTION_TIMEOUT);
    let act = NodeAction::Invoke(action);
    send_outcome(cx.desktop.tree.perform(&target.app, item, &act, deadline))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{FakeCallEnv, app, element};

    fn names(env: &FakeCallEnv, id: &str, toolkit: &str) -> Vec<String> {
        let (cx, mut app) = (env.context(), env.fake.app());
        toolkit.clone_into(&mut app.toolkit.name);
        let target = target::from_id(&cx, &app, &NodeId::new(id)).unwrap();
        click_strategies(&target).into_iter().map(|strategy| strategy.name).collect()
    }

    #[test]
    fn a_qt_toolbar_button_is_clicked_through_its_menu_item_first() {
        let toggle = |id: &str, name: &str, role| {
            let mut node = element(id, role);
            name.clone_into(&mut node.name);
            node.actions = vec!["Toggle".to_owned()];
            node
        };
        let env = FakeCallEnv::with_tree(vec![
            (element("bar", Role::ToolBar), 1),
            (toggle("button", "List view", Role::CheckBox), 2),
            (element("menu", Role::Menu), 1),
            (toggle("item", "&List view…", Role::CheckMenuItem), 4),
        ]);
        assert_eq!(names(&env, "button", "Qt"), ["menu item", "own keyboard"]);
        assert_eq!(names(&env, "button", "gtk"), ["action:Toggle", "own keyboard"]);
    }

    #[test]
    fn no_key_is_pressed_on_elements_that_hold_text_or_open_by_return() {
        for role in [Role::Entry, Role::Text, Role::Paragraph, Role::Panel, Role::ListItem] {
            let mut node = element("x", role);
            node.states = node.states.with(State::Focusable);
            assert!(keyboard_strategy(&node).is_none(), "{role:?}");
        }
    }

    #[test]
    fn a_name_that_two_menu_items_have_stands_for_neither() {
        let env = FakeCallEnv::new(vec![
            element("Zoom", Role::MenuItem),
            Node { name: "Zoom".to_owned(), ..element("other", Role::MenuItem) },
            element("Print...", Role::MenuItem),
        ]);
        let (cx, app) = (env.context(), app("app"));
        let target = target::from_id(&cx, &app, &NodeId::new("Zoom")).unwrap();
        assert_eq!(only_menu_item(&target.tree.snapshot, "Zoom"), None);
        let print = only_menu_item(&target.tree.snapshot, "Print");
        assert_eq!(print, Some(NodeId::new("Print...")));
    }
}
