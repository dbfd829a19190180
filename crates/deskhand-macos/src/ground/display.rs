//! Displays, and the pointer on them.

use std::sync::{Mutex, PoisonError};

use deskhand_platform::{Error, Result};
use objc2::{MainThreadMarker, rc::autoreleasepool};
use objc2_app_kit::NSScreen;
use objc2_core_foundation::CGRect;
use objc2_core_graphics::{
    CGDirectDisplayID, CGDisplayBounds, CGDisplayCopyDisplayMode, CGDisplayMode, CGError, CGEvent,
    CGGetActiveDisplayList, CGMainDisplayID,
};
use objc2_foundation::{NSNumber, ns_string};

use super::{text, window_list::WindowServer};
use crate::screen::{Area, Desk, Displays, Monitor};

/// More displays than any Mac drives.
const MOST: u32 = 64;

impl Displays for WindowServer {
    fn monitors(&self) -> Result<Vec<Monitor>> {
        let mut ids: [CGDirectDisplayID; MOST as usize] = [0; MOST as usize];
        let mut count = 0;
        // SAFETY: `ids` has room for the `MOST` numbers the function may write, `count` for one.
        let code = unsafe { CGGetActiveDisplayList(MOST, ids.as_mut_ptr(), &mut count) };
        if code != CGError::Success || count == 0 {
            let why = format!("CoreGraphics lists no display ({}); is anybody logged in?", code.0);
            return Err(Error::NoDisplay { why });
        }
        let main = CGMainDisplayID();
        let each = ids.into_iter().take(count as usize).map(|id| {
            let mode = CGDisplayCopyDisplayMode(id);
            Monitor {
                id,
                bounds: area(CGDisplayBounds(id)),
                main: id == main,
                points_wide: CGDisplayMode::width(mode.as_deref()),
                pixels_wide: CGDisplayMode::pixel_width(mode.as_deref()),
            }
        });
        Ok(each.collect())
    }

    fn desks(&self) -> Vec<Desk> {
        // One thread at a time: nobody says that several may ask at once.
        static TURN: Mutex<()> = Mutex::new(());
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the marker is used for reading screens only, within this function. The headers bind NSScreen
        // to the main thread, which runs no loop here and could not be asked. Apple's guide to threads
        // restricts views and windows, of which none is touched; the objects describe a screen and do not
        // change, and no other code of this process asks for them.
        let marker = unsafe { MainThreadMarker::new_unchecked() };
        autoreleasepool(|_| {
            let screens = NSScreen::screens(marker);
            let each = screens.iter().filter_map(|screen| {
                let number =
                    screen.deviceDescription().objectForKey(ns_string!("NSScreenNumber"))?;
                Some(Desk {
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

/// A rectangle of CoreGraphics in the room's own words.
pub(super) fn area(rect: CGRect) -> Area {
    Area::new(rect.origin.x, rect.origin.y, rect.size.width, rect.size.height)
}
