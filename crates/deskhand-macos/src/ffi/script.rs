//! Scripting definitions of apps (OpenScripting).

use std::{
    path::Path,
    ptr::{self, NonNull},
};

use deskhand_platform::Dictionaries;
use objc2::rc::autoreleasepool;
use objc2_core_foundation::{CFData, CFRetained, CFURL};
use objc2_foundation::{NSBundle, NSNumber, NSString};

use super::text;
use crate::script::{MacDictionaries, ScriptSupport, ScriptingApi};

/// `fnfErr`: the file does not exist.
const FILE_NOT_FOUND: i32 = -43;

// The objc2 crates have no bindings of OpenScripting, which is a part of Carbon.
#[link(name = "Carbon", kind = "framework")]
unsafe extern "C-unwind" {
    /// Since Mac OS X 10.5. On success returns 0 and a new `CFData` that the caller owns, else an error code.
    fn OSACopyScriptingDefinitionFromURL(
        url: &CFURL,
        mode_flags: i32,
        sdef: *mut *const CFData,
    ) -> i32;
}

/// The scripting support of the running system.
struct SystemScripting;

/// Reads the dictionaries of apps.
pub(crate) fn dictionaries() -> Box<dyn Dictionaries> {
    Box::new(MacDictionaries::new(SystemScripting))
}

impl ScriptingApi for SystemScripting {
    fn declared_support(&self, app: &Path) -> Option<ScriptSupport> {
        autoreleasepool(|_| {
            let bundle = NSBundle::bundleWithPath(&NSString::from_str(app.to_str()?))?;
            let value = |key: &str| bundle.objectForInfoDictionaryKey(&NSString::from_str(key));
            let enabled = value("NSAppleScriptEnabled").is_some_and(|it| {
                // Some apps write it as a string.
                match it.downcast::<NSNumber>() {
                    Ok(number) => number.as_bool(),
                    Err(other) => other
                        .downcast::<NSString>()
                        .is_ok_and(|word| text::copy(&word).eq_ignore_ascii_case("yes")),
                }
            });
            let declared = enabled || value("OSAScriptingDefinition").is_some();
            Some(if declared { ScriptSupport::Declared } else { ScriptSupport::NotDeclared })
        })
    }

    fn definition(&self, app: &Path) -> Result<Vec<u8>, i32> {
        autoreleasepool(|_| {
            let url = CFURL::from_directory_path(app).ok_or(FILE_NOT_FOUND)?;
            let mut found: *const CFData = ptr::null();
            // SAFETY: the URL outlives the call, which does not keep it, and `found` is valid for one pointer. 0 means no
            // special mode.
            let code = unsafe { OSACopyScriptingDefinitionFromURL(&url, 0, &mut found) };
            let data = NonNull::new(found.cast_mut()).filter(|_| code == 0).ok_or(code)?;
            // SAFETY: the data follows the copy rule, so it is released once. No other code has it, so it does not change
            // while it is read.
            let data = unsafe { CFRetained::from_raw(data) };
            Ok(data.to_vec())
        })
    }
}
