//! Scripting definitions of apps: OpenScripting, and what bundles say of themselves.

use std::{
    path::Path,
    ptr::{self, NonNull},
};

use deskhand_platform::Dictionaries;
use objc2::rc::autoreleasepool;
use objc2_core_foundation::{CFData, CFRetained, CFURL};
use objc2_foundation::{NSBundle, NSNumber, NSString};

use super::text;
use crate::script::{Claim, Definitions, MacDictionaries};

/// The file is no app, as the system's own errors say it (`fnfErr`).
const NO_FILE: i32 = -43;

// The crates have no bindings of OpenScripting, a part of Carbon.
#[link(name = "Carbon", kind = "framework")]
unsafe extern "C-unwind" {
    /// Since Mac OS X 10.5: gives a new `CFData` the caller owns, and 0; else an error and nothing.
    fn OSACopyScriptingDefinitionFromURL(
        url: &CFURL,
        mode_flags: i32,
        sdef: *mut *const CFData,
    ) -> i32;
}

/// The running system.
struct System;

/// The dictionaries of apps on this Mac.
pub(crate) fn dictionaries() -> Box<dyn Dictionaries> {
    Box::new(MacDictionaries::new(System))
}

impl Definitions for System {
    fn claim(&self, app: &Path) -> Option<Claim> {
        autoreleasepool(|_| {
            let bundle = NSBundle::bundleWithPath(&NSString::from_str(app.to_str()?))?;
            let value = |key: &str| bundle.objectForInfoDictionaryKey(&NSString::from_str(key));
            let enabled = value("NSAppleScriptEnabled").is_some_and(|it| {
                // Some lists say it as a word.
                match it.downcast::<NSNumber>() {
                    Ok(number) => number.as_bool(),
                    Err(other) => other
                        .downcast::<NSString>()
                        .is_ok_and(|word| text::copy(&word).eq_ignore_ascii_case("yes")),
                }
            });
            let scriptable = enabled || value("OSAScriptingDefinition").is_some();
            Some(if scriptable { Claim::Scriptable } else { Claim::Silent })
        })
    }

    fn definition(&self, app: &Path) -> Result<Vec<u8>, i32> {
        autoreleasepool(|_| {
            let url = CFURL::from_directory_path(app).ok_or(NO_FILE)?;
            let mut found: *const CFData = ptr::null();
            // SAFETY: the address outlives the call, which keeps nothing of it; the place for the answer is
            // ours. The flags are those of no special mode.
            let code = unsafe { OSACopyScriptingDefinitionFromURL(&url, 0, &mut found) };
            let data = NonNull::new(found.cast_mut()).filter(|_| code == 0).ok_or(code)?;
            // SAFETY: by the copy rule the data is ours to release once, which this does; nobody else has it,
            // so it does not change while it is read.
            let data = unsafe { CFRetained::from_raw(data) };
            Ok(data.to_vec())
        })
    }
}
