//! Listing the running apps, and finding the one that a caller means.

pub(crate) mod naming;
pub mod state;

use deskhand_model::{App, AppId, EventKind, NodeId, Toolkit, Window};
use deskhand_platform::Deadline;

use self::naming::{find_by_name, find_by_part};
use crate::{
    Context, Error, Result,
    error::Instance,
    programs::{RunningProgram, list_windows, treeless_programs},
    timing,
};

/// Returns the app with this name, pid, desktop-file id or executable. Without a name, returns the
/// app with the focused window, or the only running app. Drops the session's connections to apps that
/// have ended.
///
/// # Errors
///
/// Fails if no app or several apps match, or the desktop does not answer.
pub fn resolve_app(cx: &Context<'_>, wanted: Option<&str>) -> Result<App> {
    let known = |wanted: &str| wanted.parse().ok().and_then(|pid| cx.listeners.app_by_pid(pid));
    if let Some(app) = wanted.and_then(known) {
        cx.desktop.tree.check_access(&app, cx.deadline)?;
        return Ok(app);
    }
    let app = loop {
        let apps = cx.desktop.tree.apps(cx.deadline)?;
        cx.session.retain_connections(|id| apps.iter().any(|app| app.id == *id));
        let Some(wanted) = wanted else { break focused_app(cx, apps)? };
        // Without a window list, only apps with a tree are known.
        let windows = || list_windows(cx, cx.deadline).unwrap_or_default();
        match find_app(&apps, wanted, windows) {
            Err(Error::NoTree { pid, .. }) if may_still_publish_tree(cx, pid) => {
                cx.cancel.sleep(timing::APP_POLL_INTERVAL)?;
            }
            found => break found?,
        }
    };
    cx.desktop.tree.check_access(&app, cx.deadline)?;
    Ok(app)
}

/// Returns `true` if a program has just started. Its window may open before its tree is published.
fn may_still_publish_tree(cx: &Context<'_>, pid: u32) -> bool {
    let age = cx.desktop.programs.as_ref().and_then(|programs| programs.age(pid));
    age.is_some_and(|age| age < timing::START_TREE_TIMEOUT)
        && cx.deadline.remaining() > timing::APP_POLL_INTERVAL * 2
}

/// A running app, as a list of apps shows it.
#[derive(Debug, Clone)]
pub struct ListedApp {
    /// The app.
    pub app: App,
    /// `true` if the caller is connected to it.
    pub is_connected: bool,
    /// `true` if it has an accessibility tree. Other apps are known only by their windows.
    pub has_tree: bool,
}

/// Lists the running apps, with or without a tree, sorted by name. Ends the caller's connections to
/// apps that are not running.
///
/// # Errors
///
/// Fails if accessibility is not available.
pub fn list_apps(cx: &Context<'_>) -> Result<Vec<ListedApp>> {
    let apps = cx.desktop.tree.apps(cx.deadline)?;
    cx.session.retain_connections(|id| apps.iter().any(|app| app.id == *id));
    let treeless = treeless_programs(&list_windows(cx, cx.deadline)?, &apps);
    let mut listed: Vec<ListedApp> = apps
        .into_iter()
        .map(|app| {
            let is_connected = cx.session.is_connected(&app.id);
            ListedApp { app, is_connected, has_tree: true }
        })
        .collect();
    listed.extend(treeless.iter().map(|program| ListedApp {
        app: app_without_tree(program),
        is_connected: false,
        has_tree: false,
    }));
    listed.sort_by(|one, other| one.app.name.cmp(&other.app.name));
    Ok(listed)
}

/// Describes a program without a tree as an app. It has no elements and no identifier.
pub(crate) fn app_without_tree(program: &RunningProgram) -> App {
    App {
        id: AppId(String::new()),
        name: program.name.clone(),
        pid: program.pid,
        started: 0,
        bundle_id: None,
        executable: None,
        toolkit: Toolkit::default(),
        root: NodeId::new(""),
        windows: u32::try_from(program.windows.len()).unwrap_or(u32::MAX),
        responding: true,
    }
}

/// Waits until the named app is running and has a window. An app whose window has had no tree for
/// some time is returned without one.
pub fn wait_for_app(cx: &Context<'_>, wanted: &str) -> Result<ListedApp> {
    // Apps are announced before they know their name, so the list is read again after each
    // announcement, and once before the first.
    let mut events = cx.desktop.tree.watch(None, &[EventKind::AppStarted], cx.deadline)?;
    let mut tree_by: Option<Deadline> = None;
    loop {
        let found = resolve_app(cx, Some(wanted));
        let keep_waiting = match &found {
            Ok(app) => app.windows == 0,
            Err(Error::NoTree { .. }) => {
                !tree_by.get_or_insert(Deadline::after(timing::START_TREE_TIMEOUT)).has_passed()
            }
            Err(Error::NoApp { .. }) => true,
            Err(_) => false,
        };
        // The last result is about the app, not about a read that ran out of time.
        if !keep_waiting || cx.deadline.remaining() < timing::APP_POLL_INTERVAL * 2 {
            return found.map_or_else(
                |error| find_without_tree(cx, error),
                |app| {
                    let is_connected = cx.session.is_connected(&app.id);
                    Ok(ListedApp { app, is_connected, has_tree: true })
                },
            );
        }
        cx.cancel.check()?;
        events.next(timing::APP_POLL_INTERVAL)?;
    }
}

/// Turns [`Error::NoTree`] into the app that it is about.
fn find_without_tree(cx: &Context<'_>, error: Error) -> Result<ListedApp> {
    let Error::NoTree { pid, .. } = error else { return Err(error) };
    let programs = treeless_programs(&list_windows(cx, cx.deadline)?, &[]);
    let program = programs.iter().find(|program| program.pid == pid).ok_or(error)?;
    Ok(ListedApp { app: app_without_tree(program), is_connected: false, has_tree: false })
}

/// Returns the app with this name. A complete name counts before a part of one, and a tree before
/// none.
fn find_app(apps: &[App], wanted: &str, windows: impl FnOnce() -> Vec<Window>) -> Result<App> {
    if let Some(app) = find_by_name(apps, wanted)? {
        return Ok(app.clone());
    }
    let windows = windows();
    if let Some(app) = find_by_command(apps, &windows, wanted) {
        return Ok(app.clone());
    }
    let treeless = treeless_programs(&windows, apps);
    let no_tree = |program: &RunningProgram| Error::NoTree {
        wanted: wanted.to_owned(),
        pid: program.pid,
        window: program.windows.first().map(|window| window.title.clone()).unwrap_or_default(),
    };
    if let Some(program) = find_by_name(&treeless, wanted)? {
        return Err(no_tree(program));
    }
    if let Some(app) = find_by_part(apps, wanted)? {
        return Ok(app.clone());
    }
    if let Some(program) = find_by_part(&treeless, wanted)? {
        return Err(no_tree(program));
    }
    let treeless = treeless.iter().map(|program| Instance::of(&app_without_tree(program)));
    let running = apps.iter().map(Instance::of).chain(treeless);
    Err(Error::NoApp {
        wanted: wanted.to_owned(),
        running: running.map(|one| one.to_string()).collect(),
    })
}

/// Returns the only app that was started by this command. An app that an interpreter runs calls itself
/// differently: the command `gnome-characters` starts `org.gnome.Characters` in `gjs`.
fn find_by_command<'a>(apps: &'a [App], windows: &[Window], wanted: &str) -> Option<&'a App> {
    let is_wanted = |window: &&Window| {
        window.app.as_deref().is_some_and(|command| command.eq_ignore_ascii_case(wanted))
    };
    let owns = |app: &&App| windows.iter().filter(is_wanted).any(|window| window.pid == app.pid);
    let mut matching = apps.iter().filter(owns);
    matching.next().filter(|_| matching.next().is_none())
}

fn focused_app(cx: &Context<'_>, mut apps: Vec<App>) -> Result<App> {
    if apps.len() == 1 {
        return Ok(apps.remove(0));
    }
    let windows = match &cx.desktop.windows {
        Some(windows) => windows.list(cx.deadline)?,
        None => Vec::new(),
    };
    let focused = windows.iter().find(|window| window.focused).map(|window| window.pid);
    let running = apps.iter().map(label).collect();
    apps.into_iter().find(|app| Some(app.pid) == focused).ok_or(Error::AppRequired { running })
}

/// Returns the name and pid of an app for messages.
pub(crate) fn label(app: &App) -> String {
    Instance::of(app).to_string()
}

#[cfg(test)]
mod tests {
    use deskhand_model::{Explain, Rect};

    use super::*;
    use crate::testing::{FakeCallEnv, app};

    fn window(name: &str, class: &str, pid: u32) -> Window {
        Window {
            id: pid.into(),
            title: format!("{name} window"),
            pid,
            app: Some(name.to_owned()),
            class: class.to_owned(),
            bounds: Rect::new(0, 0, 10, 10),
            frame: Rect::new(0, 0, 10, 10),
            z: 0,
            minimized: false,
            focused: false,
        }
    }

    #[test]
    fn an_app_is_found_by_the_command_that_started_it() {
        let characters = App { name: "org.gnome.Characters".to_owned(), pid: 5, ..app("root") };
        let clone = App { pid: 6, ..characters.clone() };
        let windows = || vec![window("gnome-characters", "gjs", 5), window("x", "X", 6)];
        let found = find_app(&[characters.clone(), clone.clone()], "gnome-characters", windows);
        assert_eq!(found.map(|app| app.pid).ok(), Some(5));
        let both =
            || vec![window("gnome-characters", "gjs", 5), window("gnome-characters", "gjs", 6)];
        let found = find_app(&[characters, clone], "gnome-characters", both);
        assert!(matches!(found, Err(Error::NoApp { .. })), "{found:?}");
    }

    #[test]
    fn a_program_without_a_tree_has_the_names_of_its_windows() {
        let editor = App { name: "idle-notes".to_owned(), pid: 5, ..app("root") };
        let windows = || vec![window("idle-python3.11", "Idle", 7), window("xterm", "XTerm", 8)];
        let find = |wanted: &str| find_app(std::slice::from_ref(&editor), wanted, windows);
        for (wanted, pid) in [("Idle", 7), ("IDLE", 7), ("idle-python3.11", 7), ("7", 7), ("xt", 8)]
        {
            match find(wanted) {
                Err(Error::NoTree { pid: found, .. }) => assert_eq!(found, pid, "{wanted}"),
                other => panic!("{wanted}: {other:?}"),
            }
        }
        assert_eq!(find("idle-n").map(|app| app.pid).ok(), Some(5), "an app by a part of its name");
        let missing = find("nothing").unwrap_err();
        assert!(format!("{:?}", missing.advice()).contains("xterm (pid 8)"), "{missing:?}");
    }

    #[test]
    fn connections_to_ended_apps_are_dropped() {
        let env = FakeCallEnv::new(Vec::new());
        let (cx, running) = (env.context(), env.fake.app());
        let ended = App { id: AppId(":1.99".to_owned()), pid: 99, ..running.clone() };
        cx.session.connect(&ended, Some("old"));
        cx.session.connect(&running, None);
        resolve_app(&cx, Some(&running.name)).unwrap();
        assert!(!cx.session.is_connected(&ended.id) && cx.session.is_connected(&running.id));
        assert_eq!(cx.session.pid_of_alias("old"), None, "the pid may be reused");
    }
}
