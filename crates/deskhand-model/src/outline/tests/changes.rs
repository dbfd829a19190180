//! Outlines of changes.

use super::{apps, limits};
use crate::{
    Diff, Notice, Role, Snapshot, State, Value,
    outline::{ChangeOutline, ChangeOutlineOptions},
    testing::{TreeBuilder, index_ref},
};

fn change_text(before: &Snapshot, after: &Snapshot) -> String {
    let diff = Diff::between(before, after);
    ChangeOutline::new(&diff, before, after, &ChangeOutlineOptions::default(), &mut index_ref)
        .to_string()
}

fn text(text: &str) -> Option<Value> {
    Some(Value::Text { text: text.into(), length: text.chars().count() })
}

#[test]
fn an_empty_diff_is_reported() {
    let snapshot = apps::editor().0.snapshot();
    assert_eq!(change_text(&snapshot, &snapshot), "nothing changed\n");
}

#[test]
fn a_box_checked_and_a_text_typed_are_one_line_each() {
    let mut stage = apps::settings();
    let before = stage.snapshot();
    stage.unset(5, State::Checked);
    stage.at(2).value = text("Jane");
    assert_eq!(
        change_text(&before, &stage.snapshot()),
        "~ textbox \"Name\" e2 = \"Jane\" (was \"John\")\n~ checkbox \"Bold\" e5 not checked\n"
    );
}

#[test]
fn a_new_dialog_is_one_line_and_its_controls() {
    let (mut stage, view) = apps::editor();
    let before = stage.snapshot();
    let dialog = stage.add(0, Role::Dialog, "Save As");
    stage.set(dialog, State::Modal);
    let name = stage.add(dialog, Role::Entry, "Name");
    stage.set(name, State::Focused);
    stage.unset(view, State::Focused);
    for nth in 0..20 {
        stage.add(dialog, Role::Label, &format!("Folder {nth}"));
    }
    stage.add(dialog, Role::Button, "Cancel");
    stage.add(dialog, Role::Button, "Save");
    let text = change_text(&before, &stage.snapshot());
    assert!(text.starts_with("+ dialog \"Save As\" e125 modal (24 elements)\n"), "{text}");
    for part in [" textbox \"Name\" e126 focused\n", "button \"Cancel\"", "button \"Save\""] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("~ text"), "the lost focus is not news: {text}");
    assert!(limits::tokens(&text) <= 150, "{text}");
}

#[test]
fn a_removed_element_keeps_its_ref_in_the_outline() {
    let (mut stage, _) = apps::editor();
    let before = stage.snapshot();
    stage.remove(101);
    let text = change_text(&before, &stage.snapshot());
    assert_eq!(text, "- button \"New\" e101\n");
}

#[test]
fn a_menu_that_opens_appears() {
    let (mut stage, _) = apps::editor();
    let before = stage.snapshot();
    for entry in (5..33).step_by(2) {
        stage.set(entry, State::Showing);
    }
    let text = change_text(&before, &stage.snapshot());
    assert!(text.contains("+ menuitem \"File entry 0\" e5"), "{text}");
    assert!(limits::tokens(&text) <= 150, "{text}");
    let back = change_text(&stage.snapshot(), &before);
    assert!(back.contains("- menuitem \"File entry 0\" e5"), "{back}");
}

#[test]
fn many_changes_are_truncated_and_counted() {
    let stage = apps::web_page();
    let empty = TreeBuilder::new();
    let mut changed = apps::web_page();
    for at in (3..stage.snapshot().len()).step_by(7) {
        changed.at(at).name.push('!');
    }
    for (before, after) in [
        (stage.snapshot(), changed.snapshot()),
        (empty.snapshot(), stage.snapshot()),
        (stage.snapshot(), empty.snapshot()),
    ] {
        let text = change_text(&before, &after);
        assert!(limits::tokens(&text) <= 160, "{}: {text}", limits::tokens(&text));
    }
    let text = change_text(&stage.snapshot(), &changed.snapshot());
    assert!(text.contains("more changes: "), "{text}");
}

#[test]
fn a_long_text_shows_the_part_that_differs() {
    let (mut stage, view) = apps::editor();
    let start = "word ".repeat(100);
    stage.at(view).value = text(&format!("{start}old"));
    let before = stage.snapshot();
    stage.at(view).value = text(&format!("{start}new"));
    let text_now = change_text(&before, &stage.snapshot());
    assert_eq!(text_now, "~ text e119 = …\"d word word new\" (was …\"d word word old\")\n");
}

#[test]
fn moves_reorders_and_shifts_are_reported() {
    let mut stage = apps::settings();
    let before = stage.snapshot();
    stage.at(6).bounds = Some(crate::Rect::new(1, 2, 3, 4));
    assert_eq!(change_text(&before, &stage.snapshot()), "~ 1 element moved or resized\n");
    let mut stage = TreeBuilder::new();
    let left = stage.add(0, Role::ToolBar, "Left");
    let right = stage.add(0, Role::ToolBar, "Right");
    let save = stage.add(left, Role::Button, "Save");
    let before = stage.snapshot();
    stage.remove(save);
    stage.adopt(right, save);
    let text = change_text(&before, &stage.snapshot());
    assert!(text.contains("~ button \"Save\" e3 moved elsewhere"), "{text}");
}

#[test]
fn a_change_out_of_view_is_mentioned() {
    let (mut stage, _) = apps::editor();
    let before = stage.snapshot();
    stage.at(5).name = "Renamed".into();
    let text = change_text(&before, &stage.snapshot());
    assert_eq!(text, "nothing in view changed (1 element out of view)\n");
}

#[test]
fn a_frozen_app_is_reported_on_the_first_line() {
    let (stage, _) = apps::editor();
    let mut after = stage.snapshot();
    after.add_notice(Notice::NotResponding);
    let text = change_text(&stage.snapshot(), &after);
    assert!(text.starts_with("! The app stopped responding"), "{text}");
}
