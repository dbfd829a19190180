//! Monitors: their positions, and the work areas that panels leave free.

use deskhand_model::Rect;
use deskhand_platform::Display;
use x11rb::protocol::{
    randr::{ConnectionExt as _, GetMonitorsReply},
    xproto::{AtomEnum, ConnectionExt as _, Window},
};

use crate::x11::{X11Result, XServer};

x11rb::atom_manager! {
    /// The properties that describe the work area.
    WorkAreaAtoms: WorkAreaAtomsCookie {
        _NET_CURRENT_DESKTOP,
        _NET_WM_STRUT,
        _NET_WM_STRUT_PARTIAL,
        _NET_WORKAREA,
    }
}

/// Returns the position of the primary monitor on the X screen. It is the origin of Deskhand's
/// coordinates.
pub(crate) fn origin(server: &XServer) -> X11Result<(i32, i32)> {
    Ok(origin_in(&server.connection.randr_get_monitors(server.root, true)?.reply()?))
}

/// Returns the position of the primary monitor from the server's reply.
pub(crate) fn origin_in(monitors: &GetMonitorsReply) -> (i32, i32) {
    let main = monitors.monitors.iter().min_by_key(|monitor| !monitor.primary);
    main.map_or((0, 0), |main| (main.x.into(), main.y.into()))
}

/// Returns the areas of all monitors in X coordinates, the primary one first.
pub(super) fn monitor_frames(server: &XServer) -> X11Result<Vec<Rect>> {
    Ok(list_monitors(server)?.into_iter().map(|monitor| monitor.frame).collect())
}

/// Returns the displays in Deskhand's coordinates, the primary one first.
pub(super) fn displays(server: &XServer) -> X11Result<Vec<Display>> {
    let atoms = WorkAreaAtoms::new(&server.connection)?;
    let scale = server.connection.get_property(
        false,
        server.root,
        AtomEnum::RESOURCE_MANAGER,
        AtomEnum::STRING,
        0,
        65_536,
    )?;
    let monitors = list_monitors(server)?;
    let mut name_requests = Vec::with_capacity(monitors.len());
    for monitor in &monitors {
        name_requests.push(server.connection.get_atom_name(monitor.name)?);
    }
    let scale = parse_scale(&String::from_utf8_lossy(&scale.reply()?.value));
    let atoms = atoms.reply()?;
    let panels = list_panels(server, &atoms)?;
    let all = screen_rect(server)?;
    let is_single = monitors.len() == 1;
    // The window manager reports one work area for all monitors, so it is usable only with one
    // monitor.
    let reported_work_area = if is_single { work_area(server, &atoms)? } else { None };
    let (left, top) = monitors.first().map_or((0, 0), |main| (main.frame.x, main.frame.y));
    let mut displays = Vec::with_capacity(monitors.len());
    for (index, (monitor, name)) in monitors.iter().zip(name_requests).enumerate() {
        let free = panels.iter().fold(monitor.frame, |free, panel| panel.remaining_area(free, all));
        let free = reported_work_area
            .and_then(|reported_work_area| free.intersection(reported_work_area))
            .unwrap_or(free);
        displays.push(Display {
            id: monitor.name,
            name: String::from_utf8_lossy(&name.reply()?.name).into_owned(),
            frame: monitor.frame.moved(-left, -top),
            work_area: free.moved(-left, -top),
            scale,
            main: index == 0,
        });
    }
    Ok(displays)
}

/// Returns the rectangle of the whole X screen.
pub(super) fn screen_rect(server: &XServer) -> X11Result<Rect> {
    let size = server.connection.get_geometry(server.root)?.reply()?;
    Ok(Rect::new(0, 0, size.width.into(), size.height.into()))
}

/// A monitor and the atom of its name.
struct NamedMonitor {
    name: u32,
    frame: Rect,
}

fn list_monitors(server: &XServer) -> X11Result<Vec<NamedMonitor>> {
    let reply = server.connection.randr_get_monitors(server.root, true)?.reply()?;
    let mut monitors = reply.monitors;
    monitors.sort_by_key(|monitor| !monitor.primary);
    let frame = |one: &x11rb::protocol::randr::MonitorInfo| {
        Rect::new(one.x.into(), one.y.into(), one.width.into(), one.height.into())
    };
    Ok(monitors.iter().map(|one| NamedMonitor { name: one.name, frame: frame(one) }).collect())
}

/// Returns the scale from `Xft.dpi`, the one scale setting that X programs share; 96 means no
/// scaling.
fn parse_scale(resources: &str) -> f64 {
    let dpi = resources.lines().find_map(|line| line.strip_prefix("Xft.dpi:"));
    let dpi = dpi.and_then(|value| value.trim().parse::<f64>().ok());
    dpi.filter(|dpi| (24.0..=960.0).contains(dpi)).map_or(1.0, |dpi| dpi / 96.0)
}

fn work_area(server: &XServer, atoms: &WorkAreaAtoms) -> X11Result<Option<Rect>> {
    let desktop = server.read_u32_list(server.root, atoms._NET_CURRENT_DESKTOP)?;
    let desktop = desktop.first().copied().unwrap_or(0) as usize;
    let areas = server.read_u32_list(server.root, atoms._NET_WORKAREA)?;
    let mine = areas.chunks_exact(4).nth(desktop);
    Ok(mine.map(|a| a.iter().map(|side| side.cast_signed()).collect::<Vec<_>>()).and_then(|area| {
        match area[..] {
            [x, y, width, height] => Some(Rect::new(x, y, width, height)),
            _ => None,
        }
    }))
}

/// The space that a panel reserves along each edge of the X screen, and the span of each
/// reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PanelStrut {
    sides: [i32; 4],
    spans: [(i32, i32); 4],
}

fn list_panels(server: &XServer, atoms: &WorkAreaAtoms) -> X11Result<Vec<PanelStrut>> {
    let clients = server.read_u32_list(server.root, server.atoms._NET_CLIENT_LIST)?;
    let request = |window: Window, name| {
        server.connection.get_property(false, window, name, AtomEnum::CARDINAL, 0, 12)
    };
    let mut requests = Vec::with_capacity(clients.len());
    for window in clients {
        requests.push((
            request(window, atoms._NET_WM_STRUT_PARTIAL)?,
            request(window, atoms._NET_WM_STRUT)?,
        ));
    }
    let mut panels = Vec::new();
    for (partial, whole) in requests {
        // A window that has closed reserves no space.
        let (Ok(partial), Ok(whole)) = (partial.reply(), whole.reply()) else { continue };
        let parse = |property: &x11rb::protocol::xproto::GetPropertyReply| -> Vec<i32> {
            property.value32().map(|all| all.map(u32::cast_signed).collect()).unwrap_or_default()
        };
        let strut = PanelStrut::parse(&parse(&partial));
        panels.extend(strut.or_else(|| PanelStrut::parse(&parse(&whole))));
    }
    Ok(panels)
}

impl PanelStrut {
    /// Parses the four numbers of `_NET_WM_STRUT` or the twelve of `_NET_WM_STRUT_PARTIAL`.
    fn parse(numbers: &[i32]) -> Option<Self> {
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

    /// Returns the part of an area that the panel leaves free. A panel between two monitors
    /// reserves space counted from the far edge of the other monitor, which it does not affect.
    fn remaining_area(&self, area: Rect, all: Rect) -> Rect {
        let [left, right, top, bottom] = self.sides;
        let along = |side: usize, from: i32, to: i32| {
            let (begin, end) = self.spans[side];
            begin < to && end >= from
        };
        let (mut x0, mut y0, mut x1, mut y1) = (area.x, area.y, area.right(), area.bottom());
        let (rows, columns) = ((area.y, area.bottom()), (area.x, area.right()));
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
    fn a_panel_reserves_space_only_on_its_monitor() {
        let top = PanelStrut::parse(&[0, 0, 30, 0, 0, 0, 0, 0, 0, 1919, 0, 0]).unwrap();
        assert_eq!(top.remaining_area(LEFT, ALL), Rect::new(0, 30, 1920, 1050));
        assert_eq!(top.remaining_area(RIGHT, ALL), RIGHT);
        let right = PanelStrut::parse(&[0, 40, 0, 0]).unwrap();
        assert_eq!(right.remaining_area(RIGHT, ALL), Rect::new(1920, 0, 1240, 1080));
        assert_eq!(right.remaining_area(LEFT, ALL), LEFT);
    }

    #[test]
    fn a_panel_between_two_monitors_belongs_to_the_one_it_is_on() {
        let left = PanelStrut::parse(&[1970, 0, 0, 0, 0, 1079, 0, 0, 0, 0, 0, 0]).unwrap();
        assert_eq!(left.remaining_area(LEFT, ALL), LEFT);
        assert_eq!(left.remaining_area(RIGHT, ALL), Rect::new(1970, 0, 1230, 1080));
    }

    #[test]
    fn the_scale_comes_from_xft_dpi() {
        assert!((parse_scale("*foo: 1\nXft.dpi:\t192\n") - 2.0).abs() < f64::EPSILON);
        for odd in ["", "Xft.dpi: many", "Xft.dpi: 0", "Xft.dpi: -96"] {
            assert!((parse_scale(odd) - 1.0).abs() < f64::EPSILON, "{odd:?}");
        }
    }
}
