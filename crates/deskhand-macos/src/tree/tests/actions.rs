//! Actions on elements, and the replies of apps.

use std::time::Duration;

use deskhand_platform::{ActionReply, Deadline, Error, NodeAction, Result, Tree};

use super::{TestTree, test_deadline};
use crate::tree::{
    AxError, Value,
    fake_ax::{ElementIndex, text},
};

impl TestTree {
    fn act(&self, on: ElementIndex, act: &NodeAction) -> Result<ActionReply> {
        self.tree.perform(&self.app(10), &self.id(on), act, test_deadline())
    }
}

fn test() -> (TestTree, ElementIndex) {
    let test = TestTree::new();
    let window = test.ax.window(test.ax.app("Notes", 10), "A");
    (test, window)
}

#[test]
fn an_action_is_found_in_any_spelling_and_the_error_for_a_missing_one_lists_the_others() {
    let (test, window) = test();
    let button = test.ax.add(window, "AXButton", &[]);
    test.ax.actions(button, &["AXPress", "AXShowMenu"]);
    for word in ["press", "AXPress", "Press"] {
        assert_eq!(test.act(button, &NodeAction::Invoke(word.into())), Ok(ActionReply::Accepted));
    }
    assert_eq!(test.ax.count(&format!("perform {button} AXPress")), 3);
    let Err(Error::Unsupported { why, .. }) = test.act(button, &NodeAction::Invoke("fly".into()))
    else {
        panic!("the action does not exist");
    };
    assert_eq!(why, "the element offers only: Press, ShowMenu");
    let bare = test.ax.add(window, "AXGroup", &[]);
    assert!(matches!(
        test.act(bare, &NodeAction::Invoke("press".into())),
        Err(Error::Unsupported { .. })
    ));
}

#[test]
fn text_focus_and_caret_are_set_only_if_settable() {
    let (test, window) = test();
    let field = test.ax.add(window, "AXTextField", &[("AXValue", text("a😀b"))]);
    let fixed = test.act(field, &NodeAction::SetText("x".into()));
    assert!(matches!(fixed, Err(Error::Unsupported { .. })), "{fixed:?}");
    assert_eq!(test.ax.count(&format!("set {field}")), 0);
    let all = ["AXValue", "AXFocused", "AXSelectedText", "AXSelectedTextRange"];
    test.ax.settable(field, &all);
    assert_eq!(test.act(field, &NodeAction::SetCaret(2)), Ok(ActionReply::Accepted));
    assert_eq!(test.ax.value(field, "AXSelectedTextRange"), Some(Value::Range(3, 0)));
    assert_eq!(test.act(field, &NodeAction::Insert("é".into())), Ok(ActionReply::Accepted));
    assert_eq!(test.ax.value(field, "AXSelectedText"), Some(text("é")));
    assert_eq!(test.act(field, &NodeAction::SetText("new".into())), Ok(ActionReply::Accepted));
    assert_eq!(test.ax.value(field, "AXValue"), Some(text("new")));
    for act in [NodeAction::Focus, NodeAction::FocusWithoutRaise] {
        assert_eq!(test.act(field, &act), Ok(ActionReply::Accepted));
    }
    assert_eq!(test.ax.value(field, "AXFocused"), Some(Value::Flag(true)));
}

#[test]
fn the_caret_of_a_password_field_is_set_without_reading_the_value() {
    let (test, window) = test();
    let field = [("AXSubrole", text("AXSecureTextField")), ("AXValue", text("hunter2"))];
    let field = test.ax.add(window, "AXTextField", &field);
    test.ax.settable(field, &["AXSelectedTextRange"]);
    assert_eq!(test.act(field, &NodeAction::SetCaret(3)), Ok(ActionReply::Accepted));
    assert_eq!(test.ax.value(field, "AXSelectedTextRange"), Some(Value::Range(3, 0)));
    assert_eq!(test.ax.count(&format!("get {field} AXValue")), 0);
    let named = [("AXPlaceholderValue", text("Password")), ("AXValue", text("hunter2"))];
    let named = test.ax.add(window, "AXTextField", &named);
    test.ax.settable(named, &["AXSelectedTextRange"]);
    assert_eq!(test.act(named, &NodeAction::SetCaret(3)), Ok(ActionReply::Accepted));
    assert_eq!(test.ax.count(&format!("get {named} AXValue")), 0, "a password by its name");
}

#[test]
fn a_number_is_set_in_the_type_the_element_has() {
    let (test, window) = test();
    for (now, set) in [
        (Value::Whole(1), Value::Whole(7)),
        (Value::Real(0.5), Value::Real(7.0)),
        (text("1"), text("7")),
    ] {
        let slider = test.ax.add(window, "AXSlider", &[("AXValue", now)]);
        test.ax.settable(slider, &["AXValue"]);
        assert_eq!(test.act(slider, &NodeAction::SetNumber(7.0)), Ok(ActionReply::Accepted));
        assert_eq!(test.ax.value(slider, "AXValue"), Some(set));
    }
}

#[test]
fn an_item_is_selected_by_its_own_attribute_or_in_its_container() {
    let (test, window) = test();
    let table = test.ax.add(window, "AXTable", &[("AXSelectedRows", Value::List(vec![]))]);
    test.ax.settable(table, &["AXSelectedRows"]);
    let rows: Vec<ElementIndex> = (0..3).map(|_| test.ax.add(table, "AXRow", &[])).collect();
    let cell = test.ax.add(rows[1], "AXCell", &[]);
    let selected = || test.ax.value(table, "AXSelectedRows").unwrap().elements();
    assert_eq!(test.act(rows[0], &NodeAction::Select), Ok(ActionReply::Accepted));
    assert_eq!(test.act(cell, &NodeAction::Select), Ok(ActionReply::Accepted));
    assert_eq!(selected(), [rows[0], rows[1]]);
    let selection =
        test.tree.selected_items(&test.app(10), &test.id(table), test_deadline()).unwrap();
    assert_eq!(selection, Some(vec![test.id(rows[0]), test.id(rows[1])]));
    assert_eq!(test.act(rows[0], &NodeAction::Deselect), Ok(ActionReply::Accepted));
    assert_eq!(selected(), [rows[1]]);
    assert_eq!(test.act(rows[2], &NodeAction::SelectOnly), Ok(ActionReply::Accepted));
    assert_eq!(selected(), [rows[2]]);
    assert_eq!(test.act(table, &NodeAction::SelectItem(0)), Ok(ActionReply::Accepted));
    assert_eq!(selected(), [rows[2], rows[0]]);
    let none = test.act(table, &NodeAction::SelectItem(9));
    assert!(matches!(none, Err(Error::Unsupported { .. })), "{none:?}");
    assert_eq!(test.act(table, &NodeAction::SelectNone), Ok(ActionReply::Accepted));
    assert!(selected().is_empty());
    test.ax.settable(rows[0], &["AXSelected"]);
    assert_eq!(test.act(rows[0], &NodeAction::Select), Ok(ActionReply::Accepted));
    assert_eq!(test.ax.value(rows[0], "AXSelected"), Some(Value::Flag(true)));
    test.ax.settable(rows[2], &["AXSelected"]);
    assert_eq!(test.act(table, &NodeAction::SelectItem(2)), Ok(ActionReply::Accepted));
    assert_eq!(test.ax.value(rows[2], "AXSelected"), Some(Value::Flag(true)));
}

#[test]
fn only_the_first_items_of_a_large_selection_are_read() {
    let (test, window) = test();
    let table = test.ax.add(window, "AXTable", &[]);
    let rows: Vec<ElementIndex> = (0..300).map(|_| test.ax.add(table, "AXRow", &[])).collect();
    let all = rows.iter().map(|row| Value::Element(*row)).collect();
    test.ax.put(table, "AXSelectedRows", Value::List(all));
    let items =
        test.tree.selected_items(&test.app(10), &test.id(table), test_deadline()).unwrap().unwrap();
    assert_eq!((items.len(), &items[0]), (100, &test.id(rows[0])));
    assert_eq!(test.ax.count(&format!("page {table} AXSelectedRows 0+100")), 1);
    assert_eq!(test.ax.count(&format!("get_all {table} AXSelectedRows")), 0);
}

#[test]
fn the_index_of_an_item_counts_children_as_a_snapshot_lists_them() {
    let (test, window) = test();
    let table = test.ax.add(window, "AXTable", &[("AXSelectedRows", Value::List(vec![]))]);
    let header = test.ax.add(table, "AXGroup", &[]);
    test.ax.put(table, "AXHeader", Value::Element(header));
    test.ax.settable(table, &["AXSelectedRows"]);
    let rows: Vec<ElementIndex> = (0..2).map(|_| test.ax.add(table, "AXRow", &[])).collect();
    let snapshot = test.snapshot(10);
    let at = snapshot.position(&test.id(table)).unwrap();
    let listed: Vec<_> = snapshot.children(at).map(|at| snapshot.node(at).id.clone()).collect();
    assert_eq!(listed, [header, rows[0], rows[1]].map(|one| test.id(one)));
    assert_eq!(test.act(table, &NodeAction::SelectItem(1)), Ok(ActionReply::Accepted));
    let selected = test.ax.value(table, "AXSelectedRows").unwrap().elements();
    assert_eq!(selected, [rows[0]]);
}

#[test]
fn without_a_selection_container_an_item_needs_its_own_attribute() {
    let (test, window) = test();
    let item = test.ax.add(window, "AXGroup", &[]);
    for act in [
        NodeAction::Select,
        NodeAction::SelectOnly,
        NodeAction::SelectItem(0),
        NodeAction::SelectNone,
    ] {
        let result = test.act(item, &act);
        assert!(matches!(result, Err(Error::Unsupported { .. })), "{act:?} {result:?}");
    }
    test.ax.settable(item, &["AXSelected"]);
    assert_eq!(test.act(item, &NodeAction::SelectOnly), Ok(ActionReply::Accepted));
    assert_eq!(test.tree.selected_items(&test.app(10), &test.id(item), test_deadline()), Ok(None));
}

#[test]
fn outline_rows_expand_and_collapse_by_an_attribute() {
    let (test, window) = test();
    let row = test.ax.add(window, "AXRow", &[("AXDisclosing", Value::Flag(false))]);
    test.ax.settable(row, &["AXDisclosing"]);
    assert_eq!(test.act(row, &NodeAction::Invoke("expand".into())), Ok(ActionReply::Accepted));
    assert_eq!(test.ax.value(row, "AXDisclosing"), Some(Value::Flag(true)));
    assert_eq!(test.act(row, &NodeAction::Invoke("Collapse".into())), Ok(ActionReply::Accepted));
    assert_eq!(test.ax.value(row, "AXDisclosing"), Some(Value::Flag(false)));
}

#[test]
fn scrolling_into_view_works_without_being_listed() {
    let (test, window) = test();
    let row = test.ax.add(window, "AXRow", &[]);
    assert!(matches!(test.act(row, &NodeAction::Reveal), Err(Error::Unsupported { .. })));
    test.ax.actions(row, &["AXScrollToVisible"]);
    assert_eq!(test.act(row, &NodeAction::Reveal), Ok(ActionReply::Accepted));
}

#[test]
fn an_app_that_does_not_reply_may_still_perform_the_action() {
    let (test, window) = test();
    let button = test.ax.add(window, "AXButton", &[]);
    let id = test.id(button);
    let app = test.app(10);
    let target = crate::tree::act::AxActionTarget {
        session: &test.tree.0,
        app: &app,
        element: &button,
        deadline: test_deadline(),
    };
    assert_eq!(target.interpret_reply(Err(AxError::CannotComplete)), Ok(ActionReply::Unanswered));
    assert_eq!(target.interpret_reply(Err(AxError::Failure)), Ok(ActionReply::Declined));
    let closed = target.interpret_reply(Err(AxError::InvalidElement));
    assert_eq!(closed, Ok(ActionReply::Unanswered), "the action may have removed the element");
    let unsupported = target.interpret_reply(Err(AxError::ActionUnsupported));
    assert_eq!(unsupported, Ok(ActionReply::Declined), "the message was sent");
    let late = Deadline::after(Duration::ZERO);
    let result = test.tree.perform(&app, &id, &NodeAction::Invoke("press".into()), late);
    assert!(matches!(result, Err(Error::Timeout { .. })), "{result:?}");
    test.ax.fail(button, AxError::InvalidElement);
    assert!(matches!(test.act(button, &NodeAction::Focus), Err(Error::Gone { .. })));
    assert!(matches!(
        test.act(button, &NodeAction::Invoke("press".into())),
        Err(Error::Gone { .. })
    ));
    assert!(matches!(test.act(button, &NodeAction::SetCaret(1)), Err(Error::Gone { .. })));
    assert!(matches!(test.act(button, &NodeAction::SelectOnly), Err(Error::Gone { .. })));
    assert!(matches!(test.act(button, &NodeAction::Reveal), Err(Error::Gone { .. })));
}
