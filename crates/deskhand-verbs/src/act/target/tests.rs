//! Tests for which element an action takes, on a fake desktop.

use deskhand_model::{EventKind, Explain, Relation, RelationKind, Role};
use deskhand_platform::{
    Deadline, Tree as _,
    fake::{FakeCall, FakeWindow},
};

use super::*;
use crate::testing::{FakeCallEnv, element};

/// Returns an element with another name than its id.
fn named(id: &str, name: &str, role: Role) -> Node {
    Node { name: name.to_owned(), ..element(id, role) }
}

fn editable(id: &str, name: &str) -> Node {
    let mut node = named(id, name, Role::Entry);
    node.states = node.states.with(State::Editable);
    node
}

fn find(env: &FakeCallEnv, query: &str, readiness: Readiness) -> Result<ActionTarget> {
    let (cx, app) = (env.context(), env.fake.app());
    wait_until_ready(&cx, &app, query, readiness)
}

/// Returns the id of the element that an action takes.
#[track_caller]
fn taken(env: &FakeCallEnv, query: &str, readiness: Readiness) -> String {
    find(env, query, readiness).map(|target| target.node.id.as_str().to_owned()).unwrap()
}

fn dialog(id: u64, title: &str, parent: u64) -> FakeWindow {
    FakeWindow { id, title: title.to_owned(), is_modal: true, parent: Some(parent) }
}

fn main_window() -> FakeWindow {
    FakeWindow { id: 1, title: "window".to_owned(), ..FakeWindow::default() }
}

/// Returns an app whose main window opened a modal dialog, which opened another one. The window
/// list has this order.
fn nested_dialogs(order: [usize; 3]) -> FakeCallEnv {
    let mut outer = element("Sites", Role::Dialog);
    let mut inner = element("Remember passwords?", Role::Dialog);
    outer.states = outer.states.with(State::Modal);
    inner.states = inner.states.with(State::Modal);
    let env = FakeCallEnv::with_tree(vec![
        (outer, 0),
        (inner, 0),
        (named("main-ok", "OK", Role::Button), 1),
        (named("outer-ok", "OK", Role::Button), 2),
        (named("inner-ok", "OK", Role::Button), 3),
        (named("outer-connect", "Connect", Role::Button), 2),
        (named("main-quit", "Quit", Role::Button), 1),
    ]);
    let windows = [dialog(3, "Remember passwords?", 2), dialog(2, "Sites", 1), main_window()];
    env.with_windows(order.into_iter().map(|at| windows[at].clone()).collect())
}

#[test]
fn the_innermost_of_nested_modal_dialogs_is_usable_and_blocks_the_others() {
    for order in [[0, 1, 2], [1, 0, 2]] {
        let env = nested_dialogs(order);
        assert_eq!(taken(&env, "OK", Readiness::ACTION), "inner-ok");
        for blocked in ["Connect", "Quit"] {
            let error = find(&env, blocked, Readiness::ACTION).err().unwrap();
            assert_eq!(error.code(), "not_ready", "{blocked}");
            assert!(error.to_string().contains("Remember passwords?"), "{error}");
        }
    }
}

#[test]
fn the_answer_says_that_other_matches_are_blocked() {
    let target = find(&nested_dialogs([0, 1, 2]), "OK", Readiness::ACTION).unwrap();
    let description = "button \"OK\" (2 other matches: 2 blocked by a dialog)";
    assert_eq!(target.description(), description);
}

#[test]
fn without_a_window_list_the_active_modal_dialog_is_usable() {
    let modal = |id: &str, state: Option<State>| {
        let mut node = element(id, Role::Dialog);
        node.states = node.states.with(State::Modal);
        node.states = state.map_or(node.states, |state| node.states.with(state));
        node
    };
    let env = FakeCallEnv::with_tree(vec![
        (modal("first", Some(State::Active)), 0),
        (modal("second", None), 0),
        (named("first-ok", "OK", Role::Button), 2),
        (named("second-ok", "OK", Role::Button), 3),
    ]);
    assert_eq!(taken(&env, "OK", Readiness::ACTION), "first-ok");
}

#[test]
fn text_goes_into_the_field_and_not_into_a_header_with_its_name() {
    let label = named("label", "_Name:", Role::Label);
    let mut field = editable("field", "");
    let targets = vec![label.id.clone()];
    field.relations = vec![Relation { kind: RelationKind::LabelledBy, targets }];
    let env = FakeCallEnv::new(vec![
        named("header", "Name", Role::TableColumnHeader),
        label,
        element("gap", Role::Separator),
        field,
    ]);
    assert_eq!(taken(&env, "Name", Readiness::TEXT), "field");
    assert_eq!(taken(&env, "Name", Readiness::for_value("x")), "field");
    assert_eq!(taken(&env, "Name", Readiness::ACTION), "header");
}

#[test]
fn text_goes_into_the_field_of_an_editable_combo_box() {
    let env = FakeCallEnv::with_tree(vec![
        (named("combo", "Search for", Role::ComboBox), 1),
        (named("menu", "", Role::Menu), 2),
        (editable("field", ""), 2),
    ]);
    assert_eq!(taken(&env, "Search for", Readiness::TEXT), "field");
    assert_eq!(taken(&env, "search for:", Readiness::TEXT), "field");
    assert_eq!(taken(&env, "Search for", Readiness::for_value("x")), "combo");
}

#[test]
fn a_value_goes_to_the_field_and_not_to_a_menu_item_with_its_name() {
    let mut item = named("item", "Width", Role::MenuItem);
    item.states = item.states.without(State::Showing);
    let env = FakeCallEnv::with_tree(vec![
        (element("menus", Role::MenuBar), 1),
        (element("View", Role::Menu), 2),
        (item, 3),
        (named("label", "Width:", Role::Label), 1),
        (named("spin", "", Role::SpinButton), 1),
    ]);
    assert_eq!(taken(&env, "Width", Readiness::for_value("64")), "spin");
    assert_eq!(taken(&env, "Width", Readiness::ACTION), "item");
}

#[test]
fn the_answer_says_that_a_field_is_a_guess() {
    let mut button = named("button", "Go to:", Role::Button);
    button.bounds = Some(Rect::new(10, 10, 80, 20));
    let mut field = editable("field", "");
    field.bounds = Some(Rect::new(100, 10, 80, 20));
    let env = FakeCallEnv::new(vec![button, field]);
    let target = find(&env, "Go to", Readiness::TEXT).unwrap();
    let description = "textbox (a guess: it stands next to the text of the query)";
    assert_eq!((target.node.id.as_str(), target.description().as_str()), ("field", description));
    assert_eq!(find(&env, "Go to", Readiness::ACTION).unwrap().description(), "button \"Go to:\"");
}

#[test]
fn of_parent_and_child_with_one_name_the_one_with_actions_is_taken() {
    let acting = |id: &str, role, acts: bool| {
        let mut node = named(id, "Add", role);
        node.actions = if acts { vec!["click".to_owned()] } else { Vec::new() };
        node
    };
    for inner_acts in [false, true] {
        let env = FakeCallEnv::with_tree(vec![
            (acting("outer", Role::MenuButton, !inner_acts), 1),
            (acting("inner", Role::ToggleButton, inner_acts), 2),
        ]);
        let expected = if inner_acts { "inner" } else { "outer" };
        assert_eq!(taken(&env, "Add", Readiness::ACTION), expected);
    }
}

#[test]
fn two_enabled_buttons_with_one_name_stay_ambiguous() {
    let env = FakeCallEnv::new(vec![
        named("a", "Apply", Role::Button),
        named("b", "Apply", Role::Button),
    ]);
    assert_eq!(find(&env, "Apply", Readiness::ACTION).err().unwrap().code(), "ambiguous");
}

#[test]
fn a_hopeless_query_ends_when_the_app_is_idle() {
    let env = FakeCallEnv::new(vec![element("Save", Role::Button)]);
    let started = Instant::now();
    assert_eq!(find(&env, "Save", Readiness::TEXT).err().unwrap().code(), "not_ready");
    assert_eq!(find(&env, "Nope", Readiness::ACTION).err().unwrap().code(), "no_match");
    assert!(started.elapsed() < Duration::from_secs(3), "each call may take 5 s");
}

#[test]
fn an_element_that_appears_while_the_app_reports_events_is_awaited() {
    let env = FakeCallEnv::new(vec![element("progress", Role::ProgressBar)]);
    // Like an app that is loading, it reports events for a while, and the name comes last.
    let loads = 25;
    env.fake.on_call(move |app, call, earlier| {
        let loaded = earlier.iter().filter(|call| **call == FakeCall::Text).count();
        if call == FakeCall::Text {
            app.emit(EventKind::ValueChanged, "progress");
        }
        if loaded >= loads {
            app.node("progress").name = "Finished".to_owned();
        }
    });
    let (loading, app) = (env.fake.clone(), env.fake.app());
    std::thread::scope(|threads| {
        threads.spawn(|| {
            for _ in 0..=loads {
                let later = Deadline::after(Duration::from_secs(1));
                loading.text(&app, &NodeId::new("progress"), later).unwrap();
                std::thread::sleep(Duration::from_millis(30));
            }
        });
        assert_eq!(taken(&env, "Finished", Readiness::EXISTS), "progress");
    });
}
