//! Captures one window, including covered and off-screen parts.
//!
//! The server keeps only visible pixels. Hidden parts come from the Composite extension: while a
//! window is redirected it has its own pixmap, and its program is asked to draw what was missing.
//! Nothing on the screen changes.

use std::time::{Duration, Instant};

use deskhand_model::Rect;
use deskhand_platform::{CaptureFlaw, Deadline, Error, Pixels, VisibleWindow};
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

use super::{
    monitors, pixels,
    timing::{
        DRAW_POLL_INTERVAL, DRAW_QUIET_PERIOD, FIRST_DRAW_TIMEOUT, MAX_DRAW_WAIT, READ_RESERVE,
    },
    unsupported_format,
};
use crate::{
    window::list_visible,
    x11::{ServerGrab, X11Result, X11Thread, XServer},
};

/// The position and visibility of a window on the X screen.
#[derive(Debug, Clone, Copy)]
struct WindowPlacement {
    window: Window,
    /// The outermost window that contains it: the frame, or the window itself.
    outer: Window,
    /// The visible frame, without a shadow that the program draws.
    visible: Rect,
    /// `true` if any part of the frame is hidden.
    hidden: bool,
    /// `true` if any part of the program's content is hidden.
    content_hidden: bool,
    /// The origin of Deskhand's coordinates.
    origin: (i32, i32),
}

/// The data to return with a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CaptureMode {
    /// Only the pixels.
    PixelsOnly,
    /// Also the windows that are visible at the same moment.
    WithWindows,
}

/// The pixels, and the windows that may be in them.
type WindowCapture = (Pixels, Option<Vec<VisibleWindow>>);

/// Captures a window with its frame.
pub(super) fn capture(
    x11: &X11Thread,
    id: u64,
    mode: CaptureMode,
    deadline: Deadline,
) -> Result<WindowCapture, Error> {
    let Ok(window) = Window::try_from(id) else { return Err(gone(id)) };
    capture_window(x11, window, mode, deadline).map_err(|error| {
        // A window may close between any two requests.
        let exists = x11.run(deadline, move |server| {
            Ok(server.connection.get_window_attributes(window)?.reply().is_ok())
        });
        let closed = matches!(error, Error::Disconnected { .. }) && exists == Ok(false);
        if closed { gone(id) } else { error }
    })
}

fn gone(id: u64) -> Error {
    Error::Gone { what: format!("window {id:#x}") }
}

fn capture_window(
    x11: &X11Thread,
    window: Window,
    mode: CaptureMode,
    deadline: Deadline,
) -> Result<WindowCapture, Error> {
    let (placement, visible) = x11.run(deadline, move |server| {
        let _grab = match mode {
            CaptureMode::PixelsOnly => None,
            CaptureMode::WithWindows => Some(ServerGrab::acquire(server)?),
        };
        capture_if_visible(server, window, mode)
    })??;
    let (pixels, windows) = match visible {
        Some(capture) => capture,
        // On a separate connection the server undoes the redirection when the connection ends,
        // whatever happens to this process. Waiting for the program to draw also delays no other
        // request.
        None => {
            let separate = x11.open_another(deadline)?;
            let pixels = separate
                .run(deadline, move |server| capture_redirected(server, placement, deadline))?;
            (pixels, None)
        }
    };
    let (left, top) = placement.origin;
    Ok((Pixels { rect: pixels.rect.moved(-left, -top), ..pixels }, windows))
}

/// Returns the placement of a window, and its capture if the window is completely visible.
fn capture_if_visible(
    server: &XServer,
    window: Window,
    mode: CaptureMode,
) -> X11Result<Result<(WindowPlacement, Option<WindowCapture>), Error>> {
    let placement = match find_placement(server, window)? {
        Ok(placement) if placement.hidden => return Ok(Ok((placement, None))),
        Ok(placement) => placement,
        Err(error) => return Ok(Err(error)),
    };
    let windows = match mode {
        CaptureMode::PixelsOnly => None,
        CaptureMode::WithWindows => Some(list_visible(server)?),
    };
    let captured = pixels::capture_visible(server, placement.visible)?;
    Ok(captured.map(|pixels| (placement, Some((pixels, windows)))))
}

fn find_placement(server: &XServer, window: Window) -> X11Result<Result<WindowPlacement, Error>> {
    if !pixels::has_supported_format(server) {
        return Ok(Err(unsupported_format()));
    }
    let connection = &server.connection;
    if connection.get_window_attributes(window)?.reply()?.map_state != MapState::VIEWABLE {
        return Ok(Err(Error::Unsupported {
            what: format!("capturing window {window:#x}"),
            why: "it is minimized or hidden, and the X server stores no pixels of such windows"
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
    let outer_area = outer_rect(connection.get_geometry(outer)?.reply()?);
    let size = connection.get_geometry(window)?.reply()?;
    let at = connection.translate_coordinates(window, server.root, 0, 0)?.reply()?;
    let content =
        Rect::new(at.dst_x.into(), at.dst_y.into(), size.width.into(), size.height.into());
    let shadow = server.read_u32_list(window, server.atoms._GTK_FRAME_EXTENTS)?;
    let visible = without_shadow(outer_area, &shadow);
    let covering = covering_rects(server, outer)?;
    let frames = monitors::monitor_frames(server)?;
    let is_hidden = |area: Rect| {
        let off = frames.iter().fold(vec![area], |left, frame| {
            left.into_iter().flat_map(|piece| piece.subtract(*frame)).collect()
        });
        !off.is_empty() || covering.iter().any(|other| other.overlaps(area))
    };
    Ok(Ok(WindowPlacement {
        window,
        outer,
        visible,
        hidden: is_hidden(visible),
        content_hidden: content.intersection(visible).is_some_and(is_hidden),
        origin: frames.first().map_or((0, 0), |main| (main.x, main.y)),
    }))
}

/// Returns the rectangle of a window including its X border.
fn outer_rect(geometry: GetGeometryReply) -> Rect {
    let border = 2 * i32::from(geometry.border_width);
    Rect::new(
        geometry.x.into(),
        geometry.y.into(),
        i32::from(geometry.width) + border,
        i32::from(geometry.height) + border,
    )
}

fn without_shadow(outer_area: Rect, shadow: &[u32]) -> Rect {
    let sides: Vec<i32> = shadow.iter().map(|side| side.cast_signed()).collect();
    let [left, right, top, bottom] = sides[..] else { return outer_area };
    let inner = Rect::new(
        outer_area.x + left,
        outer_area.y + top,
        outer_area.width - left - right,
        outer_area.height - top - bottom,
    );
    inner.intersection(outer_area).unwrap_or(outer_area)
}

/// Returns the rectangles of all windows in front of one, including menus and tooltips.
fn covering_rects(server: &XServer, outer: Window) -> X11Result<Vec<Rect>> {
    let connection = &server.connection;
    let stack = connection.query_tree(server.root)?.reply()?.children;
    let mut requests = Vec::new();
    for other in stack.into_iter().rev().take_while(|other| *other != outer) {
        requests.push((connection.get_window_attributes(other)?, connection.get_geometry(other)?));
    }
    let mut rects = Vec::new();
    for (attributes, geometry) in requests {
        // A window that has closed covers nothing.
        let (Ok(attributes), Ok(geometry)) = (attributes.reply(), geometry.reply()) else {
            continue;
        };
        let drawn = attributes.class == x11rb::protocol::xproto::WindowClass::INPUT_OUTPUT;
        if drawn && attributes.map_state == MapState::VIEWABLE {
            rects.push(outer_rect(geometry));
        }
    }
    Ok(rects)
}

fn capture_redirected(
    server: &XServer,
    placement: WindowPlacement,
    deadline: Deadline,
) -> X11Result<Pixels> {
    let connection = &server.connection;
    connection.composite_query_version(0, 4)?.reply()?;
    let mut flaws = Vec::new();
    let pixmap = match window_pixmap(server, placement.outer)? {
        // The window is already redirected and therefore always drawn completely: a compositor
        // runs, or the window can be transparent, as those of GTK 4 and Chromium can.
        Some(pixmap) => pixmap,
        None => {
            let content_lost =
                placement.content_hidden && window_pixmap(server, placement.window)?.is_none();
            if !redirect_and_wait(server, placement, content_lost, deadline)? {
                flaws.push(CaptureFlaw::NotRedrawn);
            }
            let pixmap = connection.generate_id()?;
            connection.composite_name_window_pixmap(placement.outer, pixmap)?.check()?;
            pixmap
        }
    };
    let size = connection.get_geometry(pixmap)?.reply()?;
    let outer_area = outer_rect(connection.get_geometry(placement.outer)?.reply()?);
    // A window that was just resized may still have its old pixmap.
    let whole = Rect { width: size.width.into(), height: size.height.into(), ..outer_area };
    let shadow = server.read_u32_list(placement.window, server.atoms._GTK_FRAME_EXTENTS)?;
    let visible = without_shadow(whole, &shadow);
    let data = pixels::read_pixels(server, pixmap, visible.moved(-whole.x, -whole.y))?;
    Ok(pixels::to_pixels(visible, data, flaws))
}

/// Returns the pixmap of a window if it is redirected.
fn window_pixmap(server: &XServer, window: Window) -> X11Result<Option<Pixmap>> {
    let pixmap = server.connection.generate_id()?;
    match server.connection.composite_name_window_pixmap(window, pixmap)?.check() {
        Ok(()) => Ok(Some(pixmap)),
        Err(ReplyError::X11Error(error)) if error.error_kind == ErrorKind::Match => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Redirects a window and waits for its program to draw it. Returns `true` if nothing is missing
/// then.
fn redirect_and_wait(
    server: &XServer,
    placement: WindowPlacement,
    content_lost: bool,
    deadline: Deadline,
) -> X11Result<bool> {
    let connection = &server.connection;
    connection.damage_query_version(1, 1)?.reply()?;
    let damage = connection.generate_id()?;
    // Under one grab: otherwise the program could draw before the damage is watched.
    let grab = connection.grab_server()?;
    let redirect = connection.composite_redirect_window(placement.outer, Redirect::AUTOMATIC)?;
    let watched =
        connection.damage_create(damage, placement.window, ReportLevel::RAW_RECTANGLES)?;
    let request_number = watched.sequence_number();
    let ungrab = connection.ungrab_server()?;
    for step in [grab, redirect, watched, ungrab] {
        step.check()?;
    }
    // The frame alone is drawn by the window manager, whose drawing is not watched.
    let first = if content_lost { FIRST_DRAW_TIMEOUT } else { DRAW_QUIET_PERIOD };
    Ok(wait_until_drawn(server, request_number, first, deadline)? || !content_lost)
}

/// Waits until the program has drawn the hidden parts and pauses. Returns `true` if it drew
/// anything. Damage reported up to request `request_number` comes from the server itself: the
/// painted background, and the whole window as the first damage.
fn wait_until_drawn(
    server: &XServer,
    request_number: u64,
    first: Duration,
    deadline: Deadline,
) -> X11Result<bool> {
    let start = Instant::now();
    let end = start + MAX_DRAW_WAIT.min(deadline.remaining().saturating_sub(READ_RESERVE));
    let mut last: Option<Instant> = None;
    loop {
        while let Some((event, after)) = server.connection.poll_for_event_with_sequence()? {
            if matches!(event, Event::DamageNotify(_)) && after > request_number {
                last = Some(Instant::now());
            }
        }
        let is_quiet = match last {
            Some(at) => at.elapsed() >= DRAW_QUIET_PERIOD,
            None => start.elapsed() >= first,
        };
        if is_quiet || Instant::now() >= end {
            return Ok(last.is_some());
        }
        std::thread::sleep(DRAW_POLL_INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shadow_is_not_part_of_the_window() {
        let outer_area = Rect::new(74, 77, 352, 252);
        assert_eq!(without_shadow(outer_area, &[26, 26, 23, 29]), Rect::new(100, 100, 300, 200));
        assert_eq!(without_shadow(outer_area, &[]), outer_area);
        assert_eq!(without_shadow(outer_area, &[500, 500, 500, 500]), outer_area);
    }
}
