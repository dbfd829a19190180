//! Starts a desktop. The display and the session bus start in parallel; accessibility needs both.

use std::thread::{self, ScopedJoinHandle};
use std::time::{SystemTime, UNIX_EPOCH};

use super::components::ComponentStarter;
use super::environment::DEFAULT_PATH;
use super::error::Result;
use super::info::{DesktopInfo, Display};
use super::options::{DesktopOptions, SettingsScope, check_name, place_side_by_side};
use super::programs::Programs;
use super::state::{DesktopRecord, StateDir};
use super::{bus, ending, remove_stale_in, wm, xserver};
use crate::folders;

/// Starts a desktop, and returns when programs can be started in it. Stale desktops are removed
/// first.
pub fn up(options: &DesktopOptions) -> Result<DesktopInfo> {
    let displays = place_side_by_side(&options.displays)?;
    options.name.as_deref().map_or(Ok(()), check_name)?;
    let search = std::env::var_os("PATH").unwrap_or_else(|| DEFAULT_PATH.into());
    let programs = Programs::find(&search)?;
    let state_dir = StateDir::locate();
    // A stale desktop that cannot be removed does not prevent a new one. Every later call retries,
    // and `remove_stale` reports the error.
    let _ = remove_stale_in(&state_dir);
    let (record, dir) = state_dir.reserve(options.name.as_deref(), options.owner)?;
    let starter = ComponentStarter::new(&dir, &record.id);
    let started = dir.create_subdirectories().and_then(|()| {
        let info = start_components(&starter, &programs, &record, displays, options.settings)?;
        record.with(info.clone()).write(&dir)?;
        Ok(info)
    });
    if started.is_err() {
        // The first error is the one to report. `remove_stale` removes what is left.
        let _ = clean_up_failed_start(&state_dir, &record, &starter);
    }
    started
}

fn start_components(
    starter: &ComponentStarter<'_>,
    programs: &Programs,
    record: &DesktopRecord,
    displays: Vec<Display>,
    settings: SettingsScope,
) -> Result<DesktopInfo> {
    let (display, a11y_bus) = thread::scope(|scope| {
        let session = scope.spawn(|| bus::start(starter, programs));
        let display = xserver::start(starter, programs, &displays)?;
        let connection = xserver::connect(&display, &starter.dir().xauthority())?;
        xserver::set_monitors(&connection, &displays)
            .map_err(|error| starter.failed(&programs.xvfb, &error.to_string()))?;
        let wm_display = display.clone();
        let manager = scope.spawn(move || wm::start(starter, programs, &wm_display, &connection));
        let session = join(session)?;
        let a11y_bus = bus::start_a11y(starter, programs, &session, &display)?;
        join(manager)?;
        Ok((display, a11y_bus))
    })?;
    let dir = starter.dir();
    Ok(DesktopInfo {
        name: record.name.clone(),
        id: record.id.clone(),
        display,
        displays,
        session_bus: dir.session_bus(),
        a11y_bus,
        home: dir.home(),
        runtime_dir: dir.runtime_dir(),
        xauthority: dir.xauthority(),
        state_dir: dir.state_dir(),
        folders: match settings {
            SettingsScope::User => folders::folders(),
            SettingsScope::Desktop => folders::inside(&dir.home(), &dir.runtime_dir()),
        },
        owner: record.owner,
        created_ms: now_ms(),
        components: starter.components(),
    })
}

fn join<T>(thread: ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn clean_up_failed_start(
    state_dir: &StateDir,
    record: &DesktopRecord,
    starter: &ComponentStarter<'_>,
) -> Result<()> {
    match state_dir.claim(&record.name, Some(&record.id))? {
        Some((record, dir)) => {
            let _lock = dir.lock()?;
            ending::end(&record.id, &starter.components())?;
            state_dir.remove(&record.id, &dir)
        }
        None => Ok(()),
    }
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
