//! The folder is changed as editors, people and programs do; the last list told must be right.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, channel},
    time::{Duration, Instant},
};

use super::Folder;
use crate::mtdf::Loaded;

/// Long enough for a machine with much else to do; only a failure waits so long.
const PATIENCE: Duration = Duration::from_secs(20);

struct Scene {
    place: tempfile::TempDir,
    _folder: Folder,
    told: Receiver<Loaded>,
    last: Loaded,
}

impl Scene {
    fn new(first: &[(&str, &str)]) -> Self {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir_all(place.path().join("deskhand/tools")).unwrap();
        for (name, text) in first {
            fs::write(place.path().join("deskhand/tools").join(name), text).unwrap();
        }
        Self::over(place)
    }

    fn over(place: tempfile::TempDir) -> Self {
        let (send, told) = channel();
        let path = place.path().join("deskhand/tools");
        let (folder, last) = Folder::watch(&path, &[], move |loaded| {
            // The scene is over when nobody listens.
            let _ = send.send(loaded);
        })
        .unwrap();
        Self { place, _folder: folder, told, last }
    }

    fn tools(&self) -> PathBuf {
        self.place.path().join("deskhand/tools")
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.tools().join(name), text).unwrap();
    }

    /// Waits until the list is as wanted.
    fn until(&mut self, what: &str, wanted: impl Fn(&Loaded) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !wanted(&self.last) {
            let left = end.saturating_duration_since(Instant::now());
            let Ok(loaded) = self.told.recv_timeout(left) else {
                panic!("{what}: {:?}", self.last);
            };
            self.last = loaded;
        }
    }

    fn until_names(&mut self, wanted: &[&str]) {
        self.until(&wanted.join(" "), |loaded| {
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
    let mut scene = Scene::new(&[("a.json", &tool("a"))]);
    scene.until_names(&["a"]);
    scene.write("b.json", &tool("b"));
    scene.until_names(&["a", "b"]);
    scene.write("b.json", &described("b", "new"));
    scene.until("b is new", |loaded| loaded.tools[1].about == "new");
    fs::remove_file(scene.tools().join("a.json")).unwrap();
    scene.until_names(&["b"]);
    fs::rename(scene.tools().join("b.json"), scene.tools().join("b.txt")).unwrap();
    scene.until_names(&[]);
}

#[test]
fn editors_that_rename_are_understood() {
    let mut scene = Scene::new(&[("a.json", &tool("a"))]);
    for round in 0..5 {
        // A new file beside it, the old one away, the new one in its place: vim, and `mv` of others.
        let words = format!("round {round}");
        scene.write(".a.json.swp", "not JSON");
        scene.write("4913", "");
        fs::remove_file(scene.tools().join("4913")).unwrap();
        fs::rename(scene.tools().join("a.json"), scene.tools().join("a.json~")).unwrap();
        scene.write("a.json", &described("a", &words));
        fs::remove_file(scene.tools().join("a.json~")).unwrap();
        scene.until(&words, |loaded| loaded.tools.first().is_some_and(|tool| tool.about == words));
        let words = format!("swapped {round}");
        scene.write("a.json.new", &described("a", &words));
        fs::rename(scene.tools().join("a.json.new"), scene.tools().join("a.json")).unwrap();
        scene.until(&words, |loaded| loaded.tools.first().is_some_and(|tool| tool.about == words));
        assert!(scene.last.refused.is_empty(), "{:?}", scene.last.refused);
    }
}

#[test]
fn a_half_written_file_keeps_its_tools_and_is_told_when_it_stays_so() {
    let mut scene = Scene::new(&[("a.json", &tool("a")), ("b.json", &tool("b"))]);
    scene.write("a.json", r#"{ "name": "a", "descr"#);
    scene.until("it is told", |loaded| !loaded.refused.is_empty());
    assert!(scene.last.refused[0].file.ends_with("a.json"));
    scene.until_names(&["a", "b"]);
    scene.write("a.json", &described("a", "whole"));
    scene.until("it is whole", |loaded| {
        loaded.refused.is_empty() && loaded.tools[0].about == "whole"
    });
    // One that was never good has nothing to keep.
    scene.write("c.json", "{");
    scene.until("it is refused", |loaded| loaded.refused.len() == 1 && loaded.tools.len() == 2);
}

#[test]
fn a_folder_that_goes_and_comes_back_is_watched_again() {
    let mut scene = Scene::new(&[("a.json", &tool("a"))]);
    for (round, words) in ["one", "two"].into_iter().enumerate() {
        if round == 0 {
            fs::remove_dir_all(scene.tools()).unwrap();
        } else {
            fs::remove_dir_all(scene.place.path().join("deskhand")).unwrap();
        }
        scene.until_names(&[]);
        fs::create_dir_all(scene.tools()).unwrap();
        scene.write("a.json", &described("a", words));
        scene.until_names(&["a"]);
        scene.write("b.json", &tool("b"));
        scene.until_names(&["a", "b"]);
    }
    fs::rename(scene.tools(), scene.place.path().join("away")).unwrap();
    scene.until_names(&[]);
    fs::rename(scene.place.path().join("away"), scene.tools()).unwrap();
    scene.until_names(&["a", "b"]);
}

#[test]
fn a_folder_that_is_made_later_is_found() {
    let mut scene = Scene::over(tempfile::tempdir().unwrap());
    scene.until_names(&[]);
    fs::create_dir_all(scene.tools()).unwrap();
    scene.write("a.json", &tool("a"));
    scene.until_names(&["a"]);
}

#[test]
fn a_link_in_the_place_of_the_folder_is_not_followed() {
    use std::os::unix::fs::symlink;
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("config.json"), r#"{ "auths": { "secret.example": 1 } }"#)
        .unwrap();
    fs::write(elsewhere.path().join("x.json"), tool("x")).unwrap();
    let mut scene = Scene::new(&[("a.json", &tool("a"))]);
    fs::remove_dir_all(scene.tools()).unwrap();
    symlink(elsewhere.path(), scene.tools()).unwrap();
    scene.until("it is refused", |loaded| !loaded.refused.is_empty());
    assert!(scene.last.tools.is_empty(), "{:?}", scene.last);
    assert!(!format!("{:?}", scene.last).contains("auths"), "{:?}", scene.last);
    fs::remove_file(scene.tools()).unwrap();
    fs::create_dir(scene.tools()).unwrap();
    scene.write("a.json", &tool("a"));
    scene.until_names(&["a"]);
    assert!(scene.last.refused.is_empty());
}

#[test]
fn after_a_thousand_rapid_edits_the_list_is_right() {
    let mut scene = Scene::new(&[]);
    let mut lot = 1_u64;
    let mut draw = |below: u64| {
        lot = lot.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (lot >> 33) % below
    };
    for edit in 0..1000 {
        let name = format!("t{}", draw(8));
        let file = format!("{name}.json");
        match draw(4) {
            0 => scene.write(&file, &tool(&name)[..20]),
            // It may not be there.
            1 => drop(fs::remove_file(scene.tools().join(&file))),
            2 => {
                scene.write("new", &described(&name, &format!("{edit}")));
                fs::rename(scene.tools().join("new"), scene.tools().join(&file)).unwrap();
            }
            _ => scene.write(&file, &described(&name, &format!("{edit}"))),
        }
    }
    for index in 0..8 {
        scene.write(&format!("t{index}.json"), &described(&format!("t{index}"), "last"));
    }
    scene.until("all are the last", |loaded| {
        loaded.tools.len() == 8
            && loaded.refused.is_empty()
            && loaded.tools.iter().all(|tool| tool.about == "last")
    });
}

#[test]
fn nothing_is_told_when_nothing_changed() {
    let mut scene = Scene::new(&[("a.json", &tool("a"))]);
    scene.write("a.json", &tool("a"));
    scene.write("note.txt", "x");
    fs::read(scene.tools().join("a.json")).unwrap();
    fs::write(scene.place.path().join("beside"), "x").unwrap();
    scene.write("b.json", &tool("b"));
    let loaded = scene.told.recv_timeout(PATIENCE).unwrap();
    assert_eq!(loaded.tools.len(), 2, "the first news is the first change");
    scene.last = loaded;
    assert!(Path::new(&scene.last.tools[0].file).ends_with("a.json"));
}
