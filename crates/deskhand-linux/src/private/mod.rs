//! Private desktops: each has its own X server, session bus, accessibility bus, window manager and
//! home directory, and inherits nothing else from the caller's session.
//!
//! [`up`] starts a desktop, [`DesktopInfo::apply`] makes a command run in it, and [`down`] ends it
//! with all its programs. A desktop that belongs to a process becomes stale when that process ends;
//! the next [`up`] or [`remove_stale`] of any process removes it.

mod accessibility;
mod bus;
mod components;
mod desktop_dir;
mod ending;
mod environment;
mod error;
mod info;
mod options;
mod process;
mod programs;
mod scoped;
mod start;
mod state;
mod timing;
mod wm;
mod xserver;

pub use environment::{DESKTOP_ID_VAR, STATE_DIR_VAR};
pub use error::{Error, Result};
pub use info::{Component, ComponentKind, DesktopInfo, Display};
pub use options::{
    DesktopOptions, MAX_DISPLAY_SIDE, MAX_NAME_LENGTH, MAX_SCREEN_WIDTH, Owner, SettingsScope, Size,
};
pub use process::Process;
pub use programs::MissingProgram;
pub use scoped::ScopedDesktop;
pub use start::up;

use desktop_dir::DesktopDir;
use state::{DesktopRecord, StateDir};

/// Lists the running desktops of this user, sorted by name.
pub fn list() -> Result<Vec<DesktopInfo>> {
    Ok(StateDir::locate().running()?.into_iter().filter_map(|record| record.info).collect())
}

/// Returns the running desktop with this name.
pub fn find(name: &str) -> Result<DesktopInfo> {
    let all = list()?;
    let known = all.iter().map(|info| info.name.clone()).collect();
    let found = all.into_iter().find(|info| info.name == name);
    found.ok_or_else(|| Error::Unknown { name: name.to_owned(), known })
}

/// Takes a desktop down. When this returns, no process and no file of it is left.
pub fn down(name: &str) -> Result<()> {
    let state_dir = StateDir::locate();
    match state_dir.claim(name, None)? {
        Some((record, dir)) => end_and_remove(&state_dir, &record, &dir),
        None => find(name).map(drop),
    }
}

/// Takes down all running desktops of this user, and returns their names.
pub fn down_all() -> Result<Vec<String>> {
    let state_dir = StateDir::locate();
    let mut ended = Vec::new();
    for record in state_dir.running()? {
        // Another process may have claimed this desktop first.
        if let Some((record, dir)) = state_dir.claim(&record.name, Some(&record.id))? {
            end_and_remove(&state_dir, &record, &dir)?;
            ended.push(record.name);
        }
    }
    Ok(ended)
}

/// Ends and removes desktops whose owner has ended, and returns their names.
pub fn remove_stale() -> Result<Vec<String>> {
    remove_stale_in(&StateDir::locate())
}

fn remove_stale_in(state_dir: &StateDir) -> Result<Vec<String>> {
    let mut removed = Vec::new();
    for (record, dir) in state_dir.stale()? {
        // Skipped if another process is already ending it: only that process may know all its
        // programs.
        let Some(_lock) = dir.try_lock() else { continue };
        end_and_remove_locked(state_dir, &record, &dir)?;
        removed.push(record.name);
    }
    Ok(removed)
}

/// Ends the processes of a desktop and removes its files, after any other process that is already
/// doing so.
fn end_and_remove(state_dir: &StateDir, record: &DesktopRecord, dir: &DesktopDir) -> Result<()> {
    let _lock = dir.lock()?;
    end_and_remove_locked(state_dir, record, dir)
}

fn end_and_remove_locked(
    state_dir: &StateDir,
    record: &DesktopRecord,
    dir: &DesktopDir,
) -> Result<()> {
    let components = record.info.as_ref().map(|info| info.components.as_slice());
    ending::end(&record.id, components.unwrap_or_default())?;
    if let Some(info) = &record.info {
        xserver::remove_leftovers(info);
    }
    state_dir.remove(&record.id, dir)
}
