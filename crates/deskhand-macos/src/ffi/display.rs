//! Displays and the pointer.

use deskhand_platform::{Error, Result};
use objc2::{MainThreadMarker, rc::autoreleasepool};
use objc2_app_kit::NSScreen;
use objc2_core_foundation::CGRect;
use objc2_core_graphics::{
    CGDirectDisplayID, CGDisplayBounds, CGDisplayCopyDisplayMode, CGDisplayMode, CGError, CGEvent,
    CGGetActiveDisplayList, CGMainDisplayID,
};
use objc2_foundation::{NSNumber, ns_string};
use parking_lot::Mutex;

use super::{text, window_list::WindowServer};
use crate::screen::{AppKitScreen, Area, CgDisplay, Displays};

/// More displays than any Mac supports.
const MAX_DISPLAYS: u32 = 64;

impl Displays for WindowServer {
    fn cg_displays(&self) -> Result<Vec<CgDisplay>> {
        let mut ids: [CGDirectDisplayID; MAX_DISPLAYS as usize] = [0; MAX_DISPLAYS as usize];
        let mut count = 0;
        // SAFETY: `ids` has space for the `MAX_DISPLAYS` numbers that may be written, `count` for one.
        let code = unsafe { CGGetActiveDisplayList(MAX_DISPLAYS, ids.as_mut_ptr(), &mut count) };
        if code != CGError::Success || count == 0 {
            let why =
                format!("CoreGraphics lists no display ({}); log in at the screen first", code.0);
            return Err(Error::NoDisplay { why });
        }
        let main = CGMainDisplayID();
        let each = ids.into_iter().take(count as usize).map(|id| {
            let mode = CGDisplayCopyDisplayMode(id);
            CgDisplay {
                id,
                bounds: area(CGDisplayBounds(id)),
                main: id == main,
                points_wide: CGDisplayMode::width(mode.as_deref()),
                pixels_wide: CGDisplayMode::pixel_width(mode.as_deref()),
            }
        });
        Ok(each.collect())
    }

    fn appkit_screens(&self) -> Vec<AppKitScreen> {
        // One thread at a time, since NSScreen is not documented as thread-safe.
        static SCREEN_LOCK: Mutex<()> = Mutex::new(());
        let _lock = SCREEN_LOCK.lock();
        // SAFETY: the marker is used only for reading screens in this function. The headers bind NSScreen to the main
        // thread, which runs no event loop here and cannot be used. Apple's threading guide restricts views and windows,
        // which are not used here. The objects are immutable, and no other code of this process reads them.
        let marker = unsafe { MainThreadMarker::new_unchecked() };
        autoreleasepool(|_| {
            let screens = NSScreen::screens(marker);
            let each = screens.iter().filter_map(|screen| {
                let number =
                    screen.deviceDescription().objectForKey(ns_string!("NSScreenNumber"))?;
                Some(AppKitScreen {
                    id: number.downcast_ref::<NSNumber>()?.as_u32(),
                    name: text::copy(&screen.localizedName()),
                    frame: area(screen.frame()),
                    visible: area(screen.visibleFrame()),
                })
            });
            each.collect()
        })
    }

    fn pointer(&self) -> Option<(f64, f64)> {
        let event = CGEvent::new(None)?;
        let at = CGEvent::location(Some(&event));
        Some((at.x, at.y))
    }
}

/// Converts a rectangle.
pub(super) fn area(rect: CGRect) -> Area {
    Area::new(rect.origin.x, rect.origin.y, rect.size.width, rect.size.height)
}
