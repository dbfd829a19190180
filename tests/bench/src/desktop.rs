//! Measures the start of private desktops.

use std::time::Instant;

use deskhand_linux::private::{DesktopOptions, ScopedDesktop};

use crate::error::Result;

/// Starts desktops one after the other and returns the start times in milliseconds.
pub(crate) fn up_times(count: usize) -> Result<Vec<f64>> {
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let started = Instant::now();
        let desktop = ScopedDesktop::up(&DesktopOptions::default())?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
        desktop.down()?;
    }
    Ok(times)
}
