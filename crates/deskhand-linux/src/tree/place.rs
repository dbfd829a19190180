//! Puts elements where they really are. Most toolkits tell the truth; some count from elsewhere.

use deskhand_model::{App, Notice, Rect, Role, Window};

use super::{draft::Drafts, quirks::Quirks};

/// What places a top-level window: its own facts as the app tells them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Top {
    pub(crate) title: String,
    pub(crate) bounds: Option<Rect>,
    /// The root pane the element in question is in, as LibreOffice and Swing tell it.
    pub(crate) pane: Option<Rect>,
}

/// The screen as the window system sees it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ground {
    pub(crate) windows: Vec<Window>,
    /// Where the main monitor begins.
    pub(crate) origin: (i32, i32),
}

/// Corrects the bounds of a look that began at the app itself, window by window.
pub(crate) fn correct_all(
    drafts: &mut Drafts,
    app: &App,
    quirks: Quirks,
    ground: &Ground,
) -> Vec<Notice> {
    let mut notices = Vec::new();
    if quirks.libre_office {
        lower_panes(drafts, app, ground);
    }
    let Some(root) = drafts.list.first() else { return notices };
    for place in root.children.clone() {
        let mut top = top_of(drafts, place);
        if quirks.swing {
            let pane = root_panes(drafts, place).first().copied();
            top.pane = pane.and_then(|pane| drafts.at(pane).bounds);
        }
        match offset(&top, app, quirks, ground) {
            Some(offset) => shift(drafts, place, offset),
            None => {
                if drafts.at(place).showing() && top.bounds.is_some() {
                    notices.push(Notice::UnplacedWindow { title: top.title });
                }
            }
        }
    }
    notices
}

/// Corrects the bounds of a look that began inside a window.
pub(crate) fn correct_below(
    drafts: &mut Drafts,
    top: &Top,
    app: &App,
    quirks: Quirks,
    ground: &Ground,
) -> Vec<Notice> {
    match offset(top, app, quirks, ground) {
        Some(offset) => {
            if !drafts.list.is_empty() {
                shift(drafts, 0, offset);
            }
            Vec::new()
        }
        None => vec![Notice::UnplacedWindow { title: top.title.clone() }],
    }
}

/// How far an app's own numbers are from the truth; `None` when that cannot be told.
pub(crate) fn offset(top: &Top, app: &App, quirks: Quirks, ground: &Ground) -> Option<(i32, i32)> {
    let (left, up) = ground.origin;
    if quirks.gtk4 {
        let window = window_of(top, app, &ground.windows)?;
        // GTK 4 counts from the corner of the window's content, which lies inside the X window by
        // the width of the shadow that a compositing desktop adds.
        let content = top.bounds.unwrap_or(window.bounds);
        return Some((
            window.bounds.x + (window.bounds.width - content.width) / 2 - content.x,
            window.bounds.y + (window.bounds.height - content.height) / 2 - content.y,
        ));
    }
    if quirks.swing {
        let window = window_of(top, app, &ground.windows);
        return Some(strayed(top.pane, window).unwrap_or((-left, -up)));
    }
    let raised = match top.pane {
        Some(pane) => raised(pane, window_of(top, app, &ground.windows), ground.origin),
        None => 0,
    };
    Some((-left, raised - up))
}

/// How far Swing is off: its root pane fills the window, wherever it says that is. A pane of another
/// size belongs to a menu or a tip, which is no window of the list.
fn strayed(pane: Option<Rect>, window: Option<&Window>) -> Option<(i32, i32)> {
    let (pane, bounds) = (pane?, window?.bounds);
    let fills = (pane.width, pane.height) == (bounds.width, bounds.height);
    fills.then(|| (bounds.x - pane.x, bounds.y - pane.y))
}

/// LibreOffice forgets its menu bar until the pointer first moves: its root pane, and all in it,
/// claims to begin higher than it does. Its lower edge is that of the window.
fn lower_panes(drafts: &mut Drafts, app: &App, ground: &Ground) {
    let Some(root) = drafts.list.first() else { return };
    for place in root.children.clone() {
        let top = top_of(drafts, place);
        let window = window_of(&top, app, &ground.windows);
        for pane in root_panes(drafts, place) {
            if let Some(bounds) = drafts.at(pane).bounds {
                shift(drafts, pane, (0, raised(bounds, window, ground.origin)));
            }
        }
    }
}

fn root_panes(drafts: &Drafts, below: u32) -> Vec<u32> {
    let (mut found, mut open) = (Vec::new(), vec![below]);
    while let Some(place) = open.pop() {
        let draft = &drafts.list[place as usize];
        if draft.kind() == Role::RootPane {
            found.push(place);
        } else {
            open.extend(&draft.children);
        }
    }
    found
}

/// No menu bar is higher than this.
const HIGHEST_BAR: i32 = 120;

/// How much too high a root pane says it is, given the window it fills to its lower edge.
fn raised(pane: Rect, window: Option<&Window>, origin: (i32, i32)) -> i32 {
    let Some(window) = window else { return 0 };
    let missing = window.bounds.bottom() + origin.1 - pane.bottom();
    if (0..=HIGHEST_BAR).contains(&missing) { missing } else { 0 }
}

fn shift(drafts: &mut Drafts, place: u32, (dx, dy): (i32, i32)) {
    if (dx, dy) == (0, 0) {
        return;
    }
    let mut open = vec![place];
    while let Some(place) = open.pop() {
        let draft = drafts.at(place);
        draft.bounds = draft.bounds.map(|bounds| bounds.moved(dx, dy));
        open.extend(&draft.children);
    }
}

fn top_of(drafts: &mut Drafts, place: u32) -> Top {
    let draft = drafts.at(place);
    Top { title: draft.name.clone(), bounds: draft.bounds, pane: None }
}

/// The X window an accessible window is: the one of its title, else of its size, else the only one.
fn window_of<'a>(top: &Top, app: &App, windows: &'a [Window]) -> Option<&'a Window> {
    let own: Vec<&Window> = windows.iter().filter(|window| window.pid == app.pid).collect();
    let titled: Vec<&Window> =
        own.iter().copied().filter(|window| window.title == top.title).collect();
    let among = if titled.is_empty() { own } else { titled };
    let size = top.bounds.map(|bounds| (bounds.width, bounds.height));
    match among[..] {
        [only] => Some(only),
        _ => among
            .into_iter()
            .find(|window| size == Some((window.bounds.width, window.bounds.height))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(bounds: Rect) -> Window {
        Window {
            id: 1,
            title: String::new(),
            pid: 1,
            app: None,
            class: String::new(),
            bounds,
            frame: bounds,
            z: 0,
            minimized: false,
            focused: true,
        }
    }

    #[test]
    fn a_swing_window_is_where_the_window_system_has_it() {
        let moved = window(Rect::new(20, 59, 1250, 881));
        let pane = Some(Rect::new(20, 40, 1250, 881));
        assert_eq!(strayed(pane, Some(&moved)), Some((0, 19)));
        let menu = Some(Rect::new(20, 60, 90, 70));
        assert_eq!(strayed(menu, Some(&moved)), None, "a menu is no window of the list");
        assert_eq!(strayed(None, Some(&moved)), None);
    }

    #[test]
    fn a_root_pane_is_lowered_to_the_lower_edge_of_its_window_once() {
        let window = window(Rect::new(0, 19, 1920, 1061));
        let pane = |y: i32| Rect::new(0, y, 1920, 1036);
        assert_eq!(raised(pane(19), Some(&window), (0, 0)), 25);
        assert_eq!(raised(pane(44), Some(&window), (0, 0)), 0);
        assert_eq!(raised(pane(19), None, (0, 0)), 0);
        assert_eq!(raised(pane(-400), Some(&window), (0, 0)), 0, "a pane of another window");
    }
}
