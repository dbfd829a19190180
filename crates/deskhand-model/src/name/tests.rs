//! Names of fields that the app leaves without one.

use super::*;
use crate::{NodeId, Rect, Relation, RelationKind, State, testing::TreeBuilder};

/// A form with a label and a field.
struct Form {
    builder: TreeBuilder,
    panel: usize,
}

impl Form {
    fn new() -> Self {
        let mut builder = TreeBuilder::new();
        let window = builder.add(0, Role::Window, "Form");
        builder.at(window).bounds = Some(Rect::new(0, 0, 600, 400));
        let panel = builder.add(window, Role::Panel, "");
        builder.at(panel).bounds = Some(Rect::new(0, 0, 600, 400));
        Self { builder, panel }
    }

    fn add(&mut self, role: Role, name: &str, bounds: Rect) -> usize {
        let at = self.builder.add(self.panel, role, name);
        self.builder.at(at).bounds = Some(bounds);
        at
    }

    /// Returns the name of an element and its source.
    fn name(&self, at: usize) -> Option<(String, NameSource)> {
        let snapshot = self.builder.snapshot();
        let at = snapshot.position(&NodeId::new(format!("n{at}"))).unwrap();
        Names::of(&snapshot).name(at).map(|name| (name.text.to_owned(), name.source))
    }

    fn relate(&mut self, at: usize, kind: RelationKind, target: usize) {
        let targets = vec![NodeId::new(format!("n{target}"))];
        self.builder.at(at).relations.push(Relation { kind, targets });
    }
}

fn named(text: &str, source: NameSource) -> Option<(String, NameSource)> {
    Some((text.to_owned(), source))
}

#[test]
fn sources_are_tried_in_order() {
    let mut form = Form::new();
    let field = form.add(Role::Entry, "", Rect::new(100, 10, 100, 20));
    form.builder.at(field).description = "The name of the city".into();
    assert_eq!(form.name(field), named("The name of the city", NameSource::Description));
    let label = form.add(Role::Label, "City:", Rect::new(10, 10, 80, 20));
    assert_eq!(form.name(field), named("City:", NameSource::NearbyLabel));
    form.builder.at(field).placeholder = "Enter a city".into();
    assert_eq!(form.name(field), named("Enter a city", NameSource::Placeholder));
    form.relate(field, RelationKind::LabelledBy, label);
    assert_eq!(form.name(field), named("City:", NameSource::Label));
    form.builder.at(field).name = "Town".into();
    assert_eq!(form.name(field), named("Town", NameSource::Own));
}

#[test]
fn a_label_names_its_field_in_either_direction() {
    let mut form = Form::new();
    let label = form.add(Role::Label, "Port", Rect::new(400, 300, 40, 20));
    let field = form.add(Role::SpinButton, "", Rect::new(10, 10, 80, 20));
    assert_eq!(form.name(field), None);
    form.relate(label, RelationKind::LabelFor, field);
    assert_eq!(form.name(field), named("Port", NameSource::Label));
}

#[test]
fn the_label_of_the_row_is_nearer_than_the_label_above() {
    let mut form = Form::new();
    // In the order in which GTK lists the cells of a grid: fields first, labels backwards.
    let width = form.add(Role::SpinButton, "", Rect::new(100, 10, 80, 24));
    let height = form.add(Role::SpinButton, "", Rect::new(100, 40, 80, 24));
    form.add(Role::Label, "Height:", Rect::new(10, 44, 60, 16));
    form.add(Role::Label, "Width:", Rect::new(10, 14, 60, 16));
    assert_eq!(form.name(width), named("Width:", NameSource::NearbyLabel));
    assert_eq!(form.name(height), named("Height:", NameSource::NearbyLabel));
}

#[test]
fn a_label_directly_above_names_a_field() {
    let mut form = Form::new();
    form.add(Role::Label, "Comment", Rect::new(12, 10, 80, 16));
    let field = form.add(Role::Text, "", Rect::new(10, 30, 300, 100));
    assert_eq!(form.name(field), named("Comment", NameSource::NearbyLabel));
}

#[test]
fn a_label_names_only_the_nearest_field() {
    let mut form = Form::new();
    form.add(Role::Label, "Size", Rect::new(10, 10, 40, 20));
    let first = form.add(Role::Entry, "", Rect::new(60, 10, 80, 20));
    let unit = form.add(Role::ComboBox, "", Rect::new(150, 10, 60, 20));
    assert_eq!(form.name(first), named("Size", NameSource::NearbyLabel));
    assert_eq!(form.name(unit), None);
}

#[test]
fn distant_texts_and_texts_of_other_controls_are_no_labels() {
    let mut form = Form::new();
    form.add(Role::Label, "Heading", Rect::new(10, 10, 40, 20));
    let field = form.add(Role::Entry, "", Rect::new(300, 10, 80, 20));
    assert_eq!(form.name(field), None, "it is too far away");
    let button = form.add(Role::Button, "Browse", Rect::new(220, 10, 70, 20));
    let inner = form.builder.add(button, Role::Label, "Browse");
    form.builder.at(inner).bounds = Some(Rect::new(230, 10, 50, 20));
    assert_eq!(form.name(field), None, "the text belongs to a button");
    let tall = form.add(Role::Text, "", Rect::new(60, 100, 200, 200));
    form.add(Role::Label, "Legend", Rect::new(10, 200, 40, 20));
    assert_eq!(form.name(tall), None, "it stands beside the middle of a text");
}

#[test]
fn the_only_text_inside_names_a_control() {
    let mut form = Form::new();
    let button = form.add(Role::Button, "", Rect::new(10, 10, 80, 20));
    form.builder.add(button, Role::Label, "Save");
    assert_eq!(form.name(button), named("Save", NameSource::Content));
    form.builder.add(button, Role::Label, "Ctrl+S");
    assert_eq!(form.name(button), None, "none of two texts is the name");
}

#[test]
fn hidden_labels_name_nothing() {
    let mut form = Form::new();
    let label = form.add(Role::Label, "City:", Rect::new(10, 10, 80, 20));
    let field = form.add(Role::Entry, "", Rect::new(100, 10, 100, 20));
    form.builder.unset(label, State::Showing);
    assert_eq!(form.name(field), None);
}

#[test]
fn a_combo_box_named_after_its_choice_is_called_by_its_label() {
    let mut form = Form::new();
    let combo = form.add(Role::ComboBox, "Fusion", Rect::new(100, 10, 100, 20));
    form.builder.add(combo, Role::ListItem, "Fusion");
    assert_eq!(form.name(combo), named("Fusion", NameSource::Own));
    form.add(Role::Label, "Style:", Rect::new(10, 10, 80, 20));
    assert_eq!(form.name(combo), named("Style:", NameSource::NearbyLabel));
    let country = form.add(Role::ComboBox, "Country", Rect::new(100, 50, 100, 20));
    form.builder.add(country, Role::ListItem, "Sweden");
    form.add(Role::Label, "Send to:", Rect::new(10, 50, 80, 20));
    assert_eq!(form.name(country), named("Country", NameSource::Own), "not the name of a choice");
}

#[test]
fn a_field_named_after_its_group_is_called_by_its_label() {
    let mut form = Form::new();
    form.builder.at(form.panel).name = "File Operations".into();
    let field = form.add(Role::SpinButton, "File Operations", Rect::new(200, 10, 100, 20));
    form.relate(field, RelationKind::LabelledBy, form.panel);
    assert_eq!(form.name(field), named("File Operations", NameSource::Own));
    form.add(Role::Label, "Number of recent files:", Rect::new(10, 10, 180, 20));
    assert_eq!(form.name(field), named("Number of recent files:", NameSource::NearbyLabel));
}

#[test]
fn a_field_on_the_page_of_a_tab_is_named_by_the_label_before_it() {
    let mut form = Form::new();
    let tab = form.add(Role::Tab, "Normal", Rect::new(10, 10, 50, 20));
    form.panel = form.builder.add(tab, Role::Panel, "");
    let field = form.add(Role::Entry, "", Rect::new(150, 60, 200, 20));
    form.add(Role::Label, "Search for:", Rect::new(10, 60, 120, 20));
    assert_eq!(form.name(field), named("Search for:", NameSource::NearbyLabel));
}

#[test]
fn a_row_names_the_only_field_in_it() {
    let mut form = Form::new();
    let row = form.add(Role::ListItem, "Margin position", Rect::new(0, 500, 300, 40));
    form.panel = row;
    let number = form.add(Role::SpinButton, "", Rect::new(200, 500, 80, 40));
    assert_eq!(form.name(number), named("Margin position", NameSource::NearbyLabel));
    let second = form.add(Role::CheckBox, "", Rect::new(280, 500, 20, 40));
    assert_eq!(form.name(number), None);
    assert_eq!(form.name(second), None);
}

#[test]
fn a_label_related_to_a_container_names_the_only_field_in_it() {
    let mut form = Form::new();
    let label = form.add(Role::Label, "Find:", Rect::new(10, 300, 80, 20));
    let panel = form.panel;
    let container = form.add(Role::Filler, "", Rect::new(100, 10, 200, 20));
    form.relate(label, RelationKind::LabelFor, container);
    form.panel = container;
    let field = form.add(Role::Text, "", Rect::new(100, 10, 200, 20));
    form.panel = panel;
    assert_eq!(form.name(field), named("Find:", NameSource::Label));
}

#[test]
fn a_label_related_to_a_field_on_a_hidden_page_names_the_field_beside_it() {
    let mut form = Form::new();
    let page = form.add(Role::Panel, "", Rect::new(0, 0, 0, 0));
    form.builder.at(page).states = [State::Enabled].into_iter().collect();
    let hidden = form.builder.add(page, Role::SpinButton, "");
    form.builder.at(hidden).states = [State::Enabled].into_iter().collect();
    let label = form.add(Role::Label, "Word Count:", Rect::new(10, 10, 80, 20));
    let shown = form.add(Role::SpinButton, "", Rect::new(100, 10, 80, 20));
    form.relate(label, RelationKind::LabelFor, hidden);
    assert_eq!(form.name(shown), named("Word Count:", NameSource::NearbyLabel));
    assert_eq!(form.name(hidden), None);
    // If the whole form is hidden, the relation is all there is.
    form.builder.unset(label, State::Showing);
    assert_eq!(form.name(hidden), named("Word Count:", NameSource::Label));
}

#[test]
fn a_label_whose_field_has_another_label_names_the_field_beside_it() {
    let mut form = Form::new();
    let first = form.add(Role::Entry, "", Rect::new(200, 10, 80, 20));
    let label = form.add(Role::Label, "Name:", Rect::new(10, 10, 80, 20));
    form.relate(first, RelationKind::LabelledBy, label);
    let wrong = form.add(Role::Label, "Town:", Rect::new(10, 50, 80, 20));
    form.relate(wrong, RelationKind::LabelFor, first);
    let second = form.add(Role::Entry, "", Rect::new(200, 50, 80, 20));
    assert_eq!(form.name(second), named("Town:", NameSource::NearbyLabel));
    assert_eq!(form.name(first), named("Name:", NameSource::Label));
}

#[test]
fn a_check_box_without_a_name_takes_the_nearest_text_of_its_row() {
    let mut form = Form::new();
    form.add(Role::Label, "Save automatically", Rect::new(10, 10, 200, 20));
    let alone = form.add(Role::CheckBox, "", Rect::new(216, 10, 20, 20));
    assert_eq!(form.name(alone), named("Save automatically", NameSource::NearbyLabel));
    let first = form.add(Role::CheckBox, "", Rect::new(10, 50, 20, 20));
    form.add(Role::Label, "Left", Rect::new(34, 50, 40, 20));
    let second = form.add(Role::CheckBox, "", Rect::new(86, 50, 20, 20));
    form.add(Role::Label, "Right", Rect::new(110, 50, 40, 20));
    assert_eq!(form.name(first), named("Left", NameSource::NearbyLabel));
    assert_eq!(form.name(second), named("Right", NameSource::NearbyLabel));
    form.add(Role::Label, "One", Rect::new(10, 90, 40, 20));
    let between = form.add(Role::CheckBox, "", Rect::new(56, 90, 20, 20));
    form.add(Role::Label, "Two", Rect::new(82, 90, 40, 20));
    assert_eq!(form.name(between), None, "either text may be its name");
    form.add(Role::Label, "Options", Rect::new(10, 120, 80, 20));
    let below = form.add(Role::CheckBox, "", Rect::new(10, 144, 20, 20));
    assert_eq!(form.name(below), None, "the text above it is a heading");
}

impl Form {
    /// Returns the number of the field that stands after or below an element.
    fn nearest_field(&self, at: usize, fields: &[usize]) -> Option<usize> {
        let snapshot = self.builder.snapshot();
        let place = |at: &usize| snapshot.position(&NodeId::new(format!("n{at}"))).unwrap();
        let fields_at: Vec<Index> = fields.iter().map(place).collect();
        let found = nearest_field(&snapshot, place(&at), &fields_at)?;
        fields.iter().zip(&fields_at).find(|(_, at)| **at == found).map(|(field, _)| *field)
    }
}

#[test]
fn the_field_of_a_text_stands_after_it_or_below_it() {
    let mut form = Form::new();
    let text = form.add(Role::Label, "Style", Rect::new(10, 10, 80, 20));
    let after = form.add(Role::ComboBox, "Dark", Rect::new(300, 10, 80, 20));
    let below = form.add(Role::Entry, "", Rect::new(10, 40, 80, 20));
    assert_eq!(form.nearest_field(text, &[after, below]), Some(after));
    assert_eq!(form.nearest_field(text, &[below]), Some(below));
    form.add(Role::Label, "of 3", Rect::new(120, 10, 40, 20));
    assert_eq!(form.nearest_field(text, &[after]), None, "a text stands between them");
    let far = form.add(Role::Entry, "", Rect::new(10, 200, 80, 20));
    assert_eq!(form.nearest_field(text, &[far]), None);
    let header = form.add(Role::TableColumnHeader, "price", Rect::new(200, 300, 100, 20));
    let filter = form.add(Role::Entry, "", Rect::new(150, 322, 200, 20));
    assert_eq!(form.nearest_field(header, &[filter]), Some(filter));
}

#[test]
fn a_button_has_a_field_only_close_after_it() {
    let mut form = Form::new();
    let go_to = form.add(Role::Button, "Go to:", Rect::new(10, 10, 80, 20));
    let line = form.add(Role::Entry, "", Rect::new(96, 10, 80, 20));
    assert_eq!(form.nearest_field(go_to, &[line]), Some(line));
    let search = form.add(Role::ToggleButton, "Search", Rect::new(10, 50, 80, 20));
    let document = form.add(Role::Text, "", Rect::new(10, 80, 500, 300));
    let address = form.add(Role::Entry, "", Rect::new(300, 50, 80, 20));
    assert_eq!(form.nearest_field(search, &[document, address]), None);
    let find = form.add(Role::Button, "Find", Rect::new(182, 10, 80, 20));
    let replacement = form.add(Role::Entry, "", Rect::new(270, 10, 80, 20));
    assert_eq!(form.nearest_field(find, &[line, replacement]), None, "it may mean either field");
}

#[test]
fn forms_written_from_right_to_left_are_mirrored() {
    let mut form = Form::new();
    let name = form.add(Role::Entry, "", Rect::new(400, 10, 100, 20));
    form.add(Role::Label, "שם:", Rect::new(510, 10, 60, 20));
    let city = form.add(Role::Entry, "", Rect::new(200, 10, 100, 20));
    let text = form.add(Role::Label, "עיר:", Rect::new(310, 10, 60, 20));
    assert_eq!(form.name(name), named("שם:", NameSource::NearbyLabel));
    assert_eq!(form.name(city), named("עיר:", NameSource::NearbyLabel));
    assert_eq!(form.nearest_field(text, &[name, city]), Some(city));
    let below = form.add(Role::Entry, "", Rect::new(100, 70, 300, 20));
    form.add(Role::Label, "הערה", Rect::new(340, 50, 60, 18));
    assert_eq!(form.name(below), named("הערה", NameSource::NearbyLabel), "the right edges meet");
}

#[test]
fn an_element_inside_a_tab_is_its_title_or_on_its_page() {
    let mut form = Form::new();
    let tab = form.add(Role::Tab, "Network", Rect::new(10, 10, 80, 20));
    let title = form.builder.add(tab, Role::Label, "Network");
    let panel = form.builder.add(tab, Role::Panel, "");
    let text = form.builder.add(panel, Role::Label, "Proxy");
    let is_on_page = |form: &Form, at: usize| {
        let snapshot = form.builder.snapshot();
        let place = |at: usize| snapshot.position(&NodeId::new(format!("n{at}"))).unwrap();
        is_page_of_tab(&snapshot, place(tab), place(at))
    };
    assert!(!is_on_page(&form, title) && is_on_page(&form, text), "without positions");
    form.builder.at(title).bounds = Some(Rect::new(15, 12, 60, 16));
    form.builder.at(text).bounds = Some(Rect::new(20, 80, 60, 16));
    assert!(!is_on_page(&form, title) && is_on_page(&form, text));
    form.builder.at(text).bounds = Some(Rect::new(20, 12, 40, 16));
    assert!(!is_on_page(&form, text), "a text deep inside the title");
}
