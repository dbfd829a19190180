//! Which app is meant.

use std::time::Duration;

use deskhand_model::{App, EventKind};

use crate::{Context, Error, Result, error::Instance};

/// How long to wait for an announcement before looking again.
const RECHECK: Duration = Duration::from_millis(50);

/// The app a caller names, by name, pid, desktop-file id or program; without a name, the one whose
/// window has the focus, or the only one there is.
///
/// # Errors
///
/// When no app or several are meant, or the desktop does not answer.
pub fn meant(cx: &Context<'_>, wanted: Option<&str>) -> Result<App> {
    let known = |wanted: &str| wanted.parse().ok().and_then(|pid| cx.memory.app(pid));
    if let Some(app) = wanted.and_then(known) {
        cx.desktop.tree.admit(&app, cx.by)?;
        return Ok(app);
    }
    let apps = cx.desktop.tree.apps(cx.by)?;
    let app = match wanted {
        Some(wanted) => named(apps, wanted).map_err(|error| treeless(cx, error))?,
        None => in_front(cx, apps)?,
    };
    cx.desktop.tree.admit(&app, cx.by)?;
    Ok(app)
}

/// The app a caller names, as soon as it is there and has a window.
pub fn awaited(cx: &Context<'_>, wanted: &str) -> Result<App> {
    // Apps are announced before they can tell their name, so each announcement is followed by
    // further looks; the first comes before any announcement.
    let mut news = cx.desktop.tree.watch(None, &[EventKind::AppStarted], cx.by)?;
    loop {
        let found = meant(cx, Some(wanted));
        let waiting = match &found {
            Ok(app) => app.windows == 0,
            Err(Error::NoApp { .. } | Error::NoTree { .. }) => true,
            Err(_) => false,
        };
        // The last word is about the app, not about a look that had no time left.
        if !waiting || cx.by.left() < RECHECK * 2 {
            return found;
        }
        cx.stop.check()?;
        news.next(RECHECK)?;
    }
}

fn named(apps: Vec<App>, wanted: &str) -> Result<App> {
    let running: Vec<String> = apps.iter().map(label).collect();
    let same = |text: &str| text.eq_ignore_ascii_case(wanted);
    let pid: Option<u32> = wanted.parse().ok();
    // From the surest to the loosest; the first rule that fits anything decides.
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
                return Err(Error::SeveralApps {
                    wanted: wanted.to_owned(),
                    matching: matching.into_iter().map(Instance::of).collect(),
                });
            }
        }
    }
    Err(Error::NoApp { wanted: wanted.to_owned(), running })
}

/// Tells an app without a tree from one that does not run: the former still has a window.
fn treeless(cx: &Context<'_>, error: Error) -> Error {
    let Error::NoApp { wanted, running } = error else { return error };
    let windows = match &cx.desktop.windows {
        // Without the list of windows there is only the first answer to give.
        Some(windows) => windows.list(cx.by).unwrap_or_default(),
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

fn in_front(cx: &Context<'_>, mut apps: Vec<App>) -> Result<App> {
    if apps.len() == 1 {
        return Ok(apps.remove(0));
    }
    let windows = match &cx.desktop.windows {
        Some(windows) => windows.list(cx.by)?,
        None => Vec::new(),
    };
    let focused = windows.iter().find(|window| window.focused).map(|window| window.pid);
    let running = apps.iter().map(label).collect();
    apps.into_iter().find(|app| Some(app.pid) == focused).ok_or(Error::WhichApp { running })
}

/// An app as messages call it.
pub fn label(app: &App) -> String {
    Instance::of(app).to_string()
}
