//! What happens to the desktops of processes that were killed.

use std::process::Command;

use crate::actor::{Actor, Role, named};
use crate::look::{self, Program};

/// Starts a daemon that has left its parents, session and terminal behind, and returns its number.
fn daemon(info: &deskhand_linux::private::Info) -> u32 {
    let before = look::marked(&info.id);
    let script = "setsid -f setsid -f sleep 1000 </dev/null >/dev/null 2>&1";
    look::run(info, "sh", &["-c", script]).wait();
    let mut found = None;
    look::eventually("the daemon", || {
        found = look::marked(&info.id).into_iter().find(|pid| {
            let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            !before.contains(pid) && name.trim() == "sleep"
        });
        found.is_some()
    });
    found.unwrap()
}

#[test]
fn a_killed_owner_is_swept_and_the_living_are_spared() {
    let state = look::State::new();
    let mut killed = Actor::play(Role::Own, &state.path(), named("killed"));
    let living = Actor::play(Role::Own, &state.path(), named("living"));
    let (dead, alive) = (killed.info(), living.info());
    let stray = daemon(&dead);
    let spared = daemon(&alive);
    // Carries a mark that only begins like the dead one's.
    let mark = format!("{}0", dead.id);
    let other = Program::start(Command::new("sleep").arg("1000").env("DESKHAND_DESKTOP", mark));
    killed.kill();
    look::assert_up(&dead);

    let visitor = Actor::play(Role::Visit, &state.path(), |_| {});
    look::assert_gone(&visitor.info());
    look::assert_gone(&dead);
    assert!(!look::is_alive(stray));
    look::assert_up(&alive);
    assert!(look::is_alive(spared));
    assert!(look::is_alive(other.pid()));

    Actor::play(Role::Down, &state.path(), named("living"));
    look::assert_gone(&alive);
    assert!(!look::is_alive(spared));
    assert!(!state.path().exists());
}

#[test]
fn a_half_made_desktop_is_swept() {
    let (state, folder) = (look::State::new(), tempfile::tempdir().unwrap());
    let path = look::impostor(folder.path(), "dbus-daemon", "exec sleep 1000");
    let mut maker = Actor::begin(Role::Make, &state.path(), |command| {
        command.env("PATH", &path);
    });
    let record = state.path().join("d1/state.json");
    let id = || {
        let text = std::fs::read_to_string(&record).ok()?;
        let record: serde_json::Value = serde_json::from_str(&text).ok()?;
        Some(record["id"].as_str()?.to_owned())
    };
    look::eventually("the record", || id().is_some());
    let id = id().unwrap();
    let all_there = || {
        let programs = look::programs(&id);
        ["Xvfb", "openbox", "sleep"].iter().all(|one| programs.iter().any(|other| one == other))
    };
    look::eventually("an X server, a bus and a window manager", all_there);
    maker.kill().unwrap();
    maker.wait().unwrap();
    assert!(all_there());

    let listed = Actor::play(Role::List, &state.path(), |_| {});
    assert_eq!(listed.answer, Ok(Vec::new()));
    let swept = Actor::play(Role::Sweep, &state.path(), |_| {});
    assert_eq!(swept.answer, Ok(Vec::new()));
    assert_eq!(look::marked(&id), Vec::<u32>::new());
    assert!(!state.path().exists());
}

#[test]
fn a_reused_number_does_not_keep_a_desktop_alive_nor_get_hurt() {
    let state = look::State::new();
    let owner = Actor::play(Role::Make, &state.path(), named("reused"));
    let info = owner.info();
    let innocent = Program::start(Command::new("sleep").arg("1000"));
    // The owner and a component now look as if their numbers had gone to another process.
    let record = state.path().join("reused/state.json");
    let text = std::fs::read_to_string(&record).unwrap();
    let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
    json["owner"] = serde_json::json!({ "pid": innocent.pid(), "started": 1 });
    json["info"]["components"][0]["pid"] = innocent.pid().into();
    std::fs::write(&record, json.to_string()).unwrap();

    let swept = Actor::play(Role::Sweep, &state.path(), |_| {});
    assert_eq!(swept.answer, Ok(Vec::new()));
    look::assert_gone(&info);
    assert!(look::is_alive(innocent.pid()));
}

#[test]
fn a_killed_x_server_leaves_no_lock_behind() {
    let state = look::State::new();
    let mut owner = Actor::play(Role::Own, &state.path(), |_| {});
    let info = owner.info();
    let server = info.components.iter().find(|one| one.program == "Xvfb").unwrap();
    let pid = rustix::process::Pid::from_raw(server.process.pid.try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    look::eventually("the end of the X server", || !look::is_alive(server.process.pid));
    owner.kill();
    Actor::play(Role::Sweep, &state.path(), |_| {});
    look::assert_gone(&info);
}
