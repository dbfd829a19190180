//! The window server's list of windows.

use deskhand_platform::{Error, Result};
use objc2_core_foundation::{
    CFBoolean, CFDictionary, CFNumber, CFRetained, CFString, CFType, CGRect,
};
use objc2_core_graphics::{
    CGRectMakeWithDictionaryRepresentation, CGWindowListCopyWindowInfo, CGWindowListOption,
    kCGNullWindowID, kCGWindowAlpha, kCGWindowBounds, kCGWindowIsOnscreen, kCGWindowLayer,
    kCGWindowName, kCGWindowNumber, kCGWindowOwnerName, kCGWindowOwnerPID,
};

use super::value::items;
use crate::{
    screen::Area,
    window::{Pane, Panes, Reach},
};

/// The window server of this login session.
pub(crate) struct WindowServer;

impl Panes for WindowServer {
    fn panes(&self, reach: Reach) -> Result<Vec<Pane>> {
        let (option, window) = match reach {
            Reach::Shown => (CGWindowListOption::OptionOnScreenOnly, kCGNullWindowID),
            Reach::All => (CGWindowListOption::OptionAll, kCGNullWindowID),
            Reach::One(number) => (CGWindowListOption::OptionIncludingWindow, number),
        };
        let list = CGWindowListCopyWindowInfo(option, window).ok_or_else(|| Error::NoDisplay {
            why: "there is no window server in this session; log in at the screen, and start this \
                  program there"
                .to_owned(),
        })?;
        Ok(items(&list).iter().filter_map(|entry| pane(entry)).collect())
    }
}

/// One entry of the list; `None` when it lacks what every entry has by definition.
fn pane(entry: &CFType) -> Option<Pane> {
    let entry = entry.downcast_ref::<CFDictionary>()?;
    // SAFETY: every entry of this list has texts for keys and objects of Core Foundation for values
    // (CGWindow.h); the cast changes the type on paper only.
    let entry: &CFDictionary<CFString, CFType> = unsafe { entry.cast_unchecked() };
    // SAFETY: the keys are constants of CoreGraphics, set when it is loaded and never changed.
    let [number, layer, bounds, alpha, pid, owner, title, shown] = unsafe {
        [
            kCGWindowNumber,
            kCGWindowLayer,
            kCGWindowBounds,
            kCGWindowAlpha,
            kCGWindowOwnerPID,
            kCGWindowOwnerName,
            kCGWindowName,
            kCGWindowIsOnscreen,
        ]
    };
    let found = |key: &CFString| entry.get(key);
    let whole = |key: &CFString| found(key)?.downcast_ref::<CFNumber>()?.as_i64();
    let text = |key: &CFString| Some(found(key)?.downcast_ref::<CFString>()?.to_string());
    Some(Pane {
        number: u32::try_from(whole(number)?).ok()?,
        layer: i32::try_from(whole(layer)?).ok()?,
        bounds: area(&found(bounds)?)?,
        alpha: found(alpha)?.downcast_ref::<CFNumber>()?.as_f64()?,
        pid: i32::try_from(whole(pid)?).ok()?,
        owner: text(owner),
        title: text(title),
        on_screen: found(shown)
            .is_some_and(|is| is.downcast_ref::<CFBoolean>().is_some_and(CFBoolean::as_bool)),
    })
}

fn area(bounds: &CFRetained<CFType>) -> Option<Area> {
    let bounds = bounds.downcast_ref::<CFDictionary>()?;
    let mut rect = CGRect::default();
    // SAFETY: the window server wrote this dictionary as the picture of a rectangle; `rect` is valid for the
    // one the function writes.
    let read = unsafe { CGRectMakeWithDictionaryRepresentation(Some(bounds), &mut rect) };
    read.then(|| super::display::area(rect))
}
