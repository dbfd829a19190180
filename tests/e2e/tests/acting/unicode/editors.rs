//! Text input in editors, checked in the saved file.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use harness::tasks::{Agent, odt_text};
use harness::{App, TestDesktop};

use crate::unicode::{LAYOUTS, TEXT, check_all_input_methods, set_layout};

/// Waits until a file contains exactly this text.
fn wait_for_text(file: &Path, read: impl Fn(&Path) -> Option<String>, text: &str) {
    let end = Instant::now() + Duration::from_secs(15);
    let mut content = read(file);
    while content.as_deref() != Some(text) {
        assert!(Instant::now() < end, "{content:?} instead of {text:?}");
        std::thread::sleep(Duration::from_millis(50));
        content = read(file);
    }
}

/// Reads a file without the newline that editors append to the last line.
fn read_plain_text(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    Some(text.strip_suffix('\n').map_or_else(|| text.clone(), str::to_owned))
}

fn empty_file(stage: &TestDesktop) -> PathBuf {
    let file = stage.info().home.join("text.txt");
    std::fs::write(&file, "").unwrap();
    file
}

#[test]
fn text_arrives_in_gtk3() {
    let stage = TestDesktop::new();
    let file = empty_file(&stage);
    let agent = Agent::open(&stage, "mousepad", &[&file.display().to_string()]);
    check_all_input_methods(&stage, &agent, "role:text", |text| {
        agent.must_confirm(&["click", "role:menuitem title:Save"]);
        wait_for_text(&file, read_plain_text, text);
    });
}

#[test]
fn text_arrives_in_gtk4() {
    let stage = TestDesktop::new();
    let file = empty_file(&stage);
    let agent = Agent::open(&stage, "gnome-text-editor", &[&file.display().to_string()]);
    check_all_input_methods(&stage, &agent, "role:text", |text| {
        agent.must_confirm(&["click", "//button[@title='Menu']/button[@title='Menu']"]);
        agent.must_confirm(&["click", "role:menuitem title:Save"]);
        wait_for_text(&file, read_plain_text, text);
    });
}

#[test]
fn text_arrives_in_qt() {
    let stage = TestDesktop::new();
    let file = empty_file(&stage);
    let arguments = ["--standalone", &file.display().to_string()];
    let agent = Agent::open(&stage, "featherpad", &arguments);
    check_all_input_methods(&stage, &agent, "role:text", |text| {
        agent.must_confirm(&["click", "//toolbar/button[@title='Save']"]);
        wait_for_text(&file, read_plain_text, text);
    });
}

#[test]
fn text_arrives_in_libreoffice() {
    let stage = TestDesktop::new();
    let agent = Agent::start(&stage, App::Writer);
    for name in LAYOUTS {
        set_layout(&stage, name);
        let text = format!("Layout {name}\n{TEXT}");
        clear(&agent);
        // Typing creates several paragraphs, so the value of the first paragraph cannot verify the
        // text. The saved file is checked instead.
        agent.call(&["type", &text, "--into", "role:paragraph", "--mode", "focus"]);
        save_as(&agent, &format!("{name}.odt"), &text);
    }
    clear(&agent);
    let text = format!("Background\n{TEXT}");
    agent.call(&["type", &text, "--into", "role:paragraph"]);
    save_as(&agent, "background.odt", &text);
}

/// Deletes the whole document, which leaves one empty paragraph.
fn clear(agent: &Agent) {
    agent.call(&["key", "ctrl+a", "Delete", "--mode", "focus"]).expect_ok();
    agent.wait_for("role:paragraph");
}

fn save_as(agent: &Agent, name: &str, text: &str) {
    let file = agent.home(name);
    agent.must_confirm(&["click", "//scrollpane//menuitem[@title='Save As...']"]);
    agent.must_confirm(&["set", "//file-chooser//textbox", &file.display().to_string()]);
    agent.must_confirm(&["click", "//file-chooser//button[@title='Save']"]);
    wait_for_text(&file, odt_text, text);
}
