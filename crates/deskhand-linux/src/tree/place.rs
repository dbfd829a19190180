//! Puts elements where they really are. Most toolkits tell the truth; some count from elsewhere.

use deskhand_model::{App, Notice, Rect, Role, Window};

use super::{draft::Drafts, quirks::Quirks};

/// What places a top-level window: its own facts as the app tells them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Top {
    pub(crate) title: String,
    pub(crate) bounds: Option<Rect>,
    /// The root pane inside it, which LibreOffice has.
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
    let Some(root) = drafts.list.first() else { return notices };
    for place in root.children.clone() {
        let top = top_of(drafts, place);
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
    let mut down = 0;
    if quirks.libre_office {
        // LibreOffice forgets its menu bar until the pointer first moves; the bottom of its root
        // pane is the bottom of the window, which tells by how much.
        if let (Some(pane), Some(window)) = (top.pane, window_of(top, app, &ground.windows)) {
            down = window.bounds.moved(left, up).bottom() - pane.bottom();
        }
    }
    Some((-left, down - up))
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
    let (title, bounds) = (draft.name.clone(), draft.bounds);
    let children = draft.children.clone();
    let pane = children
        .into_iter()
        .find(|child| drafts.at(*child).kind() == Role::RootPane)
        .and_then(|pane| drafts.at(pane).bounds);
    Top { title, bounds, pane }
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
