//! Strings of Foundation.

use objc2_core_foundation::CFString;
use objc2_foundation::NSString;

/// Copies a string. Lone surrogates, which other apps and files may contain, become U+FFFD. The `Display` of
/// `NSString` assumes that every string has a UTF-8 form, and reads from null if it has none.
pub(super) fn copy(from: &NSString) -> String {
    // SAFETY: NSString and CFString are the same type (toll-free bridging); it is only borrowed, for the same
    // lifetime.
    let same = unsafe { &*(&raw const *from).cast::<CFString>() };
    same.to_string()
}
