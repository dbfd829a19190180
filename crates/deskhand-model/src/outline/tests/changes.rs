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
    let mut builder = apps::settings();
    let before = builder.snapshot();
    builder.unset(5, State::Checked);
    builder.at(2).value = text("Jane");
    assert_eq!(
        change_text(&before, &builder.snapshot()),
        "~ textbox \"Name\" e2 = \"Jane\" (was \"John\")\n~ checkbox \"Bold\" e5 not checked\n"
    );
}

#[test]
fn a_new_dialog_is_one_line_and_its_controls() {
    let (mut builder, view) = apps::editor();
    let before = builder.snapshot();
    let dialog = builder.add(0, Role::Dialog, "Save As");
    builder.set(dialog, State::Modal);
    let name = builder.add(dialog, Role::Entry, "Name");
    builder.set(name, State::Focused);
    builder.unset(view, State::Focused);
    for nth in 0..20 {
        builder.add(dialog, Role::Label, &format!("Folder {nth}"));
    }
    builder.add(dialog, Role::Button, "Cancel");
    builder.add(dialog, Role::Button, "Save");
    let text = change_text(&before, &builder.snapshot());
    assert!(text.starts_with("+ dialog \"Save As\" e125 modal (24 elements)\n"), "{text}");
    for part in [" textbox \"Name\" e126 focused\n", "button \"Cancel\"", "button \"Save\""] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("~ text"), "a lost focus is not reported: {text}");
    assert!(limits::tokens(&text) <= 150, "{text}");
}

#[test]
fn a_removed_element_keeps_its_ref_in_the_outline() {
    let (mut builder, _) = apps::editor();
    let before = builder.snapshot();
    builder.remove(101);
    let text = change_text(&before, &builder.snapshot());
    assert_eq!(text, "- button \"New\" e101\n");
}

#[test]
fn a_menu_that_opens_appears() {
    let (mut builder, _) = apps::editor();
    let before = builder.snapshot();
    for entry in (5..33).step_by(2) {
        builder.set(entry, State::Showing);
    }
    let text = change_text(&before, &builder.snapshot());
    assert!(text.contains("+ menuitem \"File entry 0\" e5"), "{text}");
    assert!(limits::tokens(&text) <= 150, "{text}");
    let back = change_text(&builder.snapshot(), &before);
    assert!(back.contains("- menuitem \"File entry 0\" e5"), "{back}");
}

#[test]
fn many_changes_are_truncated_and_counted() {
    let builder = apps::web_page();
    let empty = TreeBuilder::new();
    let mut changed = apps::web_page();
    for at in (3..builder.snapshot().len()).step_by(7) {
        changed.at(at).name.push('!');
    }
    for (before, after) in [
        (builder.snapshot(), changed.snapshot()),
        (empty.snapshot(), builder.snapshot()),
        (builder.snapshot(), empty.snapshot()),
    ] {
        let text = change_text(&before, &after);
        assert!(limits::tokens(&text) <= 160, "{}: {text}", limits::tokens(&text));
    }
    let text = change_text(&builder.snapshot(), &changed.snapshot());
    assert!(text.contains("more changes: "), "{text}");
}

#[test]
fn a_long_text_shows_the_part_that_differs() {
    let (mut builder, view) = apps::editor();
    let start = "word ".repeat(100);
    builder.at(view).value = text(&format!("{start}old"));
    let before = builder.snapshot();
    builder.at(view).value = text(&format!("{start}new"));
    let text_now = change_text(&before, &builder.snapshot());
    assert_eq!(text_now, "~ text e119 = …\"d word word new\" (was …\"d word word old\")\n");
}

#[test]
fn moves_reorders_and_shifts_are_reported() {
    let mut builder = apps::settings();
    let before = builder.snapshot();
    builder.at(6).bounds = Some(crate::Rect::new(1, 2, 3, 4));
    assert_eq!(change_text(&before, &builder.snapshot()), "~ 1 element moved or resized\n");
    let mut builder = TreeBuilder::new();
    let left = builder.add(0, Role::ToolBar, "Left");
    let right = builder.add(0, Role::ToolBar, "Right");
    let save = builder.add(left, Role::Button, "Save");
    let before = builder.snapshot();
    builder.remove(save);
    builder.adopt(right, save);
    let text = change_text(&before, &builder.snapshot());
    assert!(text.contains("~ button \"Save\" e3 moved elsewhere"), "{text}");
}

#[test]
fn a_change_out_of_view_is_mentioned() {
    let (mut builder, _) = apps::editor();
    let before = builder.snapshot();
    builder.at(5).name = "Renamed".into();
    let text = change_text(&before, &builder.snapshot());
    assert_eq!(text, "nothing in view changed (1 element out of view)\n");
}

#[test]
fn a_frozen_app_is_reported_on_the_first_line() {
    let (builder, _) = apps::editor();
    let mut after = builder.snapshot();
    after.add_notice(Notice::NotResponding);
    let text = change_text(&builder.snapshot(), &after);
    assert!(text.starts_with("! The app stopped responding"), "{text}");
}
