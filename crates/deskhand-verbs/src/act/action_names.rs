//! The names that platforms give the same actions.

use deskhand_model::{Node, Role, State};

/// Action words that callers use, with the platform names for each.
const ACTION_WORDS: &[(&str, &[&str])] = &[
    ("press", PRESS),
    ("click", PRESS),
    ("pick", &["pick", "select", "click", "press", "activate", "dodefault", "do default"]),
    ("show-menu", MENU),
    ("confirm", &["confirm", "activate", "click", "press", "ok"]),
    ("cancel", &["cancel", "close"]),
    ("increment", &["increment", "increase"]),
    ("decrement", &["decrement", "decrease"]),
    (
        "expand",
        &[
            "expand",
            TOGGLE_EXPAND[0],
            TOGGLE_EXPAND[1],
            TOGGLE_EXPAND[2],
            TOGGLE_EXPAND[3],
            TOGGLE_EXPAND[4],
        ],
    ),
    (
        "collapse",
        &[
            "collapse",
            TOGGLE_EXPAND[0],
            TOGGLE_EXPAND[1],
            TOGGLE_EXPAND[2],
            TOGGLE_EXPAND[3],
            TOGGLE_EXPAND[4],
        ],
    ),
    ("open", &["open", "activate", "jump"]),
];

/// Names of actions that both expand and collapse.
const TOGGLE_EXPAND: [&str; 5] =
    ["expand or contract", "expand or collapse", "toggle expand", "toggle-expand", "toggleexpand"];

const PRESS: &[&str] = &[
    "click",
    "press",
    "push",
    "toggle",
    "check",
    "uncheck",
    "activate",
    "jump",
    "dodefault",
    "do default",
    "switch",
    "select",
    "open",
    "expand or contract",
];

/// Actions that switch an element on or off.
const TOGGLE: &[&str] = &["toggle", "check", "uncheck", "switch"];

/// Actions that open what an element stands for. A click does that only on links, buttons and
/// menus.
const OPENING: &[&str] = &["open", "jump", "activate"];

const MENU: &[&str] = &["show menu", "showmenu", "showcontextmenu", "menu", "popup", "show-menu"];

/// Actions that correspond to a double click.
const OPEN: &[&str] = &["activate", "open", "jump", "edit"];

fn first_offered(offered: &[String], wanted: &[&str]) -> Option<String> {
    wanted.iter().find_map(|name| {
        offered.iter().find(|offer| strip_group(offer).eq_ignore_ascii_case(name)).cloned()
    })
}

/// Returns an action's name without the group prefix of GTK 4, as in `listitem.expand`.
fn strip_group(offer: &str) -> &str {
    let offer = offer.trim();
    offer.rsplit_once('.').map_or(offer, |(_, name)| name)
}

/// Returns the action that corresponds to a click.
///
/// A click on an item of a list, table or icon view selects it, so actions that open or edit the
/// item do not count. Actions that switch something on or off count only for elements that can be
/// on or off: Qt gives list items a `Toggle` action that adds them to the selection or removes them.
pub(crate) fn press_action(node: &Node) -> Option<String> {
    let item = is_item(node);
    let switch = is_switch(node);
    let wanted: Vec<&str> = PRESS
        .iter()
        .copied()
        .filter(|name| switch || !TOGGLE.contains(name))
        .filter(|name| !item || !(OPENING.contains(name) || *name == "expand or contract"))
        .filter(|name| *name != "open" || opens_by_click(node.role))
        .collect();
    first_offered(&node.actions, &wanted)
}

/// Returns the action that chooses an item of a combo box or menu.
pub(crate) fn item_action(offered: &[String]) -> Option<String> {
    first_offered(offered, PRESS)
}

/// Returns `true` for an element that a click selects.
pub(crate) fn is_item(node: &Node) -> bool {
    let is_item = matches!(
        node.role,
        Role::Cell
            | Role::TableRow
            | Role::TreeItem
            | Role::ListItem
            | Role::Icon
            | Role::DesktopIcon
    );
    is_item || (node.states.has(State::Selectable) && !node.role.is_control())
}

/// Returns `true` for an element that is on or off.
fn is_switch(node: &Node) -> bool {
    let role = matches!(
        node.role,
        Role::CheckBox
            | Role::ToggleButton
            | Role::Switch
            | Role::CheckMenuItem
            | Role::RadioButton
            | Role::RadioMenuItem
            // Firefox switches tabs.
            | Role::Tab
    );
    role || [State::Checkable, State::Checked, State::Pressed]
        .iter()
        .any(|state| node.states.has(*state))
}

fn opens_by_click(role: Role) -> bool {
    matches!(
        role,
        Role::Link
            | Role::Button
            | Role::ToggleButton
            | Role::Menu
            | Role::MenuButton
            | Role::MenuItem
            | Role::ComboBox
    )
}

/// Returns the action that corresponds to a double click.
pub(crate) fn open_action(offered: &[String]) -> Option<String> {
    first_offered(offered, OPEN)
}

/// Returns the action that toggles an item by pressing it. In Qt, pressing selects the item
/// instead.
pub(crate) fn toggle_action(offered: &[String]) -> Option<String> {
    first_offered(offered, &["click", "press"])
}

/// Returns the action that adds an item to the selection. Qt calls it `Toggle`, because it also
/// removes a selected item.
pub(crate) fn selection_action(node: &Node) -> Option<String> {
    let applies = is_item(node) && !is_switch(node) && !node.states.has(State::Selected);
    first_offered(&node.actions, &["select", "toggle"]).filter(|_| applies)
}

/// Returns the action that a caller's word stands for. An action with exactly that name comes
/// first.
pub(crate) fn resolve_action(word: &str, offered: &[String]) -> Option<String> {
    let own = offered.iter().find(|offer| offer.trim().eq_ignore_ascii_case(word)).cloned();
    let plain = word.to_lowercase().replace(['_', ' '], "-");
    own.or_else(|| {
        let (_, names) = ACTION_WORDS.iter().find(|(meaning, _)| *meaning == plain)?;
        first_offered(offered, names)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offers(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn toggle_actions_expand_and_collapse() {
        for name in ["toggleexpand", "listitem.toggle-expand", "expand or contract"] {
            assert_eq!(resolve_action("expand", &offers(&[name])), Some(name.to_owned()));
            assert_eq!(resolve_action("collapse", &offers(&[name])), Some(name.to_owned()));
        }
        assert_eq!(resolve_action("collapse", &offers(&["listitem.expand"])), None);
    }

    #[test]
    fn words_resolve_to_platform_actions() {
        assert_eq!(
            resolve_action("show_menu", &offers(&["Press", "ShowMenu"])),
            Some("ShowMenu".into())
        );
        assert_eq!(
            resolve_action("increment", &offers(&["Increase", "Decrease"])),
            Some("Increase".into())
        );
        assert_eq!(resolve_action("fly", &offers(&["Press"])), None);
    }

    #[test]
    fn an_exact_action_name_wins() {
        assert_eq!(
            resolve_action("activate", &offers(&["click", "activate"])),
            Some("activate".into())
        );
    }

    fn press(role: Role, states: &[State], actions: &[&str]) -> Option<String> {
        let mut node = Node::new(deskhand_model::NodeId::new("x"), role);
        node.states = states.iter().copied().collect();
        node.actions = offers(actions);
        press_action(&node)
    }

    #[test]
    fn a_click_on_an_item_neither_opens_nor_edits_it() {
        assert_eq!(press(Role::Cell, &[], &["expand or contract", "edit", "activate"]), None);
        assert_eq!(press(Role::Icon, &[State::Selectable], &["open"]), None);
        assert_eq!(press(Role::Panel, &[State::Selectable], &["activate"]), None);
        assert_eq!(press(Role::Button, &[], &["click"]), Some("click".into()));
        assert_eq!(press(Role::Link, &[], &["jump"]), Some("jump".into()));
    }

    #[test]
    fn toggling_is_a_click_only_on_what_is_on_or_off() {
        assert_eq!(press(Role::ListItem, &[State::Selectable], &["Toggle"]), None);
        assert_eq!(press(Role::Button, &[], &["Toggle"]), None);
        assert_eq!(press(Role::CheckBox, &[], &["Toggle"]), Some("Toggle".into()));
        let checkable = [State::Selectable, State::Checkable];
        assert_eq!(press(Role::Cell, &checkable, &["toggle"]), Some("toggle".into()));
    }
}
