//! Text editors: write a document, save it under a new name, and compare the file.

use std::path::Path;
use std::process::Command;

use super::{Agent, wait_for_file};
use crate::app::fixtures;
use crate::{App, TestDesktop};

const DOCUMENT: &str = "Grüße aus Málaga\n\tyears: 2025, 2026\n世界 and Привет\nlast line";

/// GTK 3: the menu and the file dialog, all in the background.
pub(super) fn mousepad(desktop: &TestDesktop) {
    let agent = Agent::open(desktop, "mousepad", &[]);
    let file = agent.home("letter.txt");
    agent.must_confirm(&["type", DOCUMENT, "--into", "role:text"]);
    agent.must_confirm(&["click", "role:menuitem title:\"Save As...\""]);
    agent.must_confirm(&["set", "//file-chooser//textbox", &file.display().to_string()]);
    agent.must_confirm(&["click", "//file-chooser//button[@title='Save']"]);
    wait_for_file(&file, |path| std::fs::read_to_string(path).ok(), &DOCUMENT.to_owned());

    agent.must_confirm(&["type", "\nand one more", "--into", "role:text"]);
    agent.must_confirm(&["click", "role:menuitem title:Save"]);
    let longer = format!("{DOCUMENT}\nand one more");
    wait_for_file(&file, |path| std::fs::read_to_string(path).ok(), &longer);
}

/// GTK 4: the menu is a popover that only opens in the foreground.
pub(super) fn gnome_text_editor(desktop: &TestDesktop) {
    let agent = Agent::open(desktop, "gnome-text-editor", &[]);
    let folder = agent.home("papers");
    std::fs::create_dir_all(&folder).expect("the home is writable");
    agent.must_confirm(&["type", DOCUMENT, "--into", "role:text"]);
    agent.must_confirm(&["click", "//button[@title='Menu']/button[@title='Menu']"]);
    agent.must_confirm(&["click", "role:menuitem title:Save"]);
    // The GTK 4 file dialog accepts a path in its name field.
    let file = folder.join("letter.txt");
    agent.must_confirm(&["set", "role:textbox title:\"Name:\"", &file.display().to_string()]);
    agent.must_confirm(&["click", "//*[@title='Save As']//button[@title='Save']"]);
    // The editor adds a final newline.
    let whole = format!("{DOCUMENT}\n");
    wait_for_file(&file, |path| std::fs::read_to_string(path).ok(), &whole);
}

/// LibreOffice: paragraphs are elements, and the file is a zip archive of XML.
pub(super) fn writer(desktop: &TestDesktop) {
    let agent = Agent::start(desktop, App::Writer);
    let file = agent.home("letter.odt");
    agent.must_confirm(&["type", DOCUMENT, "--into", "role:paragraph"]);
    agent.must_confirm(&["click", "//scrollpane//menuitem[@title='Save As...']"]);
    agent.must_confirm(&["set", "//file-chooser//textbox", &file.display().to_string()]);
    agent.must_confirm(&["click", "//file-chooser//button[@title='Save']"]);
    wait_for_file(&file, odt_text, &DOCUMENT.to_owned());
}

/// Returns the text of an OpenDocument file, or `None` if the file is incomplete.
pub fn odt_text(file: &Path) -> Option<String> {
    let mut command = Command::new("/usr/bin/python3");
    let output = command.arg(fixtures().join("odt_text.py")).arg(file).output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).ok())?
}
