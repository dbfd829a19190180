//! Programs as the kernel and AppKit know them, for the tree.
//!
//! The list of AppKit is brought up to date by the main run loop, which this program does not run; so
//! processes come from the kernel, and AppKit is asked about each.

use std::{fs, path::Path};

use objc2::rc::autoreleasepool;
use objc2_app_kit::{NSApplicationActivationPolicy, NSRunningApplication};
use objc2_foundation::NSURL;

use super::{process::System, text};
use crate::{
    apps::Kernel,
    tree::{Presence, Program},
};

/// The numbers of all processes.
pub(super) fn pids() -> Vec<u32> {
    System.pids()
}

/// When a process started, in microseconds since 1970; 0 when there is none.
pub(super) fn started(pid: u32) -> u64 {
    System.facts(pid).map_or(0, |facts| facts.started)
}

/// A process as a program a person can meet.
pub(super) fn program(pid: u32) -> Option<Program> {
    let pid = libc::pid_t::try_from(pid).ok()?;
    autoreleasepool(|_| {
        let app = NSRunningApplication::runningApplicationWithProcessIdentifier(pid)?;
        let bundle = app.bundleURL().as_deref().and_then(path);
        let executable = app.executableURL().as_deref().and_then(path);
        let file = executable.as_deref().and_then(|path| path.rsplit('/').next());
        let name = app.localizedName().as_deref().map(text::copy);
        Some(Program {
            name: name.or_else(|| file.map(str::to_owned)).unwrap_or_else(|| format!("pid {pid}")),
            bundle_id: app.bundleIdentifier().as_deref().map(text::copy),
            presence: presence(app.activationPolicy()),
            frameworks: bundle.as_deref().map(frameworks).unwrap_or_default(),
            executable,
        })
    })
}

fn path(url: &NSURL) -> Option<String> {
    url.path().as_deref().map(text::copy)
}

fn presence(policy: NSApplicationActivationPolicy) -> Presence {
    if policy == NSApplicationActivationPolicy::Regular {
        Presence::Regular
    } else if policy == NSApplicationActivationPolicy::Accessory {
        Presence::Accessory
    } else {
        Presence::None
    }
}

/// The names of what lies in a bundle's folder of frameworks; a bundle without one brings none.
fn frameworks(bundle: &str) -> Vec<String> {
    let folder = Path::new(bundle).join("Contents/Frameworks");
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}
