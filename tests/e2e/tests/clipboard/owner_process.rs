//! The clipboard owner process keeps the content after the command ends, and exits with its
//! desktop.

use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use deskhand_linux::private::ComponentKind;
use harness::{App, TestDesktop};
use rustix::process::{Pid, Signal, kill_process};

use crate::{owner_processes, read, until, write, xclip, xclip_copy};

fn wait_until_none_run(stage: &TestDesktop) {
    until("the exit of the owner process", || owner_processes(stage).is_empty().then_some(()));
}

#[test]
fn written_content_stays_until_another_program_copies() {
    let stage = TestDesktop::new();
    write(&stage, &["first"]);
    assert_eq!(owner_processes(&stage).len(), 1);
    assert_eq!(xclip(&stage, "UTF8_STRING"), b"first");
    write(&stage, &["second"]);
    until("the exit of the first owner process", || {
        (owner_processes(&stage).len() == 1).then_some(())
    });
    assert_eq!(xclip(&stage, "UTF8_STRING"), b"second");
    xclip_copy(&stage, "UTF8_STRING", b"third");
    wait_until_none_run(&stage);
    assert_eq!(read(&stage, "text")["text"], "third");
}

#[test]
fn owner_process_inherits_no_files_folder_or_environment() {
    let stage = TestDesktop::new();
    // Shells and build tools leave descriptors open. The owner process must not keep a lock file
    // open for days.
    let script = "exec 7>lock 12>far; exec \"$@\"";
    let mut command = stage.command("/bin/bash");
    command.current_dir(&stage.info().home).env("A_SECRET", "1");
    command.args(["-c", script, "bash"]).arg(harness::outcome::binary());
    let output = command.args(["clipboard", "write", "x"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let owner = owner_processes(&stage).pop().expect("an owner process runs");
    let mut sockets = 0;
    for entry in std::fs::read_dir(owner.join("fd")).unwrap().flatten() {
        // `metadata` follows the link, which works even if the link target is not a path.
        let kind = std::fs::metadata(entry.path()).unwrap().file_type();
        let target = std::fs::read_link(entry.path()).unwrap();
        sockets += usize::from(kind.is_socket());
        assert!(kind.is_socket() || target == Path::new("/dev/null"), "{target:?}");
    }
    assert_eq!(sockets, 1, "it must have one connection, to the display");
    assert_eq!(std::fs::read_link(owner.join("cwd")).unwrap(), Path::new("/"));
    let environment = std::fs::read(owner.join("environ")).unwrap();
    assert!(!String::from_utf8_lossy(&environment).contains("A_SECRET"));
    let arguments = std::fs::read(owner.join("cmdline")).unwrap();
    assert!(
        arguments.ends_with(b"\0clipboard-keeper\0"),
        "the arguments must not contain the data"
    );
}

#[test]
fn clear_empties_the_clipboard_and_ends_the_owner_process() {
    let stage = TestDesktop::new();
    let clear = || stage.deskhand(&["clipboard", "clear", "--format", "json"]).json();
    assert_eq!(clear()["effect"], "confirmed", "the clipboard was empty before");
    write(&stage, &["something"]);
    assert_eq!(clear()["effect"], "confirmed");
    stage.deskhand(&["clipboard", "read", "--format", "json"]).expect_error("empty");
    wait_until_none_run(&stage);
    xclip_copy(&stage, "UTF8_STRING", b"from another program");
    assert_eq!(clear()["effect"], "confirmed");
    let output = stage.command("xclip").args(["-selection", "clipboard", "-o"]).output().unwrap();
    assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
}

#[test]
fn owner_process_ends_with_its_display() {
    let stage = TestDesktop::new();
    write(&stage, &["x"]);
    write(&stage, &["y", "--selection", "primary"]);
    assert_eq!(owner_processes(&stage).len(), 2);
    let server = stage.info().component(ComponentKind::Display).unwrap().process.pid;
    kill_process(Pid::from_raw(server.cast_signed()).unwrap(), Signal::KILL).unwrap();
    wait_until_none_run(&stage);
}

#[test]
fn owner_process_does_not_keep_a_desktop_running() {
    let stage = TestDesktop::new();
    let _program = stage.launch(App::Xterm);
    write(&stage, &["x"]);
    let owner = owner_processes(&stage).pop().unwrap();
    let started = std::time::Instant::now();
    drop(stage);
    // A process that has exited but was not waited for has an empty command line.
    let command = std::fs::read(owner.join("cmdline")).unwrap_or_default();
    assert!(command.is_empty(), "the owner process outlived its desktop");
    assert!(started.elapsed().as_secs() < 5);
}
