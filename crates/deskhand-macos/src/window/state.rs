//! Everything about one window, and which element of which program it is.

use deskhand_model::Rect;
use deskhand_platform::{Deadline, Display, Error, Result, WindowState};

use super::{
    elements::{Elements, Told, of, place, told},
    pane::{NORMAL, Pane, Panes, Reach},
};
use crate::{
    screen::{Displays, listed},
    tree::{AxError, Value},
};

/// How much smaller than the work area a window may be that fills it: terminals grow by whole characters.
const STEP: i32 = 24;

/// One window, found.
pub(super) struct Found<E> {
    pub(super) pane: Pane,
    /// The root element of its program.
    pub(super) app: E,
    pub(super) told: Told<E>,
    /// The window itself.
    pub(super) element: E,
}

/// What a window says about itself.
pub(super) struct Facts<E> {
    pub(super) frame: Rect,
    pub(super) minimized: bool,
    /// Whether it fills a screen of its own; `None` when it cannot.
    pub(super) full_screen: Option<bool>,
    pub(super) close: Option<E>,
    pub(super) zoom: Option<E>,
    modal: bool,
    subrole: String,
    parent: Option<E>,
}

/// Finds a window, and its element.
pub(super) fn find<G: Elements + Panes>(
    ground: &G,
    window: u64,
    by: Deadline,
) -> Result<Found<G::Element>> {
    let pane = pane(ground, window)?.ok_or_else(|| gone(window))?;
    let (pid, number) = (pane.process(), pane.number);
    let whose = owner(&pane);
    let failed = |fault: AxError| fault.error(&whose);
    let app = ground.application(pid).ok_or_else(|| gone(window))?;
    let told = told(ground, pid, by).map_err(failed)?;
    let own = told.windows.iter().find(|leaf| leaf.number == number);
    let Some(element) = own.map(|leaf| leaf.element.clone()) else {
        let what = format!("changing or reading window {window}");
        let why = format!(
            "{whose} does not show it through accessibility: it is on another Space, or no window of \
             its own"
        );
        return Err(Error::Unsupported { what, why });
    };
    Ok(Found { pane, app, told, element })
}

/// A window in the window server's list, wherever it is.
pub(super) fn pane(ground: &impl Panes, window: u64) -> Result<Option<Pane>> {
    let Ok(number) = u32::try_from(window) else { return Ok(None) };
    Ok(ground.panes(Reach::One(number))?.into_iter().find(|pane| pane.number == number))
}

pub(super) fn gone(window: u64) -> Error {
    Error::Gone { what: format!("window {window}") }
}

/// What a person calls the program of a window.
pub(super) fn owner(pane: &Pane) -> String {
    pane.owner.clone().unwrap_or_else(|| format!("process {}", pane.pid))
}

/// Reads what a window says about itself.
pub(super) fn facts<G: Elements>(
    ground: &G,
    found: &Found<G::Element>,
    by: Deadline,
) -> Result<Facts<G::Element>> {
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
    let values = ground.get_all(&found.element, &names, by).and_then(of);
    let values = values.map_err(|fault| fault.error(&format!("window {}", found.pane.number)))?;
    let [at, size, minimized, full, close, zoom, modal, subrole, parent] = values;
    let element = |value: &Value<G::Element>| value.element().cloned();
    Ok(Facts {
        frame: place(&at, &size).map_or_else(|| found.pane.room(), crate::screen::Area::whole),
        minimized: minimized.flag().unwrap_or(false),
        full_screen: full.flag(),
        close: element(&close),
        zoom: element(&zoom),
        modal: modal.flag().unwrap_or(false),
        subrole: subrole.text().unwrap_or_default().to_owned(),
        parent: element(&parent),
    })
}

/// Everything about a window beside what the list shows.
pub(super) fn state<G: Elements + Panes + Displays>(
    ground: &G,
    window: u64,
    by: Deadline,
) -> Result<WindowState> {
    let found = find(ground, window, by)?;
    let facts = facts(ground, &found, by)?;
    let area = work_area(facts.frame, &listed(ground)?);
    let full = facts.full_screen.unwrap_or(false);
    let focused = found.told.frontmost && found.told.focused.as_ref() == Some(&found.element);
    let fills = area.is_some_and(|area| fills(facts.frame, area));
    let states = [
        ("above", found.pane.layer > NORMAL),
        ("focused", focused),
        ("fullscreen", full),
        ("hidden", found.told.hidden),
        ("maximized", fills && !full),
        ("minimized", facts.minimized),
        ("modal", facts.modal),
    ];
    // The root of an app is no window, and has no number.
    let parent = facts.parent.as_ref().and_then(|parent| ground.number(parent, by).ok());
    Ok(WindowState {
        states: states.iter().filter(|(_, is)| *is).map(|(word, _)| (*word).to_owned()).collect(),
        kind: kind(&facts.subrole).to_owned(),
        parent: parent.filter(|parent| ![0, found.pane.number].contains(parent)).map(u64::from),
        // Programs are not told which Space a window is on.
        workspace: None,
        closable: closes(ground, facts.close.as_ref(), by),
        smallest: None,
        largest: None,
        step: None,
    })
}

/// The kind of a window by its subrole.
fn kind(subrole: &str) -> &'static str {
    match subrole {
        "AXDialog" | "AXSystemDialog" => "dialog",
        "AXFloatingWindow" | "AXSystemFloatingWindow" => "utility",
        "AXSheet" => "sheet",
        _ => "normal",
    }
}

/// Whether there is a button that closes a window, and it can be pressed.
fn closes<G: Elements>(ground: &G, button: Option<&G::Element>, by: Deadline) -> bool {
    let Some(button) = button else { return false };
    let enabled = ground.get_all(button, &["AXEnabled"], by).and_then(of);
    enabled.is_ok_and(|[enabled]: [Value<G::Element>; 1]| enabled.flag().unwrap_or(true))
}

/// The work area of the display most of a window is on.
pub(super) fn work_area(frame: Rect, displays: &[Display]) -> Option<Rect> {
    let shared = |display: &&Display| {
        let part = frame.meet(display.frame);
        i64::from(part.width) * i64::from(part.height)
    };
    // Of equals the last counts, and the main display stands first.
    displays.iter().rev().max_by_key(shared).map(|display| display.work_area)
}

/// Whether a window fills a place, as far as the steps it grows in let it.
pub(super) fn fills(frame: Rect, area: Rect) -> bool {
    let near = |is: i32, whole: i32| (whole - STEP..=whole + 1).contains(&is);
    (frame.x - area.x).abs() <= 1
        && (frame.y - area.y).abs() <= 1
        && near(frame.width, area.width)
        && near(frame.height, area.height)
}
