//! Windows as their programs show them through accessibility.

use deskhand_platform::Deadline;

use crate::{
    screen::Area,
    tree::{AxError, Value},
};

/// What this room needs of accessibility.
pub(crate) trait Elements: Send + Sync + 'static {
    /// A handle of an element; handles of the same element are equal.
    type Element: Clone + PartialEq + Send + Sync + 'static;

    /// The root element of a program.
    fn application(&self, pid: u32) -> Option<Self::Element>;

    /// The values of several attributes in one message, each or the fault in its place.
    fn get_all(
        &self,
        of: &Self::Element,
        names: &[&str],
        by: Deadline,
    ) -> Result<Vec<Value<Self::Element>>, AxError>;

    /// The names of the actions of an element.
    fn actions(&self, of: &Self::Element, by: Deadline) -> Result<Vec<String>, AxError>;

    /// Does one of the actions of an element.
    fn perform(&self, on: &Self::Element, action: &str, by: Deadline) -> Result<(), AxError>;

    /// Gives an attribute another value.
    fn set(
        &self,
        on: &Self::Element,
        name: &str,
        to: &Value<Self::Element>,
        by: Deadline,
    ) -> Result<(), AxError>;

    /// The number the window server has for the window an element is.
    fn number(&self, of: &Self::Element, by: Deadline) -> Result<u32, AxError>;

    /// The element above all programs, which knows the focus.
    fn system_wide(&self) -> Self::Element;

    /// The value of one attribute.
    fn get(
        &self,
        of: &Self::Element,
        name: &str,
        by: Deadline,
    ) -> Result<Value<Self::Element>, AxError>;

    /// The element at a point of the screen.
    fn at(&self, x: f64, y: f64, by: Deadline) -> Result<Self::Element, AxError>;

    /// The process an element belongs to.
    fn pid(&self, of: &Self::Element) -> Result<u32, AxError>;

    /// The app in front, as the workspace knows it.
    fn frontmost(&self) -> Option<u32>;

    /// What the system knows about a program.
    fn program(&self, pid: u32) -> Option<Program>;
}

/// A program, as the system knows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Program {
    /// Its name.
    pub(crate) name: Option<String>,
    /// The identifier of its bundle.
    pub(crate) bundle: Option<String>,
}

/// What one program says about its windows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Told<E> {
    /// Whether it is the app in front.
    pub(super) frontmost: bool,
    /// Whether a person has hidden it.
    pub(super) hidden: bool,
    /// The window that has the keyboard when the app is in front.
    pub(super) focused: Option<E>,
    pub(super) windows: Vec<Leaf<E>>,
}

/// One window of a program.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Leaf<E> {
    pub(super) element: E,
    /// The window server's number; only windows that have one can be told from each other.
    pub(super) number: u32,
    pub(super) title: String,
    pub(super) place: Option<Area>,
    pub(super) minimized: bool,
}

/// Asks a program about its windows.
pub(super) fn told<G: Elements>(
    ground: &G,
    pid: u32,
    by: Deadline,
) -> Result<Told<G::Element>, AxError> {
    let app = ground.application(pid).ok_or(AxError::InvalidElement)?;
    let names = ["AXWindows", "AXFocusedWindow", "AXMainWindow", "AXFrontmost", "AXHidden"];
    let values = ground.get_all(&app, &names, by)?;
    let [windows, focused, main, frontmost, hidden] = of(values)?;
    let mut leaves = Vec::new();
    for element in windows.elements() {
        match leaf(ground, element, by) {
            Ok(leaf) => leaves.push(leaf),
            // The app no longer answers at all: the rest would only cost more time.
            Err(AxError::CannotComplete) => return Err(AxError::CannotComplete),
            // It closed meanwhile, or is drawn by nobody, as some apps have windows.
            Err(_) => {}
        }
    }
    Ok(Told {
        frontmost: frontmost.flag().unwrap_or(false),
        hidden: hidden.flag().unwrap_or(false),
        focused: focused.element().or(main.element()).cloned(),
        windows: leaves,
    })
}

fn leaf<G: Elements>(
    ground: &G,
    element: G::Element,
    by: Deadline,
) -> Result<Leaf<G::Element>, AxError> {
    let number = ground.number(&element, by)?;
    let names = ["AXTitle", "AXPosition", "AXSize", "AXMinimized"];
    let [title, at, size, minimized] = of(ground.get_all(&element, &names, by)?)?;
    Ok(Leaf {
        element,
        number,
        title: title.text().unwrap_or_default().to_owned(),
        place: place(&at, &size),
        minimized: minimized.flag().unwrap_or(false),
    })
}

/// A place of two attributes.
pub(super) fn place<E: Clone>(at: &Value<E>, size: &Value<E>) -> Option<Area> {
    let (Value::Point(x, y), Value::Size(width, height)) = (at, size) else { return None };
    Some(Area::new(*x, *y, *width, *height))
}

/// As many values as were asked for.
pub(super) fn of<E, const N: usize>(values: Vec<Value<E>>) -> Result<[Value<E>; N], AxError> {
    values.try_into().map_err(|_| AxError::Failure)
}
