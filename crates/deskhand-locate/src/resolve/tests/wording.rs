//! Tests for texts that are longer than a name, a part of one, or look like something else.

use std::time::{Duration, Instant};

use deskhand_model::{Explain, Rect, Role, Snapshot, State, Value};

use super::{
    choice::{found_for, set_to},
    finds, one,
};
use crate::{
    MatchMethod, Preferences, Purpose, Query, RefTable, Strategy, find_all, heal::HealMethod,
    is_conclusive, path, testing::Tree,
};

fn window() -> Tree {
    let mut tree = Tree::new();
    tree.add(0, Role::Window, "Editor");
    tree
}

/// Adds an editable element with a text in it.
fn document(tree: &mut Tree, role: Role, text: &str) -> u32 {
    let at = tree.add(1, role, "");
    tree.at(at).states = tree.at(at).states.with(State::Editable).with(State::Enabled);
    tree.at(at).value = Some(Value::Text { text: text.into(), length: text.chars().count() });
    at
}

/// Returns the role and name of the element that a text means for a purpose.
fn meant(snapshot: &Snapshot, text: &str, purpose: Purpose) -> Result<(Role, String), String> {
    let found = found_for(snapshot, text, purpose).map_err(|error| error.code().to_owned())?;
    let node = snapshot.node(found.index);
    Ok((node.role, node.name.clone()))
}

fn is(role: Role, name: &str) -> Result<(Role, String), String> {
    Ok((role, name.to_owned()))
}

#[test]
fn a_longer_name_is_meant_rather_than_the_name_without_its_role_word() {
    let mut tree = window();
    tree.add(1, Role::Button, "Close");
    let tab = tree.add(1, Role::Button, "Close tab (Ctrl+W)");
    tree.add(1, Role::SpinButton, "Height");
    let row = tree.add(1, Role::SpinButton, "Row height (cm)");
    let s = tree.snapshot();
    assert_eq!(meant(&s, "Close tab", Purpose::Act), is(Role::Button, "Close tab (Ctrl+W)"));
    assert_eq!(meant(&s, "Row height", set_to("2")), is(Role::SpinButton, "Row height (cm)"));
    tree.remove(tab);
    tree.remove(row);
    let s = tree.snapshot();
    assert_eq!(meant(&s, "Close tab", Purpose::Act), Err("no_match".into()));
    assert_eq!(meant(&s, "Row height", set_to("2")), Err("no_match".into()));
    // With an article, the role word describes the element.
    assert_eq!(meant(&s, "the Close icon", Purpose::Act), is(Role::Button, "Close"));
    assert_eq!(meant(&s, "the Close menu item", Purpose::Act), is(Role::Button, "Close"));
}

#[test]
fn a_word_in_a_document_does_not_mean_the_document_for_an_action() {
    for role in [Role::Text, Role::Entry, Role::Terminal, Role::Paragraph] {
        let mut tree = window();
        document(&mut tree, role, "Replace the old part");
        let s = tree.snapshot();
        for purpose in [Purpose::TypeText, Purpose::Act, set_to("x")] {
            for text in ["Replace", "/repl/i"] {
                assert_eq!(meant(&s, text, purpose), Err("no_match".into()), "{role} {text}");
            }
        }
        assert_eq!(meant(&s, "Replace", Purpose::Read), is(role, ""));
        assert_eq!(meant(&s, "/repl/i", Purpose::Read), is(role, ""));
    }
}

#[test]
fn a_part_of_a_label_is_a_part() {
    let mut tree = window();
    tree.add(1, Role::Label, "Frequency (Hz):");
    document(&mut tree, Role::Entry, "440");
    let s = tree.snapshot();
    for text in ["Frequency", "role:entry title:Frequency"] {
        let found = found_for(&s, text, set_to("880")).unwrap();
        assert_eq!((found.by, s.node(found.index).role), (MatchMethod::Contains, Role::Entry));
        assert!(found.guess.is_some(), "{text}: the label only stands nearby");
    }
    assert_eq!(found_for(&s, "Frequency (Hz)", set_to("880")).unwrap().by, MatchMethod::Label);
}

#[test]
fn words_inside_file_names_and_after_apostrophes_are_parts() {
    let mut tree = window();
    for name in ["my_report_final.ods", "Options d'affichage", "Rogner l’image", "파일 저장하기"]
    {
        tree.add(1, Role::Button, name);
    }
    tree.add(1, Role::Button, "Don't");
    let s = tree.snapshot();
    for (text, name) in [
        ("report", "my_report_final.ods"),
        ("report_final", "my_report_final.ods"),
        ("affichage", "Options d'affichage"),
        ("d’affichage", "Options d'affichage"),
        ("image", "Rogner l’image"),
        ("저장", "파일 저장하기"),
    ] {
        finds(&s, text, MatchMethod::Contains, Role::Button, name);
    }
    assert_eq!(one(&s, "port").unwrap_err().code(), "no_match");
    assert_eq!(one(&s, "t").unwrap_err().code(), "no_match", "not a separate word");
}

#[test]
fn accents_are_compared_in_either_encoding() {
    let mut tree = window();
    tree.add(1, Role::Button, "E\u{301}diter");
    let s = tree.snapshot();
    finds(&s, "éditer", MatchMethod::TitleInsensitive, Role::Button, "E\u{301}diter");
}

#[test]
fn a_text_that_looks_like_an_expression_may_be_a_name() {
    let mut tree = window();
    for name in ["/dev/sda1 (ext4)", "Folder /tmp/ (full)", "Tools → Options…", "//server/share/a"]
    {
        tree.add(1, Role::Button, name);
    }
    let s = tree.snapshot();
    finds(&s, "/dev/sda1", MatchMethod::Contains, Role::Button, "/dev/sda1 (ext4)");
    finds(&s, "/DEV/sda1 (ext4)", MatchMethod::TitleInsensitive, Role::Button, "/dev/sda1 (ext4)");
    finds(&s, "/tmp/", MatchMethod::Contains, Role::Button, "Folder /tmp/ (full)");
    finds(&s, "Tools → Options", MatchMethod::TitleInsensitive, Role::Button, "Tools → Options…");
    finds(&s, "//server/share", MatchMethod::Contains, Role::Button, "//server/share/a");
    // Expressions and nested names still work.
    finds(&s, "/application/window", MatchMethod::Xpath, Role::Window, "Editor");
    finds(&s, "/Tools/", MatchMethod::Regex, Role::Button, "Tools → Options…");
    let fields = |text: &str| Query::parse(text, Strategy::Auto).unwrap();
    assert!(fields("/dev/sda1").required_fields().relations);
    assert!(!fields("/dev/sda1").initial_fields().relations);
    for text in ["//button[@title='x']", "//button", "(//button)[1]", "//AXButton", "//*"] {
        assert!(!fields(text).required_fields().relations, "{text}");
    }
}

#[test]
fn an_expression_that_finds_an_element_needs_no_second_read() {
    let mut tree = window();
    tree.add(1, Role::Button, "Save");
    tree.add(1, Role::Label, "Width:");
    let s = tree.snapshot();
    let is_enough = |text: &str| {
        let query = Query::parse(text, Strategy::Auto).unwrap();
        let found = find_all(&s, &query, &mut RefTable::new()).unwrap();
        is_conclusive(&s, &found, &Preferences::default())
    };
    assert!(is_enough("//button") && is_enough("/^sav/i"));
    assert!(!is_enough("/^wid/i"), "a label may name a field");
    assert!(!is_enough("/dev/sda1"));
}

#[test]
fn a_path_with_the_label_of_a_field_as_its_title_is_healed() {
    let mut tree = window();
    let label = "The name of the city ".repeat(6);
    tree.add(1, Role::Label, &label);
    tree.add(1, Role::Entry, "");
    let s = tree.snapshot();
    let written = format!("app(1234)/window[0]/textfield[@title='{}']", label.trim());
    let found = one(&s, &written).unwrap();
    assert_eq!(found.healed.unwrap().by, HealMethod::Label);
    assert_eq!(s.node(found.index).role, Role::Entry);
    let query = Query::parse(&written, Strategy::Auto).unwrap();
    assert!(query.required_fields().bounds && !query.initial_fields().bounds);
    assert_eq!(
        path::element_path(&s, found.index),
        "app(1234)/window[@title='Editor']/textfield[0]"
    );
}

#[test]
fn a_click_on_a_text_of_a_page_does_not_select_the_tab() {
    let mut tree = window();
    let tab = tree.add(1, Role::Tab, "Network");
    tree.at(tab).states = tree.at(tab).states.with(State::Selected);
    tree.add(tab, Role::Label, "Wired");
    let panel = tree.add(tab, Role::Panel, "");
    let text = tree.add(panel, Role::Label, "Proxy");
    assert_eq!(meant(&tree.snapshot(), "Proxy", Purpose::Act), is(Role::Label, "Proxy"));
    assert_eq!(meant(&tree.snapshot(), "Wired", Purpose::Act), is(Role::Tab, "Network"));
    tree.at(tab).bounds = Some(Rect::new(10, 10, 80, 20));
    tree.at(text).bounds = Some(Rect::new(20, 80, 60, 20));
    assert_eq!(meant(&tree.snapshot(), "Proxy", Purpose::Act), is(Role::Label, "Proxy"));
    assert_eq!(meant(&tree.snapshot(), "Prox", Purpose::Act), Err("no_match".into()));
}

#[test]
fn many_elements_with_one_name_are_compared_quickly() {
    let mut tree = window();
    for _ in 0..2_500 {
        let outer = tree.add(1, Role::Button, "An item with a rather long name");
        tree.add(outer, Role::Button, "An item with a rather long name");
    }
    let s = tree.snapshot();
    let start = Instant::now();
    let error = found_for(&s, "An item with a rather long name", Purpose::Act).unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    let crate::Error::Ambiguous { total, .. } = error else { panic!("{error:?}") };
    assert_eq!(total, 2_500, "each inner button");
}

#[test]
fn a_word_in_a_long_tooltip_does_not_name_the_field_with_the_tooltip() {
    let mut tree = window();
    tree.add(1, Role::ColumnHeader, "Name");
    let format = document(&mut tree, Role::Entry, "%{title}");
    tree.at(format).description =
        "Format codes: %{title} Title, %{artist} Artist, %{file} Name of the file".into();
    let found = meant(&tree.snapshot(), "Name", Purpose::TypeText);
    assert_eq!(found, is(Role::ColumnHeader, "Name"), "which takes no text, so nothing is typed");
    tree.at(format).description = "File name".into();
    let found = meant(&tree.snapshot(), "Name", Purpose::TypeText);
    assert_eq!(found, is(Role::Entry, ""));
}
