//! Outlines of trees that resemble real apps.

mod apps;
mod changes;
mod limits;

use super::{Outline, OutlineOptions};
use crate::{
    Cut, Index, NodeId, Notice, Rect, Relation, RelationKind, Role, Snapshot, State, Value,
    testing::{TreeBuilder, index_ref},
};

fn outline(snapshot: &Snapshot) -> String {
    Outline::new(snapshot, Index::ROOT, &OutlineOptions::default(), &mut index_ref).to_string()
}

fn outline_with(snapshot: &Snapshot, options: &OutlineOptions) -> String {
    Outline::new(snapshot, Index::ROOT, options, &mut index_ref).to_string()
}

#[test]
fn the_outline_of_an_editor_is_compact() {
    let text = outline(&apps::editor().0.snapshot());
    assert_eq!(
        text,
        "sample (pid 123, gtk 3.24) 125 elements (90 hidden)\n\
         window \"notes.txt - Mousepad\" e1 active\n \
         menubar e3\n  \
         menu \"File\" e4 (14 items)\n  \
         menu \"Edit\" e33 (15 items)\n  \
         menu \"Search\" e64 (7 items)\n  \
         menu \"View\" e79 (7 items)\n  \
         menu \"Help\" e94 (2 items)\n \
         toolbar e99\n  \
         button \"New\" e101\n  \
         button \"Open\" e104\n  \
         button \"Save\" e107\n  \
         button \"Undo\" e110 disabled\n  \
         button \"Redo\" e113 disabled\n  \
         button \"Find\" e116\n \
         text e119 = \"Dear all,\\nthe meeting is on Monday.\" focused\n \
         statusbar e122\n  \
         \"Line: 2 Column: 3\" \"OVR\"\n"
    );
}

#[test]
fn each_kind_of_control_shows_its_state() {
    let text = outline(&apps::settings().snapshot());
    let body: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(
        body,
        [
            "dialog \"Settings\" e1 modal",
            " textbox \"Name\" e2 = \"John\" required",
            " password e3 = (secret)",
            " slider \"Volume\" e4 = 40 (0..100)",
            " checkbox \"Bold\" e5 checked",
            " button \"Save\" e6 disabled",
            " treeitem \"Advanced\" e7 collapsed",
        ]
    );
}

#[test]
fn a_calculator_shows_every_key() {
    let text = outline(&apps::calculator().snapshot());
    assert_eq!(text.matches("button").count(), 30);
    assert!(text.contains("text \"Display\" e2 = \"42\" read-only"), "{text}");
    assert!(!text.contains('…'), "{text}");
}

#[test]
fn a_long_table_shows_its_first_rows_the_selected_row_and_a_count() {
    let text = outline(&apps::table().0.snapshot());
    assert!(text.contains("columns: \"Name\" e3 | \"Age\" e4 | \"Member\" e5"), "{text}");
    assert!(text.contains("row e6: \"Ann 0\" | \"12\" | checked\n"), "{text}");
    assert!(text.contains("\"Ann 1\" | \"12\" | unchecked\n"), "{text}");
    assert!(text.contains("\"Ann 500\" | \"12\" | checked selected\n"), "{text}");
    assert!(
        text.contains(
            "… 993 more rows in e2; 99,900 more rows not read (many): continue with root e2, from 1003"
        ),
        "{text}"
    );
    assert!(text.trim_end().ends_with("or use find"), "{text}");
}

#[test]
fn opening_a_long_table_shows_as_many_rows_as_the_budget_allows() {
    let (builder, _) = apps::table();
    let snapshot = builder.snapshot();
    let table = snapshot.position(&NodeId::new("n2")).unwrap();
    let text =
        Outline::new(&snapshot, table, &OutlineOptions::default(), &mut index_ref).to_string();
    assert!(text.matches("row e").count() > 30, "{text}");
    assert!(text.contains("more rows in e2"), "{text}");
}

#[test]
fn cells_without_rows_are_grouped_by_position() {
    let mut builder = TreeBuilder::new();
    let table = builder.add(0, Role::TreeTable, "Files");
    for nth in 0..6 {
        let cell = builder.add(table, Role::Cell, &format!("c{nth}"));
        builder.at(cell).bounds = Some(Rect::new(nth % 2 * 50, nth / 2 * 20, 50, 20));
    }
    let text = outline(&builder.snapshot());
    assert!(text.contains(" row e2: \"c0\" | \"c1\"\n row e4: \"c2\" | \"c3\"\n"), "{text}");
}

#[test]
fn empty_cells_of_a_sheet_are_counted_not_listed() {
    let mut builder = TreeBuilder::new();
    let sheet = builder.add(0, Role::Table, "Sheet1");
    for nth in 0..60 {
        let cell = builder.add(sheet, Role::Cell, &format!("A{nth}"));
        let text = if nth == 3 { "12" } else { "" };
        builder.at(cell).value = Some(Value::Text { text: text.into(), length: text.len() });
    }
    let text = outline(&builder.snapshot());
    assert!(text.contains("row e5: \"A3\" = \"12\""), "{text}");
    assert!(text.contains("… 59 empty cells in e1"), "{text}");
}

#[test]
fn a_row_of_a_thousand_cells_is_one_short_line() {
    let mut builder = TreeBuilder::new();
    let sheet = builder.add(0, Role::Table, "Sheet1");
    for nth in 0..1000 {
        let cell = builder.add(sheet, Role::Cell, &format!("C{nth}"));
        builder.at(cell).bounds = Some(Rect::new(nth * 50, 0, 50, 20));
    }
    let text = outline(&builder.snapshot());
    assert!(text.ends_with("\"C9\" | … 990 more cells\n"), "{text}");
}

#[test]
fn a_label_becomes_the_name_of_its_control() {
    let mut builder = TreeBuilder::new();
    let form = builder.add(0, Role::Window, "Form");
    let label = builder.add(form, Role::Label, "City:");
    let entry = builder.add(form, Role::Entry, "");
    let targets = vec![NodeId::new(format!("n{label}"))];
    builder.at(entry).relations.push(Relation { kind: RelationKind::LabelledBy, targets });
    builder.add(form, Role::Label, "Country:");
    builder.add(form, Role::ComboBox, "Country");
    let text = outline(&builder.snapshot());
    assert!(text.contains(" textbox \"City:\" e3\n combobox \"Country\" e5\n"), "{text}");
    assert!(!text.contains("\n \""), "{text}");
}

#[test]
fn a_combo_box_shows_its_label_and_its_choice() {
    let mut builder = TreeBuilder::new();
    let form = builder.add(0, Role::Window, "Form");
    let label = builder.add(form, Role::Label, "Style:");
    let combo = builder.add(form, Role::ComboBox, "Fusion");
    for item in ["Fusion", "Windows"] {
        builder.add(combo, Role::MenuItem, item);
    }
    let targets = vec![NodeId::new(format!("n{label}"))];
    builder.at(combo).relations.push(Relation { kind: RelationKind::LabelledBy, targets });
    let text = outline(&builder.snapshot());
    assert!(
        text.contains(" combobox \"Style:\" e3 = \"Fusion\"\n  menuitem \"Windows\""),
        "{text}"
    );
    assert!(!text.contains("\n \"Style:\""), "{text}");
}

#[test]
fn text_inside_names_an_item_without_a_name() {
    let mut builder = TreeBuilder::new();
    let list = builder.add(0, Role::List, "Chats");
    let item = builder.add(list, Role::ListItem, "");
    let inner = builder.add(item, Role::Panel, "");
    builder.add(inner, Role::Label, "Ann");
    builder.add(inner, Role::Label, "online");
    let wrapper = builder.add(list, Role::ListItem, "");
    builder.add(wrapper, Role::StaticText, "• ");
    let link = builder.add(wrapper, Role::Link, "More");
    builder.add(link, Role::StaticText, "More");
    let text = outline(&builder.snapshot());
    assert!(text.contains("list \"Chats\" e1\n listitem \"Ann\" \"online\" e2\n"), "{text}");
    assert!(text.ends_with("\n link \"More\" e8\n") && !text.contains('•'), "{text}");
}

#[test]
fn text_stored_only_in_a_container_is_shown() {
    let mut builder = TreeBuilder::new();
    let page = builder.add(0, Role::WebDocument, "Form");
    let form = builder.add(page, Role::Form, "");
    builder.at(form).value = Some(Value::Text { text: "Given name: \u{fffc}".into(), length: 13 });
    builder.add(form, Role::Entry, "");
    builder.add(form, Role::Label, "Mail");
    let item = builder.add(page, Role::ListItem, "• Home");
    builder.add(item, Role::Link, "Home");
    let text = outline(&builder.snapshot());
    assert!(
        text.ends_with(" \"Given name:\"\n textbox e3\n \"Mail\"\n link \"Home\" e6\n"),
        "{text}"
    );
}

#[test]
fn a_heading_and_its_link_share_a_line() {
    let mut builder = TreeBuilder::new();
    let page = builder.add(0, Role::WebDocument, "News");
    let heading = builder.add(page, Role::Heading, "Rain");
    let link = builder.add(heading, Role::Link, "Rain");
    builder.add(link, Role::StaticText, "Rain");
    let text = outline(&builder.snapshot());
    assert!(text.ends_with(" heading link \"Rain\" e3\n"), "{text}");
}

#[test]
fn hidden_elements_are_shown_on_request() {
    let snapshot = apps::editor().0.snapshot();
    let options = OutlineOptions { include_invisible: true, max_tokens: None, depth: None };
    let text = outline_with(&snapshot, &options);
    assert!(text.contains("menuitem \"File entry 0\" e5 hidden"), "{text}");
    let hidden = outline(&snapshot);
    assert!(!hidden.contains("entry 0"), "{hidden}");
}

#[test]
fn rows_off_the_screen_are_counted() {
    let mut builder = TreeBuilder::new();
    let list = builder.add(0, Role::List, "Files");
    for nth in 0..40 {
        let item = builder.add(list, Role::ListItem, &format!("file {nth}"));
        if nth > 4 {
            builder.unset(item, State::Showing);
        }
    }
    let text = outline(&builder.snapshot());
    assert!(text.contains("… 35 items off screen in e1"), "{text}");
}

#[test]
fn warnings_come_first() {
    let mut snapshot = TreeBuilder::new().snapshot();
    snapshot.add_notice(Notice::AccessibilityOff { flag: "--force-renderer-accessibility".into() });
    snapshot.add_notice(Notice::NotResponding);
    snapshot.add_notice(Notice::UnplacedWindow { title: "A\u{1b}[2J".into() });
    let text = outline(&snapshot);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("! ") && lines[0].contains("--force-renderer-accessibility"));
    assert!(lines[1].contains("try again later"), "{text}");
    assert!(lines[2].contains("\"A\""), "{text}");
    assert!(lines[3].starts_with("sample (pid 123"), "{text}");
}

#[test]
fn unread_children_are_shown_with_the_reason() {
    let mut builder = TreeBuilder::new();
    let window = builder.add(0, Role::Window, "W");
    let panel = builder.add(window, Role::Panel, "");
    builder.at(panel).cut = Some(Cut::Depth);
    builder.at(panel).child_count = 12;
    let frozen = builder.add(window, Role::Panel, "Side");
    builder.at(frozen).cut = Some(Cut::Silent);
    let text = outline(&builder.snapshot());
    assert!(text.contains(" panel e2 (12 elements not read: depth)"), "{text}");
    assert!(text.contains(" panel \"Side\" e3 (not all read: silent)"), "{text}");
}

#[test]
fn the_label_nearby_is_on_the_line_of_its_field_and_marked_as_a_guess() {
    let mut builder = TreeBuilder::new();
    let form = builder.add(0, Role::Window, "Form");
    for (name, role, x) in [("", Role::SpinButton, 80), ("Width:", Role::Label, 10)] {
        let at = builder.add(form, role, name);
        builder.at(at).bounds = Some(Rect::new(x, 10, 60, 20));
    }
    builder.add(form, Role::CheckBox, "Height:");
    builder.add(form, Role::Label, "Height:");
    let text = outline(&builder.snapshot());
    assert!(text.contains(" spinbutton ~\"Width:\" e2\n"), "{text}");
    assert_eq!(text.matches("Width:").count(), 1, "{text}");
    assert!(text.contains(" checkbox \"Height:\" e4\n \"Height:\"\n"), "{text}");
}

#[test]
fn tabs_off_the_screen_are_counted() {
    let mut builder = TreeBuilder::new();
    let tabs = builder.add(0, Role::TabList, "");
    for nth in 0..6 {
        let tab = builder.add(tabs, Role::Tab, &format!("file {nth}"));
        if nth > 1 {
            builder.unset(tab, State::Showing);
        }
    }
    let text = outline(&builder.snapshot());
    assert!(text.contains("… 4 tabs off screen in e1"), "{text}");
}

#[test]
fn marks_for_the_text_direction_are_not_shown() {
    let mut builder = TreeBuilder::new();
    builder.add(0, Role::Button, "\u{200e}12:30\u{200e}");
    let text = outline(&builder.snapshot());
    assert!(text.contains("button \"12:30\" e1"), "{text}");
}

#[test]
fn a_label_is_listed_if_only_a_hidden_field_has_its_name() {
    let mut builder = TreeBuilder::new();
    let form = builder.add(0, Role::Window, "Form");
    builder.add(form, Role::Label, "City:");
    let field = builder.add(form, Role::Entry, "City");
    assert!(!outline(&builder.snapshot()).contains("City:"), "the field shows it");
    builder.unset(field, State::Showing);
    let text = outline(&builder.snapshot());
    assert!(text.contains("City:"), "{text}");
}
