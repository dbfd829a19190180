//! Snapshots of whole apps, and their limits.

use std::time::Duration;

use deskhand_model::{Cut, NodeId, Notice, RelationKind, Role, State, Value as Content};
use deskhand_platform::{Deadline, Error, IncompleteReason, NodeFields, Tree, WalkOptions};

use super::{TestTree, test_deadline};
use crate::tree::{ActivationPolicy, AxError, Value, fake_ax::text};

#[test]
fn a_window_is_read_with_names_values_states_and_bounds() {
    let test = TestTree::new();
    let app = test.ax.app("Notes", 10);
    let window = test.ax.window(app, "Untitled");
    let frame = |y: f64| ("AXFrame", Value::Rect(10.0, y, 100.0, 20.0));
    let button = test.ax.add(window, "AXButton", &[("AXTitle", text("Save")), frame(10.0)]);
    test.ax.actions(button, &["AXPress", "AXShowMenu"]);
    let label = test.ax.add(window, "AXStaticText", &[("AXValue", text("Name")), frame(40.0)]);
    let field = test.ax.add(
        window,
        "AXTextField",
        &[
            ("AXTitleUIElement", Value::Element(label)),
            ("AXValue", text("Ada")),
            ("AXIdentifier", text("name-field")),
            frame(70.0),
        ],
    );
    test.ax.settable(field, &["AXValue", "AXFocused"]);
    test.ax.put(window, "AXDefaultButton", Value::Element(button));
    let snapshot = test.snapshot(10);
    let save = test.node(&snapshot, button);
    assert_eq!((save.role, save.name.as_str()), (Role::Button, "Save"));
    assert_eq!(save.actions, ["Press", "ShowMenu"]);
    assert!(save.states.has(State::Showing) && save.states.has(State::Default));
    assert_eq!(test.node(&snapshot, label).name, "Name");
    let name = test.node(&snapshot, field);
    assert_eq!((name.name.as_str(), name.identifier.as_str()), ("Name", "name-field"));
    assert_eq!(name.value, Some(Content::Text { text: "Ada".into(), length: 3 }));
    assert!(name.states.has(State::Editable) && name.states.has(State::Focusable));
    let labelled = name.relations.iter().find(|one| one.kind == RelationKind::LabelledBy).unwrap();
    assert_eq!(labelled.targets, [test.id(label)]);
    assert!(snapshot.notices().is_empty());
}

#[test]
fn an_element_keeps_its_id_across_snapshots_and_processes() {
    let test = TestTree::new();
    let app = test.ax.app("Notes", 10);
    let window = test.ax.window(app, "Untitled");
    let first = test.snapshot(10);
    test.ax.add(window, "AXButton", &[]);
    let again = test.snapshot(10);
    let other = TestTree { tree: crate::tree::MacTree::new(test.ax.clone()), ax: test.ax.clone() };
    for snapshot in [&again, &other.snapshot(10)] {
        assert!(first.iter().all(|(_, node)| snapshot.position(&node.id).is_some()));
    }
}

#[test]
fn an_id_from_another_process_is_resolved() {
    let test = TestTree::new();
    let app = test.ax.app("Notes", 10);
    let button = test.ax.add(test.ax.window(app, "A"), "AXButton", &[("AXTitle", text("Go"))]);
    let id = test.id(button);
    let fresh = crate::tree::MacTree::new(test.ax.clone());
    let node =
        fresh.read(&test.app(10), &[id], NodeFields::MINIMAL, test_deadline()).unwrap().remove(0);
    assert_eq!(node.unwrap().name, "Go");
}

#[test]
fn an_app_is_searched_once_for_missing_elements() {
    let test = TestTree::new();
    let app = test.ax.app("Notes", 10);
    test.ax.window(app, "A");
    let ids: Vec<_> = (0..20).map(|at| NodeId::new(format!("10.10000/fff{at}"))).collect();
    let read = test.tree.read(&test.app(10), &ids, NodeFields::MINIMAL, test_deadline()).unwrap();
    assert!(read.iter().all(Option::is_none));
    assert_eq!(test.ax.count(&format!("page {app}")), 1);
}

#[test]
fn elements_with_the_same_hash_get_different_ids() {
    let test = TestTree::new();
    test.ax.state().same_hash = true;
    let app = test.ax.app("Notes", 10);
    test.ax.window(app, "A");
    test.ax.window(app, "B");
    assert_eq!(test.snapshot(10).iter().count(), 3);
}

#[test]
fn a_table_of_a_hundred_thousand_rows_is_never_read_whole() {
    let test = TestTree::new();
    let app = test.ax.app("Data", 10);
    let table = test.ax.add(test.ax.window(app, "Data"), "AXTable", &[]);
    let header = test.ax.add(table, "AXGroup", &[]);
    test.ax.put(table, "AXHeader", Value::Element(header));
    let rows: Vec<_> = (0..100_000).map(|_| test.ax.add(table, "AXRow", &[])).collect();
    test.ax.add(table, "AXColumn", &[]);
    let snapshot = test.snapshot(10);
    let node = test.node(&snapshot, table);
    assert_eq!((node.child_count, node.cut), (100_001, Some(Cut::Many)));
    let at = snapshot.position(&test.id(table)).unwrap();
    assert_eq!(snapshot.children(at).count(), 50);
    assert_eq!(
        snapshot.children(at).next().map(|at| snapshot.node(at).id.clone()),
        Some(test.id(header))
    );
    assert_eq!(test.ax.count(&format!("page {table} AXChildren")), 0);
    assert!(test.ax.state().log.len() < 500, "{}", test.ax.state().log.len());
    // The next page begins where this one ended.
    let within = WalkOptions {
        first_child: 50,
        max_children: 10,
        ..WalkOptions::with_fields(NodeFields::MINIMAL)
    };
    let next = test.tree.walk(&test.app(10), &test.id(table), &within, test_deadline()).unwrap();
    let first = next.children(deskhand_model::Index::ROOT).next().unwrap();
    assert_eq!(next.node(first).id, test.id(rows[49]));
    assert_eq!(next.children(deskhand_model::Index::ROOT).count(), 10);
}

#[test]
fn a_group_with_too_many_children_reports_their_number() {
    let test = TestTree::new();
    let app = test.ax.app("Web", 10);
    let group = test.ax.add(test.ax.window(app, "A"), "AXGroup", &[]);
    (0..300).for_each(|_| {
        test.ax.add(group, "AXStaticText", &[]);
    });
    let within = WalkOptions { max_children: 100, ..WalkOptions::with_fields(NodeFields::MINIMAL) };
    let app = test.app(10);
    let snapshot = test.tree.walk(&app, &app.root, &within, test_deadline()).unwrap();
    let node = test.node(&snapshot, group);
    assert_eq!((node.child_count, node.cut), (300, Some(Cut::Many)));
    let page = WalkOptions { first_child: 290, ..within };
    let rest = test.tree.walk(&app, &test.id(group), &page, test_deadline()).unwrap();
    assert_eq!(rest.len(), 11);
}

#[test]
fn a_list_that_rejects_large_requests_is_still_read() {
    let test = TestTree::new();
    let window = test.ax.window(test.ax.app("Odd", 10), "A");
    let button = test.ax.add(window, "AXButton", &[]);
    test.ax.state().strict = true;
    assert!(test.snapshot(10).position(&test.id(button)).is_some());
}

#[test]
fn the_depth_and_node_limits_are_applied_and_marked() {
    let test = TestTree::new();
    let app = test.ax.app("Deep", 10);
    let window = test.ax.window(app, "A");
    let group = test.ax.add(window, "AXGroup", &[]);
    (0..20).for_each(|_| {
        test.ax.add(group, "AXButton", &[]);
    });
    let app = test.app(10);
    let shallow =
        WalkOptions { max_depth: Some(1), ..WalkOptions::with_fields(NodeFields::MINIMAL) };
    let snapshot = test.tree.walk(&app, &app.root, &shallow, test_deadline()).unwrap();
    assert_eq!(snapshot.len(), 2);
    assert_eq!(test.node(&snapshot, window).cut, Some(Cut::Depth));
    let small = WalkOptions { max_nodes: 10, ..WalkOptions::with_fields(NodeFields::MINIMAL) };
    let snapshot = test.tree.walk(&app, &app.root, &small, test_deadline()).unwrap();
    let node = test.node(&snapshot, group);
    assert_eq!((snapshot.len(), node.cut, node.child_count), (10, Some(Cut::Budget), 20));
}

#[test]
fn a_deadline_leaves_a_partial_snapshot_that_marks_where_it_stopped() {
    let test = TestTree::new();
    let app = test.ax.app("Slow", 10);
    let window = test.ax.window(app, "A");
    (0..200).for_each(|_| {
        test.ax.add(window, "AXButton", &[]);
    });
    let app = test.app(10);
    test.ax.state().delay = Duration::from_millis(2);
    let deadline = Deadline::after(Duration::from_millis(120));
    let snapshot = test
        .tree
        .walk(&app, &app.root, &WalkOptions::with_fields(NodeFields::MINIMAL), deadline)
        .unwrap();
    assert!(snapshot.len() > 2 && snapshot.len() < 200, "{}", snapshot.len());
    assert_eq!(test.node(&snapshot, window).cut, Some(Cut::Deadline));
}

#[test]
fn a_silent_element_is_marked_and_two_in_a_row_end_the_walk() {
    let test = TestTree::new();
    let app = test.ax.app("Sick", 10);
    let window = test.ax.window(app, "A");
    let silent = test.ax.add(window, "AXGroup", &[]);
    test.ax.add(window, "AXButton", &[("AXTitle", text("Well"))]);
    test.ax.fail(silent, AxError::CannotComplete);
    let snapshot = test.snapshot(10);
    assert_eq!(snapshot.len(), 3);
    assert_eq!(test.node(&snapshot, window).cut, Some(Cut::Silent));
    assert!(snapshot.notices().is_empty());
    let more = test.ax.add(silent, "AXGroup", &[]);
    let again = test.ax.add(window, "AXGroup", &[]);
    test.ax.fail(again, AxError::CannotComplete);
    test.ax.fail(more, AxError::CannotComplete);
    let last = test.ax.add(window, "AXGroup", &[]);
    test.ax.fail(last, AxError::CannotComplete);
    assert_eq!(test.snapshot(10).notices(), [Notice::NotResponding]);
}

#[test]
fn an_element_that_disappears_is_left_out_and_a_missing_root_is_gone() {
    let test = TestTree::new();
    let app = test.ax.app("Quick", 10);
    let window = test.ax.window(app, "A");
    let gone = test.ax.add(window, "AXButton", &[]);
    test.ax.fail(gone, AxError::InvalidElement);
    let snapshot = test.snapshot(10);
    assert_eq!((snapshot.len(), test.node(&snapshot, window).cut), (2, None));
    let app = test.app(10);
    let walk = test.tree.walk(
        &app,
        &test.id(gone),
        &WalkOptions::with_fields(NodeFields::MINIMAL),
        test_deadline(),
    );
    assert!(matches!(walk, Err(Error::Gone { .. })), "{walk:?}");
    let read =
        test.tree.read(&app, &[test.id(gone)], NodeFields::MINIMAL, test_deadline()).unwrap();
    assert_eq!(read, [None]);
}

#[test]
fn a_frozen_app_times_out_and_a_missing_permission_is_reported() {
    let test = TestTree::new();
    let root = test.ax.app("Frozen", 10);
    let app = test.app(10);
    test.ax.fail(root, AxError::CannotComplete);
    let all = WalkOptions::with_fields(NodeFields::MINIMAL);
    let walk = test.tree.walk(&app, &app.root, &all, test_deadline());
    assert_eq!(walk, Err(Error::Timeout { what: "Frozen (pid 10)".into() }));
    test.ax.fail(root, AxError::ApiDisabled);
    let walk = test.tree.walk(&app, &app.root, &all, test_deadline());
    assert!(matches!(walk, Err(Error::NoAccessibility { .. })), "{walk:?}");
    test.ax.quit(10);
    let walk = test.tree.walk(&app, &app.root, &all, test_deadline());
    assert_eq!(walk, Err(Error::Gone { what: "Frozen (pid 10)".into() }));
}

#[test]
fn menus_are_read_while_they_are_closed() {
    let test = TestTree::new();
    let app = test.ax.app("Notes", 10);
    let bar = test.ax.add(app, "AXMenuBar", &[]);
    let file = test.ax.add(bar, "AXMenuBarItem", &[("AXTitle", text("File"))]);
    let menu = test.ax.add(file, "AXMenu", &[]);
    let save = test.ax.add(menu, "AXMenuItem", &[("AXTitle", text("Save"))]);
    let line = test.ax.add(menu, "AXMenuItem", &[("AXEnabled", Value::Flag(false))]);
    let ruler = [("AXTitle", text("Ruler")), ("AXMenuItemMarkChar", text("✓"))];
    let ruler = test.ax.add(menu, "AXMenuItem", &ruler);
    let recent = test.ax.add(menu, "AXMenuItem", &[("AXTitle", text("Open Recent"))]);
    let below = test.ax.add(recent, "AXMenu", &[]);
    test.ax.add(below, "AXMenuItem", &[("AXTitle", text("a.txt"))]);
    let snapshot = test.snapshot(10);
    let file = test.node(&snapshot, file);
    assert_eq!((file.role, file.child_count), (Role::Menu, 4));
    assert_eq!(test.node(&snapshot, line).role, Role::Separator);
    assert_eq!(test.node(&snapshot, save).role, Role::MenuItem);
    assert_eq!(test.node(&snapshot, recent).role, Role::Menu);
    let ruler = test.node(&snapshot, ruler);
    assert!(ruler.role == Role::CheckMenuItem && ruler.states.has(State::Checked));
    assert!(snapshot.position(&test.id(menu)).is_none(), "the menu itself is skipped");
    let read = test
        .tree
        .read(&test.app(10), &[test.id(recent)], NodeFields::MINIMAL, test_deadline())
        .unwrap();
    let read = read.into_iter().flatten().next().unwrap();
    assert_eq!((read.role, read.child_count), (Role::Menu, 1));
    assert_eq!(test.ax.count("perform"), 0);
}

#[test]
fn status_items_in_the_menu_bar_belong_to_their_app() {
    let test = TestTree::new();
    let app = test.ax.program("Clock", 10, ActivationPolicy::Accessory, &[]);
    let bar = test.ax.add(app, "AXMenuBar", &[]);
    test.ax.put(app, "AXChildren", Value::List(Vec::new()));
    test.ax.put(app, "AXExtrasMenuBar", Value::Element(bar));
    let item = [("AXFrame", Value::Rect(700.0, 0.0, 24.0, 24.0))];
    let item = test.ax.add(bar, "AXMenuBarItem", &item);
    test.ax.put(bar, "AXFrame", Value::Rect(700.0, 0.0, 24.0, 24.0));
    test.ax.put(app, "AXFrontmost", Value::Flag(false));
    let snapshot = test.snapshot(10);
    assert!(test.node(&snapshot, bar).states.has(State::Showing));
    assert!(test.node(&snapshot, item).states.has(State::Showing));
    let read = test
        .tree
        .read(&test.app(10), &[test.id(item)], NodeFields::STANDARD, test_deadline())
        .unwrap();
    assert!(read.iter().flatten().all(|node| node.states.has(State::Showing)));
    let none = WalkOptions { max_children: 0, ..WalkOptions::with_fields(NodeFields::MINIMAL) };
    let app = test.app(10);
    let snapshot = test.tree.walk(&app, &app.root, &none, test_deadline()).unwrap();
    assert_eq!(
        (snapshot.len(), snapshot.node(deskhand_model::Index::ROOT).cut),
        (1, Some(Cut::Many))
    );
}

#[test]
fn a_password_is_never_read() {
    let test = TestTree::new();
    let app = test.ax.app("Login", 10);
    let window = test.ax.window(app, "Sign in");
    let at = ("AXFrame", Value::Rect(1.0, 1.0, 9.0, 9.0));
    let own = test.ax.add(
        window,
        "AXTextField",
        &[("AXSubrole", text("AXSecureTextField")), ("AXValue", text("hunter2")), at.clone()],
    );
    let inside = test.ax.add(
        own,
        "AXStaticText",
        &[("AXValue", text("hunter2")), ("AXTitle", text("hunter2")), at.clone()],
    );
    let named = [("AXPlaceholderValue", text("Password")), ("AXValue", text("hunter2")), at];
    let named = test.ax.add(window, "AXTextField", &named);
    let snapshot = test.snapshot(10);
    for field in [own, named] {
        let node = test.node(&snapshot, field);
        assert_eq!((node.role, node.value), (Role::Password, Some(Content::Secret)));
    }
    assert_eq!(test.node(&snapshot, inside).name, "");
    assert!(!format!("{snapshot:?}").contains("hunter2"));
    // A "show password" button removes the subrole.
    test.ax.put(own, "AXSubrole", text(""));
    assert_eq!(test.node(&test.snapshot(10), own).role, Role::Password);
    let reads_value = |line: &&String| {
        let mut words = line.split(' ');
        let (verb, of) = (words.next(), words.next().and_then(|of| of.parse().ok()));
        let names = words.next().unwrap_or_default();
        verb != Some("settable")
            && of.is_some_and(|of| [own, named, inside].contains(&of))
            && names.split(',').any(|name| name == "AXValue")
    };
    assert_eq!(test.ax.state().log.iter().find(reads_value), None);
    let app = test.app(10);
    let content = test.tree.text(&app, &test.id(own), test_deadline()).unwrap().unwrap();
    assert!(content.secret && content.text.is_empty());
    let attributes = test.tree.attributes(&app, &test.id(own), test_deadline()).unwrap();
    assert!(attributes.contains(&("AXValue".into(), "(a secret)".into())), "{attributes:?}");
    let found = test.tree.password_fields(&app, test_deadline()).unwrap();
    assert_eq!((found.fields, found.incomplete), (vec![test.id(own), test.id(named)], None));
    // Elements inside the field are secret too.
    let content = test.tree.text(&app, &test.id(inside), test_deadline()).unwrap().unwrap();
    assert!(content.secret && content.text.is_empty());
    let attributes = test.tree.attributes(&app, &test.id(inside), test_deadline()).unwrap();
    let read = test.tree.read(&app, &[test.id(inside)], NodeFields::ALL, test_deadline()).unwrap();
    let within = WalkOptions::with_fields(NodeFields::ALL);
    let snapshot = test.tree.walk(&app, &test.id(inside), &within, test_deadline()).unwrap();
    assert!(!format!("{attributes:?} {read:?} {snapshot:?}").contains("hunter2"));
}

#[test]
fn a_label_in_a_web_page_may_contain_a_password_field() {
    let test = TestTree::new();
    let window = test.ax.window(test.ax.app("Safari", 10), "A");
    let hidden = test.ax.add(window, "AXStaticText", &[]);
    let page = test.ax.add(window, "AXWebArea", &[]);
    let label = test.ax.add(page, "AXStaticText", &[]);
    let secret = [("AXSubrole", text("AXSecureTextField"))];
    test.ax.add(hidden, "AXTextField", &secret);
    let field = test.ax.add(label, "AXTextField", &secret);
    assert_eq!(
        test.tree.password_fields(&test.app(10), test_deadline()).unwrap().fields,
        [test.id(field)]
    );
}

#[test]
fn the_search_for_password_fields_is_limited() {
    let test = TestTree::new();
    let app = test.ax.app("Big", 10);
    let window = test.ax.window(app, "A");
    let list = test.ax.add(window, "AXList", &[]);
    (0..1_200).for_each(|_| {
        test.ax.add(list, "AXGroup", &[]);
    });
    assert_eq!(test.tree.password_fields(&test.app(10), test_deadline()).unwrap().incomplete, None);
    let group = test.ax.add(window, "AXGroup", &[]);
    (0..1_200).for_each(|_| {
        test.ax.add(group, "AXButton", &[]);
    });
    assert_eq!(
        test.tree.password_fields(&test.app(10), test_deadline()).unwrap().incomplete,
        Some(IncompleteReason::TooManyNodes)
    );
    test.ax.fail(group, AxError::CannotComplete);
    assert_eq!(
        test.tree.password_fields(&test.app(10), test_deadline()).unwrap().incomplete,
        Some(IncompleteReason::Timeout)
    );
    let late = test.tree.password_fields(&test.app(10), Deadline::after(Duration::ZERO)).unwrap();
    assert_eq!(late.incomplete, Some(IncompleteReason::Timeout));
}

#[test]
fn outline_rows_report_whether_they_expand() {
    let test = TestTree::new();
    let app = test.ax.app("Files", 10);
    let outline = test.ax.add(test.ax.window(app, "A"), "AXOutline", &[]);
    let row = |open: bool| {
        let kind = ("AXSubrole", text("AXOutlineRow"));
        test.ax.add(outline, "AXRow", &[kind, ("AXDisclosing", Value::Flag(open))])
    };
    let (open, closed, leaf) = (row(true), row(false), row(false));
    let cell = test.ax.add(closed, "AXCell", &[]);
    test.ax.add(cell, "AXDisclosureTriangle", &[("AXValue", Value::Whole(0))]);
    let snapshot = test.snapshot(10);
    assert!(test.node(&snapshot, open).states.has(State::Expanded));
    let node = test.node(&snapshot, closed);
    assert!(node.states.has(State::Collapsed) && node.actions.contains(&"Expand".to_owned()));
    let none = test.node(&snapshot, leaf);
    assert!(!none.states.has(State::Expandable) && none.actions.is_empty());
    assert_eq!(none.role, Role::TreeItem);
    let ids = [open, closed, leaf].map(|row| test.id(row));
    let again = test.tree.read(&test.app(10), &ids, NodeFields::ALL, test_deadline()).unwrap();
    for (row, again) in [open, closed, leaf].into_iter().zip(again) {
        let (then, again) = (test.node(&snapshot, row), again.unwrap());
        assert_eq!(
            (then.states, then.actions),
            (again.states, again.actions),
            "as in the snapshot"
        );
    }
    let bare =
        test.tree.read(&test.app(10), &ids[..1], NodeFields::MINIMAL, test_deadline()).unwrap();
    assert!(bare[0].as_ref().unwrap().actions.is_empty(), "actions were not requested");
}

#[test]
fn the_accessibility_of_an_electron_app_is_switched_on_and_off_again() {
    let test = TestTree::new();
    let root =
        test.ax.program("Chat", 10, ActivationPolicy::Regular, &["Electron Framework.framework"]);
    test.ax.settable(root, &["AXManualAccessibility"]);
    let window = test.ax.window(root, "Chat");
    let app = test.app(10);
    let deadline = Deadline::after(Duration::from_millis(400));
    let snapshot = test
        .tree
        .walk(&app, &app.root, &WalkOptions::with_fields(NodeFields::MINIMAL), deadline)
        .unwrap();
    assert!(
        matches!(snapshot.notices(), [Notice::AccessibilityOff { .. }]),
        "{:?}",
        snapshot.notices()
    );
    assert_eq!(test.ax.value(root, "AXManualAccessibility"), Some(Value::Flag(true)));
    test.ax.add(window, "AXWebArea", &[]);
    let snapshot = test.snapshot(10);
    assert!(snapshot.notices().is_empty());
    assert_eq!(test.ax.count(&format!("set {root}")), 1);
    let TestTree { ax, tree } = test;
    drop(tree);
    assert_eq!(ax.value(root, "AXManualAccessibility"), Some(Value::Flag(false)));
}

#[test]
fn a_browser_without_a_tree_may_have_password_fields() {
    let test = TestTree::new();
    let frameworks = ["Google Chrome Framework.framework"];
    let root = test.ax.program("Chrome", 10, ActivationPolicy::Regular, &frameworks);
    let window = test.ax.window(root, "Tab");
    test.ax.put(root, "AXEnhancedUserInterface", Value::Flag(true));
    let found = test.tree.password_fields(&test.app(10), test_deadline()).unwrap();
    assert_eq!(found.incomplete, Some(IncompleteReason::ContentNotExposed));
    let page = test.ax.add(window, "AXWebArea", &[]);
    let field = [("AXSubrole", text("AXSecureTextField"))];
    let field = test.ax.add(page, "AXTextField", &field);
    let found = test.tree.password_fields(&test.app(10), test_deadline()).unwrap();
    assert_eq!((found.fields, found.incomplete), (vec![test.id(field)], None));
    assert_eq!(test.ax.count("set"), test.ax.count("settable"), "nothing was set");
}
