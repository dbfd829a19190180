//! Taking desktops down.

use std::time::{Duration, Instant};

use deskhand_linux::private::ComponentKind;
use rustix::process::{Pid, Signal, kill_process};

use crate::actor::{Actor, Role, named};
use crate::observe;

#[test]
fn up_and_down_leave_nothing() {
    let desktop = observe::desktop();
    observe::assert_up(&desktop);
    let mut xterm = observe::run(&desktop, "xterm", &["-e", "sleep", "1000"]);
    observe::eventually("xterm's window", || observe::windows(&desktop) == 1);
    let info = desktop.clone();
    desktop.down().unwrap();
    observe::assert_gone(&info);
    // The caller's own child is left to the caller, who can still wait for it.
    xterm.wait();
    // The others are children of the buses and are reaped by init.
    for kind in [ComponentKind::Display, ComponentKind::SessionBus, ComponentKind::WindowManager] {
        let component = info.component(kind).unwrap();
        let zombie = std::path::PathBuf::from(format!("/proc/{}", component.process.pid));
        assert!(!zombie.exists(), "{component:?} was not reaped");
    }
}

#[test]
fn down_lists_the_running_desktops() {
    let state = observe::State::new();
    let owner = Actor::run(Role::Own, &state.path(), named("here"));
    let down = Actor::run(Role::Down, &state.path(), named("elsewhere"));
    let text = down.answer.as_ref().unwrap_err();
    assert!(text.starts_with("unknown_desktop") && text.ends_with("running: here"), "{text}");
    observe::assert_up(&owner.info());
    Actor::run(Role::Down, &state.path(), named("here"));
    observe::assert_gone(&owner.info());
}

#[test]
fn programs_that_ignore_signals_end_too() {
    let desktop = observe::desktop();
    let ignores_signals =
        observe::run(&desktop, "sh", &["-c", "trap '' TERM HUP INT; while :; do sleep 1; done"]);
    let stopped = observe::run(&desktop, "mousepad", &[]);
    observe::eventually("mousepad's window", || observe::windows(&desktop) == 1);
    let pid = Pid::from_raw(stopped.pid().try_into().unwrap()).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    let info = desktop.clone();
    let begin = Instant::now();
    desktop.down().unwrap();
    assert!(begin.elapsed() < Duration::from_secs(4), "{:?}", begin.elapsed());
    observe::assert_gone(&info);
    assert!(!observe::is_alive(ignores_signals.pid()) && !observe::is_alive(stopped.pid()));
}

/// Chromium's helpers are like this: their environment is overwritten, and their parents end first.
#[test]
fn a_program_recognized_by_its_parents_ends_even_after_they_did() {
    let desktop = observe::desktop();
    let writer = "trap '' TERM HUP; while :; do mkdir -p \"$0\"; echo x > \"$0/late\"; done";
    let script =
        format!("env -i /bin/sh -c '{}' \"$HOME/.config\" & wait", writer.replace('\'', "'\\''"));
    let _parent = observe::run(&desktop, "sh", &["-c", &script]);
    let home = desktop.home.clone();
    observe::eventually("the writer's file", || home.join(".config/late").is_file());
    let info = desktop.clone();
    desktop.down().unwrap();
    observe::assert_gone(&info);
    std::thread::sleep(Duration::from_millis(300));
    // Another desktop may have the name by now, but not the file.
    assert!(!home.join(".config/late").exists(), "a process still writes to {}", home.display());
}

#[test]
fn a_desktop_without_an_owner_runs_until_it_is_taken_down() {
    let state = observe::State::new();
    let maker = Actor::run(Role::Make, &state.path(), named("stay"));
    let info = maker.info();
    assert_eq!(info.owner, None);
    drop(maker);
    let visitor = Actor::run(Role::Visit, &state.path(), |_| {});
    observe::assert_gone(&visitor.info());
    observe::assert_up(&info);
    let listed = Actor::run(Role::List, &state.path(), |_| {});
    assert_eq!(listed.answer, Ok(vec![info.clone()]));
    let down = Actor::run(Role::Down, &state.path(), named("stay"));
    assert_eq!(down.answer, Ok(Vec::new()));
    observe::assert_gone(&info);
    assert!(!state.path().exists());
}

#[test]
fn a_desktop_started_inside_another_ends_with_it() {
    let state = observe::State::new();
    let outer = Actor::run(Role::Own, &state.path(), named("outer"));
    let inner = Actor::run(Role::Make, &state.path(), |command| {
        named("inner")(command);
        command.envs(outer.info().env());
    });
    let (outer, inner) = (outer.info(), inner.info());
    assert!(inner.id.starts_with(&format!("{}/", outer.id)), "{} in {}", inner.id, outer.id);
    observe::assert_up(&inner);
    Actor::run(Role::Down, &state.path(), named("outer"));
    observe::assert_gone(&outer);
    assert_eq!(observe::pids_in_desktop(&inner.id), Vec::<u32>::new());
    Actor::run(Role::RemoveStale, &state.path(), |_| {});
    observe::assert_gone(&inner);
}

#[test]
fn a_command_inside_can_take_its_own_desktop_down() {
    let state = observe::State::new();
    let owner = Actor::run(Role::Make, &state.path(), named("own-goal"));
    let info = owner.info();
    let down = Actor::run(Role::Down, &state.path(), |command| {
        named("own-goal")(command);
        command.envs(info.env());
    });
    assert_eq!(down.answer, Ok(Vec::new()));
    observe::assert_gone(&info);
}
