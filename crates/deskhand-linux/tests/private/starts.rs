//! Starting desktops, and the environment of programs inside them.

use std::process::{Command, Stdio};
use std::time::Instant;

use deskhand_linux::private::{self, DesktopOptions, Owner, ScopedDesktop, Size};
use deskhand_model::Explain;
use rustix::io::{FdFlags, fcntl_dupfd_cloexec, fcntl_setfd};
use x11rb::connection::Connection;
use x11rb::protocol::randr::ConnectionExt as _;
use x11rb::protocol::xproto::ConnectionExt as _;

use crate::actor::{Actor, Role, named};
use crate::observe;

#[test]
fn accessibility_is_enabled_without_a_screen_reader() {
    let desktop = observe::desktop();
    observe::assert_up(&desktop);
    assert!(observe::a11y_status(&desktop, "IsEnabled"));
    assert!(!observe::a11y_status(&desktop, "ScreenReaderEnabled"));
}

#[test]
fn the_session_bus_starts_nothing_but_accessibility() {
    let desktop = observe::desktop();
    let mut names = observe::activatable(&desktop);
    names.sort();
    assert_eq!(names, ["org.a11y.Bus", "org.freedesktop.DBus"]);
}

#[test]
fn three_desktops_in_parallel_are_independent() {
    let desktops: Vec<ScopedDesktop> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(observe::desktop)).collect();
        threads.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let [a, b, c] = &desktops[..] else { panic!("three were started") };
    for (one, other) in [(a, b), (b, c), (a, c)] {
        assert_ne!(one.display, other.display);
        assert_ne!(one.name, other.name);
        assert_ne!(one.session_bus, other.session_bus);
        assert_ne!(one.a11y_bus, other.a11y_bus);
        assert_ne!(one.home, other.home);
        // The cookie of one display is not valid for another.
        let mut crossed = (**one).clone();
        crossed.xauthority.clone_from(&other.xauthority);
        assert!(crossed.connect_x11().is_err());
    }
    let _mousepad = observe::run(b, "mousepad", &[]);
    observe::eventually("mousepad's window", || observe::windows(b) == 1);
    observe::eventually("mousepad on the bus", || {
        observe::accessible_programs(b).contains(&"mousepad".to_owned())
    });
    for other in [a, c] {
        assert_eq!(observe::windows(other), 0);
        assert_eq!(observe::accessible_programs(other), Vec::<String>::new());
    }
}

#[test]
fn the_callers_session_does_not_leak_into_a_desktop() {
    let state = observe::State::new();
    let foreign = [
        ("DESKHAND_TEST_SENTINEL", "sentinel-7"),
        ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/tmp/sentinel-7"),
        ("AT_SPI_BUS_ADDRESS", "unix:path=/tmp/sentinel-7"),
        ("WAYLAND_DISPLAY", "sentinel-7"),
        ("DISPLAY", ":sentinel-7"),
        ("XAUTHORITY", "/tmp/sentinel-7"),
        ("HOME", "/tmp/sentinel-7"),
        ("XDG_CONFIG_HOME", "/tmp/sentinel-7"),
        ("SESSION_MANAGER", "sentinel-7"),
        ("NO_AT_BRIDGE", "sentinel-7"),
        ("GTK_MODULES", "sentinel-7"),
        ("GTK_THEME", "sentinel-7"),
        ("SSH_AUTH_SOCK", "/tmp/sentinel-7"),
    ];
    let owner = Actor::run(Role::Own, &state.path(), |command| {
        command.envs(foreign);
    });
    let info = owner.info();
    for pid in observe::pids_in_desktop(&info.id) {
        let leaked: Vec<_> =
            observe::environ(pid).into_iter().filter(|one| one.contains("sentinel-7")).collect();
        assert_eq!(leaked, Vec::<String>::new());
    }

    let mut inside = Command::new("env");
    inside.envs(foreign).stdin(Stdio::null());
    let output = info.apply(&mut inside).output().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    // The folders with the user's settings and logs are passed on, because they apply here too.
    let is_deskhand_folder = |line: &&str| {
        let name = line.split('=').next().unwrap_or_default();
        deskhand_platform::Folders::VARIABLES.contains(&name)
    };
    let leaked: Vec<&str> = output
        .lines()
        .filter(|line| line.contains("sentinel-7") && !is_deskhand_folder(line))
        .collect();
    assert_eq!(leaked, Vec::<&str>::new());
    let config = "DESKHAND_CONFIG_DIR=/tmp/sentinel-7/deskhand";
    assert!(output.lines().any(|line| line == config), "{output}");
    for (name, value) in info.env() {
        assert!(output.lines().any(|line| line == format!("{name}={value}")), "{name} in {output}");
    }
    assert!(output.contains("PATH="), "{output}");
    assert!(!output.contains("AT_SPI_BUS_ADDRESS"), "{output}");
    drop(owner);
    Actor::run(Role::RemoveStale, &state.path(), |_| {});
    observe::assert_gone(&info);
}

#[test]
fn exported_variables_put_a_program_into_the_desktop() {
    let desktop = observe::desktop();
    let mut command = Command::new("sh");
    command.args(["-c", "echo $DISPLAY $HOME ${WAYLAND_DISPLAY-none}"]);
    command.env("WAYLAND_DISPLAY", "wayland-0").envs(desktop.env());
    desktop.variables_to_unset().iter().for_each(|name| {
        command.env_remove(name);
    });
    let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let expected = format!("{} {} none\n", desktop.display, desktop.home.display());
    assert_eq!(output, expected);
}

#[test]
fn displays_are_monitors_side_by_side() {
    let sizes = [Size { width: 800, height: 600 }, Size { width: 640, height: 480 }];
    let options = DesktopOptions { displays: sizes.to_vec(), ..DesktopOptions::default() };
    let desktop = ScopedDesktop::up(&options).unwrap();
    let x = desktop.connect_x11().unwrap();
    let root = x.setup().roots[0].root;
    let screen = x.get_geometry(root).unwrap().reply().unwrap();
    assert_eq!((screen.width, screen.height), (1440, 600));
    let monitors = x.randr_get_monitors(root, true).unwrap().reply().unwrap().monitors;
    let frames: Vec<_> =
        monitors.iter().map(|one| (one.x, one.y, one.width, one.height, one.primary)).collect();
    assert_eq!(frames, [(0, 0, 800, 600, true), (800, 0, 640, 480, false)]);
    for (monitor, display) in monitors.iter().zip(&desktop.displays) {
        let name = x.get_atom_name(monitor.name).unwrap().reply().unwrap().name;
        assert_eq!(String::from_utf8(name).unwrap(), display.name);
    }
    // Toolkits must accept a monitor without an output.
    let mut running = Vec::new();
    for program in ["mousepad", "gtk4-demo", "featherpad", "kcalc"] {
        running.push(observe::run(&desktop, program, &[]));
        observe::eventually(program, || observe::windows(&desktop) == running.len());
    }
    assert!(running.iter().all(|program| observe::is_alive(program.pid())));
}

#[test]
fn processes_that_start_at_the_same_time_get_separate_desktops() {
    let state = observe::State::new();
    let owners: Vec<Actor> = std::thread::scope(|scope| {
        let play = || Actor::run(Role::Own, &state.path(), |_| {});
        let threads: Vec<_> = (0..5).map(|_| scope.spawn(play)).collect();
        threads.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let infos: Vec<_> = owners.iter().map(Actor::info).collect();
    let mut names: Vec<_> = infos.iter().map(|info| info.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["d1", "d2", "d3", "d4", "d5"]);
    infos.iter().for_each(observe::assert_up);
    let listed = Actor::run(Role::List, &state.path(), |_| {});
    assert_eq!(listed.answer.as_ref().unwrap().len(), 5);
    drop(owners);
    Actor::run(Role::RemoveStale, &state.path(), |_| {});
    infos.iter().for_each(observe::assert_gone);
}

#[test]
fn a_missing_program_is_named_with_its_package() {
    let state = observe::State::new();
    let failed = Actor::run(Role::Visit, &state.path(), |command| {
        command.env("PATH", "/nowhere");
    });
    let text = failed.answer.as_ref().unwrap_err();
    assert!(text.starts_with("missing_program"), "{text}");
    for part in ["Xvfb (package xvfb)", "openbox (package openbox)", "apt-get install xvfb"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn a_component_that_fails_is_reported_with_its_log_and_leaves_nothing() {
    for (program, script) in [
        ("openbox", "echo no such luck >&2; exit 3"),
        ("Xvfb", "echo no such luck >&2; exit 3"),
        ("dbus-daemon", "echo no such luck >&2; exit 3"),
    ] {
        let (state, folder) = (observe::State::new(), tempfile::tempdir().unwrap());
        let path = observe::fake_program(folder.path(), program, script);
        let failed = Actor::run(Role::Visit, &state.path(), |command| {
            command.env("PATH", &path);
        });
        let text = failed.answer.as_ref().unwrap_err();
        assert!(text.starts_with("start_failed"), "{text}");
        assert!(text.contains(program) && text.contains("no such luck"), "{text}");
        // The state directory is removed with its last desktop.
        assert!(!state.path().exists(), "{program}");
    }
}

#[test]
fn invalid_names_and_sizes_are_refused() {
    for name in ["", "Ab", "a/b", "..", "-x", &"a".repeat(33)] {
        let options = DesktopOptions { name: Some(name.to_owned()), ..DesktopOptions::default() };
        assert_eq!(private::up(&options).unwrap_err().code(), "bad_name", "{name}");
        assert!(private::down(name).is_err(), "{name}");
    }
    for (width, height) in [(0, 600), (800, 0), (16_385, 600), (800, u32::MAX)] {
        let displays = vec![Size { width, height }];
        let options = DesktopOptions { displays, ..DesktopOptions::default() };
        assert_eq!(private::up(&options).unwrap_err().code(), "bad_size", "{width}x{height}");
    }
    let options = DesktopOptions { displays: Vec::new(), ..DesktopOptions::default() };
    assert_eq!(private::up(&options).unwrap_err().code(), "bad_layout");
}

#[test]
fn a_name_in_use_is_refused_with_a_hint() {
    let state = observe::State::new();
    let owner = Actor::run(Role::Own, &state.path(), named("desk-1"));
    let second = Actor::run(Role::Own, &state.path(), named("desk-1"));
    let text = second.answer.as_ref().unwrap_err();
    assert!(text.starts_with("name_taken"), "{text}");
    assert!(text.contains(r#"StopDesktop { name: "desk-1" }"#), "{text}");
    observe::assert_up(&owner.info());
    let down = Actor::run(Role::Down, &state.path(), named("desk-1"));
    assert_eq!(down.answer, Ok(Vec::new()));
    observe::assert_gone(&owner.info());
}

#[test]
fn a_desktop_starts_in_time() {
    let options = DesktopOptions { owner: Owner::Process, ..DesktopOptions::default() };
    let (mut times, mut ends) = (Vec::new(), Vec::new());
    for _ in 0..10 {
        let begin = Instant::now();
        let desktop = ScopedDesktop::up(&options).unwrap();
        times.push(begin.elapsed());
        let begin = Instant::now();
        desktop.down().unwrap();
        ends.push(begin.elapsed());
    }
    times.sort();
    ends.sort();
    println!("up: median {:?}, fastest {:?}, slowest {:?}", times[5], times[0], times[9]);
    println!("down: median {:?}, fastest {:?}, slowest {:?}", ends[5], ends[0], ends[9]);
    // The goal is 400 ms, but other tests use the same processors at the same time.
    assert!(times[0].as_millis() < 1_000, "{times:?}");
}

#[test]
fn open_files_of_the_caller_are_not_inherited() {
    let state = observe::State::new();
    let file = tempfile::NamedTempFile::new().unwrap();
    let inherited = [fcntl_dupfd_cloexec(&file, 7), fcntl_dupfd_cloexec(&file, 250)];
    let inherited = inherited.map(Result::unwrap);
    for one in &inherited {
        fcntl_setfd(one, FdFlags::empty()).unwrap();
    }
    let owner = Actor::run(Role::Own, &state.path(), named("open"));
    assert!(observe::has_open(owner.pid(), file.path()), "the caller has it open");
    for component in &owner.info().components {
        assert!(!observe::has_open(component.process.pid, file.path()), "{component:?}");
    }
}
