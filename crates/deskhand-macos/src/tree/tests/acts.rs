//! Acts: what is sent, and what is said about it.

use std::time::Duration;

use deskhand_platform::{Act, Deadline, Error, Reply, Result, Tree};

use super::{Desk, soon};
use crate::tree::{
    Fault, Value,
    recorded::{Thing, text},
};

impl Desk {
    fn act(&self, on: Thing, act: &Act) -> Result<Reply> {
        self.tree.perform(&self.app(10), &self.id(on), act, soon())
    }
}

fn desk() -> (Desk, Thing) {
    let desk = Desk::new();
    let window = desk.system.window(desk.system.app("Notes", 10), "A");
    (desk, window)
}

#[test]
fn an_action_is_found_under_any_spelling_and_a_missing_one_names_the_others() {
    let (desk, window) = desk();
    let button = desk.system.add(window, "AXButton", &[]);
    desk.system.actions(button, &["AXPress", "AXShowMenu"]);
    for word in ["press", "AXPress", "Press"] {
        assert_eq!(desk.act(button, &Act::Do(word.into())), Ok(Reply::Accepted));
    }
    assert_eq!(desk.system.count(&format!("perform {button} AXPress")), 3);
    let Err(Error::Unsupported { why, .. }) = desk.act(button, &Act::Do("fly".into())) else {
        panic!("it flies");
    };
    assert_eq!(why, "the element offers only: Press, ShowMenu");
    let bare = desk.system.add(window, "AXGroup", &[]);
    assert!(matches!(desk.act(bare, &Act::Do("press".into())), Err(Error::Unsupported { .. })));
}

#[test]
fn texts_focus_and_carets_are_set_where_the_element_takes_them() {
    let (desk, window) = desk();
    let field = desk.system.add(window, "AXTextField", &[("AXValue", text("a😀b"))]);
    let fixed = desk.act(field, &Act::SetText("x".into()));
    assert!(matches!(fixed, Err(Error::Unsupported { .. })), "{fixed:?}");
    assert_eq!(desk.system.count(&format!("set {field}")), 0);
    let all = ["AXValue", "AXFocused", "AXSelectedText", "AXSelectedTextRange"];
    desk.system.settable(field, &all);
    assert_eq!(desk.act(field, &Act::SetCaret(2)), Ok(Reply::Accepted));
    assert_eq!(desk.system.value(field, "AXSelectedTextRange"), Some(Value::Range(3, 0)));
    assert_eq!(desk.act(field, &Act::Insert("é".into())), Ok(Reply::Accepted));
    assert_eq!(desk.system.value(field, "AXSelectedText"), Some(text("é")));
    assert_eq!(desk.act(field, &Act::SetText("new".into())), Ok(Reply::Accepted));
    assert_eq!(desk.system.value(field, "AXValue"), Some(text("new")));
    for act in [Act::Focus, Act::FocusQuietly] {
        assert_eq!(desk.act(field, &act), Ok(Reply::Accepted));
    }
    assert_eq!(desk.system.value(field, "AXFocused"), Some(Value::Flag(true)));
}

#[test]
fn the_caret_of_a_secret_is_set_without_reading_it() {
    let (desk, window) = desk();
    let field = [("AXSubrole", text("AXSecureTextField")), ("AXValue", text("hunter2"))];
    let field = desk.system.add(window, "AXTextField", &field);
    desk.system.settable(field, &["AXSelectedTextRange"]);
    assert_eq!(desk.act(field, &Act::SetCaret(3)), Ok(Reply::Accepted));
    assert_eq!(desk.system.value(field, "AXSelectedTextRange"), Some(Value::Range(3, 0)));
    assert_eq!(desk.system.count(&format!("get {field} AXValue")), 0);
    let named = [("AXPlaceholderValue", text("Password")), ("AXValue", text("hunter2"))];
    let named = desk.system.add(window, "AXTextField", &named);
    desk.system.settable(named, &["AXSelectedTextRange"]);
    assert_eq!(desk.act(named, &Act::SetCaret(3)), Ok(Reply::Accepted));
    assert_eq!(desk.system.count(&format!("get {named} AXValue")), 0, "one by its name, too");
}

#[test]
fn a_number_is_set_as_the_kind_of_number_the_element_has() {
    let (desk, window) = desk();
    for (now, set) in [
        (Value::Whole(1), Value::Whole(7)),
        (Value::Real(0.5), Value::Real(7.0)),
        (text("1"), text("7")),
    ] {
        let slider = desk.system.add(window, "AXSlider", &[("AXValue", now)]);
        desk.system.settable(slider, &["AXValue"]);
        assert_eq!(desk.act(slider, &Act::SetNumber(7.0)), Ok(Reply::Accepted));
        assert_eq!(desk.system.value(slider, "AXValue"), Some(set));
    }
}

#[test]
fn an_item_is_selected_by_itself_or_in_its_container() {
    let (desk, window) = desk();
    let table = desk.system.add(window, "AXTable", &[("AXSelectedRows", Value::List(vec![]))]);
    desk.system.settable(table, &["AXSelectedRows"]);
    let rows: Vec<Thing> = (0..3).map(|_| desk.system.add(table, "AXRow", &[])).collect();
    let cell = desk.system.add(rows[1], "AXCell", &[]);
    let selected = || desk.system.value(table, "AXSelectedRows").unwrap().elements();
    assert_eq!(desk.act(rows[0], &Act::Select), Ok(Reply::Accepted));
    assert_eq!(desk.act(cell, &Act::Select), Ok(Reply::Accepted));
    assert_eq!(selected(), [rows[0], rows[1]]);
    let told = desk.tree.selected(&desk.app(10), &desk.id(table), soon()).unwrap();
    assert_eq!(told, Some(vec![desk.id(rows[0]), desk.id(rows[1])]));
    assert_eq!(desk.act(rows[0], &Act::Deselect), Ok(Reply::Accepted));
    assert_eq!(selected(), [rows[1]]);
    assert_eq!(desk.act(rows[2], &Act::SelectOnly), Ok(Reply::Accepted));
    assert_eq!(selected(), [rows[2]]);
    assert_eq!(desk.act(table, &Act::SelectItem(0)), Ok(Reply::Accepted));
    assert_eq!(selected(), [rows[2], rows[0]]);
    let none = desk.act(table, &Act::SelectItem(9));
    assert!(matches!(none, Err(Error::Unsupported { .. })), "{none:?}");
    assert_eq!(desk.act(table, &Act::SelectNone), Ok(Reply::Accepted));
    assert!(selected().is_empty());
    desk.system.settable(rows[0], &["AXSelected"]);
    assert_eq!(desk.act(rows[0], &Act::Select), Ok(Reply::Accepted));
    assert_eq!(desk.system.value(rows[0], "AXSelected"), Some(Value::Flag(true)));
    desk.system.settable(rows[2], &["AXSelected"]);
    assert_eq!(desk.act(table, &Act::SelectItem(2)), Ok(Reply::Accepted));
    assert_eq!(desk.system.value(rows[2], "AXSelected"), Some(Value::Flag(true)));
}

#[test]
fn of_a_selection_without_end_only_the_first_items_are_read() {
    let (desk, window) = desk();
    let table = desk.system.add(window, "AXTable", &[]);
    let rows: Vec<Thing> = (0..300).map(|_| desk.system.add(table, "AXRow", &[])).collect();
    let all = rows.iter().map(|row| Value::Element(*row)).collect();
    desk.system.put(table, "AXSelectedRows", Value::List(all));
    let told = desk.tree.selected(&desk.app(10), &desk.id(table), soon()).unwrap().unwrap();
    assert_eq!((told.len(), &told[0]), (100, &desk.id(rows[0])));
    assert_eq!(desk.system.count(&format!("page {table} AXSelectedRows 0+100")), 1);
    assert_eq!(desk.system.count(&format!("get_all {table} AXSelectedRows")), 0);
}

#[test]
fn items_are_numbered_as_a_look_lists_them() {
    let (desk, window) = desk();
    let table = desk.system.add(window, "AXTable", &[("AXSelectedRows", Value::List(vec![]))]);
    let header = desk.system.add(table, "AXGroup", &[]);
    desk.system.put(table, "AXHeader", Value::Element(header));
    desk.system.settable(table, &["AXSelectedRows"]);
    let rows: Vec<Thing> = (0..2).map(|_| desk.system.add(table, "AXRow", &[])).collect();
    let look = desk.look(10);
    let at = look.position(&desk.id(table)).unwrap();
    let listed: Vec<_> = look.children(at).map(|at| look.node(at).id.clone()).collect();
    assert_eq!(listed, [header, rows[0], rows[1]].map(|one| desk.id(one)));
    assert_eq!(desk.act(table, &Act::SelectItem(1)), Ok(Reply::Accepted));
    let selected = desk.system.value(table, "AXSelectedRows").unwrap().elements();
    assert_eq!(selected, [rows[0]]);
}

#[test]
fn where_nothing_keeps_a_selection_an_item_speaks_for_itself_or_cannot_be_selected() {
    let (desk, window) = desk();
    let item = desk.system.add(window, "AXGroup", &[]);
    for act in [Act::Select, Act::SelectOnly, Act::SelectItem(0), Act::SelectNone] {
        let said = desk.act(item, &act);
        assert!(matches!(said, Err(Error::Unsupported { .. })), "{act:?} {said:?}");
    }
    desk.system.settable(item, &["AXSelected"]);
    assert_eq!(desk.act(item, &Act::SelectOnly), Ok(Reply::Accepted));
    assert_eq!(desk.tree.selected(&desk.app(10), &desk.id(item), soon()), Ok(None));
}

#[test]
fn rows_open_and_close_by_their_attribute() {
    let (desk, window) = desk();
    let row = desk.system.add(window, "AXRow", &[("AXDisclosing", Value::Flag(false))]);
    desk.system.settable(row, &["AXDisclosing"]);
    assert_eq!(desk.act(row, &Act::Do("expand".into())), Ok(Reply::Accepted));
    assert_eq!(desk.system.value(row, "AXDisclosing"), Some(Value::Flag(true)));
    assert_eq!(desk.act(row, &Act::Do("Collapse".into())), Ok(Reply::Accepted));
    assert_eq!(desk.system.value(row, "AXDisclosing"), Some(Value::Flag(false)));
}

#[test]
fn scrolling_into_view_is_tried_though_nobody_lists_it() {
    let (desk, window) = desk();
    let row = desk.system.add(window, "AXRow", &[]);
    assert!(matches!(desk.act(row, &Act::Reveal), Err(Error::Unsupported { .. })));
    desk.system.actions(row, &["AXScrollToVisible"]);
    assert_eq!(desk.act(row, &Act::Reveal), Ok(Reply::Accepted));
}

#[test]
fn an_app_that_does_not_answer_to_an_act_may_still_do_it() {
    let (desk, window) = desk();
    let button = desk.system.add(window, "AXButton", &[]);
    let id = desk.id(button);
    let app = desk.app(10);
    let one = crate::tree::act::One { room: &desk.tree.0, app: &app, element: &button, by: soon() };
    assert_eq!(one.said(Err(Fault::CannotComplete)), Ok(Reply::Unanswered));
    assert_eq!(one.said(Err(Fault::Failure)), Ok(Reply::Declined));
    let closed = one.said(Err(Fault::InvalidElement));
    assert_eq!(closed, Ok(Reply::Unanswered), "perhaps by what it did");
    assert_eq!(one.said(Err(Fault::ActionUnsupported)), Ok(Reply::Declined), "it was sent");
    let late = Deadline::after(Duration::ZERO);
    let said = desk.tree.perform(&app, &id, &Act::Do("press".into()), late);
    assert!(matches!(said, Err(Error::Timeout { .. })), "{said:?}");
    desk.system.fail(button, Fault::InvalidElement);
    assert!(matches!(desk.act(button, &Act::Focus), Err(Error::Gone { .. })));
    assert!(matches!(desk.act(button, &Act::Do("press".into())), Err(Error::Gone { .. })));
    assert!(matches!(desk.act(button, &Act::SetCaret(1)), Err(Error::Gone { .. })));
    assert!(matches!(desk.act(button, &Act::SelectOnly), Err(Error::Gone { .. })));
    assert!(matches!(desk.act(button, &Act::Reveal), Err(Error::Gone { .. })));
}
