//! Editors: what their file holds.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use harness::tasks::{Agent, odt_text};
use harness::{App, Stage};

use crate::unicode::{LAYOUTS, TEXT, in_every_way, layout};

/// Waits until a file holds a text.
fn holds(file: &Path, read: impl Fn(&Path) -> Option<String>, text: &str) {
    let end = Instant::now() + Duration::from_secs(15);
    let mut held = read(file);
    while held.as_deref() != Some(text) {
        assert!(Instant::now() < end, "{held:?} instead of {text:?}");
        std::thread::sleep(Duration::from_millis(50));
        held = read(file);
    }
}

/// The text of a file, without the line end that editors add to the last line.
fn plain(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    Some(text.strip_suffix('\n').map_or_else(|| text.clone(), str::to_owned))
}

fn empty_file(stage: &Stage) -> PathBuf {
    let file = stage.info().home.join("text.txt");
    std::fs::write(&file, "").unwrap();
    file
}

#[test]
fn text_arrives_in_gtk3() {
    let stage = Stage::new();
    let file = empty_file(&stage);
    let agent = Agent::open(&stage, "mousepad", &[&file.display().to_string()]);
    in_every_way(&stage, &agent, "role:text", |text| {
        agent.must(&["click", "role:menuitem title:Save"]);
        holds(&file, plain, text);
    });
}

#[test]
fn text_arrives_in_gtk4() {
    let stage = Stage::new();
    let file = empty_file(&stage);
    let agent = Agent::open(&stage, "gnome-text-editor", &[&file.display().to_string()]);
    in_every_way(&stage, &agent, "role:text title:EditorSourceView", |text| {
        agent.must(&["click", "//button[@title='Menu']/button[@title='Menu']"]);
        agent.must(&["click", "role:menuitem title:Save"]);
        holds(&file, plain, text);
    });
}

#[test]
fn text_arrives_in_qt() {
    let stage = Stage::new();
    let file = empty_file(&stage);
    let arguments = ["--standalone", &file.display().to_string()];
    let agent = Agent::open(&stage, "featherpad", &arguments);
    in_every_way(&stage, &agent, "role:text", |text| {
        agent.must(&["click", "//toolbar/button[@title='Save']"]);
        holds(&file, plain, text);
    });
}

#[test]
fn text_arrives_in_libreoffice() {
    let stage = Stage::new();
    let agent = Agent::start(&stage, App::Writer);
    for name in LAYOUTS {
        layout(&stage, name);
        let text = format!("Layout {name}\n{TEXT}");
        clear(&agent);
        // A document is many paragraphs: what is typed into the first ends in others, which only
        // the file can tell.
        agent.call(&["type", &text, "--into", "role:paragraph", "--mode", "focus"]);
        save_as(&agent, &format!("{name}.odt"), &text);
    }
    clear(&agent);
    let text = format!("Background\n{TEXT}");
    agent.call(&["type", &text, "--into", "role:paragraph"]);
    save_as(&agent, "background.odt", &text);
}

/// Removes the whole document; one empty paragraph is left.
fn clear(agent: &Agent) {
    agent.call(&["key", "ctrl+a", "Delete", "--mode", "focus"]).expect_ok();
    agent.sees("role:paragraph");
}

fn save_as(agent: &Agent, name: &str, text: &str) {
    let file = agent.home(name);
    agent.must(&["click", "//scrollpane//menuitem[@title='Save As...']"]);
    agent.must(&["set", "//file-chooser//textbox", &file.display().to_string()]);
    agent.must(&["click", "//file-chooser//button[@title='Save']"]);
    holds(&file, odt_text, text);
}
