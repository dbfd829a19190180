//! Changes a folder as editors, users and programs do; the last reported tools must be right.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, channel},
    time::{Duration, Instant},
};

use super::WatchedFolder;
use crate::mtdf::LoadedTools;

/// Long enough for a busy machine. Only a failing test waits that long.
const TEST_TIMEOUT: Duration = Duration::from_secs(20);

struct Fixture {
    temp: tempfile::TempDir,
    _folder: WatchedFolder,
    updates: Receiver<LoadedTools>,
    last: LoadedTools,
}

impl Fixture {
    fn new(first: &[(&str, &str)]) -> Self {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir_all(temp.path().join("deskhand/tools")).unwrap();
        for (name, text) in first {
            fs::write(temp.path().join("deskhand/tools").join(name), text).unwrap();
        }
        Self::watching(temp)
    }

    fn watching(temp: tempfile::TempDir) -> Self {
        let (send, updates) = channel();
        let path = temp.path().join("deskhand/tools");
        let (folder, last) = WatchedFolder::watch(&path, &[], move |loaded| {
            // The send fails when the test is over.
            let _ = send.send(loaded);
        })
        .unwrap();
        Self { temp, _folder: folder, updates, last }
    }

    fn tools(&self) -> PathBuf {
        self.temp.path().join("deskhand/tools")
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.tools().join(name), text).unwrap();
    }

    /// Waits until the tools are as expected.
    fn wait_until(&mut self, what: &str, wanted: impl Fn(&LoadedTools) -> bool) {
        let end = Instant::now() + TEST_TIMEOUT;
        while !wanted(&self.last) {
            let left = end.saturating_duration_since(Instant::now());
            let Ok(loaded) = self.updates.recv_timeout(left) else {
                panic!("{what}: {:?}", self.last);
            };
            self.last = loaded;
        }
    }

    fn wait_for_names(&mut self, wanted: &[&str]) {
        self.wait_until(&wanted.join(" "), |loaded| {
            loaded.tools.iter().map(|tool| tool.name.as_str()).eq(wanted.iter().copied())
        });
    }
}

fn tool(name: &str) -> String {
    described(name, "d")
}

fn described(name: &str, words: &str) -> String {
    format!(
        r#"{{ "name": "{name}", "description": "{words}", "command": "c", "synchronous": true }}"#
    )
}

#[test]
fn files_come_change_and_go() {
    let mut fixture = Fixture::new(&[("a.json", &tool("a"))]);
    fixture.wait_for_names(&["a"]);
    fixture.write("b.json", &tool("b"));
    fixture.wait_for_names(&["a", "b"]);
    fixture.write("b.json", &described("b", "new"));
    fixture.wait_until("b is updated", |loaded| loaded.tools[1].description == "new");
    fs::remove_file(fixture.tools().join("a.json")).unwrap();
    fixture.wait_for_names(&["b"]);
    fs::rename(fixture.tools().join("b.json"), fixture.tools().join("b.txt")).unwrap();
    fixture.wait_for_names(&[]);
}

#[test]
fn editors_that_rename_files_are_handled() {
    let mut fixture = Fixture::new(&[("a.json", &tool("a"))]);
    for round in 0..5 {
        // Write a new file, move the old one away, move the new one into place: vim, and `mv`.
        let words = format!("round {round}");
        fixture.write(".a.json.swp", "not JSON");
        fixture.write("4913", "");
        fs::remove_file(fixture.tools().join("4913")).unwrap();
        fs::rename(fixture.tools().join("a.json"), fixture.tools().join("a.json~")).unwrap();
        fixture.write("a.json", &described("a", &words));
        fs::remove_file(fixture.tools().join("a.json~")).unwrap();
        fixture.wait_until(&words, |loaded| {
            loaded.tools.first().is_some_and(|tool| tool.description == words)
        });
        let words = format!("swapped {round}");
        fixture.write("a.json.new", &described("a", &words));
        fs::rename(fixture.tools().join("a.json.new"), fixture.tools().join("a.json")).unwrap();
        fixture.wait_until(&words, |loaded| {
            loaded.tools.first().is_some_and(|tool| tool.description == words)
        });
        assert!(fixture.last.refused.is_empty(), "{:?}", fixture.last.refused);
    }
}

#[test]
fn broken_file_keeps_its_tools_and_is_reported_later() {
    let mut fixture = Fixture::new(&[("a.json", &tool("a")), ("b.json", &tool("b"))]);
    fixture.write("a.json", r#"{ "name": "a", "descr"#);
    fixture.wait_until("it is reported", |loaded| !loaded.refused.is_empty());
    assert!(fixture.last.refused[0].file.ends_with("a.json"));
    fixture.wait_for_names(&["a", "b"]);
    fixture.write("a.json", &described("a", "whole"));
    fixture.wait_until("it is valid again", |loaded| {
        loaded.refused.is_empty() && loaded.tools[0].description == "whole"
    });
    // A file that was never valid has no tools to keep.
    fixture.write("c.json", "{");
    fixture
        .wait_until("it is refused", |loaded| loaded.refused.len() == 1 && loaded.tools.len() == 2);
}

#[test]
fn folder_that_is_removed_and_created_again_is_watched() {
    let mut fixture = Fixture::new(&[("a.json", &tool("a"))]);
    for (round, words) in ["one", "two"].into_iter().enumerate() {
        if round == 0 {
            fs::remove_dir_all(fixture.tools()).unwrap();
        } else {
            fs::remove_dir_all(fixture.temp.path().join("deskhand")).unwrap();
        }
        fixture.wait_for_names(&[]);
        fs::create_dir_all(fixture.tools()).unwrap();
        fixture.write("a.json", &described("a", words));
        fixture.wait_for_names(&["a"]);
        fixture.write("b.json", &tool("b"));
        fixture.wait_for_names(&["a", "b"]);
    }
    fs::rename(fixture.tools(), fixture.temp.path().join("away")).unwrap();
    fixture.wait_for_names(&[]);
    fs::rename(fixture.temp.path().join("away"), fixture.tools()).unwrap();
    fixture.wait_for_names(&["a", "b"]);
}

#[test]
fn folder_that_is_created_later_is_found() {
    let mut fixture = Fixture::watching(tempfile::tempdir().unwrap());
    fixture.wait_for_names(&[]);
    fs::create_dir_all(fixture.tools()).unwrap();
    fixture.write("a.json", &tool("a"));
    fixture.wait_for_names(&["a"]);
}

#[test]
fn link_in_place_of_the_folder_is_not_followed() {
    use std::os::unix::fs::symlink;
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("config.json"), r#"{ "auths": { "secret.example": 1 } }"#)
        .unwrap();
    fs::write(elsewhere.path().join("x.json"), tool("x")).unwrap();
    let mut fixture = Fixture::new(&[("a.json", &tool("a"))]);
    fs::remove_dir_all(fixture.tools()).unwrap();
    symlink(elsewhere.path(), fixture.tools()).unwrap();
    fixture.wait_until("it is refused", |loaded| !loaded.refused.is_empty());
    assert!(fixture.last.tools.is_empty(), "{:?}", fixture.last);
    assert!(!format!("{:?}", fixture.last).contains("auths"), "{:?}", fixture.last);
    fs::remove_file(fixture.tools()).unwrap();
    fs::create_dir(fixture.tools()).unwrap();
    fixture.write("a.json", &tool("a"));
    fixture.wait_for_names(&["a"]);
    assert!(fixture.last.refused.is_empty());
}

#[test]
fn list_is_right_after_a_thousand_rapid_edits() {
    let mut fixture = Fixture::new(&[]);
    let mut seed = 1_u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    for edit in 0..1000 {
        let name = format!("t{}", random(8));
        let file = format!("{name}.json");
        match random(4) {
            0 => fixture.write(&file, &tool(&name)[..20]),
            // The file may not exist.
            1 => drop(fs::remove_file(fixture.tools().join(&file))),
            2 => {
                fixture.write("new", &described(&name, &format!("{edit}")));
                fs::rename(fixture.tools().join("new"), fixture.tools().join(&file)).unwrap();
            }
            _ => fixture.write(&file, &described(&name, &format!("{edit}"))),
        }
    }
    for index in 0..8 {
        fixture.write(&format!("t{index}.json"), &described(&format!("t{index}"), "last"));
    }
    fixture.wait_until("all files have the last version", |loaded| {
        loaded.tools.len() == 8
            && loaded.refused.is_empty()
            && loaded.tools.iter().all(|tool| tool.description == "last")
    });
}

#[test]
fn unchanged_tools_are_not_reported() {
    let mut fixture = Fixture::new(&[("a.json", &tool("a"))]);
    fixture.write("a.json", &tool("a"));
    fixture.write("note.txt", "x");
    fs::read(fixture.tools().join("a.json")).unwrap();
    fs::write(fixture.temp.path().join("beside"), "x").unwrap();
    fixture.write("b.json", &tool("b"));
    let loaded = fixture.updates.recv_timeout(TEST_TIMEOUT).unwrap();
    assert_eq!(loaded.tools.len(), 2, "the first report is the first change");
    fixture.last = loaded;
    assert!(Path::new(&fixture.last.tools[0].file).ends_with("a.json"));
}
