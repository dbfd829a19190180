//! What comes up after a program was started: its window, its tree, or its end.

use std::time::Duration;

use deskhand_model::{App, Delivery, Window};
use deskhand_platform::{Deadline, Fate, Process, Program, Programs};

use crate::{
    Context, Error, Result,
    verbs::{running, windows},
};

/// How long after its window a program may take to show its tree.
const TREE_GRACE: Duration = Duration::from_secs(4);
/// How long after a launcher ended the program it handed over to may take to react.
const HANDED_GRACE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(30);

/// The desktop before the start.
pub(super) struct Before {
    windows: Vec<Window>,
}

/// What came up.
pub(super) struct Arrival {
    pub(super) window: Option<Window>,
    pub(super) app: Option<App>,
    pub(super) news: News,
    pub(super) fate: Fate,
    /// Why no tree can be seen at all, when that is so.
    pub(super) blind: Option<String>,
}

/// How the window of a program shows that something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum News {
    /// It opened.
    Opened,
    /// It was there before and has the keyboard or another title now.
    Changed,
    /// It was there before and looks as it did.
    Nothing,
}

impl Before {
    pub(super) fn look(cx: &Context<'_>) -> Result<Self> {
        Ok(Self { windows: running::windows_now(cx, cx.by)? })
    }

    fn of(&self, id: u64) -> Option<&Window> {
        self.windows.iter().find(|window| window.id == id)
    }

    /// What is new about a window.
    fn news(&self, window: &Window) -> News {
        match self.of(window.id) {
            None => News::Opened,
            Some(known)
                if (window.focused && !known.focused)
                    || window.title != known.title
                    || window.minimized != known.minimized =>
            {
                News::Changed
            }
            Some(_) => News::Nothing,
        }
    }
}

/// Watches until the program is there with its tree, or it is clear that it will not be.
pub(super) fn follow(
    cx: &Context<'_>,
    program: &Program,
    process: &Process,
    before: &Before,
) -> Result<Arrival> {
    let programs = running::programs(cx)?;
    let (mut tree_by, mut handed_by) = (None, None);
    loop {
        let fate = programs.fate(process);
        let mut all =
            running::windows_now(cx, Deadline::after(windows::SOON)).map_err(windows::sent)?;
        all.retain(|window| before.of(window.id).is_some() || is_lasting(cx, window));
        // A launcher may end between two looks at the registry, so its end is looked at first.
        let apps = cx.desktop.tree.apps(cx.by.or_after(windows::SOON));
        let (apps, blind) = match apps {
            Ok(apps) => (apps, None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        let scene = Scene { programs, program, process, before, windows: &all, apps: &apps };
        let window = scene.window(&fate);
        let app = scene.app(window);
        let news = window.map_or(News::Nothing, |window| before.news(window));
        let is_ready = app.is_some_and(|app| app.windows > 0)
            && (news != News::Nothing || cx.desktop.windows.is_none());
        let is_late = |by: &mut Option<Deadline>, grace| {
            by.get_or_insert_with(|| Deadline::after(grace)).passed()
        };
        let is_over = match (&fate, news) {
            (_, News::Opened) => is_late(&mut tree_by, TREE_GRACE),
            (Fate::Ended { code: Some(0), .. }, News::Changed | News::Nothing) => {
                is_late(&mut handed_by, HANDED_GRACE)
            }
            (Fate::Ended { .. }, News::Changed | News::Nothing) => true,
            (Fate::Runs, News::Changed | News::Nothing) => false,
        };
        if is_ready || is_over || cx.by.left() < PAUSE * 2 {
            let (window, app) = (window.cloned(), app.cloned());
            return Ok(Arrival { window, app, news, fate, blind });
        }
        if cx.stop.sleep(PAUSE).is_err() {
            return Err(Error::Stopped { delivery: Delivery::Sent });
        }
    }
}

/// Whether a window does more than bridge the time until the real one is there. One that is gone by
/// now was often a launcher's, which ends then.
fn is_lasting(cx: &Context<'_>, window: &Window) -> bool {
    let Some(windows) = &cx.desktop.windows else { return true };
    windows.state(window.id, cx.by).is_ok_and(|state| state.kind != "splash")
}

/// One look at the desktop after the start.
struct Scene<'a> {
    programs: &'a dyn Programs,
    program: &'a Program,
    process: &'a Process,
    before: &'a Before,
    windows: &'a [Window],
    apps: &'a [App],
}

impl<'a> Scene<'a> {
    /// The window of the program: one of its own, or of the one it handed over to.
    fn window(&self, fate: &Fate) -> Option<&'a Window> {
        let is_new = |window: &&&Window| self.before.of(window.id).is_none();
        let own = |window: &&Window| {
            window.pid != 0 && self.programs.stems_from(window.pid, self.process)
        };
        if let Some(window) = self.windows.iter().filter(own).find(|one| is_new(&one)) {
            return Some(window);
        }
        // A program that runs once hands over to itself and ends without complaint.
        if !matches!(fate, Fate::Ended { code: Some(0), .. }) {
            return None;
        }
        let mut same = self.windows.iter().filter(|window| self.is_same(window));
        let first = same.clone().next();
        same.clone()
            .find(|one| is_new(&one))
            .or_else(|| same.find(|one| self.before.news(one) == News::Changed))
            .or(first)
    }

    /// Whether a window is of the program that was asked for.
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

    /// The tree of the program.
    fn app(&self, window: Option<&Window>) -> Option<&'a App> {
        let of_window = |app: &&App| window.is_some_and(|window| window.pid == app.pid);
        let own = |app: &&App| app.pid != 0 && self.programs.stems_from(app.pid, self.process);
        let apps = self.apps;
        apps.iter().find(of_window).or_else(|| apps.iter().find(own))
    }
}
