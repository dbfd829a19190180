//! Waiting for a started program: for its window, its tree, or its end.

use deskhand_model::{App, Delivery, Window};
use deskhand_platform::{Deadline, LaunchableProgram, ProcessId, ProcessStatus, Programs};

use super::list_windows;
use crate::{
    Context, Error, Result,
    timing::{HANDOVER_TIMEOUT, START_POLL_INTERVAL, START_TREE_TIMEOUT, WINDOW_CHANGE_TIMEOUT},
    windows,
};

/// The windows before the start.
pub(super) struct InitialWindows {
    windows: Vec<Window>,
}

/// The result of waiting for a program.
pub(super) struct StartOutcome {
    /// The window of the program.
    pub(super) window: Option<Window>,
    /// The app with its tree.
    pub(super) app: Option<App>,
    /// The change of its window.
    pub(super) window_change: WindowChange,
    /// The status of the started process.
    pub(super) status: ProcessStatus,
    /// The reason why no tree can be read, if there is one.
    pub(super) no_trees: Option<String>,
}

/// The change in a program's window that shows that it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WindowChange {
    /// The window opened.
    Opened,
    /// The window existed before and now has the focus or another title.
    Changed,
    /// The window existed before and has not changed.
    Nothing,
}

impl InitialWindows {
    /// Lists the windows.
    pub(super) fn read(cx: &Context<'_>) -> Result<Self> {
        Ok(Self { windows: list_windows(cx, cx.deadline)? })
    }

    fn of(&self, id: u64) -> Option<&Window> {
        self.windows.iter().find(|window| window.id == id)
    }

    /// Compares a window with its earlier state.
    fn change_of(&self, window: &Window) -> WindowChange {
        match self.of(window.id) {
            None => WindowChange::Opened,
            Some(known)
                if (window.focused && !known.focused)
                    || window.title != known.title
                    || window.minimized != known.minimized =>
            {
                WindowChange::Changed
            }
            Some(_) => WindowChange::Nothing,
        }
    }
}

/// Waits until the program is ready with its tree, or clearly will not be.
pub(super) fn wait_until_ready(
    cx: &Context<'_>,
    program: &LaunchableProgram,
    process: &ProcessId,
    before: &InitialWindows,
) -> Result<StartOutcome> {
    let programs = super::programs(cx)?;
    let (mut tree_by, mut handed_by) = (None, None);
    loop {
        let status = programs.status(process);
        let mut all = list_windows(cx, Deadline::after(WINDOW_CHANGE_TIMEOUT))
            .map_err(windows::sent_error)?;
        all.retain(|window| before.of(window.id).is_some() || is_lasting(cx, window));
        // A launcher may end between two looks at the registry, so its end is looked at first.
        let apps = cx.desktop.tree.apps(cx.deadline.at_most(WINDOW_CHANGE_TIMEOUT));
        let (apps, no_trees) = match apps {
            Ok(apps) => (apps, None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        let poll = PollState { programs, program, process, before, windows: &all, apps: &apps };
        let window = poll.window(&status);
        let app = poll.app(window);
        let window_change = window.map_or(WindowChange::Nothing, |window| before.change_of(window));
        let is_ready = app.is_some_and(|app| app.windows > 0)
            && (window_change != WindowChange::Nothing || cx.desktop.windows.is_none());
        let is_late = |by: &mut Option<Deadline>, grace| {
            by.get_or_insert_with(|| Deadline::after(grace)).has_passed()
        };
        let is_over = match (&status, window_change) {
            (_, WindowChange::Opened) => is_late(&mut tree_by, START_TREE_TIMEOUT),
            (
                ProcessStatus::Exited { code: Some(0), .. },
                WindowChange::Changed | WindowChange::Nothing,
            ) => is_late(&mut handed_by, HANDOVER_TIMEOUT),
            (ProcessStatus::Exited { .. }, WindowChange::Changed | WindowChange::Nothing) => true,
            (ProcessStatus::Running, WindowChange::Changed | WindowChange::Nothing) => false,
        };
        if is_ready || is_over || cx.deadline.remaining() < START_POLL_INTERVAL * 2 {
            let (window, app) = (window.cloned(), app.cloned());
            return Ok(StartOutcome { window, app, window_change, status, no_trees });
        }
        if cx.cancel.sleep(START_POLL_INTERVAL).is_err() {
            return Err(Error::Cancelled { delivery: Delivery::Sent });
        }
    }
}

/// Returns `false` for splash screens. A window that has vanished by now usually belonged to a
/// launcher, which ends then.
fn is_lasting(cx: &Context<'_>, window: &Window) -> bool {
    let Some(windows) = &cx.desktop.windows else { return true };
    windows.state(window.id, cx.deadline).is_ok_and(|state| state.kind != "splash")
}

/// The state of the desktop at one poll.
struct PollState<'a> {
    programs: &'a dyn Programs,
    program: &'a LaunchableProgram,
    process: &'a ProcessId,
    before: &'a InitialWindows,
    windows: &'a [Window],
    apps: &'a [App],
}

impl<'a> PollState<'a> {
    /// Returns the program's window: its own, or that of the instance it handed over to.
    fn window(&self, status: &ProcessStatus) -> Option<&'a Window> {
        let is_new = |window: &&&Window| self.before.of(window.id).is_none();
        let own = |window: &&Window| {
            window.pid != 0 && self.programs.is_descendant(window.pid, self.process)
        };
        if let Some(window) = self.windows.iter().filter(own).find(|one| is_new(&one)) {
            return Some(window);
        }
        // A program that runs once hands over to itself and ends without complaint.
        if !matches!(status, ProcessStatus::Exited { code: Some(0), .. }) {
            return None;
        }
        let mut same = self.windows.iter().filter(|window| self.is_same(window));
        let first = same.clone().next();
        same.clone()
            .find(|one| is_new(&one))
            .or_else(|| same.find(|one| self.before.change_of(one) == WindowChange::Changed))
            .or(first)
    }

    /// Returns `true` if a window belongs to the requested program.
    fn is_same(&self, window: &Window) -> bool {
        let app = self.apps.iter().find(|app| app.pid == window.pid && window.pid != 0);
        if app.is_some_and(|app| app.bundle_id.is_some() && app.bundle_id == self.program.id) {
            return true;
        }
        let runs = |word: &String| {
            let name = word.rsplit('/').next().unwrap_or(word);
            window.class.eq_ignore_ascii_case(name)
                || window.app.as_deref().is_some_and(|app| app.eq_ignore_ascii_case(name))
        };
        let id = self.program.id.as_ref().and_then(|id| id.rsplit('.').next()).map(str::to_owned);
        id.as_ref().is_some_and(runs)
            || runs(&self.program.name)
            || self.program.command.first().is_some_and(runs)
    }

    /// Returns the app with the program's tree.
    fn app(&self, window: Option<&Window>) -> Option<&'a App> {
        let of_window = |app: &&App| window.is_some_and(|window| window.pid == app.pid);
        let own = |app: &&App| app.pid != 0 && self.programs.is_descendant(app.pid, self.process);
        let apps = self.apps;
        apps.iter().find(of_window).or_else(|| apps.iter().find(own))
    }
}
