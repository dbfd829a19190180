//! The monitors: where they lie, and what panels leave of them.

use deskhand_model::Rect;
use deskhand_platform::Display;
use x11rb::protocol::{
    randr::{ConnectionExt as _, GetMonitorsReply},
    xproto::{AtomEnum, ConnectionExt as _, Window},
};

use crate::x11::{Server, Trouble};

x11rb::atom_manager! {
    /// What panels and window managers say about the room that is left.
    Names: NamesCookie {
        _NET_CURRENT_DESKTOP,
        _NET_WM_STRUT,
        _NET_WM_STRUT_PARTIAL,
        _NET_WORKAREA,
    }
}

/// Where the main monitor begins on the X screen: our coordinates count from there.
pub(crate) fn origin(server: &Server) -> Result<(i32, i32), Trouble> {
    Ok(origin_in(&server.connection.randr_get_monitors(server.root, true)?.reply()?))
}

/// The same, from the server's answer.
pub(crate) fn origin_in(monitors: &GetMonitorsReply) -> (i32, i32) {
    let main = monitors.monitors.iter().min_by_key(|monitor| !monitor.primary);
    main.map_or((0, 0), |main| (main.x.into(), main.y.into()))
}

/// The room of each monitor in X coordinates, the main one first.
pub(super) fn frames(server: &Server) -> Result<Vec<Rect>, Trouble> {
    Ok(listed(server)?.into_iter().map(|monitor| monitor.frame).collect())
}

/// The monitors in our coordinates, the main one first.
pub(super) fn displays(server: &Server) -> Result<Vec<Display>, Trouble> {
    let names = Names::new(&server.connection)?;
    let scale = server.connection.get_property(
        false,
        server.root,
        AtomEnum::RESOURCE_MANAGER,
        AtomEnum::STRING,
        0,
        65_536,
    )?;
    let monitors = listed(server)?;
    let mut named = Vec::with_capacity(monitors.len());
    for monitor in &monitors {
        named.push(server.connection.get_atom_name(monitor.name)?);
    }
    let scale = scale_in(&String::from_utf8_lossy(&scale.reply()?.value));
    let names = names.reply()?;
    let panels = panels(server, &names)?;
    let all = screen(server)?;
    let alone = monitors.len() == 1;
    // The window manager's own word is about all monitors together, so it helps only with one.
    let agreed = if alone { work_area(server, &names)? } else { None };
    let (left, top) = monitors.first().map_or((0, 0), |main| (main.frame.x, main.frame.y));
    let mut displays = Vec::with_capacity(monitors.len());
    for (index, (monitor, name)) in monitors.iter().zip(named).enumerate() {
        let free = panels.iter().fold(monitor.frame, |free, panel| panel.leaves(free, all));
        let free = agreed.and_then(|agreed| free.intersection(agreed)).unwrap_or(free);
        displays.push(Display {
            name: String::from_utf8_lossy(&name.reply()?.name).into_owned(),
            frame: monitor.frame.moved(-left, -top),
            work_area: free.moved(-left, -top),
            scale,
            main: index == 0,
        });
    }
    Ok(displays)
}

/// The whole X screen.
pub(super) fn screen(server: &Server) -> Result<Rect, Trouble> {
    let size = server.connection.get_geometry(server.root)?.reply()?;
    Ok(Rect::new(0, 0, size.width.into(), size.height.into()))
}

struct Monitor {
    name: u32,
    frame: Rect,
}

fn listed(server: &Server) -> Result<Vec<Monitor>, Trouble> {
    let reply = server.connection.randr_get_monitors(server.root, true)?.reply()?;
    let mut monitors = reply.monitors;
    monitors.sort_by_key(|monitor| !monitor.primary);
    let place = |one: &x11rb::protocol::randr::MonitorInfo| {
        Rect::new(one.x.into(), one.y.into(), one.width.into(), one.height.into())
    };
    Ok(monitors.iter().map(|one| Monitor { name: one.name, frame: place(one) }).collect())
}

/// `Xft.dpi` is the one scale X programs agree on; 96 means none.
fn scale_in(resources: &str) -> f64 {
    let dpi = resources.lines().find_map(|line| line.strip_prefix("Xft.dpi:"));
    let dpi = dpi.and_then(|value| value.trim().parse::<f64>().ok());
    dpi.filter(|dpi| (24.0..=960.0).contains(dpi)).map_or(1.0, |dpi| dpi / 96.0)
}

fn work_area(server: &Server, names: &Names) -> Result<Option<Rect>, Trouble> {
    let desktop = server.numbers(server.root, names._NET_CURRENT_DESKTOP)?;
    let desktop = desktop.first().copied().unwrap_or(0) as usize;
    let areas = server.numbers(server.root, names._NET_WORKAREA)?;
    let mine = areas.chunks_exact(4).nth(desktop);
    Ok(mine.map(|a| a.iter().map(|side| side.cast_signed()).collect::<Vec<_>>()).and_then(|area| {
        match area[..] {
            [x, y, width, height] => Some(Rect::new(x, y, width, height)),
            _ => None,
        }
    }))
}

/// The room a panel keeps for itself along each edge of the X screen, and from where to where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Panel {
    sides: [i32; 4],
    spans: [(i32, i32); 4],
}

fn panels(server: &Server, names: &Names) -> Result<Vec<Panel>, Trouble> {
    let clients = server.numbers(server.root, server.atoms._NET_CLIENT_LIST)?;
    let ask = |window: Window, name| {
        server.connection.get_property(false, window, name, AtomEnum::CARDINAL, 0, 12)
    };
    let mut asked = Vec::with_capacity(clients.len());
    for window in clients {
        asked.push((ask(window, names._NET_WM_STRUT_PARTIAL)?, ask(window, names._NET_WM_STRUT)?));
    }
    let mut panels = Vec::new();
    for (partial, whole) in asked {
        // A window that closed meanwhile keeps no room.
        let (Ok(partial), Ok(whole)) = (partial.reply(), whole.reply()) else { continue };
        let numbers = |property: &x11rb::protocol::xproto::GetPropertyReply| -> Vec<i32> {
            property.value32().map(|all| all.map(u32::cast_signed).collect()).unwrap_or_default()
        };
        panels.extend(Panel::read(&numbers(&partial)).or_else(|| Panel::read(&numbers(&whole))));
    }
    Ok(panels)
}

impl Panel {
    /// From the four numbers of the old property or the twelve of the new one.
    fn read(numbers: &[i32]) -> Option<Self> {
        let [left, right, top, bottom, spans @ ..] = numbers else { return None };
        let span = |side: usize| match spans.get(2 * side..2 * side + 2) {
            Some([from, to]) => (*from, *to),
            _ => (0, i32::MAX),
        };
        Some(Self {
            sides: [*left, *right, *top, *bottom],
            spans: [span(0), span(1), span(2), span(3)],
        })
    }

    /// What is left of a place. A panel between two monitors keeps room counted from the far edge
    /// of the other one; that other one is not meant.
    fn leaves(&self, place: Rect, all: Rect) -> Rect {
        let [left, right, top, bottom] = self.sides;
        let along = |side: usize, from: i32, to: i32| {
            let (begin, end) = self.spans[side];
            begin < to && end >= from
        };
        let (mut x0, mut y0, mut x1, mut y1) = (place.x, place.y, place.right(), place.bottom());
        let (rows, columns) = ((place.y, place.bottom()), (place.x, place.right()));
        if left > x0 && left < x1 && along(0, rows.0, rows.1) {
            x0 = left;
        }
        let edge = all.right() - right;
        if right > 0 && edge < x1 && edge > x0 && along(1, rows.0, rows.1) {
            x1 = edge;
        }
        if top > y0 && top < y1 && along(2, columns.0, columns.1) {
            y0 = top;
        }
        let edge = all.bottom() - bottom;
        if bottom > 0 && edge < y1 && edge > y0 && along(3, columns.0, columns.1) {
            y1 = edge;
        }
        Rect::new(x0, y0, x1 - x0, y1 - y0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Rect = Rect::new(0, 0, 3200, 1080);
    const LEFT: Rect = Rect::new(0, 0, 1920, 1080);
    const RIGHT: Rect = Rect::new(1920, 0, 1280, 1080);

    #[test]
    fn a_panel_takes_room_only_where_it_stands() {
        let top = Panel::read(&[0, 0, 30, 0, 0, 0, 0, 0, 0, 1919, 0, 0]).unwrap();
        assert_eq!(top.leaves(LEFT, ALL), Rect::new(0, 30, 1920, 1050));
        assert_eq!(top.leaves(RIGHT, ALL), RIGHT);
        let right = Panel::read(&[0, 40, 0, 0]).unwrap();
        assert_eq!(right.leaves(RIGHT, ALL), Rect::new(1920, 0, 1240, 1080));
        assert_eq!(right.leaves(LEFT, ALL), LEFT);
    }

    #[test]
    fn a_panel_between_two_monitors_belongs_to_the_one_it_stands_on() {
        let left = Panel::read(&[1970, 0, 0, 0, 0, 1079, 0, 0, 0, 0, 0, 0]).unwrap();
        assert_eq!(left.leaves(LEFT, ALL), LEFT);
        assert_eq!(left.leaves(RIGHT, ALL), Rect::new(1970, 0, 1230, 1080));
    }

    #[test]
    fn the_scale_comes_from_the_fonts() {
        assert!((scale_in("*foo: 1\nXft.dpi:\t192\n") - 2.0).abs() < f64::EPSILON);
        for odd in ["", "Xft.dpi: many", "Xft.dpi: 0", "Xft.dpi: -96"] {
            assert!((scale_in(odd) - 1.0).abs() < f64::EPSILON, "{odd:?}");
        }
    }
}
