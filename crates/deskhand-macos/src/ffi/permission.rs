//! Privacy permissions: ApplicationServices, CoreGraphics and libproc.

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
use crate::permission::{
    BundleNames, MacPermissions, PermissionApi, PrivacyRight, program_to_allow,
};

/// The permissions of the running system.
struct SystemPermissions;

/// The permissions of this process.
pub(crate) fn permissions() -> Box<dyn Permissions> {
    Box::new(MacPermissions::new(SystemPermissions, std::process::id()))
}

/// The program that the user has to allow for this process.
pub(super) fn this_program() -> String {
    // It does not change while this process runs.
    static PROGRAM: OnceLock<String> = OnceLock::new();
    PROGRAM.get_or_init(|| program_to_allow(&SystemPermissions, std::process::id())).clone()
}

impl PermissionApi for SystemPermissions {
    fn is_granted(&self, right: PrivacyRight) -> bool {
        match right {
            // SAFETY: takes no arguments and returns a number; any thread may call it.
            PrivacyRight::Accessibility => unsafe { AXIsProcessTrusted() },
            PrivacyRight::ScreenRecording => CGPreflightScreenCaptureAccess(),
        }
    }

    fn request(&self, right: PrivacyRight) {
        match right {
            PrivacyRight::Accessibility => {
                // SAFETY: a constant string of the framework, which lives as long as the process.
                let prompt = unsafe { kAXTrustedCheckOptionPrompt };
                let options: objc2_core_foundation::CFRetained<CFDictionary<CFString, CFBoolean>> =
                    CFDictionary::from_slices(&[prompt], &[CFBoolean::new(true)]);
                // SAFETY: the dictionary contains a boolean, as the key requires, and outlives the call, which does not keep
                // it. The result is not needed, since `is_granted` reads it again.
                unsafe { AXIsProcessTrustedWithOptions(Some(options.as_opaque())) };
            }
            PrivacyRight::ScreenRecording => {
                CGRequestScreenCaptureAccess();
            }
        }
    }

    fn responsible_pid(&self, pid: u32) -> Option<u32> {
        type GetResponsibleFn = unsafe extern "C" fn(libc::pid_t) -> libc::pid_t;
        // The function is in no header, so it is looked up at run time and may be missing.
        let name = c"responsibility_get_pid_responsible_for_pid";
        // SAFETY: the name ends with a zero byte and outlives the call. The symbol stays loaded, since it is in
        // libSystem.
        let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        if symbol.is_null() {
            return None;
        }
        // SAFETY: since macOS 10.14, libSystem has a function of this name and type: one pid in, one pid out.
        let get_responsible = unsafe { mem::transmute::<*mut c_void, GetResponsibleFn>(symbol) };
        // SAFETY: accepts any number; for an unknown pid it returns a negative number.
        let responsible = unsafe { get_responsible(libc::pid_t::try_from(pid).ok()?) };
        u32::try_from(responsible).ok().filter(|&one| one > 0)
    }

    fn parent_pid(&self, pid: u32) -> Option<u32> {
        let pid = libc::pid_t::try_from(pid).ok()?;
        let mut info = MaybeUninit::<libc::proc_bsdinfo>::uninit();
        let size = libc::c_int::try_from(size_of::<libc::proc_bsdinfo>()).ok()?;
        // SAFETY: the buffer belongs to this function, has the type of this flavour, and its size is passed.
        let filled = unsafe {
            libc::proc_pidinfo(pid, libc::PROC_PIDTBSDINFO, 0, info.as_mut_ptr().cast(), size)
        };
        if filled < size {
            return None;
        }
        // SAFETY: the buffer was filled completely.
        Some(unsafe { info.assume_init() }.pbi_ppid)
    }

    fn executable(&self, pid: u32) -> Option<PathBuf> {
        let pid = libc::pid_t::try_from(pid).ok()?;
        let mut path = vec![0_u8; usize::try_from(libc::PROC_PIDPATHINFO_MAXSIZE).ok()?];
        let size = u32::try_from(path.len()).ok()?;
        // SAFETY: the buffer belongs to this function and its size is passed.
        let length = unsafe { libc::proc_pidpath(pid, path.as_mut_ptr().cast(), size) };
        path.truncate(usize::try_from(length).ok().filter(|&length| length > 0)?);
        Some(PathBuf::from(OsStr::from_bytes(&path)))
    }

    fn bundle_names(&self, folder: &Path) -> Option<BundleNames> {
        autoreleasepool(|_| {
            let bundle = NSBundle::bundleWithPath(&NSString::from_str(folder.to_str()?))?;
            let text = |key: &str| -> Option<Retained<NSString>> {
                bundle.objectForInfoDictionaryKey(&NSString::from_str(key))?.downcast().ok()
            };
            let name = text("CFBundleDisplayName").or_else(|| text("CFBundleName"));
            let id = bundle.bundleIdentifier();
            Some(BundleNames {
                name: name.as_deref().map(text::copy),
                id: id.as_deref().map(text::copy),
            })
        })
    }

    fn open_url(&self, url: &str) -> bool {
        autoreleasepool(|_| {
            let url = NSURL::URLWithString(&NSString::from_str(url));
            url.is_some_and(|url| NSWorkspace::sharedWorkspace().openURL(&url))
        })
    }
}
