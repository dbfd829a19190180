//! What is written stays after the command, and nothing stays after the desktop.

use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use deskhand_linux::private::Part;
use harness::{App, Stage};
use rustix::process::{Pid, Signal, kill_process};

use crate::{keepers, read, until, write, xclip, xclip_copy};

fn gone(stage: &Stage) {
    until("the end of the keeper", || keepers(stage).is_empty().then_some(()));
}

#[test]
fn a_write_survives_its_command_and_ends_when_another_program_copies() {
    let stage = Stage::new();
    write(&stage, &["first"]);
    assert_eq!(keepers(&stage).len(), 1);
    assert_eq!(xclip(&stage, "UTF8_STRING"), b"first");
    write(&stage, &["second"]);
    until("the end of the first", || (keepers(&stage).len() == 1).then_some(()));
    assert_eq!(xclip(&stage, "UTF8_STRING"), b"second");
    xclip_copy(&stage, "UTF8_STRING", b"third");
    gone(&stage);
    assert_eq!(read(&stage, "text")["text"], "third");
}

#[test]
fn a_keeper_holds_nothing_of_whoever_started_it() {
    let stage = Stage::new();
    // Left open on purpose, as shells and build tools do: a keeper must not hold a lock for days.
    let script = "exec 7>lock 12>far; exec \"$@\"";
    let mut command = stage.command("/bin/bash");
    command.current_dir(&stage.info().home).env("A_SECRET", "1");
    command.args(["-c", script, "bash"]).arg(harness::outcome::binary());
    let output = command.args(["clipboard", "write", "x"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let keeper = keepers(&stage).pop().expect("a keeper runs");
    let mut sockets = 0;
    for entry in std::fs::read_dir(keeper.join("fd")).unwrap().flatten() {
        // Following the link tells what it is even where its name is no path.
        let kind = std::fs::metadata(entry.path()).unwrap().file_type();
        let target = std::fs::read_link(entry.path()).unwrap();
        sockets += usize::from(kind.is_socket());
        assert!(kind.is_socket() || target == Path::new("/dev/null"), "{target:?}");
    }
    assert_eq!(sockets, 1, "the display is its only connection");
    assert_eq!(std::fs::read_link(keeper.join("cwd")).unwrap(), Path::new("/"));
    let environment = std::fs::read(keeper.join("environ")).unwrap();
    assert!(!String::from_utf8_lossy(&environment).contains("A_SECRET"));
    let arguments = std::fs::read(keeper.join("cmdline")).unwrap();
    assert!(arguments.ends_with(b"\0clipboard-keeper\0"), "data never stands in the arguments");
}

#[test]
fn clear_leaves_nothing_and_nobody() {
    let stage = Stage::new();
    let clear = || stage.deskhand(&["clipboard", "clear", "--format", "json"]).json();
    assert_eq!(clear()["effect"], "confirmed", "nothing was there");
    write(&stage, &["something"]);
    assert_eq!(clear()["effect"], "confirmed");
    stage.deskhand(&["clipboard", "read", "--format", "json"]).expect_error("empty");
    gone(&stage);
    xclip_copy(&stage, "UTF8_STRING", b"of somebody else");
    assert_eq!(clear()["effect"], "confirmed");
    let output = stage.command("xclip").args(["-selection", "clipboard", "-o"]).output().unwrap();
    assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
}

#[test]
fn a_keeper_ends_with_its_display() {
    let stage = Stage::new();
    write(&stage, &["x"]);
    write(&stage, &["y", "--selection", "primary"]);
    assert_eq!(keepers(&stage).len(), 2);
    let server = stage.info().component(Part::Display).unwrap().process.pid;
    kill_process(Pid::from_raw(server.cast_signed()).unwrap(), Signal::KILL).unwrap();
    gone(&stage);
}

#[test]
fn a_keeper_does_not_keep_a_desktop_up() {
    let stage = Stage::new();
    let _program = stage.launch(App::Xterm);
    write(&stage, &["x"]);
    let keeper = keepers(&stage).pop().unwrap();
    let begun = std::time::Instant::now();
    drop(stage);
    // What has ended and was not yet waited for has no command line any more.
    let command = std::fs::read(keeper.join("cmdline")).unwrap_or_default();
    assert!(command.is_empty(), "the desktop is down and the keeper is not");
    assert!(begun.elapsed().as_secs() < 5);
}
