//! The list of apps. The list of processes comes from the kernel. Each app gets only a short time to
//! count its windows, so that a frozen app does not delay the list.

use std::{
    collections::HashSet,
    time::{SystemTime, UNIX_EPOCH},
};

use deskhand_model::{App, AppId, Toolkit};
use deskhand_platform::{Deadline, Error, Result};

use super::{
    AxError,
    ax_api::{ActivationPolicy, AxApi, RunningApp},
    identity::AppProcess,
    session::AxSession,
};
use crate::{
    permission::PrivacyRight,
    timing::{APP_REGISTRATION_LIMIT, LIST_APP_TIMEOUT},
};

/// The accessory apps to list, which are not in the Dock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AccessoryApps {
    /// Only those with a window or a status item.
    Visible,
    All,
}

impl<A: AxApi> AxSession<A> {
    /// All apps with a user interface.
    pub(crate) fn apps(&self, deadline: Deadline) -> Result<Vec<App>> {
        self.check_permission()?;
        let apps = self.running_apps(&self.ax.list_pids());
        let visible =
            apps.iter().filter_map(|one| self.app_info(one, AccessoryApps::Visible, deadline));
        Ok(sorted(visible))
    }

    /// The apps with these pids, without bundle identifiers.
    pub(crate) fn apps_of(&self, pids: &[u32], deadline: Deadline) -> Result<Vec<App>> {
        self.check_permission()?;
        let running_app = |pid: &u32| {
            let process = AppProcess { pid: *pid, started: self.ax.start_time(*pid) };
            Some((process, self.ax.running_app(*pid)?))
        };
        let running: Vec<(AppProcess, RunningApp)> = pids.iter().filter_map(running_app).collect();
        let apps =
            running.iter().filter_map(|one| self.app_info(one, AccessoryApps::All, deadline));
        Ok(sorted(apps.map(|app| App { bundle_id: None, ..app })))
    }

    /// The pid of an app. Fails if the process ended or its pid was reused.
    pub(crate) fn process_of(&self, app: &AppId) -> Result<u32> {
        let gone = || Error::Gone { what: "the app".to_owned() };
        let process = AppProcess::from_app_id(app).ok_or_else(gone)?;
        let same = process.started != 0 && self.ax.start_time(process.pid) == process.started;
        if same { Ok(process.pid) } else { Err(gone()) }
    }

    /// Fails without the Accessibility permission.
    pub(crate) fn check_permission(&self) -> Result<()> {
        if self.ax.is_trusted() {
            Ok(())
        } else {
            Err(PrivacyRight::Accessibility.missing_error(&self.ax.program_to_allow()))
        }
    }

    /// The apps among some processes.
    pub(crate) fn running_apps(&self, pids: &[u32]) -> Vec<(AppProcess, RunningApp)> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let limit = u64::try_from(APP_REGISTRATION_LIMIT.as_micros()).unwrap_or(u64::MAX);
        let now = u64::try_from(now.as_micros()).unwrap_or(u64::MAX);
        let mut background = self.background_processes.lock();
        let mut still_background = HashSet::new();
        let mut found = Vec::new();
        for pid in pids {
            let process = AppProcess { pid: *pid, started: self.ax.start_time(*pid) };
            let key = (process.pid, process.started);
            if background.contains(&key) {
                still_background.insert(key);
                continue;
            }
            let app = self.ax.running_app(*pid);
            let app = app.filter(|one| one.activation_policy != ActivationPolicy::Prohibited);
            if let Some(app) = app {
                found.push((process, app));
            } else if now.saturating_sub(process.started) > limit {
                still_background.insert(key);
            }
        }
        *background = still_background;
        found
    }

    fn app_info(
        &self,
        (process, program): &(AppProcess, RunningApp),
        accessory: AccessoryApps,
        deadline: Deadline,
    ) -> Option<App> {
        let root = self.ax.app_element(process.pid)?;
        let deadline = deadline.at_most(LIST_APP_TIMEOUT);
        let windows = self.ax.value_count(&root, "AXWindows", deadline);
        let responding = !matches!(windows, Err(AxError::CannotComplete));
        let windows = windows.unwrap_or(0);
        let visible_only = program.activation_policy != ActivationPolicy::Regular
            && accessory == AccessoryApps::Visible;
        if visible_only && windows == 0 {
            // Without a window it needs a status item. An app that does not answer is left out too.
            self.extras_menu_bar(&root, deadline).ok().flatten()?;
        }
        Some(App {
            id: process.app_id(),
            name: program.name.clone(),
            pid: process.pid,
            started: process.started,
            bundle_id: program.bundle_id.clone(),
            executable: program.executable.clone(),
            toolkit: toolkit(program),
            root: self.node_id(&root),
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

/// The toolkit of an app, judged by the frameworks in its bundle.
fn toolkit(program: &RunningApp) -> Toolkit {
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
    let has = |prefix: &str| program.frameworks.iter().any(|one| one.starts_with(prefix));
    let known = KNOWN.iter().find(|(prefix, _)| has(prefix)).map(|(_, name)| *name);
    let mozilla = program.bundle_id.as_deref().is_some_and(|id| id.starts_with("org.mozilla."));
    let name = known.unwrap_or(if mozilla { "Gecko" } else { "AppKit" });
    Toolkit { name: name.to_owned(), version: String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running_app(frameworks: &[&str], bundle: &str) -> RunningApp {
        RunningApp {
            name: "App".to_owned(),
            bundle_id: Some(bundle.to_owned()),
            executable: None,
            activation_policy: ActivationPolicy::Regular,
            frameworks: frameworks.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    #[test]
    fn the_toolkit_is_found_by_the_bundled_frameworks() {
        for (frameworks, bundle, expected) in [
            (&["Electron Framework.framework", "Squirrel.framework"][..], "com.a", "Electron"),
            (&["Google Chrome Framework.framework"], "com.google.Chrome", "Chromium"),
            (&["QtCore.framework"], "org.b", "Qt"),
            (&[], "org.mozilla.firefox", "Gecko"),
            (&["Sparkle.framework"], "com.c", "AppKit"),
        ] {
            assert_eq!(toolkit(&running_app(frameworks, bundle)).name, expected);
        }
    }
}
