//! Looks at whole apps, and what keeps them from being whole.

use std::time::Duration;

use deskhand_model::{Cut, NodeId, Notice, RelationKind, Role, State, Value as Content};
use deskhand_platform::{Deadline, Error, Extent, Facets, Missed, Tree};

use super::{Desk, soon};
use crate::tree::{Fault, Presence, Value, recorded::text};

#[test]
fn a_window_is_read_with_names_values_states_and_places() {
    let desk = Desk::new();
    let app = desk.system.app("Notes", 10);
    let window = desk.system.window(app, "Untitled");
    let frame = |y: f64| ("AXFrame", Value::Rect(10.0, y, 100.0, 20.0));
    let button = desk.system.add(window, "AXButton", &[("AXTitle", text("Save")), frame(10.0)]);
    desk.system.actions(button, &["AXPress", "AXShowMenu"]);
    let label = desk.system.add(window, "AXStaticText", &[("AXValue", text("Name")), frame(40.0)]);
    let field = desk.system.add(
        window,
        "AXTextField",
        &[
            ("AXTitleUIElement", Value::Element(label)),
            ("AXValue", text("Ada")),
            ("AXIdentifier", text("name-field")),
            frame(70.0),
        ],
    );
    desk.system.settable(field, &["AXValue", "AXFocused"]);
    desk.system.put(window, "AXDefaultButton", Value::Element(button));
    let look = desk.look(10);
    let save = desk.node(&look, button);
    assert_eq!((save.role, save.name.as_str()), (Role::Button, "Save"));
    assert_eq!(save.actions, ["Press", "ShowMenu"]);
    assert!(save.states.has(State::Showing) && save.states.has(State::Default));
    assert_eq!(desk.node(&look, label).name, "Name");
    let name = desk.node(&look, field);
    assert_eq!((name.name.as_str(), name.identifier.as_str()), ("Name", "name-field"));
    assert_eq!(name.value, Some(Content::Text { text: "Ada".into(), length: 3 }));
    assert!(name.states.has(State::Editable) && name.states.has(State::Focusable));
    let labelled = name.relations.iter().find(|one| one.kind == RelationKind::LabelledBy).unwrap();
    assert_eq!(labelled.targets, [desk.id(label)]);
    assert!(look.notices().is_empty());
}

#[test]
fn every_element_keeps_its_name_from_look_to_look_and_from_process_to_process() {
    let desk = Desk::new();
    let app = desk.system.app("Notes", 10);
    let window = desk.system.window(app, "Untitled");
    let first = desk.look(10);
    desk.system.add(window, "AXButton", &[]);
    let again = desk.look(10);
    let other =
        Desk { tree: crate::tree::MacTree::new(desk.system.clone()), system: desk.system.clone() };
    for look in [&again, &other.look(10)] {
        assert!(first.iter().all(|(_, node)| look.position(&node.id).is_some()));
    }
}

#[test]
fn an_element_named_by_another_process_is_found() {
    let desk = Desk::new();
    let app = desk.system.app("Notes", 10);
    let button =
        desk.system.add(desk.system.window(app, "A"), "AXButton", &[("AXTitle", text("Go"))]);
    let id = desk.id(button);
    let fresh = crate::tree::MacTree::new(desk.system.clone());
    let node = fresh.read(&desk.app(10), &[id], Facets::NAMES, soon()).unwrap().remove(0);
    assert_eq!(node.unwrap().name, "Go");
}

#[test]
fn an_app_is_looked_through_once_for_what_is_not_there() {
    let desk = Desk::new();
    let app = desk.system.app("Notes", 10);
    desk.system.window(app, "A");
    let ids: Vec<_> = (0..20).map(|at| NodeId::new(format!("10.10000/fff{at}"))).collect();
    let read = desk.tree.read(&desk.app(10), &ids, Facets::NAMES, soon()).unwrap();
    assert!(read.iter().all(Option::is_none));
    assert_eq!(desk.system.count(&format!("page {app}")), 1);
}

#[test]
fn elements_that_share_their_number_are_told_apart() {
    let desk = Desk::new();
    desk.system.state().one_mark = true;
    let app = desk.system.app("Notes", 10);
    desk.system.window(app, "A");
    desk.system.window(app, "B");
    assert_eq!(desk.look(10).iter().count(), 3);
}

#[test]
fn a_table_of_a_hundred_thousand_rows_is_never_read_whole() {
    let desk = Desk::new();
    let app = desk.system.app("Data", 10);
    let table = desk.system.add(desk.system.window(app, "Data"), "AXTable", &[]);
    let header = desk.system.add(table, "AXGroup", &[]);
    desk.system.put(table, "AXHeader", Value::Element(header));
    let rows: Vec<_> = (0..100_000).map(|_| desk.system.add(table, "AXRow", &[])).collect();
    desk.system.add(table, "AXColumn", &[]);
    let look = desk.look(10);
    let node = desk.node(&look, table);
    assert_eq!((node.child_count, node.cut), (100_001, Some(Cut::Many)));
    let at = look.position(&desk.id(table)).unwrap();
    assert_eq!(look.children(at).count(), 50);
    assert_eq!(look.children(at).next().map(|at| look.node(at).id.clone()), Some(desk.id(header)));
    assert_eq!(desk.system.count(&format!("page {table} AXChildren")), 0);
    assert!(desk.system.state().log.len() < 500, "{}", desk.system.state().log.len());
    // The next page begins where this one ended.
    let within = Extent { first_child: 50, children: 10, ..Extent::of(Facets::NAMES) };
    let next = desk.tree.walk(&desk.app(10), &desk.id(table), &within, soon()).unwrap();
    let first = next.children(deskhand_model::Index::ROOT).next().unwrap();
    assert_eq!(next.node(first).id, desk.id(rows[49]));
    assert_eq!(next.children(deskhand_model::Index::ROOT).count(), 10);
}

#[test]
fn a_group_with_more_children_than_are_read_says_how_many_there_are() {
    let desk = Desk::new();
    let app = desk.system.app("Web", 10);
    let group = desk.system.add(desk.system.window(app, "A"), "AXGroup", &[]);
    (0..300).for_each(|_| {
        desk.system.add(group, "AXStaticText", &[]);
    });
    let within = Extent { children: 100, ..Extent::of(Facets::NAMES) };
    let app = desk.app(10);
    let look = desk.tree.walk(&app, &app.root, &within, soon()).unwrap();
    let node = desk.node(&look, group);
    assert_eq!((node.child_count, node.cut), (300, Some(Cut::Many)));
    let page = Extent { first_child: 290, ..within };
    let rest = desk.tree.walk(&app, &desk.id(group), &page, soon()).unwrap();
    assert_eq!(rest.len(), 11);
}

#[test]
fn a_list_that_refuses_to_be_asked_for_more_than_it_has_is_read_all_the_same() {
    let desk = Desk::new();
    let window = desk.system.window(desk.system.app("Odd", 10), "A");
    let button = desk.system.add(window, "AXButton", &[]);
    desk.system.state().strict = true;
    assert!(desk.look(10).position(&desk.id(button)).is_some());
}

#[test]
fn depth_and_budget_are_kept_and_said() {
    let desk = Desk::new();
    let app = desk.system.app("Deep", 10);
    let window = desk.system.window(app, "A");
    let group = desk.system.add(window, "AXGroup", &[]);
    (0..20).for_each(|_| {
        desk.system.add(group, "AXButton", &[]);
    });
    let app = desk.app(10);
    let shallow = Extent { depth: Some(1), ..Extent::of(Facets::NAMES) };
    let look = desk.tree.walk(&app, &app.root, &shallow, soon()).unwrap();
    assert_eq!(look.len(), 2);
    assert_eq!(desk.node(&look, window).cut, Some(Cut::Depth));
    let small = Extent { nodes: 10, ..Extent::of(Facets::NAMES) };
    let look = desk.tree.walk(&app, &app.root, &small, soon()).unwrap();
    let node = desk.node(&look, group);
    assert_eq!((look.len(), node.cut, node.child_count), (10, Some(Cut::Budget), 20));
}

#[test]
fn a_deadline_leaves_a_part_that_says_where_it_stopped() {
    let desk = Desk::new();
    let app = desk.system.app("Slow", 10);
    let window = desk.system.window(app, "A");
    (0..200).for_each(|_| {
        desk.system.add(window, "AXButton", &[]);
    });
    let app = desk.app(10);
    desk.system.state().slow = Duration::from_millis(2);
    let by = Deadline::after(Duration::from_millis(120));
    let look = desk.tree.walk(&app, &app.root, &Extent::of(Facets::NAMES), by).unwrap();
    assert!(look.len() > 2 && look.len() < 200, "{}", look.len());
    assert_eq!(desk.node(&look, window).cut, Some(Cut::Deadline));
}

#[test]
fn an_element_that_does_not_answer_is_marked_and_two_end_the_look() {
    let desk = Desk::new();
    let app = desk.system.app("Sick", 10);
    let window = desk.system.window(app, "A");
    let silent = desk.system.add(window, "AXGroup", &[]);
    desk.system.add(window, "AXButton", &[("AXTitle", text("Well"))]);
    desk.system.fail(silent, Fault::CannotComplete);
    let look = desk.look(10);
    assert_eq!(look.len(), 3);
    assert_eq!(desk.node(&look, window).cut, Some(Cut::Silent));
    assert!(look.notices().is_empty());
    let more = desk.system.add(silent, "AXGroup", &[]);
    let again = desk.system.add(window, "AXGroup", &[]);
    desk.system.fail(again, Fault::CannotComplete);
    desk.system.fail(more, Fault::CannotComplete);
    let last = desk.system.add(window, "AXGroup", &[]);
    desk.system.fail(last, Fault::CannotComplete);
    assert_eq!(desk.look(10).notices(), [Notice::NotResponding]);
}

#[test]
fn what_vanishes_during_a_look_is_left_out_and_a_vanished_root_is_gone() {
    let desk = Desk::new();
    let app = desk.system.app("Quick", 10);
    let window = desk.system.window(app, "A");
    let gone = desk.system.add(window, "AXButton", &[]);
    desk.system.fail(gone, Fault::InvalidElement);
    let look = desk.look(10);
    assert_eq!((look.len(), desk.node(&look, window).cut), (2, None));
    let app = desk.app(10);
    let walk = desk.tree.walk(&app, &desk.id(gone), &Extent::of(Facets::NAMES), soon());
    assert!(matches!(walk, Err(Error::Gone { .. })), "{walk:?}");
    let read = desk.tree.read(&app, &[desk.id(gone)], Facets::NAMES, soon()).unwrap();
    assert_eq!(read, [None]);
}

#[test]
fn a_frozen_app_is_a_timeout_and_a_missing_permission_says_what_to_do() {
    let desk = Desk::new();
    let root = desk.system.app("Frozen", 10);
    let app = desk.app(10);
    desk.system.fail(root, Fault::CannotComplete);
    let all = Extent::of(Facets::NAMES);
    let walk = desk.tree.walk(&app, &app.root, &all, soon());
    assert_eq!(walk, Err(Error::Timeout { what: "Frozen (pid 10)".into() }));
    desk.system.fail(root, Fault::ApiDisabled);
    let walk = desk.tree.walk(&app, &app.root, &all, soon());
    assert!(matches!(walk, Err(Error::NoAccessibility { .. })), "{walk:?}");
    desk.system.quit(10);
    let walk = desk.tree.walk(&app, &app.root, &all, soon());
    assert_eq!(walk, Err(Error::Gone { what: "Frozen (pid 10)".into() }));
}

#[test]
fn menus_are_read_without_opening_them() {
    let desk = Desk::new();
    let app = desk.system.app("Notes", 10);
    let bar = desk.system.add(app, "AXMenuBar", &[]);
    let file = desk.system.add(bar, "AXMenuBarItem", &[("AXTitle", text("File"))]);
    let menu = desk.system.add(file, "AXMenu", &[]);
    let save = desk.system.add(menu, "AXMenuItem", &[("AXTitle", text("Save"))]);
    let line = desk.system.add(menu, "AXMenuItem", &[("AXEnabled", Value::Flag(false))]);
    let ruler = [("AXTitle", text("Ruler")), ("AXMenuItemMarkChar", text("✓"))];
    let ruler = desk.system.add(menu, "AXMenuItem", &ruler);
    let recent = desk.system.add(menu, "AXMenuItem", &[("AXTitle", text("Open Recent"))]);
    let below = desk.system.add(recent, "AXMenu", &[]);
    desk.system.add(below, "AXMenuItem", &[("AXTitle", text("a.txt"))]);
    let look = desk.look(10);
    let file = desk.node(&look, file);
    assert_eq!((file.role, file.child_count), (Role::Menu, 4));
    assert_eq!(desk.node(&look, line).role, Role::Separator);
    assert_eq!(desk.node(&look, save).role, Role::MenuItem);
    assert_eq!(desk.node(&look, recent).role, Role::Menu);
    let ruler = desk.node(&look, ruler);
    assert!(ruler.role == Role::CheckMenuItem && ruler.states.has(State::Checked));
    assert!(look.position(&desk.id(menu)).is_none(), "the menu itself adds nothing");
    let read = desk.tree.read(&desk.app(10), &[desk.id(recent)], Facets::NAMES, soon()).unwrap();
    let read = read.into_iter().flatten().next().unwrap();
    assert_eq!((read.role, read.child_count), (Role::Menu, 1));
    assert_eq!(desk.system.count("perform"), 0);
}

#[test]
fn the_items_an_app_has_in_the_menu_bar_belong_to_it() {
    let desk = Desk::new();
    let app = desk.system.program("Clock", 10, Presence::Accessory, &[]);
    let bar = desk.system.add(app, "AXMenuBar", &[]);
    desk.system.put(app, "AXChildren", Value::List(Vec::new()));
    desk.system.put(app, "AXExtrasMenuBar", Value::Element(bar));
    let item = [("AXFrame", Value::Rect(700.0, 0.0, 24.0, 24.0))];
    let item = desk.system.add(bar, "AXMenuBarItem", &item);
    desk.system.put(bar, "AXFrame", Value::Rect(700.0, 0.0, 24.0, 24.0));
    desk.system.put(app, "AXFrontmost", Value::Flag(false));
    let look = desk.look(10);
    assert!(desk.node(&look, bar).states.has(State::Showing));
    assert!(desk.node(&look, item).states.has(State::Showing));
    let read = desk.tree.read(&desk.app(10), &[desk.id(item)], Facets::LOOK, soon()).unwrap();
    assert!(read.iter().flatten().all(|node| node.states.has(State::Showing)));
    let none = Extent { children: 0, ..Extent::of(Facets::NAMES) };
    let app = desk.app(10);
    let look = desk.tree.walk(&app, &app.root, &none, soon()).unwrap();
    assert_eq!((look.len(), look.node(deskhand_model::Index::ROOT).cut), (1, Some(Cut::Many)));
}

#[test]
fn a_secret_never_leaves_its_field() {
    let desk = Desk::new();
    let app = desk.system.app("Login", 10);
    let window = desk.system.window(app, "Sign in");
    let at = ("AXFrame", Value::Rect(1.0, 1.0, 9.0, 9.0));
    let own = desk.system.add(
        window,
        "AXTextField",
        &[("AXSubrole", text("AXSecureTextField")), ("AXValue", text("hunter2")), at.clone()],
    );
    let inside = desk.system.add(
        own,
        "AXStaticText",
        &[("AXValue", text("hunter2")), ("AXTitle", text("hunter2")), at.clone()],
    );
    let named = [("AXPlaceholderValue", text("Password")), ("AXValue", text("hunter2")), at];
    let named = desk.system.add(window, "AXTextField", &named);
    let look = desk.look(10);
    for field in [own, named] {
        let node = desk.node(&look, field);
        assert_eq!((node.role, node.value), (Role::Password, Some(Content::Secret)));
    }
    assert_eq!(desk.node(&look, inside).name, "");
    assert!(!format!("{look:?}").contains("hunter2"));
    // A button that shows what was typed takes the subrole away.
    desk.system.put(own, "AXSubrole", text(""));
    assert_eq!(desk.node(&desk.look(10), own).role, Role::Password);
    let asked = |line: &&String| {
        let mut words = line.split(' ');
        let (verb, of) = (words.next(), words.next().and_then(|of| of.parse().ok()));
        let names = words.next().unwrap_or_default();
        verb != Some("settable")
            && of.is_some_and(|of| [own, named, inside].contains(&of))
            && names.split(',').any(|name| name == "AXValue")
    };
    assert_eq!(desk.system.state().log.iter().find(asked), None);
    let app = desk.app(10);
    let told = desk.tree.text(&app, &desk.id(own), soon()).unwrap().unwrap();
    assert!(told.secret && told.text.is_empty());
    let facts = desk.tree.attributes(&app, &desk.id(own), soon()).unwrap();
    assert!(facts.contains(&("AXValue".into(), "(a secret)".into())), "{facts:?}");
    let found = desk.tree.passwords(&app, soon()).unwrap();
    assert_eq!((found.fields, found.missed), (vec![desk.id(own), desk.id(named)], None));
    // What stands in the field is asked for by itself.
    let told = desk.tree.text(&app, &desk.id(inside), soon()).unwrap().unwrap();
    assert!(told.secret && told.text.is_empty());
    let facts = desk.tree.attributes(&app, &desk.id(inside), soon()).unwrap();
    let read = desk.tree.read(&app, &[desk.id(inside)], Facets::ALL, soon()).unwrap();
    let within = Extent::of(Facets::ALL);
    let look = desk.tree.walk(&app, &desk.id(inside), &within, soon()).unwrap();
    assert!(!format!("{facts:?} {read:?} {look:?}").contains("hunter2"));
}

#[test]
fn in_a_page_a_label_may_hold_a_password_field() {
    let desk = Desk::new();
    let window = desk.system.window(desk.system.app("Safari", 10), "A");
    let hidden = desk.system.add(window, "AXStaticText", &[]);
    let page = desk.system.add(window, "AXWebArea", &[]);
    let label = desk.system.add(page, "AXStaticText", &[]);
    let secret = [("AXSubrole", text("AXSecureTextField"))];
    desk.system.add(hidden, "AXTextField", &secret);
    let field = desk.system.add(label, "AXTextField", &secret);
    assert_eq!(desk.tree.passwords(&desk.app(10), soon()).unwrap().fields, [desk.id(field)]);
}

#[test]
fn password_fields_are_sought_within_bounds() {
    let desk = Desk::new();
    let app = desk.system.app("Big", 10);
    let window = desk.system.window(app, "A");
    let list = desk.system.add(window, "AXList", &[]);
    (0..1_200).for_each(|_| {
        desk.system.add(list, "AXGroup", &[]);
    });
    assert_eq!(desk.tree.passwords(&desk.app(10), soon()).unwrap().missed, None);
    let group = desk.system.add(window, "AXGroup", &[]);
    (0..1_200).for_each(|_| {
        desk.system.add(group, "AXButton", &[]);
    });
    assert_eq!(desk.tree.passwords(&desk.app(10), soon()).unwrap().missed, Some(Missed::Large));
    desk.system.fail(group, Fault::CannotComplete);
    assert_eq!(desk.tree.passwords(&desk.app(10), soon()).unwrap().missed, Some(Missed::Late));
    let late = desk.tree.passwords(&desk.app(10), Deadline::after(Duration::ZERO)).unwrap();
    assert_eq!(late.missed, Some(Missed::Late));
}

#[test]
fn rows_of_an_outline_say_whether_they_open() {
    let desk = Desk::new();
    let app = desk.system.app("Files", 10);
    let outline = desk.system.add(desk.system.window(app, "A"), "AXOutline", &[]);
    let row = |open: bool| {
        let kind = ("AXSubrole", text("AXOutlineRow"));
        desk.system.add(outline, "AXRow", &[kind, ("AXDisclosing", Value::Flag(open))])
    };
    let (open, closed, leaf) = (row(true), row(false), row(false));
    let cell = desk.system.add(closed, "AXCell", &[]);
    desk.system.add(cell, "AXDisclosureTriangle", &[("AXValue", Value::Whole(0))]);
    let look = desk.look(10);
    assert!(desk.node(&look, open).states.has(State::Expanded));
    let node = desk.node(&look, closed);
    assert!(node.states.has(State::Collapsed) && node.actions.contains(&"Expand".to_owned()));
    let none = desk.node(&look, leaf);
    assert!(!none.states.has(State::Expandable) && none.actions.is_empty());
    assert_eq!(none.role, Role::TreeItem);
    let ids = [open, closed, leaf].map(|row| desk.id(row));
    let again = desk.tree.read(&desk.app(10), &ids, Facets::ALL, soon()).unwrap();
    for (row, again) in [open, closed, leaf].into_iter().zip(again) {
        let (then, again) = (desk.node(&look, row), again.unwrap());
        assert_eq!((then.states, then.actions), (again.states, again.actions), "as in the look");
    }
    let bare = desk.tree.read(&desk.app(10), &ids[..1], Facets::NAMES, soon()).unwrap();
    assert!(bare[0].as_ref().unwrap().actions.is_empty(), "nobody asked for them");
}

#[test]
fn an_electron_app_is_woken_and_put_back() {
    let desk = Desk::new();
    let root =
        desk.system.program("Chat", 10, Presence::Regular, &["Electron Framework.framework"]);
    desk.system.settable(root, &["AXManualAccessibility"]);
    let window = desk.system.window(root, "Chat");
    let app = desk.app(10);
    let by = Deadline::after(Duration::from_millis(400));
    let look = desk.tree.walk(&app, &app.root, &Extent::of(Facets::NAMES), by).unwrap();
    assert!(matches!(look.notices(), [Notice::AccessibilityOff { .. }]), "{:?}", look.notices());
    assert_eq!(desk.system.value(root, "AXManualAccessibility"), Some(Value::Flag(true)));
    desk.system.add(window, "AXWebArea", &[]);
    let look = desk.look(10);
    assert!(look.notices().is_empty());
    assert_eq!(desk.system.count(&format!("set {root}")), 1);
    let Desk { system, tree } = desk;
    drop(tree);
    assert_eq!(system.value(root, "AXManualAccessibility"), Some(Value::Flag(false)));
}

#[test]
fn a_browser_that_shows_nothing_may_hide_password_fields() {
    let desk = Desk::new();
    let frameworks = ["Google Chrome Framework.framework"];
    let root = desk.system.program("Chrome", 10, Presence::Regular, &frameworks);
    let window = desk.system.window(root, "Tab");
    desk.system.put(root, "AXEnhancedUserInterface", Value::Flag(true));
    let found = desk.tree.passwords(&desk.app(10), soon()).unwrap();
    assert_eq!(found.missed, Some(Missed::Off));
    let page = desk.system.add(window, "AXWebArea", &[]);
    let field = [("AXSubrole", text("AXSecureTextField"))];
    let field = desk.system.add(page, "AXTextField", &field);
    let found = desk.tree.passwords(&desk.app(10), soon()).unwrap();
    assert_eq!((found.fields, found.missed), (vec![desk.id(field)], None));
    assert_eq!(desk.system.count("set"), desk.system.count("settable"), "nothing was set");
}
