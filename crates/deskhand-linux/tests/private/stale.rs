//! Removing the desktops of killed processes.

use std::process::Command;

use crate::actor::{Actor, Role, named};
use crate::observe::{self, Program};

/// Starts a daemon that is detached from its parents, session and terminal, and returns its process
/// id.
fn daemon(info: &deskhand_linux::private::DesktopInfo) -> u32 {
    let before = observe::pids_in_desktop(&info.id);
    let script = "setsid -f setsid -f sleep 1000 </dev/null >/dev/null 2>&1";
    observe::run(info, "sh", &["-c", script]).wait();
    let mut found = None;
    observe::eventually("the daemon", || {
        found = observe::pids_in_desktop(&info.id).into_iter().find(|pid| {
            let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            !before.contains(pid) && name.trim() == "sleep"
        });
        found.is_some()
    });
    found.unwrap()
}

#[test]
fn the_desktop_of_a_killed_owner_is_removed_and_others_are_kept() {
    let state = observe::State::new();
    let mut killed = Actor::run(Role::Own, &state.path(), named("killed"));
    let living = Actor::run(Role::Own, &state.path(), named("living"));
    let (dead, alive) = (killed.info(), living.info());
    let stray = daemon(&dead);
    let spared = daemon(&alive);
    // Its desktop id only starts with the killed owner's id.
    let mark = format!("{}0", dead.id);
    let other = Program::start(Command::new("sleep").arg("1000").env("DESKHAND_DESKTOP", mark));
    killed.kill();
    observe::assert_up(&dead);

    let visitor = Actor::run(Role::Visit, &state.path(), |_| {});
    observe::assert_gone(&visitor.info());
    observe::assert_gone(&dead);
    assert!(!observe::is_alive(stray));
    observe::assert_up(&alive);
    assert!(observe::is_alive(spared));
    assert!(observe::is_alive(other.pid()));

    Actor::run(Role::Down, &state.path(), named("living"));
    observe::assert_gone(&alive);
    assert!(!observe::is_alive(spared));
    assert!(!state.path().exists());
}

#[test]
fn a_partly_started_desktop_is_removed() {
    let (state, folder) = (observe::State::new(), tempfile::tempdir().unwrap());
    let path = observe::fake_program(folder.path(), "dbus-daemon", "exec sleep 1000");
    let mut maker = Actor::spawn(Role::Make, &state.path(), |command| {
        command.env("PATH", &path);
    });
    let record = state.path().join("d1/state.json");
    let id = || {
        let text = std::fs::read_to_string(&record).ok()?;
        let record: serde_json::Value = serde_json::from_str(&text).ok()?;
        Some(record["id"].as_str()?.to_owned())
    };
    observe::eventually("the record", || id().is_some());
    let id = id().unwrap();
    let all_there = || {
        let programs = observe::programs(&id);
        ["Xvfb", "openbox", "sleep"].iter().all(|one| programs.iter().any(|other| one == other))
    };
    observe::eventually("an X server, a bus and a window manager", all_there);
    maker.kill().unwrap();
    maker.wait().unwrap();
    assert!(all_there());

    let listed = Actor::run(Role::List, &state.path(), |_| {});
    assert_eq!(listed.answer, Ok(Vec::new()));
    let removed = Actor::run(Role::RemoveStale, &state.path(), |_| {});
    assert_eq!(removed.answer, Ok(Vec::new()));
    assert_eq!(observe::pids_in_desktop(&id), Vec::<u32>::new());
    assert!(!state.path().exists());
}

#[test]
fn a_reused_process_id_neither_keeps_a_desktop_alive_nor_is_killed() {
    let state = observe::State::new();
    let owner = Actor::run(Role::Make, &state.path(), named("reused"));
    let info = owner.info();
    let innocent = Program::start(Command::new("sleep").arg("1000"));
    // Now the process ids of the owner and a component seem to belong to another process.
    let record = state.path().join("reused/state.json");
    let text = std::fs::read_to_string(&record).unwrap();
    let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
    json["owner"] = serde_json::json!({ "pid": innocent.pid(), "started": 1 });
    json["info"]["components"][0]["pid"] = innocent.pid().into();
    std::fs::write(&record, json.to_string()).unwrap();

    let removed = Actor::run(Role::RemoveStale, &state.path(), |_| {});
    assert_eq!(removed.answer, Ok(Vec::new()));
    observe::assert_gone(&info);
    assert!(observe::is_alive(innocent.pid()));
}

#[test]
fn a_killed_x_server_leaves_no_lock_behind() {
    let state = observe::State::new();
    let mut owner = Actor::run(Role::Own, &state.path(), |_| {});
    let info = owner.info();
    let server = info.components.iter().find(|one| one.program == "Xvfb").unwrap();
    let pid = rustix::process::Pid::from_raw(server.process.pid.try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    observe::eventually("the end of the X server", || !observe::is_alive(server.process.pid));
    owner.kill();
    Actor::run(Role::RemoveStale, &state.path(), |_| {});
    observe::assert_gone(&info);
}
