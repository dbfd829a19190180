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
    let mut builder = TreeBuilder::new();
    let window = builder.add(0, Role::Window, "notes.txt - Mousepad");
    builder.set(window, State::Active);
    let filler = builder.add(window, Role::Filler, "");
    let bar = builder.add(filler, Role::MenuBar, "");
    for (name, entries) in [("File", 14), ("Edit", 15), ("Search", 7), ("View", 7), ("Help", 2)] {
        let menu = builder.add(bar, Role::Menu, name);
        for nth in 0..entries {
            let entry = builder.add(menu, Role::MenuItem, &format!("{name} entry {nth}"));
            builder.unset(entry, State::Showing);
            let line = builder.add(menu, Role::Separator, "");
            builder.unset(line, State::Showing);
        }
    }
    let tools = builder.add(filler, Role::ToolBar, "");
    for name in ["New", "Open", "Save", "Undo", "Redo", "Find"] {
        let panel = builder.add(tools, Role::Panel, "");
        let button = builder.add(panel, Role::Button, name);
        builder.add(button, Role::Label, name);
        if matches!(name, "Undo" | "Redo") {
            builder.unset(button, State::Enabled);
        }
    }
    let scroll = builder.add(filler, Role::ScrollPane, "");
    let view = builder.add(scroll, Role::Text, "");
    builder.set(view, State::Focused);
    builder.at(view).value = text("Dear all,\nthe meeting is on Monday.");
    builder.add(scroll, Role::ScrollBar, "");
    builder.add(scroll, Role::ScrollBar, "");
    let status = builder.add(filler, Role::StatusBar, "");
    builder.add(status, Role::Label, "Line: 2 Column: 3");
    builder.add(status, Role::Label, "OVR");
    (builder, view)
}

/// A calculator with thirty keys.
pub(crate) fn calculator() -> TreeBuilder {
    let mut builder = TreeBuilder::new();
    let window = builder.add(0, Role::Window, "Calculator");
    builder.set(window, State::Active);
    let display = builder.add(window, Role::Text, "Display");
    builder.at(display).value = text("42");
    builder.unset(display, State::Editable);
    let pad = builder.add(window, Role::Panel, "");
    for key in 0..30 {
        let button = builder.add(pad, Role::Button, &format!("Key {key}"));
        builder.at(button).bounds = Some(Rect::new(10, 10, 20, 20));
    }
    builder
}

/// A browser with a page of five thousand elements, all of them visible.
pub(crate) fn web_page() -> TreeBuilder {
    let mut builder = TreeBuilder::new();
    let window = builder.add(0, Role::Window, "Shop - Browser");
    builder.set(window, State::Active);
    let bar = builder.add(window, Role::ToolBar, "");
    for name in ["Back", "Forward", "Reload"] {
        builder.add(bar, Role::Button, name);
    }
    let address = builder.add(bar, Role::Entry, "Address");
    builder.at(address).value = text("https://example.org/");
    let page = builder.add(window, Role::WebDocument, "Shop");
    builder.set(page, State::Focused);
    for part in 0..50 {
        let section = builder.add(page, Role::Section, "");
        let heading = builder.add(section, Role::Heading, &format!("Department {part}"));
        builder.add(heading, Role::StaticText, &format!("Department {part}"));
        for offer in 0..19 {
            let box_ = builder.add(section, Role::Section, "");
            let words = builder.add(box_, Role::Paragraph, "");
            builder.add(
                words,
                Role::StaticText,
                &format!("A fine thing for daily use, number {offer}"),
            );
            let link = builder.add(box_, Role::Link, &format!("Offer {part}-{offer}"));
            builder.add(link, Role::StaticText, &format!("Offer {part}-{offer}"));
        }
    }
    builder
}

/// A table of which a thousand rows were read and many more were not. Also returns the table.
pub(crate) fn table() -> (TreeBuilder, usize) {
    let mut builder = TreeBuilder::new();
    let window = builder.add(0, Role::Window, "People");
    let table = builder.add(window, Role::Table, "Staff");
    for name in ["Name", "Age", "Member"] {
        builder.add(table, Role::TableColumnHeader, name);
    }
    for nth in 0..1000 {
        let row = builder.add(table, Role::TableRow, "");
        builder.add(row, Role::Cell, &format!("Ann {nth}"));
        let age = builder.add(row, Role::Cell, "");
        builder.add(age, Role::Label, "12");
        let member = builder.add(row, Role::Cell, "");
        builder.set(member, State::Checkable);
        if nth % 2 == 0 {
            builder.set(member, State::Checked);
        }
        if nth == 500 {
            builder.set(row, State::Selected);
        }
    }
    builder.at(table).child_count = 100_903;
    builder.at(table).cut = Some(Cut::Many);
    (builder, table)
}

/// A dialog with one control of every kind.
pub(crate) fn settings() -> TreeBuilder {
    let mut builder = TreeBuilder::new();
    let dialog = builder.add(0, Role::Dialog, "Settings");
    builder.set(dialog, State::Modal);
    let name = builder.add(dialog, Role::Entry, "Name");
    builder.at(name).value = text("John");
    builder.set(name, State::Required);
    let secret = builder.add(dialog, Role::Password, "");
    builder.at(secret).value = Some(Value::Secret);
    let volume = builder.add(dialog, Role::Slider, "Volume");
    builder.at(volume).value = Some(Value::Number { now: 40.0, min: 0.0, max: 100.0, step: 1.0 });
    let bold = builder.add(dialog, Role::CheckBox, "Bold");
    builder.set(bold, State::Checked);
    let save = builder.add(dialog, Role::Button, "Save");
    builder.at(save).states = usual().without(State::Enabled);
    let tree = builder.add(dialog, Role::TreeItem, "Advanced");
    builder.set(tree, State::Expandable);
    builder.add(dialog, Role::Image, "");
    builder.add(dialog, Role::ToolTip, "Saves everything");
    builder
}
