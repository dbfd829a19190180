//! The tasks of the command comparisons.

use std::path::Path;
use std::time::Duration;

use harness::inspect::wait_until;
use harness::pixels::Pixels;
use harness::{App, Outcome, Program, TestDesktop};

use super::comparison::{TestedCommand, compare_commands};
use super::figures::CommandComparison;
use crate::error::{Error, Result};
use crate::timing::WINDOW_TIMEOUT;

/// The number of runs per round for tasks that take milliseconds.
const QUICK_TASK_REPEATS: usize = 4;
/// Characters that every keyboard layout has.
const TYPED_TEXT: &str = "dig a hole ";
const TYPED_LENGTH: usize = 200;
/// One pixel in this many may differ, because a caret may blink.
const MAX_DIFFERENCE_DIVISOR: usize = 1_000;

/// These programs open ten windows, since Designer opens two. The last has the focus and a caret
/// that does not blink.
const WINDOWS: [App; 9] = [
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

/// Compares screenshots of a full desktop and the list of its windows.
pub(crate) fn desktop(rounds: usize) -> Result<Vec<CommandComparison>> {
    let desktop = TestDesktop::new();
    let _crowd = open_windows(&desktop)?;
    let home = desktop.info().home.clone();
    let file = |name: &str| home.join(name).display().to_string();
    let (ours, scrot, maim, import) =
        (file("ours.png"), file("scrot.png"), file("maim.png"), file("import.png"));
    let commands = [
        TestedCommand::ours(&["screenshot", "--full", "--output", &ours]),
        TestedCommand::of("scrot", &["-o", &scrot]),
        TestedCommand::of("maim", &[&maim]),
        TestedCommand::of("import", &["-window", "root", &import]),
    ];
    let mut picture = compare_commands(
        &desktop,
        "PNG of 1920x1080",
        Some(2.0),
        rounds * QUICK_TASK_REPEATS,
        &commands,
        || true,
    )?;
    picture.remarks.push(compare_pictures(&ours, &scrot));
    let sizes = [ours, scrot, maim, import].map(|path| kilobytes(&path));
    picture.remarks.push(format!("PNG file sizes in KB, in that order: {}", sizes.join(", ")));
    let commands = [TestedCommand::ours(&["windows"]), TestedCommand::of("wmctrl", &["-lpG"])];
    let task = "list of 10 windows";
    let list = compare_commands(
        &desktop,
        task,
        Some(3.0),
        rounds * QUICK_TASK_REPEATS,
        &commands,
        || true,
    )?;
    Ok(vec![picture, list])
}

fn open_windows(desktop: &TestDesktop) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    for app in WINDOWS {
        programs.push(desktop.launch(app));
        let listed = || {
            let list = Outcome::of(desktop.command("wmctrl").arg("-l")).text();
            list.lines().count() >= programs.len()
        };
        let started = std::time::Instant::now();
        while !wait_until(listed) {
            if started.elapsed() > WINDOW_TIMEOUT {
                return Err(Error::NoElement("ten windows"));
            }
        }
    }
    // Toolkits continue drawing for a moment after their window appears.
    std::thread::sleep(Duration::from_secs(3));
    Ok(programs)
}

/// Compares two screenshots and describes the difference.
fn compare_pictures(ours: &str, scrot: &str) -> String {
    let [ours, scrot] = [ours, scrot].map(|path| Pixels::read(Path::new(path), "png"));
    let differing = ours.differing(&scrot, 0);
    let all = ours.rgb.len() / 3;
    let verdict = if differing <= all / MAX_DIFFERENCE_DIVISOR {
        "the same pixels"
    } else {
        "DIFFERENT pixels"
    };
    format!("Deskhand's and scrot's pictures show {verdict}: {differing} of {all} differ")
}

fn kilobytes(path: &str) -> String {
    std::fs::metadata(path).map_or_else(|_| "-".to_owned(), |file| (file.len() / 1024).to_string())
}

/// Compares typing and single keys, in an editor with the keyboard focus.
pub(crate) fn keyboard(rounds: usize) -> Result<Vec<CommandComparison>> {
    let desktop = TestDesktop::new();
    let program = desktop.start(App::Mousepad);
    let pid = program.pid_text();
    let text: String = TYPED_TEXT.chars().cycle().take(TYPED_LENGTH).collect();
    let tree = desktop.tree(&program);
    let text_element = tree.find(|one| one.kind == "text" && one.is("editable"));
    let text_element =
        &text_element.ok_or(Error::NoElement("the text area of mousepad"))?.reference;
    desktop.deskhand(&["window", "focus", "--app", &pid]);
    let commands = [
        TestedCommand::ours(&["type", &text, "--into", text_element, "--app", &pid]),
        TestedCommand::ours(&[
            "type",
            &text,
            "--into",
            text_element,
            "--app",
            &pid,
            "--mode",
            "focus",
        ]),
        TestedCommand::of("xdotool", &["type", &text]),
    ];
    let arrived = || {
        let there = wait_until(|| {
            let tree = desktop.tree(&program);
            tree.find(|one| one.reference == *text_element).is_some_and(|one| {
                one.value.as_ref().and_then(serde_json::Value::as_str) == Some(text.as_str())
            })
        });
        // Clear the text for the next command. Text that remains fails the next check.
        desktop.deskhand(&["set", text_element, "", "--app", &pid]);
        there
    };
    let typing =
        compare_commands(&desktop, "type 200 characters", None, rounds, &commands, arrived)?;
    let commands =
        [TestedCommand::ours(&["key", "Right"]), TestedCommand::of("xdotool", &["key", "Right"])];
    let key = compare_commands(
        &desktop,
        "press one key",
        None,
        rounds * QUICK_TASK_REPEATS,
        &commands,
        || true,
    )?;
    Ok(vec![typing, key])
}

/// Compares writing to the clipboard and reading from it.
pub(crate) fn clipboard(rounds: usize) -> Result<Vec<CommandComparison>> {
    let desktop = TestDesktop::new();
    let file = desktop.info().home.join("copied.txt");
    std::fs::write(&file, "some words").map_err(Error::system("copied.txt"))?;
    let file = file.display().to_string();
    let commands = [
        TestedCommand::ours(&["clipboard", "write", "some words"]),
        TestedCommand::of("xclip", &["-selection", "clipboard", "-i", &file]),
    ];
    let write = compare_commands(
        &desktop,
        "clipboard write",
        None,
        rounds * QUICK_TASK_REPEATS,
        &commands,
        || true,
    )?;
    // All commands read from the same clipboard owner.
    desktop.deskhand(&["clipboard", "write", "some words"]).expect_ok();
    let commands = [
        TestedCommand::ours(&["clipboard", "read"]),
        TestedCommand::of("xclip", &["-selection", "clipboard", "-o"]),
    ];
    let read = compare_commands(
        &desktop,
        "clipboard read",
        None,
        rounds * QUICK_TASK_REPEATS,
        &commands,
        || true,
    )?;
    Ok(vec![write, read])
}
