//! Running apps for the tree.
//!
//! AppKit updates its list of apps only in the main run loop, which this program does not run. So the pids come from
//! the kernel, and AppKit is queried about each.

use std::{fs, path::Path};

use objc2::rc::autoreleasepool;
use objc2_app_kit::{NSApplicationActivationPolicy, NSRunningApplication};
use objc2_foundation::NSURL;

use super::{process::SystemProcesses, text};
use crate::{
    apps::KernelApi,
    tree::{ActivationPolicy, RunningApp},
};

/// The pids of all processes.
pub(super) fn list_pids() -> Vec<u32> {
    SystemProcesses.list_pids()
}

/// The start time of a process in microseconds since 1970, or 0 if there is no such process.
pub(super) fn start_time(pid: u32) -> u64 {
    SystemProcesses.process_info(pid).map_or(0, |info| info.started)
}

/// The app of a process.
pub(super) fn running_app(pid: u32) -> Option<RunningApp> {
    let pid = libc::pid_t::try_from(pid).ok()?;
    autoreleasepool(|_| {
        let app = NSRunningApplication::runningApplicationWithProcessIdentifier(pid)?;
        let bundle = app.bundleURL().as_deref().and_then(path);
        let executable = app.executableURL().as_deref().and_then(path);
        let file = executable.as_deref().and_then(|path| path.rsplit('/').next());
        let name = app.localizedName().as_deref().map(text::copy);
        Some(RunningApp {
            name: name.or_else(|| file.map(str::to_owned)).unwrap_or_else(|| format!("pid {pid}")),
            bundle_id: app.bundleIdentifier().as_deref().map(text::copy),
            activation_policy: activation_policy(app.activationPolicy()),
            frameworks: bundle.as_deref().map(frameworks).unwrap_or_default(),
            executable,
        })
    })
}

fn path(url: &NSURL) -> Option<String> {
    url.path().as_deref().map(text::copy)
}

fn activation_policy(policy: NSApplicationActivationPolicy) -> ActivationPolicy {
    if policy == NSApplicationActivationPolicy::Regular {
        ActivationPolicy::Regular
    } else if policy == NSApplicationActivationPolicy::Accessory {
        ActivationPolicy::Accessory
    } else {
        ActivationPolicy::Prohibited
    }
}

/// The names of the frameworks in a bundle.
fn frameworks(bundle: &str) -> Vec<String> {
    let folder = Path::new(bundle).join("Contents/Frameworks");
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}
