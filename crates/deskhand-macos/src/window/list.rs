//! The list of windows. Visible windows come from the window server, in its order. Others, such as
//! minimized ones, come from their apps.

use std::{
    collections::{HashMap, HashSet},
    sync::mpsc,
    time::{Duration, Instant},
};

use deskhand_model::{Rect, Window};
use deskhand_platform::{Deadline, Result};
use parking_lot::Mutex;

use super::{
    ax_window::{AppNames, AppWindows, AxWindow, WindowAxApi, read_app_windows},
    window_info::{NORMAL_LAYER, WindowInfo, WindowListApi, WindowScope},
};
use crate::{
    screen::Area,
    timing::{APP_WINDOWS_TIMEOUT, SILENT_APP_PERIOD, SILENT_APP_TIMEOUT},
    tree::{AxError, AxResult},
};

/// Upper limit of apps that are read in parallel.
const MAX_PARALLEL_READS: usize = 12;

/// The last known windows of apps, for apps that do not answer.
pub(super) struct WindowCache<E> {
    windows: Mutex<HashMap<u32, AppWindows<E>>>,
    /// The last time that an app did not answer, by pid.
    silent_since: Mutex<HashMap<u32, Instant>>,
}

impl<E> Default for WindowCache<E> {
    fn default() -> Self {
        Self { windows: Mutex::default(), silent_since: Mutex::default() }
    }
}

/// All top-level windows, the frontmost first.
pub(super) fn list<S: WindowAxApi + WindowListApi>(
    system: &S,
    cache: &WindowCache<S::Element>,
    deadline: Deadline,
) -> Result<Vec<Window>> {
    let all = system.windows(WindowScope::All)?;
    let shown = system.windows(WindowScope::OnScreen)?;
    let normal = |info: &&WindowInfo| info.layer == NORMAL_LAYER && info.process_id() != 0;
    let mut pids: Vec<u32> =
        all.iter().chain(&shown).filter(normal).map(WindowInfo::process_id).collect();
    pids.sort_unstable();
    pids.dedup();
    let apps = read_all_apps(system, cache, &pids, deadline)?;
    let names = AppNameTable::new(system, &pids, &all);
    let mut windows: Vec<Window> = Vec::new();
    let mut listed: HashSet<u32> = HashSet::new();
    for info in shown.iter().filter(normal) {
        let app = apps.by_pid.get(&info.process_id());
        let ax_window =
            app.and_then(|app| app.windows.iter().find(|one| one.number == info.number));
        if !is_window(info, ax_window, app) || !listed.insert(info.number) {
            continue;
        }
        let titles = [ax_window.map(|window| window.title.clone()), info.title.clone()];
        let title = titles.into_iter().flatten().find(|title| !title.is_empty());
        windows.push(names.window(info.number, info.process_id(), title, info.rect()));
    }
    // Windows that are not on screen have no order.
    let existing: HashSet<u32> = all.iter().map(|info| info.number).collect();
    for pid in &pids {
        let app_windows =
            apps.by_pid.get(pid).map(|app| app.windows.as_slice()).unwrap_or_default();
        for hidden in app_windows.iter().filter(|window| existing.contains(&window.number)) {
            if !listed.insert(hidden.number) {
                continue;
            }
            let frame = hidden.area.map(Area::rounded).unwrap_or(Rect::new(0, 0, 0, 0));
            let window = names.window(hidden.number, *pid, Some(hidden.title.clone()), frame);
            windows.push(Window { minimized: hidden.minimized, ..window });
        }
    }
    let focused = focused(&apps, &windows);
    for (z, window) in (0..).zip(&mut windows) {
        window.z = z;
        window.focused = Some(window.id) == focused;
    }
    Ok(windows)
}

/// Returns `true` if an entry of the window server's list is a window for the user. Apps also draw tooltips
/// and overlays on the normal layer; those have no title and are not among the app's windows.
fn is_window<E>(
    info: &WindowInfo,
    ax_window: Option<&AxWindow<E>>,
    app: Option<&AppWindows<E>>,
) -> bool {
    if info.alpha <= 0.0 || info.rect().is_empty() {
        return false;
    }
    let titled = info.title.as_ref().is_some_and(|title| !title.is_empty());
    ax_window.is_some() || titled || app.is_none_or(|app| app.windows.is_empty())
}

/// The window that has the keyboard.
fn focused<E: PartialEq>(apps: &AllAppWindows<E>, windows: &[Window]) -> Option<u64> {
    let Some((pid, app)) = apps.by_pid.iter().find(|(_, app)| app.frontmost) else {
        // The frontmost app does not answer, but its window is still the first one.
        let first = windows.first().filter(|first| apps.silent.contains(&first.pid))?;
        return Some(first.id);
    };
    let own = app.windows.iter().find(|window| Some(&window.element) == app.focused.as_ref());
    match own {
        Some(window) => Some(window.number.into()),
        // A sheet or a panel has the keyboard. It belongs to the window below it.
        None => windows.iter().find(|one| one.pid == *pid && !one.minimized).map(|one| one.id),
    }
}

/// The windows of all apps.
struct AllAppWindows<E> {
    by_pid: HashMap<u32, AppWindows<E>>,
    /// Apps that did not answer. Their windows come from the cache.
    silent: HashSet<u32>,
}

/// Reads the windows of all apps in parallel, so that a frozen app does not delay the others.
fn read_all_apps<S: WindowAxApi>(
    system: &S,
    cache: &WindowCache<S::Element>,
    pids: &[u32],
    deadline: Deadline,
) -> Result<AllAppWindows<S::Element>> {
    let queue = Mutex::new(pids.iter().copied());
    let (sender, results) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..pids.len().min(MAX_PARALLEL_READS) {
            let (sender, queue) = (sender.clone(), &queue);
            scope.spawn(move || {
                loop {
                    let Some(pid) = queue.lock().next() else { break };
                    let result =
                        read_app_windows(system, pid, deadline.at_most(cache.timeout(pid)));
                    // The receiver outlives all threads, so this cannot fail.
                    let _ = sender.send((pid, result));
                }
            });
        }
    });
    drop(sender);
    let mut apps = AllAppWindows { by_pid: HashMap::new(), silent: HashSet::new() };
    let (mut answered, mut refused) = (0, 0);
    for (pid, result) in results {
        let error = result.as_ref().err().copied();
        answered += usize::from(error.is_none());
        refused += usize::from(error == Some(AxError::ApiDisabled));
        let windows = cache.update(pid, result);
        if error.is_some() {
            apps.silent.insert(pid);
        }
        apps.by_pid.extend(windows.map(|windows| (pid, windows)));
    }
    // A single app may refuse access. If all do, the permission is missing.
    if refused > 0 && answered == 0 {
        return Err(AxError::ApiDisabled.into_platform_error("every app"));
    }
    Ok(apps)
}

impl<E: Clone> WindowCache<E> {
    /// The timeout for an app, shorter if it did not answer recently.
    fn timeout(&self, pid: u32) -> Duration {
        let silent_since = self.silent_since.lock();
        let recent = silent_since.get(&pid).is_some_and(|at| at.elapsed() < SILENT_APP_PERIOD);
        if recent { SILENT_APP_TIMEOUT } else { APP_WINDOWS_TIMEOUT }
    }

    /// Stores the windows of an app, or returns the last known ones if it did not answer.
    fn update(&self, pid: u32, result: AxResult<AppWindows<E>>) -> Option<AppWindows<E>> {
        let mut windows = self.windows.lock();
        let mut silent_since = self.silent_since.lock();
        match result {
            Ok(current) => {
                silent_since.remove(&pid);
                windows.insert(pid, current.clone());
                Some(current)
            }
            Err(AxError::CannotComplete) => {
                silent_since.insert(pid, Instant::now());
                let last = windows.get(&pid).cloned();
                last.map(|last| AppWindows { frontmost: false, ..last })
            }
            // The app ended, or has no accessibility.
            Err(_) => {
                windows.remove(&pid);
                None
            }
        }
    }
}

/// The names of apps, by pid.
struct AppNameTable {
    by_pid: HashMap<u32, AppNames>,
}

impl AppNameTable {
    fn new(system: &impl WindowAxApi, pids: &[u32], all: &[WindowInfo]) -> Self {
        let names = |pid: &u32| {
            let names = system.app_names(*pid).unwrap_or_default();
            let listed = || all.iter().find(|info| info.process_id() == *pid)?.app_name.clone();
            (*pid, AppNames { name: names.name.or_else(listed), ..names })
        };
        Self { by_pid: pids.iter().map(names).collect() }
    }

    /// A window that is neither minimized nor focused. On macOS the frame and the bounds are the same.
    fn window(&self, number: u32, pid: u32, title: Option<String>, frame: Rect) -> Window {
        let AppNames { name, bundle_id } = self.by_pid.get(&pid).cloned().unwrap_or_default();
        Window {
            id: number.into(),
            title: title.unwrap_or_default(),
            pid,
            class: bundle_id.or_else(|| name.clone()).unwrap_or_default(),
            app: name,
            bounds: frame,
            frame,
            z: 0,
            minimized: false,
            focused: false,
        }
    }
}
