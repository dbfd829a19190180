//! Trees that resemble real apps: an editor, a calculator, a web page, a table and a dialog.

use crate::{
    Cut, Rect, Role, State, Value,
    testing::{TreeBuilder, usual},
};

fn text(text: &str) -> Option<Value> {
    Some(Value::Text { text: text.into(), length: text.chars().count() })
}

/// An editor as GTK 3 reports it, with closed menus, fillers and scroll bars. Also returns its text
/// view.
pub(crate) fn editor() -> (TreeBuilder, usize) {
    let mut stage = TreeBuilder::new();
    let window = stage.add(0, Role::Window, "notes.txt - Mousepad");
    stage.set(window, State::Active);
    let filler = stage.add(window, Role::Filler, "");
    let bar = stage.add(filler, Role::MenuBar, "");
    for (name, entries) in [("File", 14), ("Edit", 15), ("Search", 7), ("View", 7), ("Help", 2)] {
        let menu = stage.add(bar, Role::Menu, name);
        for nth in 0..entries {
            let entry = stage.add(menu, Role::MenuItem, &format!("{name} entry {nth}"));
            stage.unset(entry, State::Showing);
            let line = stage.add(menu, Role::Separator, "");
            stage.unset(line, State::Showing);
        }
    }
    let tools = stage.add(filler, Role::ToolBar, "");
    for name in ["New", "Open", "Save", "Undo", "Redo", "Find"] {
        let panel = stage.add(tools, Role::Panel, "");
        let button = stage.add(panel, Role::Button, name);
        stage.add(button, Role::Label, name);
        if matches!(name, "Undo" | "Redo") {
            stage.unset(button, State::Enabled);
        }
    }
    let scroll = stage.add(filler, Role::ScrollPane, "");
    let view = stage.add(scroll, Role::Text, "");
    stage.set(view, State::Focused);
    stage.at(view).value = text("Dear all,\nthe meeting is on Monday.");
    stage.add(scroll, Role::ScrollBar, "");
    stage.add(scroll, Role::ScrollBar, "");
    let status = stage.add(filler, Role::StatusBar, "");
    stage.add(status, Role::Label, "Line: 2 Column: 3");
    stage.add(status, Role::Label, "OVR");
    (stage, view)
}

/// A calculator with thirty keys.
pub(crate) fn calculator() -> TreeBuilder {
    let mut stage = TreeBuilder::new();
    let window = stage.add(0, Role::Window, "Calculator");
    stage.set(window, State::Active);
    let display = stage.add(window, Role::Text, "Display");
    stage.at(display).value = text("42");
    stage.unset(display, State::Editable);
    let pad = stage.add(window, Role::Panel, "");
    for key in 0..30 {
        let button = stage.add(pad, Role::Button, &format!("Key {key}"));
        stage.at(button).bounds = Some(Rect::new(10, 10, 20, 20));
    }
    stage
}

/// A browser with a page of five thousand elements, all of them visible.
pub(crate) fn web_page() -> TreeBuilder {
    let mut stage = TreeBuilder::new();
    let window = stage.add(0, Role::Window, "Shop - Browser");
    stage.set(window, State::Active);
    let bar = stage.add(window, Role::ToolBar, "");
    for name in ["Back", "Forward", "Reload"] {
        stage.add(bar, Role::Button, name);
    }
    let address = stage.add(bar, Role::Entry, "Address");
    stage.at(address).value = text("https://example.org/");
    let page = stage.add(window, Role::WebDocument, "Shop");
    stage.set(page, State::Focused);
    for part in 0..50 {
        let section = stage.add(page, Role::Section, "");
        let heading = stage.add(section, Role::Heading, &format!("Department {part}"));
        stage.add(heading, Role::StaticText, &format!("Department {part}"));
        for offer in 0..19 {
            let box_ = stage.add(section, Role::Section, "");
            let words = stage.add(box_, Role::Paragraph, "");
            stage.add(
                words,
                Role::StaticText,
                &format!("A fine thing for daily use, number {offer}"),
            );
            let link = stage.add(box_, Role::Link, &format!("Offer {part}-{offer}"));
            stage.add(link, Role::StaticText, &format!("Offer {part}-{offer}"));
        }
    }
    stage
}

/// A table of which a thousand rows were read and many more were not. Also returns the table.
pub(crate) fn table() -> (TreeBuilder, usize) {
    let mut stage = TreeBuilder::new();
    let window = stage.add(0, Role::Window, "People");
    let table = stage.add(window, Role::Table, "Staff");
    for name in ["Name", "Age", "Member"] {
        stage.add(table, Role::TableColumnHeader, name);
    }
    for nth in 0..1000 {
        let row = stage.add(table, Role::TableRow, "");
        stage.add(row, Role::Cell, &format!("Ann {nth}"));
        let age = stage.add(row, Role::Cell, "");
        stage.add(age, Role::Label, "12");
        let member = stage.add(row, Role::Cell, "");
        stage.set(member, State::Checkable);
        if nth % 2 == 0 {
            stage.set(member, State::Checked);
        }
        if nth == 500 {
            stage.set(row, State::Selected);
        }
    }
    stage.at(table).child_count = 100_903;
    stage.at(table).cut = Some(Cut::Many);
    (stage, table)
}

/// A dialog with one control of every kind.
pub(crate) fn settings() -> TreeBuilder {
    let mut stage = TreeBuilder::new();
    let dialog = stage.add(0, Role::Dialog, "Settings");
    stage.set(dialog, State::Modal);
    let name = stage.add(dialog, Role::Entry, "Name");
    stage.at(name).value = text("John");
    stage.set(name, State::Required);
    let secret = stage.add(dialog, Role::Password, "");
    stage.at(secret).value = Some(Value::Secret);
    let volume = stage.add(dialog, Role::Slider, "Volume");
    stage.at(volume).value = Some(Value::Number { now: 40.0, min: 0.0, max: 100.0, step: 1.0 });
    let bold = stage.add(dialog, Role::CheckBox, "Bold");
    stage.set(bold, State::Checked);
    let save = stage.add(dialog, Role::Button, "Save");
    stage.at(save).states = usual().without(State::Enabled);
    let tree = stage.add(dialog, Role::TreeItem, "Advanced");
    stage.set(tree, State::Expandable);
    stage.add(dialog, Role::Image, "");
    stage.add(dialog, Role::ToolTip, "Saves everything");
    stage
}
