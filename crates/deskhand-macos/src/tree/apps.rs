//! Which apps there are. The system lists its programs by itself; each app is then asked for its
//! windows for a moment only, so that a frozen one delays nobody for long.

use std::{
    collections::HashSet,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use deskhand_model::{App, AppId, Toolkit};
use deskhand_platform::{Deadline, Error, Result};

use super::{
    Fault,
    identity::Host,
    room::{Room, lock},
    system::{Ax, Presence, Program},
};
use crate::permission::Right;

/// How long an app may take to count its windows before it is listed as not responding.
const INTRODUCTION: Duration = Duration::from_millis(200);
/// A process that is no program after this many microseconds will not become one: apps are made
/// known to the system while they start.
const SETTLED: u64 = 30_000_000;

/// Whether apps without a place in the Dock are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Agents {
    /// Only those that show something.
    Shown,
    /// All of them.
    All,
}

impl<G: Ax> Room<G> {
    /// Every app a person can meet.
    pub(crate) fn apps(&self, by: Deadline) -> Result<Vec<App>> {
        self.admitted()?;
        let programs = self.programs(&self.ax.pids());
        Ok(sorted(programs.iter().filter_map(|one| self.introduce(one, Agents::Shown, by))))
    }

    /// The apps of some processes, without their bundle.
    pub(crate) fn apps_of(&self, pids: &[u32], by: Deadline) -> Result<Vec<App>> {
        self.admitted()?;
        let program = |pid: &u32| {
            let host = Host { pid: *pid, started: self.ax.started(*pid) };
            Some((host, self.ax.program(*pid)?))
        };
        let programs: Vec<(Host, Program)> = pids.iter().filter_map(program).collect();
        let apps = programs.iter().filter_map(|one| self.introduce(one, Agents::All, by));
        Ok(sorted(apps.map(|app| App { bundle_id: None, ..app })))
    }

    /// The process of a program, which must still be the same.
    pub(crate) fn process_of(&self, app: &AppId) -> Result<u32> {
        let gone = || Error::Gone { what: "the app".to_owned() };
        let host = Host::of_app(app).ok_or_else(gone)?;
        let same = host.started != 0 && self.ax.started(host.pid) == host.started;
        if same { Ok(host.pid) } else { Err(gone()) }
    }

    /// Refuses to go on without the permission to look into other programs.
    pub(crate) fn admitted(&self) -> Result<()> {
        if self.ax.is_trusted() {
            Ok(())
        } else {
            Err(Right::Accessibility.refused(&self.ax.who()))
        }
    }

    /// Those among some processes that are programs a person can meet.
    pub(crate) fn programs(&self, pids: &[u32]) -> Vec<(Host, Program)> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(now.as_micros()).unwrap_or(u64::MAX);
        let mut services = lock(&self.services);
        let mut still = HashSet::new();
        let mut found = Vec::new();
        for pid in pids {
            let host = Host { pid: *pid, started: self.ax.started(*pid) };
            let key = (host.pid, host.started);
            if services.contains(&key) {
                still.insert(key);
                continue;
            }
            let program = self.ax.program(*pid).filter(|one| one.presence != Presence::None);
            if let Some(program) = program {
                found.push((host, program));
            } else if now.saturating_sub(host.started) > SETTLED {
                still.insert(key);
            }
        }
        *services = still;
        found
    }

    fn introduce(
        &self,
        (host, program): &(Host, Program),
        agents: Agents,
        by: Deadline,
    ) -> Option<App> {
        let root = self.ax.application(host.pid)?;
        let by = by.or_after(INTRODUCTION);
        let windows = self.ax.count(&root, "AXWindows", by);
        let responding = !matches!(windows, Err(Fault::CannotComplete));
        let windows = windows.unwrap_or(0);
        let quiet = program.presence != Presence::Regular && agents == Agents::Shown;
        if quiet && windows == 0 {
            // An agent that shows nothing, or does not answer, is nothing a person has in mind.
            self.extras(&root, by).ok().flatten()?;
        }
        Some(App {
            id: host.app(),
            name: program.name.clone(),
            pid: host.pid,
            started: host.started,
            bundle_id: program.bundle_id.clone(),
            executable: program.executable.clone(),
            toolkit: toolkit(program),
            root: self.name(&root),
            windows: u32::try_from(windows).unwrap_or(u32::MAX),
            responding,
        })
    }
}

fn sorted(apps: impl Iterator<Item = App>) -> Vec<App> {
    let mut apps: Vec<App> = apps.collect();
    apps.sort_by(|a, b| a.name.to_lowercase().cmp(&b.name.to_lowercase()).then(a.pid.cmp(&b.pid)));
    apps
}

/// What a program draws its widgets with, from the frameworks it brings along.
fn toolkit(program: &Program) -> Toolkit {
    const KNOWN: &[(&str, &str)] = &[
        ("Electron Framework", "Electron"),
        ("Chromium", "Chromium"),
        ("Google Chrome", "Chromium"),
        ("Microsoft Edge", "Chromium"),
        ("Brave Browser", "Chromium"),
        ("Vivaldi", "Chromium"),
        ("Opera", "Chromium"),
        ("ArcCore", "Chromium"),
        ("QtCore", "Qt"),
        ("QtWebEngineCore", "Qt"),
        ("FlutterMacOS", "Flutter"),
    ];
    let has = |part: &str| program.frameworks.iter().any(|one| one.starts_with(part));
    let known = KNOWN.iter().find(|(part, _)| has(part)).map(|(_, name)| *name);
    let mozilla = program.bundle_id.as_deref().is_some_and(|id| id.starts_with("org.mozilla."));
    let name = known.unwrap_or(if mozilla { "Gecko" } else { "AppKit" });
    Toolkit { name: name.to_owned(), version: String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(frameworks: &[&str], bundle: &str) -> Program {
        Program {
            name: "App".to_owned(),
            bundle_id: Some(bundle.to_owned()),
            executable: None,
            presence: Presence::Regular,
            frameworks: frameworks.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    #[test]
    fn the_frameworks_of_a_bundle_tell_its_toolkit() {
        for (frameworks, bundle, expected) in [
            (&["Electron Framework.framework", "Squirrel.framework"][..], "com.a", "Electron"),
            (&["Google Chrome Framework.framework"], "com.google.Chrome", "Chromium"),
            (&["QtCore.framework"], "org.b", "Qt"),
            (&[], "org.mozilla.firefox", "Gecko"),
            (&["Sparkle.framework"], "com.c", "AppKit"),
        ] {
            assert_eq!(toolkit(&program(frameworks, bundle)).name, expected);
        }
    }
}
