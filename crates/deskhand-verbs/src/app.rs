//! Listing the running apps, and finding the one that a caller means.

pub mod state;

use deskhand_model::{App, EventKind};

use crate::{Context, Error, Result, error::Instance, timing};

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
    let apps = cx.desktop.tree.apps(cx.deadline)?;
    cx.session.retain_connections(|id| apps.iter().any(|app| app.id == *id));
    let app = match wanted {
        Some(wanted) => find_app(apps, wanted).map_err(|error| explain_missing_tree(cx, error))?,
        None => focused_app(cx, apps)?,
    };
    cx.desktop.tree.check_access(&app, cx.deadline)?;
    Ok(app)
}

/// A running app, as a list of apps shows it.
#[derive(Debug, Clone)]
pub struct ListedApp {
    /// The app.
    pub app: App,
    /// `true` if the caller is connected to it.
    pub is_connected: bool,
}

/// Lists the running apps, sorted by name, and ends the caller's connections to other apps.
///
/// # Errors
///
/// Fails if accessibility is not available.
pub fn list_apps(cx: &Context<'_>) -> Result<Vec<ListedApp>> {
    let apps = cx.desktop.tree.apps(cx.deadline)?;
    cx.session.retain_connections(|id| apps.iter().any(|app| app.id == *id));
    let listed = apps.into_iter().map(|app| {
        let is_connected = cx.session.is_connected(&app.id);
        ListedApp { app, is_connected }
    });
    Ok(listed.collect())
}

/// Waits until the named app is running and has a window.
pub fn wait_for_app(cx: &Context<'_>, wanted: &str) -> Result<App> {
    // Apps are announced before they know their name, so the list is read again after each
    // announcement, and once before the first.
    let mut events = cx.desktop.tree.watch(None, &[EventKind::AppStarted], cx.deadline)?;
    loop {
        let found = resolve_app(cx, Some(wanted));
        let keep_waiting = match &found {
            Ok(app) => app.windows == 0,
            Err(Error::NoApp { .. } | Error::NoTree { .. }) => true,
            Err(_) => false,
        };
        // The last result is about the app, not about a read that ran out of time.
        if !keep_waiting || cx.deadline.remaining() < timing::APP_POLL_INTERVAL * 2 {
            return found;
        }
        cx.cancel.check()?;
        events.next(timing::APP_POLL_INTERVAL)?;
    }
}

fn find_app(apps: Vec<App>, wanted: &str) -> Result<App> {
    let running: Vec<String> = apps.iter().map(label).collect();
    let same = |text: &str| text.eq_ignore_ascii_case(wanted);
    let pid: Option<u32> = wanted.parse().ok();
    // From exact to loose; the first rule that matches any app decides.
    let rules: [&dyn Fn(&App) -> bool; 4] = [
        &|app| Some(app.pid) == pid,
        &|app| app.name == wanted || app.bundle_id.as_deref() == Some(wanted),
        &|app| {
            same(&app.name)
                || app.bundle_id.as_deref().is_some_and(same)
                || app
                    .executable
                    .as_deref()
                    .is_some_and(|path| path == wanted || path.rsplit('/').next().is_some_and(same))
        },
        &|app| !wanted.is_empty() && app.name.to_lowercase().contains(&wanted.to_lowercase()),
    ];
    for rule in rules {
        let mut matching: Vec<&App> = apps.iter().filter(|app| rule(app)).collect();
        match matching.len() {
            0 => {}
            1 => return Ok(matching.remove(0).clone()),
            _ => {
                return Err(Error::AmbiguousApp {
                    wanted: wanted.to_owned(),
                    matching: matching.into_iter().map(Instance::of).collect(),
                });
            }
        }
    }
    Err(Error::NoApp { wanted: wanted.to_owned(), running })
}

/// Turns `NoApp` into `NoTree` if the program has a window but no tree.
fn explain_missing_tree(cx: &Context<'_>, error: Error) -> Error {
    let Error::NoApp { wanted, running } = error else { return error };
    let windows = match &cx.desktop.windows {
        // Without a window list the first error stands.
        Some(windows) => windows.list(cx.deadline).unwrap_or_default(),
        None => Vec::new(),
    };
    let owns = |window: &&deskhand_model::Window| {
        window.class.eq_ignore_ascii_case(&wanted) || window.pid.to_string() == wanted
    };
    match windows.iter().find(owns) {
        Some(window) => Error::NoTree { wanted, window: window.title.clone() },
        None => Error::NoApp { wanted, running },
    }
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
    use deskhand_model::AppId;

    use super::*;
    use crate::testing::FakeCallEnv;

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
