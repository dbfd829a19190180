//! Finds the area to capture: the screen, a display, a region, a window or an element.

use deskhand_locate::{Query, Strategy};
use deskhand_model::{App, Rect, Window};
use deskhand_platform::{CaptureTarget, NodeFields};

use crate::{Condition, Context, Error, Result, app, displays, tree, windows};

/// The part of the desktop that a caller names. At most one of `display`, `element`, and a region
/// or window is set. With a window, the region is relative to the corner of its frame.
#[derive(Debug, Default)]
pub struct CaptureSpec<'a> {
    /// The app, by name or pid.
    pub app: Option<&'a str>,
    /// The window, by id, app or class.
    pub window: Option<&'a str>,
    /// The number of the app's window, the frontmost being 0.
    pub window_index: Option<usize>,
    /// The display, by number or name.
    pub display: Option<&'a str>,
    /// The region, in pixels.
    pub region: Option<Rect>,
    /// The query of an element.
    pub element: Option<&'a str>,
    /// The margin around an element, in pixels.
    pub padding: i32,
}

/// The capture to perform.
pub(crate) struct CapturePlan {
    /// The source of the pixels.
    pub source: CaptureTarget,
    /// The region to cut out; `None` for all of it.
    pub region: Option<Rect>,
    /// The captured window, if there is one.
    pub window: Option<Window>,
    /// The app of the captured element, if there is one.
    pub app: Option<App>,
    /// All windows, the frontmost first.
    pub windows: Vec<Window>,
}

/// Resolves the target of a capture.
pub(crate) fn plan_capture(cx: &Context<'_>, target: &CaptureSpec<'_>) -> Result<CapturePlan> {
    let whole = |source: CaptureTarget, windows: Vec<Window>| CapturePlan {
        source,
        region: None,
        window: None,
        app: None,
        windows,
    };
    if let Some(query) = target.element {
        return element(cx, target, query);
    }
    let all = list_windows(cx)?;
    if target.window.is_some() || target.app.is_some() {
        let window = window(cx, target, &all)?;
        let source = CaptureTarget::Window(window.id);
        // A region in a window is relative to its corner.
        let frame = window.frame;
        let region = target.region.map(|region| {
            Rect::new(frame.x + region.x, frame.y + region.y, region.width, region.height)
        });
        if region.is_some_and(|region| region.intersection(frame).is_none()) {
            return Err(Error::NotApplicable {
                what: "the region".to_owned(),
                why: "it is outside the window".to_owned(),
                instead: format!("the window is {}x{} pixels", frame.width, frame.height).into(),
            });
        }
        return Ok(CapturePlan { region, window: Some(window), ..whole(source, all) });
    }
    if let Some(wanted) = target.display {
        let frame = displays::get(cx, wanted)?.display.frame;
        return Ok(whole(CaptureTarget::Region(frame), all));
    }
    Ok(whole(target.region.map_or(CaptureTarget::Screen, CaptureTarget::Region), all))
}

/// Lists all windows; empty without a window list, because the screen can still be captured.
pub(crate) fn list_windows(cx: &Context<'_>) -> Result<Vec<Window>> {
    match &cx.desktop.windows {
        Some(windows) => Ok(windows.list(cx.deadline)?),
        None => Ok(Vec::new()),
    }
}

fn window(cx: &Context<'_>, target: &CaptureSpec<'_>, all: &[Window]) -> Result<Window> {
    let name = target.window.or(target.app).unwrap_or_default();
    let first = windows::resolve_window(cx, name, None, windows::WindowPreference::Shown)?;
    let Some(index) = target.window_index.filter(|_| target.window.is_none()) else {
        return Ok(first);
    };
    let mut of_app = all.iter().filter(|window| window.pid == first.pid);
    of_app.nth(index).cloned().ok_or_else(|| Error::NoWindow {
        wanted: format!("window {index} of {name}"),
        windows: all.iter().filter(|one| one.pid == first.pid).map(windows::label).collect(),
    })
}

/// Captures an element from the image of its window, so that nothing covers it. An element outside
/// all windows of its app, such as an open menu, is captured from the screen.
fn element(cx: &Context<'_>, target: &CaptureSpec<'_>, query: &str) -> Result<CapturePlan> {
    let parsed = Query::parse(query, Strategy::Auto)?;
    let app = app::resolve_app(cx, target.app)?;
    let mut result = tree::find_element(cx, &app, &parsed)?;
    let node = result.tree.snapshot.node(result.found.index).clone();
    result.tree.save_refs()?;
    let what = NodeFields { bounds: true, ..NodeFields::MINIMAL };
    let fresh = cx.desktop.tree.read(&app, std::slice::from_ref(&node.id), what, cx.deadline)?;
    let bounds = fresh.into_iter().flatten().next().and_then(|node| node.bounds);
    let Some(bounds) = bounds.filter(|bounds| !bounds.is_empty()) else {
        return Err(Error::NotReady {
            query: query.to_owned(),
            condition: Condition::Visible,
            last_state: "it has no visible area".to_owned(),
        });
    };
    let windows = list_windows(cx)?;
    let inside = |frame: Rect| frame.intersection(bounds) == Some(bounds);
    let contains_element =
        |window: &&Window| window.pid == app.pid && !window.minimized && inside(window.frame);
    let window = windows.iter().find(contains_element).cloned();
    let region = Rect::new(
        bounds.x - target.padding,
        bounds.y - target.padding,
        bounds.width + 2 * target.padding,
        bounds.height + 2 * target.padding,
    );
    let source = window
        .as_ref()
        .map_or(CaptureTarget::Region(region), |window| CaptureTarget::Window(window.id));
    Ok(CapturePlan { source, region: Some(region), window, app: Some(app), windows })
}
