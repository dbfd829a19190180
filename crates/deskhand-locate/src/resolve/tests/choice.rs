//! Tests for the choice between several elements that a click can mean.

use deskhand_model::{Relation, RelationKind, Role, Snapshot, State};

use crate::{
    Preferences, Purpose, Query, RefTable, Result, Strategy,
    resolve::{LocatedElement, find_one_for},
    testing::Tree,
};

/// Finds the element that a click on this text means.
fn clicked(snapshot: &Snapshot, text: &str) -> Result<LocatedElement> {
    let preferences = Preferences { purpose: Purpose::Act, ..Preferences::default() };
    let query = Query::parse(text, Strategy::Auto)?;
    find_one_for(snapshot, &query, &mut RefTable::new(), &preferences)
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
    let preferences = Preferences { purpose: Purpose::SetValue, ..Preferences::default() };
    let query = Query::parse("Frequency", Strategy::Auto).unwrap();
    let found = find_one_for(&snapshot, &query, &mut RefTable::new(), &preferences).unwrap();
    assert_eq!(snapshot.node(found.index).role, Role::Entry);
}
