//! Single elements: values, texts and attributes.

use deskhand_model::{Rect, Role, State, Value as Content};
use deskhand_platform::{NodeFields, Tree};

use super::{TestTree, test_deadline};
use crate::tree::{AxError, Value, fake_ax::text};

const AT: (&str, Value<u32>) = ("AXFrame", Value::Rect(10.0, 10.0, 50.0, 20.0));

#[test]
fn a_single_element_is_read_with_its_visibility() {
    let test = TestTree::new();
    let window = test.ax.window(test.ax.app("Notes", 10), "A");
    let area = ("AXFrame", Value::Rect(0.0, 0.0, 100.0, 100.0));
    let area = test.ax.add(window, "AXScrollArea", &[area]);
    let near = test.ax.add(area, "AXButton", &[AT]);
    let far = ("AXFrame", Value::Rect(10.0, 400.0, 50.0, 20.0));
    let far = test.ax.add(area, "AXButton", &[far]);
    let ids = [test.id(near), test.id(far)];
    let nodes = test.tree.read(&test.app(10), &ids, NodeFields::STANDARD, test_deadline()).unwrap();
    let shows: Vec<bool> =
        nodes.iter().flatten().map(|node| node.states.has(State::Showing)).collect();
    assert_eq!(shows, [true, false]);
    let places: Vec<_> = nodes.iter().flatten().map(|node| node.bounds).collect();
    assert_eq!(places, [Some(Rect::new(10, 10, 50, 20)), None]);
}

#[test]
fn numbers_have_their_range() {
    let test = TestTree::new();
    let window = test.ax.window(test.ax.app("Mix", 10), "A");
    let slider = test.ax.add(
        window,
        "AXSlider",
        &[
            ("AXValue", Value::Real(40.0)),
            ("AXMinValue", Value::Whole(0)),
            ("AXMaxValue", Value::Whole(100)),
            ("AXValueIncrement", Value::Whole(5)),
            AT,
        ],
    );
    let bar = test.ax.add(window, "AXProgressIndicator", &[("AXValue", Value::Real(0.5)), AT]);
    let snapshot = test.snapshot(10);
    let value = |element| test.node(&snapshot, element).value;
    assert_eq!(value(slider), Some(Content::Number { now: 40.0, min: 0.0, max: 100.0, step: 5.0 }));
    assert_eq!(value(bar), Some(Content::Number { now: 0.5, min: 0.0, max: 1.0, step: 0.0 }));
}

#[test]
fn only_the_beginning_of_a_long_text_is_read() {
    let test = TestTree::new();
    let window = test.ax.window(test.ax.app("Book", 10), "A");
    let whole = "a".repeat(9_000);
    let area = [("AXValue", text(&whole)), ("AXNumberOfCharacters", Value::Whole(9_000)), AT];
    let area = test.ax.add(window, "AXTextArea", &area);
    let node = test.node(&test.snapshot(10), area);
    let Some(Content::Text { text: start, length }) = node.value else { panic!("no text") };
    assert_eq!((start.len(), length), (2_000, 9_000));
    assert_eq!(test.ax.count(&format!("get {area} AXValue")), 0);
    test.ax.put(area, "AXNumberOfCharacters", Value::Whole(3));
    test.ax.put(area, "AXValue", text("a😀b"));
    let node = test.node(&test.snapshot(10), area);
    assert_eq!(node.value, Some(Content::Text { text: "a😀b".into(), length: 3 }));
}

#[test]
fn caret_and_selection_are_counted_in_characters() {
    let test = TestTree::new();
    let window = test.ax.window(test.ax.app("Notes", 10), "A");
    let area = [
        ("AXValue", text("a😀bc")),
        ("AXNumberOfCharacters", Value::Whole(5)),
        ("AXSelectedTextRange", Value::Range(3, 1)),
    ];
    let area = test.ax.add(window, "AXTextArea", &area);
    let content = test.tree.text(&test.app(10), &test.id(area), test_deadline()).unwrap().unwrap();
    assert_eq!((content.caret, content.selected, content.length), (Some(3), Some((2, 3)), 4));
    test.ax.put(area, "AXSelectedTextRange", Value::Range(5, 0));
    let content = test.tree.text(&test.app(10), &test.id(area), test_deadline()).unwrap().unwrap();
    assert_eq!((content.caret, content.selected), (Some(4), None));
    let group = test.ax.add(window, "AXGroup", &[]);
    assert_eq!(test.tree.text(&test.app(10), &test.id(group), test_deadline()), Ok(None));
}

#[test]
fn values_and_bounds_of_hidden_elements_are_read_on_request() {
    let test = TestTree::new();
    let window = test.ax.window(test.ax.app("Notes", 10), "A");
    test.ax.put(window, "AXMinimized", Value::Flag(true));
    let field = test.ax.add(window, "AXTextField", &[("AXValue", text("x")), AT]);
    let read = |what| {
        test.tree
            .read(&test.app(10), &[test.id(field)], what, test_deadline())
            .unwrap()
            .remove(0)
            .unwrap()
    };
    let plain = read(NodeFields::STANDARD);
    assert_eq!((plain.value, plain.bounds), (None, None));
    assert!(plain.states.has(State::ReadOnly));
    let all = read(NodeFields { hidden: true, ..NodeFields::STANDARD });
    assert!(all.value.is_some() && all.bounds.is_some());
}

#[test]
fn every_attribute_is_printed_and_lists_are_counted() {
    let test = TestTree::new();
    let window = test.ax.window(test.ax.app("Notes", 10), "A");
    let area = [
        ("AXValue", text(&"x".repeat(3_000))),
        ("AXURL", Value::Link("https://example.com/".into())),
        ("AXSelectedTextRange", Value::Range(1, 2)),
        ("AXWindow", Value::Element(window)),
        ("AXHelp", Value::Error(AxError::NoValue)),
        ("AXBroken", Value::Error(AxError::Failure)),
        ("AXVisibleRows", Value::List(vec![Value::Element(window)])),
    ];
    let area = test.ax.add(window, "AXTextArea", &area);
    test.ax.actions(area, &["AXShowMenu"]);
    let attributes = test.tree.attributes(&test.app(10), &test.id(area), test_deadline()).unwrap();
    let printed =
        |name: &str| attributes.iter().find(|(one, _)| one == name).map(|(_, text)| text.as_str());
    assert_eq!(printed("AXURL"), Some("https://example.com/"));
    assert_eq!(printed("AXSelectedTextRange"), Some("2 from 1"));
    assert_eq!(printed("AXWindow"), Some(test.id(window).as_str()));
    assert_eq!(printed("AXHelp"), None);
    assert_eq!(printed("AXBroken"), Some("(kAXErrorFailure)"));
    assert_eq!(printed("AXVisibleRows"), Some("1 elements"));
    assert_eq!(printed("actions"), Some("ShowMenu"));
    assert_eq!(printed("parameterized attributes"), Some("AXStringForRange"));
    assert!(printed("AXValue").is_some_and(|text| text.ends_with("(3000 characters in total)")));
}

#[test]
fn values_are_formatted_for_the_user() {
    let printed = |value: Value<u32>| value.to_display_string();
    assert_eq!(printed(Value::Flag(true)), "true");
    assert_eq!(printed(Value::Point(1.5, 2.0)), "1.5, 2");
    assert_eq!(printed(Value::Size(3.0, 4.0)), "3 x 4");
    assert_eq!(printed(Value::Rect(1.0, 2.0, 3.0, 4.0)), "1, 2, 3 x 4");
    assert_eq!(printed(Value::Real(0.5)), "0.5");
    assert_eq!(printed(Value::Whole(7)), "7");
    assert_eq!(printed(Value::Date(0.0)), "2001-01-01 00:00:00 UTC");
    assert_eq!(printed(Value::Date(-86_400.0 * 366.0)), "2000-01-01 00:00:00 UTC");
    assert_eq!(printed(Value::Date(f64::NAN)), "an unknown date");
    assert_eq!(printed(Value::Other("<thing>".into())), "<thing>");
    assert_eq!(printed(Value::Error(AxError::NoValue)), "kAXErrorNoValue");
    assert_eq!(printed(Value::Element(1)), "an element");
    assert_eq!(printed(Value::List(vec![text("a"), Value::Whole(1)])), "a, 1");
    assert_eq!(Value::<u32>::Range(-1, 0).range(), None);
}

#[test]
fn a_popup_button_is_neither_read_only_nor_secret() {
    let test = TestTree::new();
    let window = test.ax.window(test.ax.app("Prefs", 10), "A");
    let choice = [("AXTitle", text("Password")), ("AXValue", text("Ask")), AT];
    let choice = test.ax.add(window, "AXPopUpButton", &choice);
    let typed = test.ax.add(window, "AXComboBox", &[("AXValue", text("12")), AT]);
    test.ax.settable(typed, &["AXValue"]);
    let snapshot = test.snapshot(10);
    let node = test.node(&snapshot, choice);
    assert_eq!((node.role, node.text()), (Role::ComboBox, Some("Ask")));
    assert!(!node.states.has(State::ReadOnly) && node.states.has(State::HasPopup));
    assert!(test.node(&snapshot, typed).states.has(State::Editable));
}

#[test]
fn the_content_of_a_text_is_its_name() {
    let test = TestTree::new();
    let window = test.ax.window(test.ax.app("Notes", 10), "A");
    let label = [("AXDescription", text("status")), ("AXValue", text("Saved")), AT];
    let label = test.ax.add(window, "AXStaticText", &label);
    let node = test.node(&test.snapshot(10), label);
    assert_eq!((node.name.as_str(), node.description.as_str()), ("Saved", "status"));
}

#[test]
fn a_radio_button_in_a_tab_group_is_a_tab() {
    let test = TestTree::new();
    let window = test.ax.window(test.ax.app("Prefs", 10), "A");
    let row = test.ax.add(window, "AXTabGroup", &[]);
    let tab = [("AXTitle", text("General")), ("AXValue", Value::Whole(1)), AT];
    let tab = test.ax.add(row, "AXRadioButton", &tab);
    let node = test.node(&test.snapshot(10), tab);
    assert!(node.role == Role::Tab && node.states.has(State::Selected));
    let read = test
        .tree
        .read(&test.app(10), &[test.id(tab)], NodeFields::STANDARD, test_deadline())
        .unwrap();
    assert_eq!(read[0].as_ref().map(|node| node.role), Some(Role::Tab));
}
