//! The names that platforms give the same actions.

use deskhand_model::Role;

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
pub(crate) fn press_action(role: Role, offered: &[String]) -> Option<String> {
    // Rows and cells list their edit action first; a click selects them, which is not an action.
    const ITEM: &[&str] =
        &["click", "press", "dodefault", "do default", "toggle", "switch", "select"];
    let item = matches!(role, Role::Cell | Role::TableRow | Role::TreeItem | Role::ListItem);
    let candidates = if item { ITEM } else { PRESS };
    first_offered(offered, candidates)
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

/// Returns the action that opens the context menu.
pub(crate) fn menu_action(offered: &[String]) -> Option<String> {
    first_offered(offered, MENU)
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

    #[test]
    fn a_click_on_a_cell_does_not_edit_it() {
        assert_eq!(
            press_action(Role::Cell, &offers(&["expand or contract", "edit", "activate"])),
            None
        );
        assert_eq!(press_action(Role::Button, &offers(&["click"])), Some("click".into()));
    }
}
