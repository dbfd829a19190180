//! A desktop with the lifetime of a value.

use std::ops::Deref;

use super::error::Result;
use super::info::DesktopInfo;
use super::options::{DesktopOptions, Owner};
use super::state::StateDir;
use super::{end_and_remove, up};

/// A desktop that is taken down when this value is dropped.
#[derive(Debug)]
pub struct ScopedDesktop {
    info: DesktopInfo,
}

impl ScopedDesktop {
    /// Starts a desktop that belongs to this process.
    pub fn up(options: &DesktopOptions) -> Result<Self> {
        let options = DesktopOptions { owner: Owner::Process, ..options.clone() };
        Ok(Self { info: up(&options)? })
    }

    /// Takes the desktop down and reports errors, unlike dropping the value.
    pub fn down(self) -> Result<()> {
        self.end()
    }

    fn end(&self) -> Result<()> {
        let state_dir = StateDir::at(self.info.state_dir.clone());
        match state_dir.claim(&self.info.name, Some(&self.info.id))? {
            Some((record, dir)) => end_and_remove(&state_dir, &record, &dir),
            // Another process has already taken it down.
            None => Ok(()),
        }
    }
}

impl Deref for ScopedDesktop {
    type Target = DesktopInfo;

    fn deref(&self) -> &DesktopInfo {
        &self.info
    }
}

impl Drop for ScopedDesktop {
    fn drop(&mut self) {
        // The error cannot be reported here. `remove_stale` removes what is left.
        let _ = self.end();
    }
}
