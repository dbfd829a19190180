//! Single elements: read again, their values, texts and raw facts.

use deskhand_model::{Rect, Role, State, Value as Content};
use deskhand_platform::{Facets, Tree};

use super::{Desk, soon};
use crate::tree::{Fault, Value, recorded::text};

const AT: (&str, Value<u32>) = ("AXFrame", Value::Rect(10.0, 10.0, 50.0, 20.0));

#[test]
fn a_single_element_is_read_with_what_can_be_seen_of_it() {
    let desk = Desk::new();
    let window = desk.system.window(desk.system.app("Notes", 10), "A");
    let area = ("AXFrame", Value::Rect(0.0, 0.0, 100.0, 100.0));
    let area = desk.system.add(window, "AXScrollArea", &[area]);
    let near = desk.system.add(area, "AXButton", &[AT]);
    let far = ("AXFrame", Value::Rect(10.0, 400.0, 50.0, 20.0));
    let far = desk.system.add(area, "AXButton", &[far]);
    let ids = [desk.id(near), desk.id(far)];
    let nodes = desk.tree.read(&desk.app(10), &ids, Facets::LOOK, soon()).unwrap();
    let shows: Vec<bool> =
        nodes.iter().flatten().map(|node| node.states.has(State::Showing)).collect();
    assert_eq!(shows, [true, false]);
    let places: Vec<_> = nodes.iter().flatten().map(|node| node.bounds).collect();
    assert_eq!(places, [Some(Rect::new(10, 10, 50, 20)), None]);
}

#[test]
fn numbers_come_with_their_range() {
    let desk = Desk::new();
    let window = desk.system.window(desk.system.app("Mix", 10), "A");
    let slider = desk.system.add(
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
    let bar = desk.system.add(window, "AXProgressIndicator", &[("AXValue", Value::Real(0.5)), AT]);
    let look = desk.look(10);
    let value = |thing| desk.node(&look, thing).value;
    assert_eq!(value(slider), Some(Content::Number { now: 40.0, min: 0.0, max: 100.0, step: 5.0 }));
    assert_eq!(value(bar), Some(Content::Number { now: 0.5, min: 0.0, max: 1.0, step: 0.0 }));
}

#[test]
fn a_long_text_is_read_from_its_beginning_only() {
    let desk = Desk::new();
    let window = desk.system.window(desk.system.app("Book", 10), "A");
    let whole = "a".repeat(9_000);
    let area = [("AXValue", text(&whole)), ("AXNumberOfCharacters", Value::Whole(9_000)), AT];
    let area = desk.system.add(window, "AXTextArea", &area);
    let node = desk.node(&desk.look(10), area);
    let Some(Content::Text { text: start, length }) = node.value else { panic!("no text") };
    assert_eq!((start.len(), length), (2_000, 9_000));
    assert_eq!(desk.system.count(&format!("get {area} AXValue")), 0);
    desk.system.put(area, "AXNumberOfCharacters", Value::Whole(3));
    desk.system.put(area, "AXValue", text("a😀b"));
    let node = desk.node(&desk.look(10), area);
    assert_eq!(node.value, Some(Content::Text { text: "a😀b".into(), length: 3 }));
}

#[test]
fn a_caret_and_a_selection_are_told_in_characters() {
    let desk = Desk::new();
    let window = desk.system.window(desk.system.app("Notes", 10), "A");
    let area = [
        ("AXValue", text("a😀bc")),
        ("AXNumberOfCharacters", Value::Whole(5)),
        ("AXSelectedTextRange", Value::Range(3, 1)),
    ];
    let area = desk.system.add(window, "AXTextArea", &area);
    let told = desk.tree.text(&desk.app(10), &desk.id(area), soon()).unwrap().unwrap();
    assert_eq!((told.caret, told.selected, told.length), (Some(3), Some((2, 3)), 4));
    desk.system.put(area, "AXSelectedTextRange", Value::Range(5, 0));
    let told = desk.tree.text(&desk.app(10), &desk.id(area), soon()).unwrap().unwrap();
    assert_eq!((told.caret, told.selected), (Some(4), None));
    let group = desk.system.add(window, "AXGroup", &[]);
    assert_eq!(desk.tree.text(&desk.app(10), &desk.id(group), soon()), Ok(None));
}

#[test]
fn hidden_elements_cost_less_unless_they_are_wanted() {
    let desk = Desk::new();
    let window = desk.system.window(desk.system.app("Notes", 10), "A");
    desk.system.put(window, "AXMinimized", Value::Flag(true));
    let field = desk.system.add(window, "AXTextField", &[("AXValue", text("x")), AT]);
    let read = |what| {
        desk.tree.read(&desk.app(10), &[desk.id(field)], what, soon()).unwrap().remove(0).unwrap()
    };
    let plain = read(Facets::LOOK);
    assert_eq!((plain.value, plain.bounds), (None, None));
    assert!(plain.states.has(State::ReadOnly));
    let all = read(Facets { hidden: true, ..Facets::LOOK });
    assert!(all.value.is_some() && all.bounds.is_some());
}

#[test]
fn every_raw_fact_is_told_and_lists_are_counted() {
    let desk = Desk::new();
    let window = desk.system.window(desk.system.app("Notes", 10), "A");
    let area = [
        ("AXValue", text(&"x".repeat(3_000))),
        ("AXURL", Value::Link("https://example.com/".into())),
        ("AXSelectedTextRange", Value::Range(1, 2)),
        ("AXWindow", Value::Element(window)),
        ("AXHelp", Value::Fault(Fault::NoValue)),
        ("AXBroken", Value::Fault(Fault::Failure)),
        ("AXVisibleRows", Value::List(vec![Value::Element(window)])),
    ];
    let area = desk.system.add(window, "AXTextArea", &area);
    desk.system.actions(area, &["AXShowMenu"]);
    let facts = desk.tree.attributes(&desk.app(10), &desk.id(area), soon()).unwrap();
    let fact =
        |name: &str| facts.iter().find(|(one, _)| one == name).map(|(_, text)| text.as_str());
    assert_eq!(fact("AXURL"), Some("https://example.com/"));
    assert_eq!(fact("AXSelectedTextRange"), Some("2 from 1"));
    assert_eq!(fact("AXWindow"), Some(desk.id(window).as_str()));
    assert_eq!(fact("AXHelp"), None);
    assert_eq!(fact("AXBroken"), Some("(kAXErrorFailure)"));
    assert_eq!(fact("AXVisibleRows"), Some("1 elements"));
    assert_eq!(fact("actions"), Some("ShowMenu"));
    assert_eq!(fact("parameterized attributes"), Some("AXStringForRange"));
    assert!(fact("AXValue").is_some_and(|text| text.ends_with("(3000 characters in all)")));
}

#[test]
fn values_print_as_a_person_reads_them() {
    let printed = |value: Value<u32>| value.printed();
    assert_eq!(printed(Value::Flag(true)), "true");
    assert_eq!(printed(Value::Point(1.5, 2.0)), "1.5, 2");
    assert_eq!(printed(Value::Size(3.0, 4.0)), "3 x 4");
    assert_eq!(printed(Value::Rect(1.0, 2.0, 3.0, 4.0)), "1, 2, 3 x 4");
    assert_eq!(printed(Value::Real(0.5)), "0.5");
    assert_eq!(printed(Value::Whole(7)), "7");
    assert_eq!(printed(Value::Date(0.0)), "2001-01-01 00:00:00 UTC");
    assert_eq!(printed(Value::Date(-86_400.0 * 366.0)), "2000-01-01 00:00:00 UTC");
    assert_eq!(printed(Value::Date(f64::NAN)), "an unknown moment");
    assert_eq!(printed(Value::Other("<thing>".into())), "<thing>");
    assert_eq!(printed(Value::Fault(Fault::NoValue)), "kAXErrorNoValue");
    assert_eq!(printed(Value::Element(1)), "an element");
    assert_eq!(printed(Value::List(vec![text("a"), Value::Whole(1)])), "a, 1");
    assert_eq!(Value::<u32>::Range(-1, 0).range(), None);
}

#[test]
fn a_choice_is_neither_read_only_nor_a_secret_by_its_name() {
    let desk = Desk::new();
    let window = desk.system.window(desk.system.app("Prefs", 10), "A");
    let choice = [("AXTitle", text("Password")), ("AXValue", text("Ask")), AT];
    let choice = desk.system.add(window, "AXPopUpButton", &choice);
    let typed = desk.system.add(window, "AXComboBox", &[("AXValue", text("12")), AT]);
    desk.system.settable(typed, &["AXValue"]);
    let look = desk.look(10);
    let node = desk.node(&look, choice);
    assert_eq!((node.role, node.text()), (Role::ComboBox, Some("Ask")));
    assert!(!node.states.has(State::ReadOnly) && node.states.has(State::HasPopup));
    assert!(desk.node(&look, typed).states.has(State::Editable));
}

#[test]
fn a_text_is_called_by_what_it_says() {
    let desk = Desk::new();
    let window = desk.system.window(desk.system.app("Notes", 10), "A");
    let label = [("AXDescription", text("status")), ("AXValue", text("Saved")), AT];
    let label = desk.system.add(window, "AXStaticText", &label);
    let node = desk.node(&desk.look(10), label);
    assert_eq!((node.name.as_str(), node.description.as_str()), ("Saved", "status"));
}

#[test]
fn a_tab_among_tabs_is_one() {
    let desk = Desk::new();
    let window = desk.system.window(desk.system.app("Prefs", 10), "A");
    let row = desk.system.add(window, "AXTabGroup", &[]);
    let tab = [("AXTitle", text("General")), ("AXValue", Value::Whole(1)), AT];
    let tab = desk.system.add(row, "AXRadioButton", &tab);
    let node = desk.node(&desk.look(10), tab);
    assert!(node.role == Role::Tab && node.states.has(State::Selected));
    let read = desk.tree.read(&desk.app(10), &[desk.id(tab)], Facets::LOOK, soon()).unwrap();
    assert_eq!(read[0].as_ref().map(|node| node.role), Some(Role::Tab));
}
