//! Tests for fields that are called by a text beside, above or around them.

use deskhand_model::{Explain, NodeId, Rect, Relation, RelationKind, Role, Snapshot, State};

use super::{
    choice::{found_for, set_to},
    finds, one, one_by,
};
use crate::{
    Guess, MatchMethod, Purpose, Query, RefTable, Strategy, find_all, is_conclusive, testing::Tree,
};

/// A window in which every element has a place.
struct Form {
    tree: Tree,
    window: u32,
}

impl Form {
    fn new(title: &str) -> Self {
        let mut tree = Tree::new();
        let window = tree.add(0, Role::Window, title);
        tree.at(window).bounds = Some(Rect::new(0, 0, 1_000, 900));
        Self { tree, window }
    }

    fn add(&mut self, role: Role, name: &str, bounds: [i32; 4]) -> u32 {
        let at = self.tree.add(self.window, role, name);
        let [x, y, width, height] = bounds;
        self.tree.at(at).bounds = Some(Rect::new(x, y, width, height));
        at
    }

    fn entry(&mut self, name: &str, bounds: [i32; 4]) -> u32 {
        let at = self.add(Role::Entry, name, bounds);
        let states = self.tree.at(at).states;
        self.tree.at(at).states = states.with(State::Editable).with(State::Enabled);
        at
    }

    /// Returns the number of the element that a text means, and if it is a guess.
    fn found(&self, text: &str, purpose: Purpose) -> Result<(u32, Option<Guess>), &'static str> {
        let snapshot = self.tree.snapshot();
        let found = found_for(&snapshot, text, purpose).map_err(|error| error.code())?;
        let number = snapshot.node(found.index).id.as_str().trim_start_matches("id").parse();
        Ok((number.unwrap(), found.guess))
    }
}

#[test]
fn a_button_before_a_field_means_the_field_if_text_is_typed() {
    let mut form = Form::new("shop.db");
    let button = form.add(Role::Button, "Go to:", [423, 766, 80, 23]);
    let field = form.entry("", [510, 766, 113, 23]);
    assert_eq!(form.found("Go to", Purpose::TypeText), Ok((field, Some(Guess::Beside))));
    assert_eq!(form.found("the Go to field", Purpose::TypeText), Ok((field, Some(Guess::Beside))));
    assert_eq!(form.found("Go to", Purpose::Act), Ok((button, None)));
    // A field with another name is not meant.
    form.tree.at(field).name = "Address".into();
    assert_eq!(form.found("Go to", Purpose::TypeText), Ok((button, None)));
}

#[test]
fn a_choice_far_after_its_text_is_set() {
    let mut form = Form::new("Preferences");
    form.add(Role::Label, "Application style", [283, 277, 100, 23]);
    let style = form.add(Role::ComboBox, "Follow the desktop style", [583, 277, 200, 23]);
    form.add(Role::CheckBox, "Remember the application style of windows", [283, 320, 300, 23]);
    let wanted = Ok((style, Some(Guess::Beside)));
    assert_eq!(form.found("Application style", set_to("Dark style")), wanted);
    let other = form.add(Role::ComboBox, "Small", [583, 279, 200, 23]);
    assert_eq!(form.found("Application style", set_to("Dark style")), wanted, "{other}");
}

#[test]
fn a_word_is_no_value_for_a_switch_or_a_slider() {
    let mut form = Form::new("Slide Properties");
    form.add(Role::Menu, "Format", [0, 0, 60, 20]);
    let switch = form.add(Role::CheckBox, "Fit object to paper format", [10, 200, 200, 20]);
    let label = form.add(Role::Label, "Format:", [10, 100, 60, 20]);
    let combo = form.add(Role::ComboBox, "Screen 16:9", [80, 100, 200, 20]);
    assert_eq!(form.found("Format", set_to("Screen 4:3")), Ok((combo, Some(Guess::Beside))));
    form.tree.remove(combo);
    form.tree.remove(label);
    assert_eq!(form.found("Fit object", set_to("on")), Ok((switch, None)));
    let slider = form.add(Role::Slider, "Volume", [10, 300, 200, 20]);
    let entry = form.entry("Volume", [10, 400, 200, 20]);
    assert_eq!(form.found("Volume", set_to("loud")), Ok((entry, None)));
    form.tree.at(entry).name = "Volume label".into();
    assert_eq!(form.found("Volume", set_to("loud")), Ok((slider, None)), "its whole name fits");
    assert_eq!(form.found("Volume", set_to("40")), Ok((slider, None)));
}

#[test]
fn the_name_of_a_window_means_its_only_field() {
    let mut form = Form::new("Find");
    form.add(Role::ComboBox, "Find", [19, 38, 93, 34]);
    let field = form.entry("", [120, 38, 300, 34]);
    form.add(Role::Button, "Close", [19, 100, 93, 34]);
    assert_eq!(form.found("Find", Purpose::TypeText), Ok((field, Some(Guess::Inside))));
    form.entry("", [120, 138, 300, 34]);
    assert_eq!(form.found("Find", Purpose::TypeText).unwrap().1, None, "one of two fields");
}

#[test]
fn of_several_fields_beside_equal_texts_none_is_taken() {
    let mut form = Form::new("Editor");
    for y in [100, 300] {
        form.add(Role::Button, "Translation", [10, y, 100, 20]);
        form.entry("", [120, y, 300, 20]);
    }
    assert_eq!(form.found("Translation", Purpose::TypeText), Err("ambiguous"));
}

#[test]
fn a_click_on_the_text_beside_a_check_box_without_a_name_switches_it() {
    let mut form = Form::new("Preferences");
    form.add(Role::Label, "Automatically save documents", [10, 10, 200, 20]);
    let switch = form.add(Role::CheckBox, "", [216, 10, 20, 20]);
    let wanted = Ok((switch, Some(Guess::Beside)));
    assert_eq!(form.found("Automatically save documents", Purpose::Act), wanted);
    assert_eq!(form.found("Automatically save", set_to("on")), wanted);
}

fn labelled() -> Snapshot {
    let mut tree = Tree::new();
    let window = tree.add(0, Role::Window, "Form");
    let label = tree.add(window, Role::Label, "_City:");
    let city = tree.add(window, Role::Entry, "");
    let targets = vec![NodeId::new(format!("id{label}"))];
    tree.at(city).relations.push(Relation { kind: RelationKind::LabelledBy, targets });
    let search = tree.add(window, Role::Entry, "");
    tree.at(search).placeholder = "Search for events".into();
    let row = tree.add(window, Role::Button, "");
    tree.add(row, Role::Label, "Send");
    tree.snapshot()
}

#[test]
fn structured_queries_match_labels_and_computed_names() {
    let s = labelled();
    for text in [
        "role:textbox title:City",
        "role:entry name:city",
        "textbox:City",
        "{\"role\":\"textbox\",\"title\":\"City\"}",
        "{\"role\":\"textbox\",\"text\":\"City\"}",
    ] {
        finds(&s, text, MatchMethod::Label, Role::Entry, "");
    }
    for text in ["{\"role\":\"textbox\",\"text_contains\":\"cit\"}", "role:textbox title:Cit"] {
        finds(&s, text, MatchMethod::Contains, Role::Entry, "");
    }
    finds(&s, "Search for events", MatchMethod::Label, Role::Entry, "");
    finds(&s, "role:textbox title:\"Search for events\"", MatchMethod::Label, Role::Entry, "");
    finds(&s, "role:button title:Send", MatchMethod::Label, Role::Button, "");
    finds(&s, "/^search for/i", MatchMethod::Regex, Role::Entry, "");
    let exact = one_by(&s, "role:textbox title:City", Strategy::Exact).unwrap();
    assert_eq!(exact.by, MatchMethod::Label);
    let part = one_by(&s, "events", Strategy::Contains).unwrap();
    assert_eq!(part.by, MatchMethod::Contains);
    assert_eq!(one(&s, "role:button title:City").unwrap_err().code(), "no_match");
    // A first read without labels is not enough, so that labels are read.
    let query = Query::parse("role:textbox title:City", Strategy::Auto).unwrap();
    assert!(query.required_fields().relations && !query.initial_fields().relations);
    let found = find_all(&s, &query, &mut RefTable::new()).unwrap();
    assert!(!is_conclusive(&s, &found, &crate::Preferences::default()));
}

#[test]
fn in_xpath_the_title_is_the_own_name_and_the_name_is_the_one_people_read() {
    let s = labelled();
    finds(&s, "//textbox[@name='_City:']", MatchMethod::Xpath, Role::Entry, "");
    finds(&s, "//textbox[@name='Search for events']", MatchMethod::Xpath, Role::Entry, "");
    assert_eq!(one(&s, "//textbox[@title='_City:']").unwrap_err().code(), "no_match");
    assert_eq!(one(&s, "//textbox[@title]").unwrap_err().code(), "no_match");
    finds(
        &s,
        "//label[@title='_City:'][@name='_City:']",
        MatchMethod::Xpath,
        Role::Label,
        "_City:",
    );
    let fields = |text: &str| Query::parse(text, Strategy::Xpath).unwrap().required_fields();
    assert!(fields("//a[@name='x']").relations && !fields("//a[@title='x']").relations);
}

#[test]
fn a_control_is_called_by_the_text_inside_it() {
    let mut tree = Tree::new();
    let window = tree.add(0, Role::Window, "Form");
    for (role, text) in [(Role::Button, "Send"), (Role::CheckBox, "Dark")] {
        let control = tree.add(window, role, "");
        tree.at(control).states = tree.at(control).states.with(State::Enabled);
        tree.add(control, Role::Label, text);
    }
    let s = tree.snapshot();
    let role = |text: &str, purpose| found_for(&s, text, purpose).map(|f| s.node(f.index).role);
    for purpose in [Purpose::Read, Purpose::Act] {
        assert_eq!(role("the Send button", purpose), Ok(Role::Button));
        assert_eq!(role("Send button", purpose), Ok(Role::Button));
    }
    assert_eq!(role("Dark", set_to("on")), Ok(Role::CheckBox));
    assert_eq!(role("Dark", Purpose::Act), Ok(Role::CheckBox));
    assert_eq!(role("/^dark$/i", Purpose::Act), Ok(Role::CheckBox));
    assert_eq!(role("Dark", Purpose::Read), Ok(Role::Label), "the text itself");
    assert_eq!(found_for(&s, "Dark", Purpose::Act).unwrap().guess, None);
}

#[test]
fn expressions_and_parts_mean_the_field_of_a_label() {
    let mut form = Form::new("Image");
    form.add(Role::Label, "Width:", [10, 10, 60, 20]);
    let width = form.add(Role::SpinButton, "", [80, 10, 60, 20]);
    for text in ["/^Width/", "Width", "title:Width", "Wid"] {
        let wanted = Ok((width, Some(Guess::Beside)));
        assert_eq!(form.found(text, set_to("64")), wanted, "{text}");
    }
    let s = form.tree.snapshot();
    for (text, strategy) in [("wid", Strategy::Contains), ("^Wid", Strategy::Regex)] {
        let found = one_by(&s, text, strategy).unwrap();
        assert_eq!(
            (s.node(found.index).role, found.guess),
            (Role::SpinButton, Some(Guess::Beside))
        );
    }
    let found = one_by(&s, "//*[@name='Width:'][self::spinbutton]", Strategy::Xpath).unwrap();
    assert_eq!(found.guess, Some(Guess::Beside));
    let found = one_by(&s, "//spinbutton", Strategy::Xpath).unwrap();
    assert_eq!(found.guess, None);
}

#[test]
fn the_field_of_an_editable_combo_box_beside_a_label_is_a_guess() {
    let mut form = Form::new("Find");
    form.add(Role::Label, "Search for:", [10, 10, 80, 20]);
    let combo = form.add(Role::ComboBox, "", [100, 10, 200, 20]);
    form.window = combo;
    let field = form.entry("", [100, 10, 180, 20]);
    let wanted = Ok((field, Some(Guess::Beside)));
    assert_eq!(form.found("Search for", Purpose::TypeText), wanted);
    assert_eq!(form.found("/^search/i", Purpose::TypeText), wanted);
}
