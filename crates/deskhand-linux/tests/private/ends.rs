//! How a desktop ends when somebody asks for it.

use std::time::{Duration, Instant};

use deskhand_linux::private::Part;
use rustix::process::{Pid, Signal, kill_process};

use crate::actor::{Actor, Role, named};
use crate::look;

#[test]
fn up_and_down_leave_nothing() {
    let desktop = look::desktop();
    look::assert_up(&desktop);
    let mut xterm = look::run(&desktop, "xterm", &["-e", "sleep", "1000"]);
    look::eventually("xterm's window", || look::windows(&desktop) == 1);
    let info = desktop.clone();
    desktop.down().unwrap();
    look::assert_gone(&info);
    // The caller's own child is left to the caller: waiting for it must not fail.
    xterm.wait();
    // The others are children of the buses, and init's to reap.
    for part in [Part::Display, Part::SessionBus, Part::WindowManager] {
        let component = info.component(part).unwrap();
        let zombie = std::path::PathBuf::from(format!("/proc/{}", component.process.pid));
        assert!(!zombie.exists(), "{component:?} was not reaped");
    }
}

#[test]
fn down_names_the_desktops_there_are() {
    let state = look::State::new();
    let owner = Actor::play(Role::Own, &state.path(), named("here"));
    let down = Actor::play(Role::Down, &state.path(), named("elsewhere"));
    let text = down.answer.as_ref().unwrap_err();
    assert!(text.starts_with("unknown_desktop") && text.ends_with("running: here"), "{text}");
    look::assert_up(&owner.info());
    Actor::play(Role::Down, &state.path(), named("here"));
    look::assert_gone(&owner.info());
}

#[test]
fn programs_that_do_not_listen_end_too() {
    let desktop = look::desktop();
    let deaf =
        look::run(&desktop, "sh", &["-c", "trap '' TERM HUP INT; while :; do sleep 1; done"]);
    let stopped = look::run(&desktop, "mousepad", &[]);
    look::eventually("mousepad's window", || look::windows(&desktop) == 1);
    let pid = Pid::from_raw(stopped.pid().try_into().unwrap()).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    let info = desktop.clone();
    let begin = Instant::now();
    desktop.down().unwrap();
    assert!(begin.elapsed() < Duration::from_secs(4), "{:?}", begin.elapsed());
    look::assert_gone(&info);
    assert!(!look::is_alive(deaf.pid()) && !look::is_alive(stopped.pid()));
}

/// Chromium's helpers are such: their environment is overwritten, and their parents end first.
#[test]
fn a_program_known_by_its_parents_alone_ends_also_after_they_did() {
    let desktop = look::desktop();
    let writer = "trap '' TERM HUP; while :; do mkdir -p \"$0\"; echo x > \"$0/late\"; done";
    let script =
        format!("env -i /bin/sh -c '{}' \"$HOME/.config\" & wait", writer.replace('\'', "'\\''"));
    let _parent = look::run(&desktop, "sh", &["-c", &script]);
    let home = desktop.home.clone();
    look::eventually("the writer's file", || home.join(".config/late").is_file());
    let info = desktop.clone();
    desktop.down().unwrap();
    look::assert_gone(&info);
    std::thread::sleep(Duration::from_millis(300));
    // Another desktop may have the name by now, but not the file.
    assert!(!home.join(".config/late").exists(), "somebody writes to {}", home.display());
}

#[test]
fn a_desktop_of_nobody_stays_until_it_is_taken_down() {
    let state = look::State::new();
    let maker = Actor::play(Role::Make, &state.path(), named("stay"));
    let info = maker.info();
    assert_eq!(info.owner, None);
    drop(maker);
    let visitor = Actor::play(Role::Visit, &state.path(), |_| {});
    look::assert_gone(&visitor.info());
    look::assert_up(&info);
    let listed = Actor::play(Role::List, &state.path(), |_| {});
    assert_eq!(listed.answer, Ok(vec![info.clone()]));
    let down = Actor::play(Role::Down, &state.path(), named("stay"));
    assert_eq!(down.answer, Ok(Vec::new()));
    look::assert_gone(&info);
    assert!(!state.path().exists());
}

#[test]
fn a_desktop_made_inside_another_ends_with_it() {
    let state = look::State::new();
    let outer = Actor::play(Role::Own, &state.path(), named("outer"));
    let inner = Actor::play(Role::Make, &state.path(), |command| {
        named("inner")(command);
        command.envs(outer.info().env());
    });
    let (outer, inner) = (outer.info(), inner.info());
    assert!(inner.id.starts_with(&format!("{}/", outer.id)), "{} in {}", inner.id, outer.id);
    look::assert_up(&inner);
    Actor::play(Role::Down, &state.path(), named("outer"));
    look::assert_gone(&outer);
    assert_eq!(look::marked(&inner.id), Vec::<u32>::new());
    Actor::play(Role::Sweep, &state.path(), |_| {});
    look::assert_gone(&inner);
}

#[test]
fn a_command_inside_can_take_its_own_desktop_down() {
    let state = look::State::new();
    let owner = Actor::play(Role::Make, &state.path(), named("own-goal"));
    let info = owner.info();
    let down = Actor::play(Role::Down, &state.path(), |command| {
        named("own-goal")(command);
        command.envs(info.env());
    });
    assert_eq!(down.answer, Ok(Vec::new()));
    look::assert_gone(&info);
}
