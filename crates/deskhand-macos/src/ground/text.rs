//! Texts of Foundation.

use objc2_core_foundation::CFString;
use objc2_foundation::NSString;

/// Copies a text. Other programs and files may hold half a character, which becomes U+FFFD; the `Display`
/// of `NSString` takes for granted that every text has a form in UTF-8, and reads from null where it has none.
pub(super) fn copy(from: &NSString) -> String {
    // SAFETY: NSString and CFString are one type by two names (toll-free bridging); it is only borrowed, for
    // as long as before.
    let same = unsafe { &*(&raw const *from).cast::<CFString>() };
    same.to_string()
}
