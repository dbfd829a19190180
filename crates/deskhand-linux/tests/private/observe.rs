//! Observes the machine independently of the code under test.

use std::io::ErrorKind;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use deskhand_linux::private::{ComponentKind, DesktopInfo, DesktopOptions, ScopedDesktop};
use zbus::{OwnedObjectPath, OwnedVariant};

use crate::actor::{Actor, Role};

/// Reads the environment that a process was started with.
pub(crate) fn environ(pid: u32) -> Vec<String> {
    let bytes = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let all = bytes.split(|byte| *byte == 0).filter(|one| !one.is_empty());
    all.map(|one| String::from_utf8_lossy(one).into_owned()).collect()
}

/// Lists the processes that have the id of a desktop in their environment.
pub(crate) fn pids_in_desktop(id: &str) -> Vec<u32> {
    let wanted = format!("DESKHAND_DESKTOP={id}");
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| environ(*pid).contains(&wanted)).collect()
}

/// Returns the names of the programs in a desktop.
pub(crate) fn programs(id: &str) -> Vec<String> {
    let name = |pid| std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    pids_in_desktop(id).into_iter().map(|pid| name(pid).trim().to_owned()).collect()
}

pub(crate) fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// Returns `true` if a process has a file open.
pub(crate) fn has_open(pid: u32, file: &Path) -> bool {
    let open = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
    open.filter_map(|one| std::fs::read_link(one.path()).ok()).any(|one| one == file)
}

fn directory(info: &DesktopInfo) -> PathBuf {
    info.state_dir.join(&info.name)
}

pub(crate) fn assert_up(info: &DesktopInfo) {
    assert!(directory(info).is_dir());
    for component in &info.components {
        assert!(is_alive(component.process.pid), "{component:?}");
    }
    info.connect_x11().unwrap();
}

pub(crate) fn assert_gone(info: &DesktopInfo) {
    assert_eq!(pids_in_desktop(&info.id), Vec::<u32>::new());
    for component in &info.components {
        assert!(!is_alive(component.process.pid), "{component:?}");
    }
    // Another desktop may have the name by now; then the record belongs to it.
    let record = std::fs::read_to_string(directory(info).join("state.json"));
    match record {
        Ok(record) => assert!(!record.contains(&format!("\"{}\"", info.id)), "{record}"),
        Err(_) => assert!(!directory(info).exists(), "the directory is left"),
    }
    // Another desktop may have the display by now; then its socket accepts connections.
    let number = info.display.trim_start_matches(':');
    let is_stale = UnixStream::connect(format!("/tmp/.X11-unix/X{number}"))
        .is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused);
    assert!(!is_stale, "the socket of the X server is left");
    let server = info.component(ComponentKind::Display).unwrap().process.pid;
    let lock = std::fs::read_to_string(format!("/tmp/.X{number}-lock")).unwrap_or_default();
    assert_ne!(lock.trim(), server.to_string(), "the lock of the X server is left");
}

/// Waits until a condition becomes true.
pub(crate) fn eventually(what: &str, mut test: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !test() {
        assert!(Instant::now() < deadline, "{what} did not happen within 20 s");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Starts a program in a desktop.
pub(crate) fn run(info: &DesktopInfo, program: &str, arguments: &[&str]) -> Program {
    let mut command = Command::new(program);
    Program::start(info.apply(command.args(arguments)))
}

/// A program that is killed at the end of its test.
pub(crate) struct Program(Child);

impl Program {
    pub(crate) fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self(command.spawn().unwrap())
    }

    pub(crate) fn pid(&self) -> u32 {
        self.0.id()
    }

    pub(crate) fn wait(&mut self) -> ExitStatus {
        self.0.wait().unwrap()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a desktop with the default display for the duration of a test.
pub(crate) fn desktop() -> ScopedDesktop {
    ScopedDesktop::up(&DesktopOptions::default()).unwrap()
}

/// A state directory that no other test uses. The first desktop creates it.
pub(crate) struct State {
    folder: tempfile::TempDir,
}

impl State {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("s")
    }
}

impl Drop for State {
    /// Cleans up even if the test fails.
    fn drop(&mut self) {
        Actor::run(Role::Clear, &self.path(), |_| {});
    }
}

/// Returns the names of the programs on the accessibility bus of a desktop.
pub(crate) fn accessible_programs(info: &DesktopInfo) -> Vec<String> {
    zbus::block_on(async {
        let bus = zbus::connection::Builder::address(info.a11y_bus.as_str()).build().await?;
        let root = "/org/a11y/atspi/accessible/root";
        let interface = "org.a11y.atspi.Accessible";
        let reply = bus
            .call_method(Some("org.a11y.atspi.Registry"), root, Some(interface), "GetChildren", &())
            .await?;
        let children: Vec<(String, OwnedObjectPath)> = reply.body().deserialize()?;
        let mut names = Vec::new();
        for (owner, path) in children {
            let properties = Some("org.freedesktop.DBus.Properties");
            let what = (interface, "Name");
            let reply = bus.call_method(Some(owner), path, properties, "Get", &what).await?;
            let name: OwnedVariant = reply.body().deserialize()?;
            names.push(String::try_from(name)?);
        }
        Ok::<_, zbus::Error>(names)
    })
    .unwrap()
}

/// Reads one property of the accessibility status on the session bus.
pub(crate) fn a11y_status(info: &DesktopInfo, switch: &str) -> bool {
    zbus::block_on(async {
        let bus = zbus::connection::Builder::address(info.session_bus.as_str()).build().await?;
        let (name, path) = (Some("org.a11y.Bus"), "/org/a11y/bus");
        let properties = Some("org.freedesktop.DBus.Properties");
        let what = ("org.a11y.Status", switch);
        let reply = bus.call_method(name, path, properties, "Get", &what).await?;
        let value: OwnedVariant = reply.body().deserialize()?;
        bool::try_from(value)
    })
    .unwrap()
}

/// Returns the services that the session bus can start.
pub(crate) fn activatable(info: &DesktopInfo) -> Vec<String> {
    zbus::block_on(async {
        let bus = zbus::connection::Builder::address(info.session_bus.as_str()).build().await?;
        let dbus = "org.freedesktop.DBus";
        let path = "/org/freedesktop/DBus";
        let reply =
            bus.call_method(Some(dbus), path, Some(dbus), "ListActivatableNames", &()).await?;
        reply.body().deserialize()
    })
    .unwrap()
}

/// Counts the windows that the window manager lists.
pub(crate) fn windows(info: &DesktopInfo) -> usize {
    use x11rb::connection::Connection;
    use x11rb::protocol::xproto::{AtomEnum, ConnectionExt};
    let x = info.connect_x11().unwrap();
    let list = x.intern_atom(false, b"_NET_CLIENT_LIST").unwrap().reply().unwrap().atom;
    let root = x.setup().roots[0].root;
    let property = x.get_property(false, root, list, AtomEnum::WINDOW, 0, 999).unwrap();
    property.reply().unwrap().value32().map_or(0, Iterator::count)
}

/// Puts a script in a directory, and returns a search path that finds it before the real program.
pub(crate) fn fake_program(directory: &Path, program: &str, script: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = directory.join(program);
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:{}", directory.display(), std::env::var("PATH").unwrap())
}
