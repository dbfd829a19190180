//! Rights by the system's privacy settings, and who is asked about: ApplicationServices, CoreGraphics, libproc.

use std::{
    ffi::{OsStr, c_void},
    mem::{self, MaybeUninit},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use deskhand_platform::Permissions;
use objc2::rc::{Retained, autoreleasepool};
use objc2_app_kit::NSWorkspace;
use objc2_application_services::{
    AXIsProcessTrusted, AXIsProcessTrustedWithOptions, kAXTrustedCheckOptionPrompt,
};
use objc2_core_foundation::{CFBoolean, CFDictionary, CFString};
use objc2_core_graphics::{CGPreflightScreenCaptureAccess, CGRequestScreenCaptureAccess};
use objc2_foundation::{NSBundle, NSString, NSURL};

use super::text;
use crate::permission::{Bundle, Grants, MacPermissions, Right, whom_to_allow};

/// The running system.
struct System;

/// What a person must allow on this Mac.
pub(crate) fn permissions() -> Box<dyn Permissions> {
    Box::new(MacPermissions::new(System, std::process::id()))
}

/// The program a person has to allow what this one wants.
pub(super) fn who() -> String {
    // The program this one was started from stays the same as long as it runs.
    static WHO: OnceLock<String> = OnceLock::new();
    WHO.get_or_init(|| whom_to_allow(&System, std::process::id())).clone()
}

impl Grants for System {
    fn holds(&self, right: Right) -> bool {
        match right {
            // SAFETY: takes nothing, gives a number; any thread may call it.
            Right::Accessibility => unsafe { AXIsProcessTrusted() },
            Right::ScreenRecording => CGPreflightScreenCaptureAccess(),
        }
    }

    fn request(&self, right: Right) {
        match right {
            Right::Accessibility => {
                // SAFETY: a constant string of the framework, there as long as the process is.
                let prompt = unsafe { kAXTrustedCheckOptionPrompt };
                let options: objc2_core_foundation::CFRetained<CFDictionary<CFString, CFBoolean>> =
                    CFDictionary::from_slices(&[prompt], &[CFBoolean::new(true)]);
                // SAFETY: the dictionary holds what the key asks for, a boolean, and outlives the call,
                // which keeps nothing of it. What it answers is read anew by `holds`.
                unsafe { AXIsProcessTrustedWithOptions(Some(options.as_opaque())) };
            }
            Right::ScreenRecording => {
                CGRequestScreenCaptureAccess();
            }
        }
    }

    fn responsible(&self, pid: u32) -> Option<u32> {
        type Ask = unsafe extern "C" fn(libc::pid_t) -> libc::pid_t;
        // It is in no header, so it is looked for and may be missing.
        let name = c"responsibility_get_pid_responsible_for_pid";
        // SAFETY: the name ends with a zero byte and outlives the call; what is found stays loaded, as it
        // is a part of libSystem.
        let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        if found.is_null() {
            return None;
        }
        // SAFETY: under this name libSystem has a function of this very type since macOS 10.14: one process
        // number in, one out.
        let ask = unsafe { mem::transmute::<*mut c_void, Ask>(found) };
        // SAFETY: any number may be asked about; an unknown one gives a negative answer.
        let answer = unsafe { ask(libc::pid_t::try_from(pid).ok()?) };
        u32::try_from(answer).ok().filter(|&one| one > 0)
    }

    fn parent(&self, pid: u32) -> Option<u32> {
        let pid = libc::pid_t::try_from(pid).ok()?;
        let mut info = MaybeUninit::<libc::proc_bsdinfo>::uninit();
        let size = libc::c_int::try_from(size_of::<libc::proc_bsdinfo>()).ok()?;
        // SAFETY: the buffer is ours, of the type this flavour fills, and its size is told.
        let filled = unsafe {
            libc::proc_pidinfo(pid, libc::PROC_PIDTBSDINFO, 0, info.as_mut_ptr().cast(), size)
        };
        if filled < size {
            return None;
        }
        // SAFETY: the whole of it was filled.
        Some(unsafe { info.assume_init() }.pbi_ppid)
    }

    fn program(&self, pid: u32) -> Option<PathBuf> {
        let pid = libc::pid_t::try_from(pid).ok()?;
        let mut path = vec![0_u8; usize::try_from(libc::PROC_PIDPATHINFO_MAXSIZE).ok()?];
        let room = u32::try_from(path.len()).ok()?;
        // SAFETY: the buffer is ours and its size is told.
        let length = unsafe { libc::proc_pidpath(pid, path.as_mut_ptr().cast(), room) };
        path.truncate(usize::try_from(length).ok().filter(|&length| length > 0)?);
        Some(PathBuf::from(OsStr::from_bytes(&path)))
    }

    fn bundle(&self, folder: &Path) -> Option<Bundle> {
        autoreleasepool(|_| {
            let bundle = NSBundle::bundleWithPath(&NSString::from_str(folder.to_str()?))?;
            let text = |key: &str| -> Option<Retained<NSString>> {
                bundle.objectForInfoDictionaryKey(&NSString::from_str(key))?.downcast().ok()
            };
            let name = text("CFBundleDisplayName").or_else(|| text("CFBundleName"));
            let id = bundle.bundleIdentifier();
            Some(Bundle {
                name: name.as_deref().map(text::copy),
                id: id.as_deref().map(text::copy),
            })
        })
    }

    fn open(&self, address: &str) -> bool {
        autoreleasepool(|_| {
            let url = NSURL::URLWithString(&NSString::from_str(address));
            url.is_some_and(|url| NSWorkspace::sharedWorkspace().openURL(&url))
        })
    }
}
