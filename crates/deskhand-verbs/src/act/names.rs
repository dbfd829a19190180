//! The names platforms give the same actions, and which of them means what.

use deskhand_model::Role;

/// What a caller wants done, in words every platform shares.
const MEANINGS: &[(&str, &[&str])] = &[
    ("press", PRESS),
    ("click", PRESS),
    ("pick", &["pick", "select", "click", "press", "activate", "dodefault", "do default"]),
    ("show-menu", MENU),
    ("confirm", &["confirm", "activate", "click", "press", "ok"]),
    ("cancel", &["cancel", "close"]),
    ("increment", &["increment", "increase"]),
    ("decrement", &["decrement", "decrease"]),
    ("expand", &["expand", FOLD[0], FOLD[1], FOLD[2], FOLD[3], FOLD[4]]),
    ("collapse", &["collapse", FOLD[0], FOLD[1], FOLD[2], FOLD[3], FOLD[4]]),
    ("open", &["open", "activate", "jump"]),
];

/// What opens a closed branch and closes an open one.
const FOLD: [&str; 5] =
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

/// What a double click does to an item, where an action does it.
const OPEN: &[&str] = &["activate", "open", "jump", "edit"];

fn first(offered: &[String], wanted: &[&str]) -> Option<String> {
    wanted.iter().find_map(|name| {
        offered.iter().find(|offer| plain(offer).eq_ignore_ascii_case(name)).cloned()
    })
}

/// An action's name without the group GTK 4 puts before it, as in `listitem.expand`.
fn plain(offer: &str) -> &str {
    let offer = offer.trim();
    offer.rsplit_once('.').map_or(offer, |(_, name)| name)
}

/// The action that does what a click does to an element.
pub(super) fn press(role: Role, offered: &[String]) -> Option<String> {
    // Rows and cells list what edits them first; a click on one selects it, which is no action.
    const ITEM: &[&str] =
        &["click", "press", "dodefault", "do default", "toggle", "switch", "select"];
    let item = matches!(role, Role::Cell | Role::TableRow | Role::TreeItem | Role::ListItem);
    let sought = if item { ITEM } else { PRESS };
    first(offered, sought)
}

/// The action that does what a double click does.
pub(super) fn open(offered: &[String]) -> Option<String> {
    first(offered, OPEN)
}

/// The action of an item that opens or closes it, where a press does: Qt's selects it instead.
pub(super) fn turn(offered: &[String]) -> Option<String> {
    first(offered, &["click", "press"])
}

/// The action that opens the menu of an element.
pub(super) fn menu(offered: &[String]) -> Option<String> {
    first(offered, MENU)
}

/// The action a caller's word means for an element: its own name first, then what it stands for.
pub(super) fn meant(word: &str, offered: &[String]) -> Option<String> {
    let own = offered.iter().find(|offer| offer.trim().eq_ignore_ascii_case(word)).cloned();
    let plain = word.to_lowercase().replace(['_', ' '], "-");
    own.or_else(|| {
        let (_, names) = MEANINGS.iter().find(|(meaning, _)| *meaning == plain)?;
        first(offered, names)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offers(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn what_folds_a_branch_goes_by_many_names() {
        for name in ["toggleexpand", "listitem.toggle-expand", "expand or contract"] {
            assert_eq!(meant("expand", &offers(&[name])), Some(name.to_owned()));
            assert_eq!(meant("collapse", &offers(&[name])), Some(name.to_owned()));
        }
        assert_eq!(meant("collapse", &offers(&["listitem.expand"])), None);
    }

    #[test]
    fn a_word_finds_the_platforms_name_for_it() {
        assert_eq!(meant("show_menu", &offers(&["Press", "ShowMenu"])), Some("ShowMenu".into()));
        assert_eq!(meant("increment", &offers(&["Increase", "Decrease"])), Some("Increase".into()));
        assert_eq!(meant("fly", &offers(&["Press"])), None);
    }

    #[test]
    fn an_elements_own_name_for_an_action_wins() {
        assert_eq!(meant("activate", &offers(&["click", "activate"])), Some("activate".into()));
    }

    #[test]
    fn a_click_on_a_cell_does_not_edit_it() {
        assert_eq!(press(Role::Cell, &offers(&["expand or contract", "edit", "activate"])), None);
        assert_eq!(press(Role::Button, &offers(&["click"])), Some("click".into()));
    }
}
