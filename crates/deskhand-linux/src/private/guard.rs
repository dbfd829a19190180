//! A desktop that lives as long as a value.

use std::ops::Deref;

use super::error::Result;
use super::info::Info;
use super::options::{Options, Owner};
use super::state::Root;
use super::{dispose, up};

/// A desktop that is taken down when this is dropped.
#[derive(Debug)]
pub struct Guard {
    info: Info,
}

impl Guard {
    /// Makes a desktop that belongs to this process.
    pub fn up(options: &Options) -> Result<Self> {
        let options = Options { owner: Owner::Process, ..options.clone() };
        Ok(Self { info: up(&options)? })
    }

    /// Takes the desktop down now and tells whether that worked.
    pub fn down(self) -> Result<()> {
        self.end()
    }

    fn end(&self) -> Result<()> {
        let root = Root::at(self.info.state_dir.clone());
        match root.claim(&self.info.name, Some(&self.info.id))? {
            Some((record, place)) => dispose(&root, &record, &place),
            // Somebody has taken it down already.
            None => Ok(()),
        }
    }
}

impl Deref for Guard {
    type Target = Info;

    fn deref(&self) -> &Info {
        &self.info
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // Nobody is left to tell; what resists is found by the next sweep.
        let _ = self.end();
    }
}
