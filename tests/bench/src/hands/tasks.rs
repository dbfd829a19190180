//! The tasks of the contests.

use std::path::Path;
use std::time::Duration;

use harness::desk::until;
use harness::pixels::Pixels;
use harness::{App, Outcome, Program, Stage};

use super::contest::{Entrant, hold};
use super::figures::Contest;
use crate::error::{Error, Result};

/// How many runs each round gives to what takes milliseconds.
const OFTEN: usize = 4;
/// Characters that every keyboard has.
const WORDS: &str = "dig a hole ";
const LENGTH: usize = 200;
/// Of so many pixels one may differ: a caret may blink.
const ALIKE: usize = 1_000;
/// How long a busy window manager may take to show what was started.
const SHOWN: Duration = Duration::from_secs(60);

/// Ten windows of real programs, as Designer opens two; the last has the keyboard and a caret that
/// does not blink.
const CROWD: [App; 9] = [
    App::Designer,
    App::Chromium("button.html"),
    App::Gtk3WidgetFactory,
    App::GnomeCalculator,
    App::Kcalc,
    App::Featherpad,
    App::Mousepad,
    App::Xterm,
    App::Xterm,
];

/// Pictures of a full desktop and the list of its windows.
pub(crate) fn desktop(rounds: usize) -> Result<Vec<Contest>> {
    let stage = Stage::new();
    let _crowd = crowd(&stage)?;
    let home = stage.info().home.clone();
    let file = |name: &str| home.join(name).display().to_string();
    let (ours, scrot, maim, import) =
        (file("ours.png"), file("scrot.png"), file("maim.png"), file("import.png"));
    let entrants = [
        Entrant::ours(&["screenshot", "--full", "--output", &ours]),
        Entrant::of("scrot", &["-o", &scrot]),
        Entrant::of("maim", &[&maim]),
        Entrant::of("import", &["-window", "root", &import]),
    ];
    let mut picture =
        hold(&stage, "PNG of 1920x1080", Some(2.0), rounds * OFTEN, &entrants, || true)?;
    picture.remarks.push(alike(&ours, &scrot));
    let sizes = [ours, scrot, maim, import].map(|path| kilobytes(&path));
    picture.remarks.push(format!("PNG files, in KB, in that order: {}", sizes.join(", ")));
    let entrants = [Entrant::ours(&["windows"]), Entrant::of("wmctrl", &["-lpG"])];
    let task = "list of 10 windows";
    let list = hold(&stage, task, Some(3.0), rounds * OFTEN, &entrants, || true)?;
    Ok(vec![picture, list])
}

fn crowd(stage: &Stage) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    for app in CROWD {
        programs.push(stage.launch(app));
        let listed = || {
            let list = Outcome::of(stage.command("wmctrl").arg("-l")).text();
            list.lines().count() >= programs.len()
        };
        let begun = std::time::Instant::now();
        while !until(listed) {
            if begun.elapsed() > SHOWN {
                return Err(Error::NoElement("ten windows"));
            }
        }
    }
    // Toolkits go on drawing for a moment after their window is there.
    std::thread::sleep(Duration::from_secs(3));
    Ok(programs)
}

/// Whether two pictures show the same.
fn alike(ours: &str, scrot: &str) -> String {
    let [ours, scrot] = [ours, scrot].map(|path| Pixels::read(Path::new(path), "png"));
    let differing = ours.differing(&scrot, 0);
    let all = ours.rgb.len() / 3;
    let verdict = if differing <= all / ALIKE { "the same pixels" } else { "OTHER pixels" };
    format!("ours and scrot's show {verdict}: {differing} of {all} differ")
}

fn kilobytes(path: &str) -> String {
    std::fs::metadata(path).map_or_else(|_| "-".to_owned(), |file| (file.len() / 1024).to_string())
}

/// Typing and single keys, into an editor that has the keyboard.
pub(crate) fn keyboard(rounds: usize) -> Result<Vec<Contest>> {
    let stage = Stage::new();
    let program = stage.start(App::Mousepad);
    let pid = program.pid_text();
    let text: String = WORDS.chars().cycle().take(LENGTH).collect();
    let tree = stage.tree(&program);
    let page = tree.find(|one| one.kind == "text" && one.is("editable"));
    let page = &page.ok_or(Error::NoElement("the text of mousepad"))?.reference;
    stage.deskhand(&["window", "focus", "--app", &pid]);
    let entrants = [
        Entrant::ours(&["type", &text, "--into", page, "--app", &pid]),
        Entrant::ours(&["type", &text, "--into", page, "--app", &pid, "--mode", "focus"]),
        Entrant::of("xdotool", &["type", &text]),
    ];
    let arrived = || {
        let there = until(|| {
            let tree = stage.tree(&program);
            tree.find(|one| one.reference == *page).is_some_and(|one| {
                one.value.as_ref().and_then(serde_json::Value::as_str) == Some(text.as_str())
            })
        });
        // Empty for the next; what is left over shows as text that did not arrive.
        stage.deskhand(&["set", page, "", "--app", &pid]);
        there
    };
    let typing = hold(&stage, "type 200 characters", None, rounds, &entrants, arrived)?;
    let entrants = [Entrant::ours(&["key", "Right"]), Entrant::of("xdotool", &["key", "Right"])];
    let key = hold(&stage, "press one key", None, rounds * OFTEN, &entrants, || true)?;
    Ok(vec![typing, key])
}

/// Writing to the clipboard and reading from it.
pub(crate) fn clipboard(rounds: usize) -> Result<Vec<Contest>> {
    let stage = Stage::new();
    let file = stage.info().home.join("copied.txt");
    std::fs::write(&file, "some words").map_err(Error::system("copied.txt"))?;
    let file = file.display().to_string();
    let entrants = [
        Entrant::ours(&["clipboard", "write", "some words"]),
        Entrant::of("xclip", &["-selection", "clipboard", "-i", &file]),
    ];
    let write = hold(&stage, "clipboard write", None, rounds * OFTEN, &entrants, || true)?;
    // Everyone reads from the same owner.
    stage.deskhand(&["clipboard", "write", "some words"]).expect_ok();
    let entrants = [
        Entrant::ours(&["clipboard", "read"]),
        Entrant::of("xclip", &["-selection", "clipboard", "-o"]),
    ];
    let read = hold(&stage, "clipboard read", None, rounds * OFTEN, &entrants, || true)?;
    Ok(vec![write, read])
}
