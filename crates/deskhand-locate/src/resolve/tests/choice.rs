//! Tests for the choice between several elements that a click can mean.

use deskhand_model::{Explain, Rect, Relation, RelationKind, Role, Snapshot, State};

use crate::{
    Guess, Preferences, Purpose, Query, RefTable, Result, Strategy, WantedValue,
    resolve::{LocatedElement, find_one_for},
    testing::Tree,
};

/// Finds the element that this text means for a purpose.
pub(super) fn found_for(
    snapshot: &Snapshot,
    text: &str,
    purpose: Purpose,
) -> Result<LocatedElement> {
    let preferences = Preferences { purpose, ..Preferences::default() };
    let query = Query::parse(text, Strategy::Auto)?;
    find_one_for(snapshot, &query, &mut RefTable::new(), &preferences)
}

/// Finds the element that a click on this text means.
fn clicked(snapshot: &Snapshot, text: &str) -> Result<LocatedElement> {
    found_for(snapshot, text, Purpose::Act)
}

pub(super) fn set_to(value: &str) -> Purpose {
    Purpose::SetValue(WantedValue::of(value))
}

#[test]
fn of_nested_buttons_with_one_name_the_inner_one_is_clicked() {
    let mut tree = Tree::new();
    let window = tree.add(0, Role::Window, "Editor");
    let outer = tree.add(window, Role::Button, "Menu");
    let inner = tree.add(outer, Role::Button, "Menu");
    let id = tree.at(inner).id.clone();
    let snapshot = tree.snapshot();
    assert_eq!(snapshot.node(clicked(&snapshot, "Menu").unwrap().index).id, id);
}

#[test]
fn a_click_on_a_row_means_the_switch_with_its_name_and_a_click_on_a_text_its_row() {
    let mut tree = Tree::new();
    let window = tree.add(0, Role::Window, "Preferences");
    let list = tree.add(window, Role::List, "");
    let row = tree.add(list, Role::ListItem, "Overview");
    tree.add(row, Role::Switch, "Overview");
    let row = tree.add(list, Role::ListItem, "");
    tree.at(row).states = tree.at(row).states.with(State::Selectable);
    let filler = tree.add(row, Role::Filler, "");
    tree.add(filler, Role::Label, "People");
    let snapshot = tree.snapshot();
    let role = |text: &str| snapshot.node(clicked(&snapshot, text).unwrap().index).role;
    assert_eq!(role("Overview"), Role::Switch);
    assert_eq!(role("People"), Role::ListItem);
}

#[test]
fn an_open_dialog_decides_between_windows() {
    let mut tree = Tree::new();
    let window = tree.add(0, Role::Window, "Editor");
    tree.add(window, Role::Button, "Close");
    let dialog = tree.add(0, Role::Dialog, "Find");
    tree.add(dialog, Role::Button, "Close");
    let snapshot = tree.snapshot();
    let found = clicked(&snapshot, "Close").unwrap();
    assert_eq!(snapshot.parent(found.index).map(|at| snapshot.node(at).role), Some(Role::Dialog));
    assert_eq!(found.others.to_string(), "1 other match: 1 outside the open dialog");
}

#[test]
fn an_item_of_a_hidden_menu_bar_is_no_second_match() {
    let mut tree = Tree::new();
    let window = tree.add(0, Role::Window, "Draw");
    for is_shown in [true, false] {
        let bar = tree.add(window, Role::MenuBar, "");
        if !is_shown {
            tree.at(bar).states = [State::Visible].into_iter().collect();
        }
        let menu = tree.add(bar, Role::Menu, "Page");
        let item = tree.add(menu, Role::MenuItem, "New Page");
        tree.at(item).states = [State::Enabled].into_iter().collect();
    }
    let snapshot = tree.snapshot();
    let found = clicked(&snapshot, "Page > New Page").unwrap();
    let bar = snapshot.ancestors(found.index).nth(1).unwrap();
    assert!(snapshot.node(bar).states.has(State::Showing));
}

#[test]
fn a_part_of_a_label_means_the_field_that_it_names() {
    let mut tree = Tree::new();
    let window = tree.add(0, Role::Window, "Tone");
    let label = tree.add(window, Role::Label, "Frequency (Hz):");
    let field = tree.add(window, Role::Entry, "");
    let target = vec![tree.at(field).id.clone()];
    let relation = Relation { kind: RelationKind::LabelFor, targets: target };
    tree.at(label).relations.push(relation);
    tree.at(field).states = tree.at(field).states.with(State::Editable);
    let snapshot = tree.snapshot();
    let found = found_for(&snapshot, "Frequency", set_to("880")).unwrap();
    assert_eq!(snapshot.node(found.index).role, Role::Entry);
}

#[test]
fn a_part_of_a_name_means_only_elements_that_a_click_can_use() {
    let mut tree = Tree::new();
    let window = tree.add(0, Role::Window, "Calculator");
    tree.add(window, Role::CheckBox, "Formula Book");
    tree.add(window, Role::Button, "Cancel");
    let label = tree.add(window, Role::Label, "Try a different search.");
    tree.at(label).bounds = Some(Rect::new(10, 10, 0, 0));
    let hidden = tree.add(window, Role::Button, "Print preview");
    tree.at(hidden).states = [State::Enabled].into_iter().collect();
    tree.add(window, Role::Label, "Page number");
    let snapshot = tree.snapshot();
    for text in ["OK", "C", "Search", "Print", "Page"] {
        assert_eq!(clicked(&snapshot, text).unwrap_err().code(), "no_match", "{text}");
    }
    assert_eq!(snapshot.node(clicked(&snapshot, "Formula").unwrap().index).role, Role::CheckBox);
    let read = found_for(&snapshot, "Page", Purpose::Read).unwrap();
    assert_eq!(snapshot.node(read.index).role, Role::Label);
}

#[test]
fn a_control_is_clicked_before_an_item_with_its_name() {
    let mut tree = Tree::new();
    let window = tree.add(0, Role::Window, "home");
    let bar = tree.add(window, Role::ToolBar, "");
    let button = tree.add(bar, Role::Button, "Home Folder");
    tree.at(button).states = tree.at(button).states.with(State::Enabled);
    let places = tree.add(window, Role::Table, "");
    tree.add(places, Role::Cell, "Home Folder");
    let snapshot = tree.snapshot();
    let found = clicked(&snapshot, "Home Folder").unwrap();
    assert_eq!(snapshot.node(found.index).role, Role::Button);
    assert_eq!(found.others.to_string(), "1 other match: 1 a click only selects");
    let reading = found_for(&snapshot, "Home Folder", Purpose::Read);
    assert_eq!(reading.unwrap_err().code(), "ambiguous");
}

#[test]
fn a_button_of_the_selected_tab_is_clicked() {
    let mut tree = Tree::new();
    let window = tree.add(0, Role::Window, "Mail");
    let list = tree.add(window, Role::TabList, "");
    for (name, is_selected) in [("Inbox", false), ("Address Book", true)] {
        let tab = tree.add(list, Role::Tab, name);
        if is_selected {
            tree.at(tab).states = tree.at(tab).states.with(State::Selected);
        }
        tree.add(tab, Role::Button, "Close Tab");
    }
    let snapshot = tree.snapshot();
    let found = clicked(&snapshot, "Close Tab").unwrap();
    let tab = snapshot.parent(found.index).unwrap();
    assert_eq!(snapshot.node(tab).name, "Address Book");
    assert_eq!(found.others.to_string(), "1 other match: 1 in another tab");
}

#[test]
fn of_nested_names_the_nearest_container_counts() {
    let mut tree = Tree::new();
    let window = tree.add(0, Role::Window, "Draw");
    let bar = tree.add(window, Role::MenuBar, "");
    let menu = tree.add(bar, Role::Menu, "Page");
    let item = tree.add(menu, Role::MenuItem, "Page Properties...");
    let panel = tree.add(window, Role::Panel, "Page");
    let inner = tree.add(panel, Role::Panel, "");
    tree.add(inner, Role::MenuItem, "Page Properties...");
    let id = tree.at(item).id.clone();
    let snapshot = tree.snapshot();
    let found = clicked(&snapshot, "Page > Page Properties...").unwrap();
    assert_eq!(snapshot.node(found.index).id, id);
    assert_eq!(found.others.to_string(), "1 other match: 1 deeper inside");
}

#[test]
fn a_menu_without_items_is_to_be_opened_first() {
    let mut tree = Tree::new();
    let window = tree.add(0, Role::Window, "Terminal");
    let bar = tree.add(window, Role::MenuBar, "");
    let file = tree.add(bar, Role::Menu, "File");
    tree.add(file, Role::PopupMenu, "");
    let edit = tree.add(bar, Role::Menu, "Edit");
    tree.add(edit, Role::MenuItem, "Copy");
    let snapshot = tree.snapshot();
    let advice_for = |text: &str| {
        let error = clicked(&snapshot, text).unwrap_err();
        assert_eq!(error.code(), "no_match", "{text}");
        error.advice().unwrap().spell(|step| format!("{step:?}").into())
    };
    let opened =
        "has items only while it is open: use Click e1 with FocusMode, then repeat this call";
    assert_eq!(
        advice_for("File > Open Tab"),
        format!("e1 menu \"File\" in window \"Terminal\" {opened}")
    );
    assert!(advice_for("File > Recent > a.txt").ends_with(opened));
    for text in ["Edit > Open Tab", "View > Open Tab", "Open Tab"] {
        assert!(!advice_for(text).contains("FocusMode"), "{text}");
    }
}

#[test]
fn the_description_of_a_container_means_the_only_control_in_it() {
    let mut tree = Tree::new();
    let window = tree.add(0, Role::Window, "Calendar");
    let search = tree.add(window, Role::Filler, "");
    tree.at(search).description = "Search".into();
    let button = tree.add(search, Role::ToggleButton, "");
    let views = tree.add(window, Role::Filler, "");
    tree.at(views).description = "Views".into();
    tree.add(views, Role::Button, "Week");
    tree.add(views, Role::Button, "Month");
    let id = tree.at(button).id.clone();
    let snapshot = tree.snapshot();
    let found = clicked(&snapshot, "Search").unwrap();
    assert_eq!((&snapshot.node(found.index).id, found.guess), (&id, Some(Guess::Inside)));
    assert_eq!(clicked(&snapshot, "Views").unwrap_err().code(), "no_match");
}
