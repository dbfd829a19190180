//! Windows as apps report them through accessibility.

use deskhand_platform::Deadline;

use crate::{
    screen::Area,
    tree::{AxElements, AxError, AxResult, Value},
};

/// The part of the accessibility API that only windows need.
pub(crate) trait WindowAxApi: AxElements {
    /// The window server's number of a window element.
    fn window_number(&self, element: &Self::Element, deadline: Deadline) -> AxResult<u32>;

    /// The system-wide element, which knows the keyboard focus.
    fn system_wide(&self) -> Self::Element;

    /// The element at a point of the screen.
    fn element_at(&self, x: f64, y: f64, deadline: Deadline) -> AxResult<Self::Element>;

    /// The pid of the frontmost app, from `NSWorkspace`.
    fn frontmost_pid(&self) -> Option<u32>;

    /// The name and bundle of an app, from `NSRunningApplication`.
    fn app_names(&self, pid: u32) -> Option<AppNames>;
}

/// The names of an app.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct AppNames {
    /// The localized name.
    pub(crate) name: Option<String>,
    pub(crate) bundle_id: Option<String>,
}

/// The windows of one app.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AppWindows<E> {
    /// The app is the frontmost one.
    pub(super) frontmost: bool,
    /// The user has hidden the app.
    pub(super) hidden: bool,
    /// The window that has the keyboard while the app is frontmost.
    pub(super) focused: Option<E>,
    pub(super) windows: Vec<AxWindow<E>>,
}

/// One window of an app.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AxWindow<E> {
    pub(super) element: E,
    /// The window server's number. Windows without one are left out, since nothing else identifies them.
    pub(super) number: u32,
    pub(super) title: String,
    pub(super) area: Option<Area>,
    pub(super) minimized: bool,
}

/// Reads the windows of an app.
pub(super) fn read_app_windows<S: WindowAxApi>(
    system: &S,
    pid: u32,
    deadline: Deadline,
) -> AxResult<AppWindows<S::Element>> {
    let app = system.app_element(pid).ok_or(AxError::InvalidElement)?;
    let names = ["AXWindows", "AXFocusedWindow", "AXMainWindow", "AXFrontmost", "AXHidden"];
    let values = system.attributes(&app, &names, deadline)?;
    let [windows, focused, main, frontmost, hidden] = into_array(values)?;
    let mut found = Vec::new();
    for element in windows.elements() {
        match read_window(system, element, deadline) {
            Ok(window) => found.push(window),
            // The app stopped answering. More messages would only cost time.
            Err(AxError::CannotComplete) => return Err(AxError::CannotComplete),
            // The window has just closed, or the window server does not draw it.
            Err(_) => {}
        }
    }
    Ok(AppWindows {
        frontmost: frontmost.flag().unwrap_or(false),
        hidden: hidden.flag().unwrap_or(false),
        focused: focused.element().or(main.element()).cloned(),
        windows: found,
    })
}

fn read_window<S: WindowAxApi>(
    system: &S,
    element: S::Element,
    deadline: Deadline,
) -> AxResult<AxWindow<S::Element>> {
    let number = system.window_number(&element, deadline)?;
    let names = ["AXTitle", "AXPosition", "AXSize", "AXMinimized"];
    let [title, at, size, minimized] = into_array(system.attributes(&element, &names, deadline)?)?;
    Ok(AxWindow {
        element,
        number,
        title: title.text().unwrap_or_default().to_owned(),
        area: area(&at, &size),
        minimized: minimized.flag().unwrap_or(false),
    })
}

/// The area of a position and a size attribute.
pub(super) fn area<E: Clone>(at: &Value<E>, size: &Value<E>) -> Option<Area> {
    let (Value::Point(x, y), Value::Size(width, height)) = (at, size) else { return None };
    Some(Area::new(*x, *y, *width, *height))
}

/// Converts values to an array. Fails if the app sent another number of values.
pub(super) fn into_array<E, const N: usize>(values: Vec<Value<E>>) -> AxResult<[Value<E>; N]> {
    values.try_into().map_err(|_| AxError::Failure)
}
