//! What a picture is taken of: the screen, a monitor, a place, a window, an element.

use deskhand_locate::{Query, Strategy};
use deskhand_model::{App, Rect, Window};
use deskhand_platform::{Capture, Display, Facets, Screen};

use super::{app, look, windows};
use crate::{Condition, Context, Error, Result};

/// What the caller named; at most one of `display`, `element` and a place or a window. With a
/// window, a place counts from the corner of its frame.
#[derive(Debug, Default)]
pub struct Named<'a> {
    pub app: Option<&'a str>,
    pub window: Option<&'a str>,
    pub window_index: Option<usize>,
    pub display: Option<&'a str>,
    pub region: Option<Rect>,
    pub element: Option<&'a str>,
    pub padding: i32,
}

/// What to take a picture of, and which part of it.
pub struct Aim {
    pub of: Capture,
    /// The part that was asked for; all of it when absent.
    pub part: Option<Rect>,
    /// The window it is of, when it is of one.
    pub window: Option<Window>,
    /// The app an element was looked for in.
    pub app: Option<App>,
    /// All windows there are, the frontmost first.
    pub windows: Vec<Window>,
}

/// The screen of the desktop.
pub fn screen<'a>(cx: &Context<'a>) -> Result<&'a dyn Screen> {
    cx.desktop.screen.as_deref().ok_or(Error::Absent { part: "screen" })
}

/// Finds what the caller named.
pub fn at(cx: &Context<'_>, named: &Named<'_>) -> Result<Aim> {
    let whole = |of: Capture, windows: Vec<Window>| Aim {
        of,
        part: None,
        window: None,
        app: None,
        windows,
    };
    if let Some(query) = named.element {
        return element(cx, named, query);
    }
    let all = all(cx)?;
    if named.window.is_some() || named.app.is_some() {
        let window = window(cx, named, &all)?;
        let of = Capture::Window(window.id);
        // A place of a window counts from its corner.
        let frame = window.frame;
        let part = named
            .region
            .map(|part| Rect::new(frame.x + part.x, frame.y + part.y, part.width, part.height));
        if part.is_some_and(|part| part.intersection(frame).is_none()) {
            return Err(Error::Unfit {
                what: "the region".to_owned(),
                why: "it lies outside the window".to_owned(),
                instead: format!("the window is {}x{} pixels", frame.width, frame.height),
            });
        }
        return Ok(Aim { part, window: Some(window), ..whole(of, all) });
    }
    if let Some(wanted) = named.display {
        let displays = screen(cx)?.displays(cx.by)?;
        let (_, display) = one_display(&displays, wanted)?;
        return Ok(whole(Capture::Region(display.frame), all));
    }
    Ok(whole(named.region.map_or(Capture::Screen, Capture::Region), all))
}

/// Every window; without a list of windows there are still pixels.
pub fn all(cx: &Context<'_>) -> Result<Vec<Window>> {
    match &cx.desktop.windows {
        Some(windows) => Ok(windows.list(cx.by)?),
        None => Ok(Vec::new()),
    }
}

/// A monitor by its number in the list, counted from 1, or by its name; with its number.
pub fn one_display<'a>(displays: &'a [Display], wanted: &str) -> Result<(usize, &'a Display)> {
    let numbered = wanted.parse::<usize>().ok();
    let mut counted = (1..).zip(displays);
    counted
        .find(|(number, display)| Some(*number) == numbered || display.name == wanted)
        .ok_or_else(|| Error::NoDisplay {
            wanted: wanted.to_owned(),
            displays: (1..).zip(displays).map(|(n, d)| format!("{n} ({})", d.name)).collect(),
        })
}

fn window(cx: &Context<'_>, named: &Named<'_>, all: &[Window]) -> Result<Window> {
    let target = named.window.or(named.app).unwrap_or_default();
    let first = windows::meant(cx, target, None, windows::Prefer::Shown)?;
    let Some(index) = named.window_index.filter(|_| named.window.is_none()) else {
        return Ok(first);
    };
    let mut of_app = all.iter().filter(|window| window.pid == first.pid);
    of_app.nth(index).cloned().ok_or_else(|| Error::NoWindow {
        wanted: format!("number {index} of {target}"),
        windows: all.iter().filter(|one| one.pid == first.pid).map(windows::label).collect(),
    })
}

/// An element is taken out of the picture of its window, so that nothing covers it; one outside of
/// every window of its app, such as an open menu, out of the picture of the screen.
fn element(cx: &Context<'_>, named: &Named<'_>, query: &str) -> Result<Aim> {
    let parsed = Query::parse(query, Strategy::Auto)?;
    let app = app::meant(cx, named.app)?;
    let mut sought = look::one(cx, &app, &parsed)?;
    let node = sought.look.snapshot.node(sought.found.index).clone();
    sought.look.keep()?;
    let what = Facets { bounds: true, ..Facets::NAMES };
    let fresh = cx.desktop.tree.read(&app, std::slice::from_ref(&node.id), what, cx.by)?;
    let bounds = fresh.into_iter().flatten().next().and_then(|node| node.bounds);
    let Some(bounds) = bounds.filter(|bounds| !bounds.is_empty()) else {
        return Err(Error::NotReady {
            query: query.to_owned(),
            condition: Condition::Visible,
            seen: "it takes no room on the screen".to_owned(),
        });
    };
    let windows = all(cx)?;
    let inside = |frame: Rect| frame.intersection(bounds) == Some(bounds);
    let around =
        |window: &&Window| window.pid == app.pid && !window.minimized && inside(window.frame);
    let window = windows.iter().find(around).cloned();
    let part = Rect::new(
        bounds.x - named.padding,
        bounds.y - named.padding,
        bounds.width + 2 * named.padding,
        bounds.height + 2 * named.padding,
    );
    let of = window.as_ref().map_or(Capture::Region(part), |window| Capture::Window(window.id));
    Ok(Aim { of, part: Some(part), window, app: Some(app), windows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_display_goes_by_its_number_or_its_name() {
        let display = |name: &str, x: i32| Display {
            name: name.to_owned(),
            frame: Rect::new(x, 0, 800, 600),
            work_area: Rect::new(x, 0, 800, 600),
            scale: 1.0,
            main: x == 0,
        };
        let displays = [display("HDMI-1", 0), display("2", 800), display("DP-1", 1600)];
        let number = |wanted: &str| one_display(&displays, wanted).ok().map(|(number, _)| number);
        assert_eq!(number("1"), Some(1));
        assert_eq!(number("DP-1"), Some(3));
        assert_eq!(number("2"), Some(2));
        let refused = one_display(&displays, "4").err().map(|error| error.to_string());
        assert_eq!(refused.as_deref(), Some("there is no display `4`"));
    }
}
