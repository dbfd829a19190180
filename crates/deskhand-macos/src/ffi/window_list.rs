//! The window server's list of windows (`CGWindowListCopyWindowInfo`).

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
    window::{WindowInfo, WindowListApi, WindowScope},
};

/// The window server of this login session.
pub(crate) struct WindowServer;

impl WindowListApi for WindowServer {
    fn windows(&self, scope: WindowScope) -> Result<Vec<WindowInfo>> {
        let (option, window) = match scope {
            WindowScope::OnScreen => (CGWindowListOption::OptionOnScreenOnly, kCGNullWindowID),
            WindowScope::All => (CGWindowListOption::OptionAll, kCGNullWindowID),
            WindowScope::One(number) => (CGWindowListOption::OptionIncludingWindow, number),
        };
        let list = CGWindowListCopyWindowInfo(option, window).ok_or_else(|| Error::NoDisplay {
            why: "there is no window server in this session; log in at the screen and start this program \
                  there"
                .to_owned(),
        })?;
        Ok(items(&list).iter().filter_map(|entry| window_info(entry)).collect())
    }
}

/// Converts an entry of the list. `None` if a required key is missing.
fn window_info(entry: &CFType) -> Option<WindowInfo> {
    let entry = entry.downcast_ref::<CFDictionary>()?;
    // SAFETY: every entry of this list has strings as keys and Core Foundation objects as values (CGWindow.h). The cast
    // does not change the memory layout.
    let entry: &CFDictionary<CFString, CFType> = unsafe { entry.cast_unchecked() };
    // SAFETY: the keys are constants of CoreGraphics.
    let [number, layer, bounds, alpha, pid, app_name, title, on_screen] = unsafe {
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
    let get = |key: &CFString| entry.get(key);
    let integer = |key: &CFString| get(key)?.downcast_ref::<CFNumber>()?.as_i64();
    let text = |key: &CFString| Some(get(key)?.downcast_ref::<CFString>()?.to_string());
    Some(WindowInfo {
        number: u32::try_from(integer(number)?).ok()?,
        layer: i32::try_from(integer(layer)?).ok()?,
        bounds: area(&get(bounds)?)?,
        alpha: get(alpha)?.downcast_ref::<CFNumber>()?.as_f64()?,
        pid: i32::try_from(integer(pid)?).ok()?,
        app_name: text(app_name),
        title: text(title),
        on_screen: get(on_screen)
            .is_some_and(|is| is.downcast_ref::<CFBoolean>().is_some_and(CFBoolean::as_bool)),
    })
}

fn area(bounds: &CFRetained<CFType>) -> Option<Area> {
    let bounds = bounds.downcast_ref::<CFDictionary>()?;
    let mut rect = CGRect::default();
    // SAFETY: the window server wrote this dictionary as a rectangle; `rect` is valid for the rectangle that is
    // written.
    let read = unsafe { CGRectMakeWithDictionaryRepresentation(Some(bounds), &mut rect) };
    read.then(|| super::display::area(rect))
}
