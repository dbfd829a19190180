//! Pictures of one window, also of the parts nobody can see.
//!
//! The server draws only what shows. Parts that are covered or off the screen get their pixels from
//! the Composite extension: while a window is redirected it has a drawing of its own, and its
//! program is told to draw what was missing. Nothing on the screen changes by that.

use std::time::{Duration, Instant};

use deskhand_model::Rect;
use deskhand_platform::{Deadline, Error, Flaw, Pixels, Shown};
use x11rb::{
    connection::Connection as _,
    errors::ReplyError,
    protocol::{
        ErrorKind, Event,
        composite::{ConnectionExt as _, Redirect},
        damage::{ConnectionExt as _, ReportLevel},
        xproto::{ConnectionExt as _, GetGeometryReply, MapState, Pixmap, Window},
    },
};

use super::{grab, monitors, unusual};
use crate::{
    window::shown,
    x11::{Grab, Server, Trouble, X11},
};

/// How long a program may take to begin to draw what was hidden.
const FIRST: Duration = Duration::from_millis(400);
/// A program that has drawn nothing for so long has drawn everything.
const QUIET: Duration = Duration::from_millis(40);
/// One that keeps drawing, such as a film, is not waited for any longer than this.
const ENOUGH: Duration = Duration::from_millis(700);
/// What reading the pixels takes at most; drawing is waited for that much less.
const TO_READ: Duration = Duration::from_millis(150);

/// How a window lies on the X screen.
#[derive(Debug, Clone, Copy)]
struct Lie {
    window: Window,
    /// The window around it that stands on the screen itself: the frame, or the window.
    outer: Window,
    /// The visible frame, without a shadow the program draws around itself.
    visible: Rect,
    /// Whether any of it cannot be seen.
    hidden: bool,
    /// Whether any of what its program draws cannot be seen.
    content_hidden: bool,
    /// Where our coordinates begin.
    origin: (i32, i32),
}

/// What is to be told beside a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beside {
    Nothing,
    /// All that is drawn in the same moment.
    Everything,
}

/// A picture, and what else may be in it.
type Taken = (Pixels, Option<Vec<Shown>>);

/// A picture of a window with its frame.
pub(super) fn capture(x11: &X11, id: u64, beside: Beside, by: Deadline) -> Result<Taken, Error> {
    let Ok(window) = Window::try_from(id) else { return Err(gone(id)) };
    picture(x11, window, beside, by).map_err(|error| {
        // A window may close between any two questions.
        let there = x11.run(by, move |server| {
            Ok(server.connection.get_window_attributes(window)?.reply().is_ok())
        });
        let closed = matches!(error, Error::Broken { .. }) && there == Ok(false);
        if closed { gone(id) } else { error }
    })
}

fn gone(id: u64) -> Error {
    Error::Gone { what: format!("window {id:#x}") }
}

fn picture(x11: &X11, window: Window, beside: Beside, by: Deadline) -> Result<Taken, Error> {
    let (lie, seen) = x11.run(by, move |server| {
        let _grab = match beside {
            Beside::Nothing => None,
            Beside::Everything => Some(Grab::of(server)?),
        };
        seen(server, window, beside)
    })??;
    let (pixels, among) = match seen {
        Some(taken) => taken,
        // A connection of its own: whatever happens to us, the server undoes the redirection when
        // it ends. And waiting for the program to draw holds up nobody else.
        None => (X11::open(by)?.run(by, move |server| redirected(server, lie, by))?, None),
    };
    let (left, top) = lie.origin;
    Ok((Pixels { rect: pixels.rect.moved(-left, -top), ..pixels }, among))
}

/// How a window lies, and its picture as it is on the screen, if all of it is there.
fn seen(
    server: &Server,
    window: Window,
    beside: Beside,
) -> Result<Result<(Lie, Option<Taken>), Error>, Trouble> {
    let lie = match lie(server, window)? {
        Ok(lie) if lie.hidden => return Ok(Ok((lie, None))),
        Ok(lie) => lie,
        Err(error) => return Ok(Err(error)),
    };
    let among = match beside {
        Beside::Nothing => None,
        Beside::Everything => Some(shown(server)?),
    };
    Ok(grab::seen(server, lie.visible)?.map(|pixels| (lie, Some((pixels, among)))))
}

fn lie(server: &Server, window: Window) -> Result<Result<Lie, Error>, Trouble> {
    if !grab::is_usual(server) {
        return Ok(Err(unusual()));
    }
    let connection = &server.connection;
    if connection.get_window_attributes(window)?.reply()?.map_state != MapState::VIEWABLE {
        return Ok(Err(Error::Unsupported {
            what: format!("a picture of window {window:#x}"),
            why: "it is minimized or not shown, and the server keeps no pixels of such windows"
                .to_owned(),
        }));
    }
    let mut outer = window;
    loop {
        let parent = connection.query_tree(outer)?.reply()?.parent;
        if parent == server.root || parent == x11rb::NONE {
            break;
        }
        outer = parent;
    }
    let around = outside(connection.get_geometry(outer)?.reply()?);
    let size = connection.get_geometry(window)?.reply()?;
    let at = connection.translate_coordinates(window, server.root, 0, 0)?.reply()?;
    let content =
        Rect::new(at.dst_x.into(), at.dst_y.into(), size.width.into(), size.height.into());
    let shadow = server.numbers(window, server.atoms._GTK_FRAME_EXTENTS)?;
    let visible = without(around, &shadow);
    let above = above(server, outer)?;
    let frames = monitors::frames(server)?;
    let hides = |place: Rect| {
        let off = frames.iter().fold(vec![place], |left, frame| {
            left.into_iter().flat_map(|piece| piece.minus(*frame)).collect()
        });
        !off.is_empty() || above.iter().any(|other| other.overlaps(place))
    };
    Ok(Ok(Lie {
        window,
        outer,
        visible,
        hidden: hides(visible),
        content_hidden: content.intersection(visible).is_some_and(hides),
        origin: frames.first().map_or((0, 0), |main| (main.x, main.y)),
    }))
}

/// The room of a window with its X border.
fn outside(geometry: GetGeometryReply) -> Rect {
    let border = 2 * i32::from(geometry.border_width);
    Rect::new(
        geometry.x.into(),
        geometry.y.into(),
        i32::from(geometry.width) + border,
        i32::from(geometry.height) + border,
    )
}

fn without(around: Rect, shadow: &[u32]) -> Rect {
    let sides: Vec<i32> = shadow.iter().map(|side| side.cast_signed()).collect();
    let [left, right, top, bottom] = sides[..] else { return around };
    let inner = Rect::new(
        around.x + left,
        around.y + top,
        around.width - left - right,
        around.height - top - bottom,
    );
    inner.intersection(around).unwrap_or(around)
}

/// The rooms of all windows on the screen that stand in front of one, menus and tips included.
fn above(server: &Server, outer: Window) -> Result<Vec<Rect>, Trouble> {
    let connection = &server.connection;
    let stack = connection.query_tree(server.root)?.reply()?.children;
    let mut asked = Vec::new();
    for other in stack.into_iter().rev().take_while(|other| *other != outer) {
        asked.push((connection.get_window_attributes(other)?, connection.get_geometry(other)?));
    }
    let mut rooms = Vec::new();
    for (attributes, geometry) in asked {
        // One that closed meanwhile covers nothing.
        let (Ok(attributes), Ok(geometry)) = (attributes.reply(), geometry.reply()) else {
            continue;
        };
        let drawn = attributes.class == x11rb::protocol::xproto::WindowClass::INPUT_OUTPUT;
        if drawn && attributes.map_state == MapState::VIEWABLE {
            rooms.push(outside(geometry));
        }
    }
    Ok(rooms)
}

fn redirected(server: &Server, lie: Lie, by: Deadline) -> Result<Pixels, Trouble> {
    let connection = &server.connection;
    connection.composite_query_version(0, 4)?.reply()?;
    let mut flaws = Vec::new();
    let drawing = match drawing(server, lie.outer)? {
        // It has one already, and so was drawn whole at all times: a compositor runs, or it can be
        // transparent, as GTK 4's and Chromium's windows can.
        Some(drawing) => drawing,
        None => {
            let content_lost = lie.content_hidden && drawing(server, lie.window)?.is_none();
            if !redraw(server, lie, content_lost, by)? {
                flaws.push(Flaw::Undrawn);
            }
            let drawing = connection.generate_id()?;
            connection.composite_name_window_pixmap(lie.outer, drawing)?.check()?;
            drawing
        }
    };
    let size = connection.get_geometry(drawing)?.reply()?;
    let around = outside(connection.get_geometry(lie.outer)?.reply()?);
    // A window that was resized meanwhile still has its old drawing.
    let whole = Rect { width: size.width.into(), height: size.height.into(), ..around };
    let shadow = server.numbers(lie.window, server.atoms._GTK_FRAME_EXTENTS)?;
    let visible = without(whole, &shadow);
    let data = grab::read(server, drawing, visible.moved(-whole.x, -whole.y))?;
    Ok(grab::pixels(visible, data, flaws))
}

/// The drawing a window has of its own, when it is redirected.
fn drawing(server: &Server, window: Window) -> Result<Option<Pixmap>, Trouble> {
    let drawing = server.connection.generate_id()?;
    match server.connection.composite_name_window_pixmap(window, drawing)?.check() {
        Ok(()) => Ok(Some(drawing)),
        Err(ReplyError::X11Error(error)) if error.error_kind == ErrorKind::Match => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Redirects a window and waits for it to be drawn; whether nothing is missing then.
fn redraw(server: &Server, lie: Lie, content_lost: bool, by: Deadline) -> Result<bool, Trouble> {
    let connection = &server.connection;
    connection.damage_query_version(1, 1)?.reply()?;
    let watch = connection.generate_id()?;
    // All in one go: a server that is slow to redirect would let the program draw before it is
    // watched.
    let grab = connection.grab_server()?;
    let redirect = connection.composite_redirect_window(lie.outer, Redirect::AUTOMATIC)?;
    let watched = connection.damage_create(watch, lie.window, ReportLevel::RAW_RECTANGLES)?;
    let begin = watched.sequence_number();
    let ungrab = connection.ungrab_server()?;
    for step in [grab, redirect, watched, ungrab] {
        step.check()?;
    }
    // A frame alone is drawn by the window manager, who is not watched.
    let first = if content_lost { FIRST } else { QUIET };
    Ok(is_drawn(server, begin, first, by)? || !content_lost)
}

/// Waits until the program has drawn what was hidden and rests; whether it drew at all. What the
/// server reports up to the request numbered `begin` is its own: the background it painted, and the
/// whole window as the first damage.
fn is_drawn(server: &Server, begin: u64, first: Duration, by: Deadline) -> Result<bool, Trouble> {
    let start = Instant::now();
    let end = start + ENOUGH.min(by.left().saturating_sub(TO_READ));
    let mut last: Option<Instant> = None;
    loop {
        while let Some((event, after)) = server.connection.poll_for_event_with_sequence()? {
            if matches!(event, Event::DamageNotify(_)) && after > begin {
                last = Some(Instant::now());
            }
        }
        let rests = match last {
            Some(at) => at.elapsed() >= QUIET,
            None => start.elapsed() >= first,
        };
        if rests || Instant::now() >= end {
            return Ok(last.is_some());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shadow_is_no_part_of_the_window() {
        let around = Rect::new(74, 77, 352, 252);
        assert_eq!(without(around, &[26, 26, 23, 29]), Rect::new(100, 100, 300, 200));
        assert_eq!(without(around, &[]), around);
        assert_eq!(without(around, &[500, 500, 500, 500]), around);
    }
}
