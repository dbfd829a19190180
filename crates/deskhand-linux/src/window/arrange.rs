//! Changes a window: through the window manager if one runs, and otherwise directly through the X
//! server.

use deskhand_platform::{RequestRecipient, WindowChange};
use x11rb::{
    properties::WmSizeHints,
    protocol::xproto::{
        AtomEnum, ConfigureWindowAux, ConnectionExt as _, Gravity, InputFocus, MapState, PropMode,
        StackMode, Window,
    },
    wrapper::ConnectionExt as _,
};

use super::{
    atoms::WmAtoms,
    error::WindowError,
    ewmh::{self, WindowManager},
    frame::{Frame, Insets},
    list, state, unmanaged,
};
use crate::{screen, x11::XServer};

/// The EWMH source indication of a pager or user. Window managers obey such requests
/// unconditionally.
const SOURCE_USER: u32 = 2;
const REMOVE: u32 = 0;
const ADD: u32 = 1;
/// The window states of ICCCM.
const NORMAL: u32 = 1;
pub(super) const ICONIC: u32 = 3;

/// The request that restores a window.
#[derive(Debug, PartialEq, Eq)]
enum RestoreStep {
    /// End the maximized or full-screen state.
    Unfill,
    /// Map the window. A window manager shows a minimized window then.
    Map,
    /// Activate the window. Mapping it has no effect, because the window manager keeps minimized
    /// windows mapped, as Mutter does for previews.
    Activate,
}

impl RestoreStep {
    fn of(is_hidden: bool, is_mapped: bool, is_filling: bool) -> Self {
        match (is_hidden, is_mapped) {
            (false, _) if is_filling => Self::Unfill,
            (true, true) => Self::Activate,
            (false, _) | (true, false) => Self::Map,
        }
    }
}

/// Returns `true` if the window manager has marked the window as minimized and has not unmapped it
/// yet. Openbox does the one after the other, and mapping a window that is still mapped has no
/// effect.
pub(super) fn is_being_minimized(server: &XServer, window: Window) -> Result<bool, WindowError> {
    // A closed window is reported as gone, not as an X11 error.
    list::ensure_listed(server, window)?;
    if !is_mapped(server, window)? {
        return Ok(false);
    }
    Ok(state::states(server, window)?.contains(&server.atoms._NET_WM_STATE_HIDDEN))
}

fn is_mapped(server: &XServer, window: Window) -> Result<bool, WindowError> {
    let attributes = server.connection.get_window_attributes(window)?.reply()?;
    Ok(attributes.map_state != MapState::UNMAPPED)
}

/// A window to change, and the window manager to ask.
struct WindowRequest<'a> {
    server: &'a XServer,
    atoms: WmAtoms,
    manager: WindowManager,
    window: Window,
}

/// Requests a change to a window.
pub(super) fn arrange(
    server: &XServer,
    window: Window,
    change: WindowChange,
) -> Result<RequestRecipient, WindowError> {
    list::ensure_listed(server, window)?;
    let atoms = WmAtoms::new(&server.connection)?.reply()?;
    let manager = WindowManager::detect(server, &atoms)?;
    let request = WindowRequest { server, atoms, manager, window };
    match change {
        WindowChange::Focus => request.focus(),
        WindowChange::MoveTo(x, y) => request.move_to(x, y),
        WindowChange::Resize(width, height) => request.resize(width, height),
        WindowChange::Minimize => request.minimize(),
        WindowChange::Restore => request.restore(),
        WindowChange::Maximize(on) => request.set_filling_state(
            "maximizing the window",
            on,
            [
                request.atoms._NET_WM_STATE_MAXIMIZED_VERT,
                request.atoms._NET_WM_STATE_MAXIMIZED_HORZ,
            ],
        ),
        WindowChange::FullScreen(on) => request.set_filling_state(
            "making the window full screen",
            on,
            [request.atoms._NET_WM_STATE_FULLSCREEN, x11rb::NONE],
        ),
        WindowChange::Close => request.close(),
    }
}

impl WindowRequest<'_> {
    fn recipient(&self) -> RequestRecipient {
        if self.manager.is_running() {
            RequestRecipient::WindowManager
        } else {
            RequestRecipient::WindowSystem
        }
    }

    fn focus(&self) -> Result<RequestRecipient, WindowError> {
        let time = ewmh::server_time(self.server)?;
        let request = self.server.atoms._NET_ACTIVE_WINDOW;
        if self.manager.supports(request) {
            let active = self.server.read_u32_list(self.server.root, request)?.first().copied();
            let data = [SOURCE_USER, time, active.unwrap_or(x11rb::NONE), 0, 0];
            ewmh::send_to_manager(self.server, self.window, request, data)?;
            return Ok(RequestRecipient::WindowManager);
        }
        self.show()?;
        let connection = &self.server.connection;
        let front = ConfigureWindowAux::new().stack_mode(StackMode::ABOVE);
        connection.configure_window(self.window, &front)?.check()?;
        let protocols = state::protocols(self.server, &self.atoms, self.window)?;
        if protocols.contains(&self.atoms.WM_TAKE_FOCUS) {
            let protocol = self.atoms.WM_TAKE_FOCUS;
            ewmh::send_to_program(self.server, &self.atoms, self.window, protocol, time)?;
        }
        // The manager maps the window asynchronously; an unmapped window cannot get the focus.
        if connection.get_window_attributes(self.window)?.reply()?.map_state == MapState::VIEWABLE {
            connection.set_input_focus(InputFocus::PARENT, self.window, time)?.check()?;
        }
        Ok(self.recipient())
    }

    fn move_to(&self, x: i32, y: i32) -> Result<RequestRecipient, WindowError> {
        let origin = screen::origin(self.server)?;
        let (x, y) = self.frame()?.outer_corner(x + origin.0, y + origin.1);
        if self.manager.supports(self.atoms._NET_MOVERESIZE_WINDOW) {
            let has_place = 0b0011 << 8;
            return self.move_resize(has_place, [x.cast_unsigned(), y.cast_unsigned(), 0, 0]);
        }
        let (x, y) = if self.has_static_gravity()? {
            let border = self.frame()?.border;
            (x + border.left, y + border.top)
        } else {
            (x, y)
        };
        let position = ConfigureWindowAux::new().x(x).y(y);
        self.server.connection.configure_window(self.window, &position)?.check()?;
        Ok(self.recipient())
    }

    fn resize(&self, width: u32, height: u32) -> Result<RequestRecipient, WindowError> {
        let (width, height) = self.frame()?.inner_size(width, height);
        if self.manager.supports(self.atoms._NET_MOVERESIZE_WINDOW) {
            let has_size = 0b1100 << 8;
            return self.move_resize(has_size, [0, 0, width, height]);
        }
        // The server rejects sizes of more than 16 bits.
        let limit = |size: u32| size.min(u32::from(u16::MAX >> 1));
        let size = ConfigureWindowAux::new().width(limit(width)).height(limit(height));
        self.server.connection.configure_window(self.window, &size)?.check()?;
        Ok(self.recipient())
    }

    fn move_resize(
        &self,
        fields: u32,
        [x, y, width, height]: [u32; 4],
    ) -> Result<RequestRecipient, WindowError> {
        let flags = u32::from(Gravity::NORTH_WEST) | fields | SOURCE_USER << 12;
        let request = self.atoms._NET_MOVERESIZE_WINDOW;
        ewmh::send_to_manager(self.server, self.window, request, [flags, x, y, width, height])?;
        Ok(RequestRecipient::WindowManager)
    }

    fn minimize(&self) -> Result<RequestRecipient, WindowError> {
        if self.manager.is_running() {
            let request = self.atoms.WM_CHANGE_STATE;
            ewmh::send_to_manager(self.server, self.window, request, [ICONIC, 0, 0, 0, 0])?;
        } else {
            self.server.connection.unmap_window(self.window)?.check()?;
            self.record_state(ICONIC)?;
        }
        Ok(self.recipient())
    }

    fn restore(&self) -> Result<RequestRecipient, WindowError> {
        let states = state::states(self.server, self.window)?;
        let is_mapped = is_mapped(self.server, self.window)?;
        let is = |name: u32| states.contains(&name);
        let WmAtoms {
            _NET_WM_STATE_MAXIMIZED_VERT: high,
            _NET_WM_STATE_MAXIMIZED_HORZ: wide,
            _NET_WM_STATE_FULLSCREEN: full,
            ..
        } = self.atoms;
        let is_filling = is(high) || is(wide) || is(full);
        match RestoreStep::of(is(self.server.atoms._NET_WM_STATE_HIDDEN), is_mapped, is_filling) {
            RestoreStep::Unfill => {
                if is(full) {
                    self.change_state(REMOVE, [full, x11rb::NONE])?;
                }
                self.change_state(REMOVE, [high, wide])
            }
            RestoreStep::Activate => self.focus(),
            RestoreStep::Map => {
                self.show()?;
                Ok(self.recipient())
            }
        }
    }

    /// Maps the window. This asks the window manager to show it again.
    fn show(&self) -> Result<(), WindowError> {
        self.server.connection.map_window(self.window)?.check()?;
        if !self.manager.is_running() {
            self.record_state(NORMAL)?;
        }
        Ok(())
    }

    fn set_filling_state(
        &self,
        what: &'static str,
        on: bool,
        states: [u32; 2],
    ) -> Result<RequestRecipient, WindowError> {
        if self.manager.supports(states[0]) {
            return self.change_state(if on { ADD } else { REMOVE }, states);
        }
        let why = if self.manager.is_running() {
            "this desktop's window manager does not support it"
        } else {
            "no window manager runs on this desktop"
        };
        Err(WindowError::Unsupported { what, why })
    }

    fn change_state(
        &self,
        action: u32,
        [first, second]: [u32; 2],
    ) -> Result<RequestRecipient, WindowError> {
        let request = self.server.atoms._NET_WM_STATE;
        ewmh::send_to_manager(
            self.server,
            self.window,
            request,
            [action, first, second, SOURCE_USER, 0],
        )?;
        Ok(RequestRecipient::WindowManager)
    }

    fn close(&self) -> Result<RequestRecipient, WindowError> {
        let protocols = state::protocols(self.server, &self.atoms, self.window)?;
        // Without support for this protocol the window manager would kill the program.
        if !protocols.contains(&self.atoms.WM_DELETE_WINDOW) {
            let why =
                "its program does not support WM_DELETE_WINDOW; only killing the program closes it";
            return Err(WindowError::Unsupported { what: "closing the window", why });
        }
        let time = ewmh::server_time(self.server)?;
        if self.manager.supports(self.atoms._NET_CLOSE_WINDOW) {
            let request = self.atoms._NET_CLOSE_WINDOW;
            ewmh::send_to_manager(self.server, self.window, request, [time, SOURCE_USER, 0, 0, 0])?;
            return Ok(RequestRecipient::WindowManager);
        }
        let protocol = self.atoms.WM_DELETE_WINDOW;
        ewmh::send_to_program(self.server, &self.atoms, self.window, protocol, time)?;
        Ok(RequestRecipient::Program)
    }

    /// Reads the border and the shadow of the window.
    fn frame(&self) -> Result<Frame, WindowError> {
        let XServer { connection, atoms, .. } = self.server;
        let request =
            |name| connection.get_property(false, self.window, name, AtomEnum::CARDINAL, 0, 4);
        let (border, shadow) =
            (request(atoms._NET_FRAME_EXTENTS)?, request(atoms._GTK_FRAME_EXTENTS)?);
        let border = match self.manager {
            WindowManager::Ewmh(_) => Insets::read(&border.reply()?),
            WindowManager::Legacy | WindowManager::None => {
                unmanaged::border(self.server, self.window)?
            }
        };
        Ok(Frame { border, shadow: Insets::read(&shadow.reply()?) })
    }

    /// Returns `true` if the window's position requests refer to its content rather than its frame.
    fn has_static_gravity(&self) -> Result<bool, WindowError> {
        let hints = WmSizeHints::get_normal_hints(&self.server.connection, self.window)?.reply()?;
        Ok(hints.and_then(|hints| hints.win_gravity) == Some(Gravity::STATIC))
    }

    /// Sets `WM_STATE` as a window manager would, so that a hidden window can be found again.
    fn record_state(&self, state: u32) -> Result<(), WindowError> {
        let name = self.server.atoms.WM_STATE;
        let value = [state, x11rb::NONE];
        let connection = &self.server.connection;
        connection
            .change_property32(PropMode::REPLACE, self.window, name, name, &value)?
            .check()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::RestoreStep;

    #[test]
    fn a_minimized_window_that_is_still_mapped_is_not_mapped_again() {
        for is_filling in [false, true] {
            assert_eq!(RestoreStep::of(true, true, is_filling), RestoreStep::Activate);
            assert_eq!(RestoreStep::of(true, false, is_filling), RestoreStep::Map);
        }
        assert_eq!(RestoreStep::of(false, true, true), RestoreStep::Unfill);
        assert_eq!(RestoreStep::of(false, true, false), RestoreStep::Map);
    }
}
