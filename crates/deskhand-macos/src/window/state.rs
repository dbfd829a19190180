//! The state of one window, and its accessibility element.

use deskhand_model::Rect;
use deskhand_platform::{Deadline, Display, Error, Result, WindowState};

use super::{
    ax_window::{AppWindows, WindowAxApi, area, into_array, read_app_windows},
    window_info::{NORMAL_LAYER, WindowInfo, WindowListApi, WindowScope},
};
use crate::{
    screen::{Displays, list_displays},
    tree::Value,
};

/// A maximized window may be this much smaller than the work area: terminals resize by whole characters.
const MAX_FILL_GAP_PX: i32 = 24;

/// A window with its element and its app.
pub(super) struct LocatedWindow<E> {
    pub(super) info: WindowInfo,
    /// The root element of its app.
    pub(super) app: E,
    pub(super) app_windows: AppWindows<E>,
    /// The element of the window.
    pub(super) element: E,
}

/// The attributes of a window.
pub(super) struct WindowAttributes<E> {
    pub(super) frame: Rect,
    pub(super) minimized: bool,
    /// `None` if the window has no full screen mode.
    pub(super) full_screen: Option<bool>,
    pub(super) close_button: Option<E>,
    pub(super) zoom_button: Option<E>,
    modal: bool,
    subrole: String,
    parent: Option<E>,
}

/// Finds a window and its element.
pub(super) fn find<S: WindowAxApi + WindowListApi>(
    system: &S,
    window: u64,
    deadline: Deadline,
) -> Result<LocatedWindow<S::Element>> {
    let info = find_info(system, window)?.ok_or_else(|| gone(window))?;
    let (pid, number) = (info.process_id(), info.number);
    let owner = owner_name(&info);
    let app = system.app_element(pid).ok_or_else(|| gone(window))?;
    let app_windows = read_app_windows(system, pid, deadline)
        .map_err(|error| error.into_platform_error(&owner))?;
    let own = app_windows.windows.iter().find(|window| window.number == number);
    let Some(element) = own.map(|window| window.element.clone()) else {
        let what = format!("changing or reading window {window}");
        let why = format!(
            "{owner} does not report it to accessibility: it is on another Space, or not a real window"
        );
        return Err(Error::Unsupported { what, why });
    };
    Ok(LocatedWindow { info, app, app_windows, element })
}

/// The entry of a window in the window server's list.
pub(super) fn find_info(system: &impl WindowListApi, window: u64) -> Result<Option<WindowInfo>> {
    let Ok(number) = u32::try_from(window) else { return Ok(None) };
    Ok(system.windows(WindowScope::One(number))?.into_iter().find(|info| info.number == number))
}

pub(super) fn gone(window: u64) -> Error {
    Error::Gone { what: format!("window {window}") }
}

/// The name of the app that owns a window, for error messages.
pub(super) fn owner_name(info: &WindowInfo) -> String {
    info.app_name.clone().unwrap_or_else(|| format!("process {}", info.pid))
}

/// Reads the attributes of a window.
pub(super) fn read_attributes<S: WindowAxApi>(
    system: &S,
    found: &LocatedWindow<S::Element>,
    deadline: Deadline,
) -> Result<WindowAttributes<S::Element>> {
    let names = [
        "AXPosition",
        "AXSize",
        "AXMinimized",
        "AXFullScreen",
        "AXCloseButton",
        "AXZoomButton",
        "AXModal",
        "AXSubrole",
        "AXParent",
    ];
    let values = system.attributes(&found.element, &names, deadline).and_then(into_array);
    let values = values
        .map_err(|error| error.into_platform_error(&format!("window {}", found.info.number)))?;
    let [at, size, minimized, full, close, zoom, modal, subrole, parent] = values;
    let element = |value: &Value<S::Element>| value.element().cloned();
    Ok(WindowAttributes {
        frame: area(&at, &size).map_or_else(|| found.info.rect(), crate::screen::Area::rounded),
        minimized: minimized.flag().unwrap_or(false),
        full_screen: full.flag(),
        close_button: element(&close),
        zoom_button: element(&zoom),
        modal: modal.flag().unwrap_or(false),
        subrole: subrole.text().unwrap_or_default().to_owned(),
        parent: element(&parent),
    })
}

/// Everything about a window that the list does not contain.
pub(super) fn state<S: WindowAxApi + WindowListApi + Displays>(
    system: &S,
    window: u64,
    deadline: Deadline,
) -> Result<WindowState> {
    let found = find(system, window, deadline)?;
    let attributes = read_attributes(system, &found, deadline)?;
    let work_area = work_area(attributes.frame, &list_displays(system)?);
    let full = attributes.full_screen.unwrap_or(false);
    let focused =
        found.app_windows.frontmost && found.app_windows.focused.as_ref() == Some(&found.element);
    let fills = work_area.is_some_and(|area| fills(attributes.frame, area));
    let states = [
        ("above", found.info.layer > NORMAL_LAYER),
        ("focused", focused),
        ("fullscreen", full),
        ("hidden", found.app_windows.hidden),
        ("maximized", fills && !full),
        ("minimized", attributes.minimized),
        ("modal", attributes.modal),
    ];
    // The parent of a normal window is the app element, which has no window number.
    let parent =
        attributes.parent.as_ref().and_then(|parent| system.window_number(parent, deadline).ok());
    Ok(WindowState {
        states: states.iter().filter(|(_, is)| *is).map(|(word, _)| (*word).to_owned()).collect(),
        kind: kind(&attributes.subrole).to_owned(),
        parent: parent.filter(|parent| ![0, found.info.number].contains(parent)).map(u64::from),
        // macOS does not report the Space of a window.
        workspace: None,
        closable: is_closable(system, attributes.close_button.as_ref(), deadline),
        min_size: None,
        max_size: None,
        resize_increment: None,
    })
}

/// The kind of a window, from its subrole.
fn kind(subrole: &str) -> &'static str {
    match subrole {
        "AXDialog" | "AXSystemDialog" => "dialog",
        "AXFloatingWindow" | "AXSystemFloatingWindow" => "utility",
        "AXSheet" => "sheet",
        _ => "normal",
    }
}

/// Returns `true` if the window has an enabled close button.
fn is_closable<S: WindowAxApi>(
    system: &S,
    button: Option<&S::Element>,
    deadline: Deadline,
) -> bool {
    let Some(button) = button else { return false };
    let enabled = system.attributes(button, &["AXEnabled"], deadline).and_then(into_array);
    enabled.is_ok_and(|[enabled]: [Value<S::Element>; 1]| enabled.flag().unwrap_or(true))
}

/// The work area of the display that contains most of a window.
pub(super) fn work_area(frame: Rect, displays: &[Display]) -> Option<Rect> {
    let shared = |display: &&Display| {
        let part = frame.clipped_to(display.frame);
        i64::from(part.width) * i64::from(part.height)
    };
    // `max_by_key` returns the last of equal elements; reversed, that is the main display.
    displays.iter().rev().max_by_key(shared).map(|display| display.work_area)
}

/// Returns `true` if a window fills an area, allowing for the steps it resizes in.
pub(super) fn fills(frame: Rect, area: Rect) -> bool {
    let near = |is: i32, whole: i32| (whole - MAX_FILL_GAP_PX..=whole + 1).contains(&is);
    (frame.x - area.x).abs() <= 1
        && (frame.y - area.y).abs() <= 1
        && near(frame.width, area.width)
        && near(frame.height, area.height)
}
