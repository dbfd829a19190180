//! Changes to a window: by its manager where one runs, else by plain requests to the server.

use deskhand_platform::{Arrange, Asked};
use x11rb::{
    properties::WmSizeHints,
    protocol::xproto::{
        AtomEnum, ConfigureWindowAux, ConnectionExt as _, Gravity, InputFocus, MapState, PropMode,
        StackMode, Window,
    },
    wrapper::ConnectionExt as _,
};

use super::{
    ewmh::{self, Manager},
    fault::Fault,
    frame::{Frame, Sides},
    list,
    names::Names,
    state, unmanaged,
};
use crate::{screen, x11::Server};

/// Requests that come from a pager or a user, not from the program itself, carry this mark: window
/// managers follow those without questions.
const FROM_A_USER: u32 = 2;
const REMOVE: u32 = 0;
const ADD: u32 = 1;
/// The states of ICCCM.
const NORMAL: u32 = 1;
pub(super) const ICONIC: u32 = 3;

/// What is known when a window is to be changed.
struct Job<'a> {
    server: &'a Server,
    names: Names,
    manager: Manager,
    window: Window,
}

/// Asks for a change to a window.
pub(super) fn arrange(server: &Server, window: Window, change: Arrange) -> Result<Asked, Fault> {
    list::ensure(server, window)?;
    let names = Names::new(&server.connection)?.reply()?;
    let manager = Manager::of(server, &names)?;
    let job = Job { server, names, manager, window };
    match change {
        Arrange::Focus => job.focus(),
        Arrange::MoveTo(x, y) => job.move_to(x, y),
        Arrange::Resize(width, height) => job.resize(width, height),
        Arrange::Minimize => job.minimize(),
        Arrange::Restore => job.restore(),
        Arrange::Maximize(on) => job.fill(
            "filling the work area",
            on,
            [job.names._NET_WM_STATE_MAXIMIZED_VERT, job.names._NET_WM_STATE_MAXIMIZED_HORZ],
        ),
        Arrange::FullScreen(on) => {
            job.fill("filling the screen", on, [job.names._NET_WM_STATE_FULLSCREEN, x11rb::NONE])
        }
        Arrange::Close => job.close(),
    }
}

impl Job<'_> {
    fn asked(&self) -> Asked {
        if self.manager.runs() { Asked::Manager } else { Asked::System }
    }

    fn focus(&self) -> Result<Asked, Fault> {
        let time = ewmh::now(self.server)?;
        let request = self.server.atoms._NET_ACTIVE_WINDOW;
        if self.manager.knows(request) {
            let active = self.server.numbers(self.server.root, request)?.first().copied();
            let data = [FROM_A_USER, time, active.unwrap_or(x11rb::NONE), 0, 0];
            ewmh::tell(self.server, self.window, request, data)?;
            return Ok(Asked::Manager);
        }
        self.show()?;
        let connection = &self.server.connection;
        let front = ConfigureWindowAux::new().stack_mode(StackMode::ABOVE);
        connection.configure_window(self.window, &front)?.check()?;
        let protocols = state::protocols(self.server, &self.names, self.window)?;
        if protocols.contains(&self.names.WM_TAKE_FOCUS) {
            let protocol = self.names.WM_TAKE_FOCUS;
            ewmh::tell_program(self.server, &self.names, self.window, protocol, time)?;
        }
        // A manager shows the window when it likes; until then it cannot have the keyboard.
        if connection.get_window_attributes(self.window)?.reply()?.map_state == MapState::VIEWABLE {
            connection.set_input_focus(InputFocus::PARENT, self.window, time)?.check()?;
        }
        Ok(self.asked())
    }

    fn move_to(&self, x: i32, y: i32) -> Result<Asked, Fault> {
        let origin = screen::origin(self.server)?;
        let (x, y) = self.frame()?.outer_corner(x + origin.0, y + origin.1);
        if self.manager.knows(self.names._NET_MOVERESIZE_WINDOW) {
            let has_place = 0b0011 << 8;
            return self.place(has_place, [x.cast_unsigned(), y.cast_unsigned(), 0, 0]);
        }
        let (x, y) = if self.is_static()? {
            let border = self.frame()?.border;
            (x + border.left, y + border.top)
        } else {
            (x, y)
        };
        let place = ConfigureWindowAux::new().x(x).y(y);
        self.server.connection.configure_window(self.window, &place)?.check()?;
        Ok(self.asked())
    }

    fn resize(&self, width: u32, height: u32) -> Result<Asked, Fault> {
        let (width, height) = self.frame()?.inner_size(width, height);
        if self.manager.knows(self.names._NET_MOVERESIZE_WINDOW) {
            let has_size = 0b1100 << 8;
            return self.place(has_size, [0, 0, width, height]);
        }
        // The server takes sizes of 16 bits and refuses the rest.
        let limit = |size: u32| size.min(u32::from(u16::MAX >> 1));
        let size = ConfigureWindowAux::new().width(limit(width)).height(limit(height));
        self.server.connection.configure_window(self.window, &size)?.check()?;
        Ok(self.asked())
    }

    fn place(&self, fields: u32, [x, y, width, height]: [u32; 4]) -> Result<Asked, Fault> {
        let flags = u32::from(Gravity::NORTH_WEST) | fields | FROM_A_USER << 12;
        let request = self.names._NET_MOVERESIZE_WINDOW;
        ewmh::tell(self.server, self.window, request, [flags, x, y, width, height])?;
        Ok(Asked::Manager)
    }

    fn minimize(&self) -> Result<Asked, Fault> {
        if self.manager.runs() {
            let request = self.names.WM_CHANGE_STATE;
            ewmh::tell(self.server, self.window, request, [ICONIC, 0, 0, 0, 0])?;
        } else {
            self.server.connection.unmap_window(self.window)?.check()?;
            self.note(ICONIC)?;
        }
        Ok(self.asked())
    }

    fn restore(&self) -> Result<Asked, Fault> {
        let states = state::states(self.server, self.window)?;
        let is = |name: u32| states.contains(&name);
        let Names {
            _NET_WM_STATE_MAXIMIZED_VERT: high,
            _NET_WM_STATE_MAXIMIZED_HORZ: wide,
            _NET_WM_STATE_FULLSCREEN: full,
            ..
        } = self.names;
        if !is(self.server.atoms._NET_WM_STATE_HIDDEN) && (is(high) || is(wide) || is(full)) {
            if is(full) {
                self.change_state(REMOVE, [full, x11rb::NONE])?;
            }
            return self.change_state(REMOVE, [high, wide]);
        }
        self.show()?;
        Ok(self.asked())
    }

    /// Mapping is how a window asks to be shown again; its manager decides on the rest.
    fn show(&self) -> Result<(), Fault> {
        self.server.connection.map_window(self.window)?.check()?;
        if !self.manager.runs() {
            self.note(NORMAL)?;
        }
        Ok(())
    }

    fn fill(&self, what: &'static str, on: bool, states: [u32; 2]) -> Result<Asked, Fault> {
        if self.manager.knows(states[0]) {
            return self.change_state(if on { ADD } else { REMOVE }, states);
        }
        let why = if self.manager.runs() {
            "this desktop's window manager does not know it"
        } else {
            "no window manager runs on this desktop"
        };
        Err(Fault::Unsupported { what, why })
    }

    fn change_state(&self, how: u32, [first, second]: [u32; 2]) -> Result<Asked, Fault> {
        let request = self.server.atoms._NET_WM_STATE;
        ewmh::tell(self.server, self.window, request, [how, first, second, FROM_A_USER, 0])?;
        Ok(Asked::Manager)
    }

    fn close(&self) -> Result<Asked, Fault> {
        let protocols = state::protocols(self.server, &self.names, self.window)?;
        // Window managers kill the programs of windows that do not take this request.
        if !protocols.contains(&self.names.WM_DELETE_WINDOW) {
            let why = "its program does not take part in closing; only force ends it";
            return Err(Fault::Unsupported { what: "closing the window politely", why });
        }
        let time = ewmh::now(self.server)?;
        if self.manager.knows(self.names._NET_CLOSE_WINDOW) {
            let request = self.names._NET_CLOSE_WINDOW;
            ewmh::tell(self.server, self.window, request, [time, FROM_A_USER, 0, 0, 0])?;
            return Ok(Asked::Manager);
        }
        let protocol = self.names.WM_DELETE_WINDOW;
        ewmh::tell_program(self.server, &self.names, self.window, protocol, time)?;
        Ok(Asked::Program)
    }

    /// What surrounds the window.
    fn frame(&self) -> Result<Frame, Fault> {
        let Server { connection, atoms, .. } = self.server;
        let ask =
            |name| connection.get_property(false, self.window, name, AtomEnum::CARDINAL, 0, 4);
        let (border, shadow) = (ask(atoms._NET_FRAME_EXTENTS)?, ask(atoms._GTK_FRAME_EXTENTS)?);
        let border = match self.manager {
            Manager::Modern(_) => Sides::read(&border.reply()?),
            Manager::Old | Manager::None => unmanaged::border(self.server, self.window)?,
        };
        Ok(Frame { border, shadow: Sides::read(&shadow.reply()?) })
    }

    /// Whether the window's own requests mean its content, not its frame.
    fn is_static(&self) -> Result<bool, Fault> {
        let hints = WmSizeHints::get_normal_hints(&self.server.connection, self.window)?.reply()?;
        Ok(hints.and_then(|hints| hints.win_gravity) == Some(Gravity::STATIC))
    }

    /// Keeps the note a window manager would keep, so that a hidden window is found again.
    fn note(&self, state: u32) -> Result<(), Fault> {
        let name = self.server.atoms.WM_STATE;
        let value = [state, x11rb::NONE];
        let connection = &self.server.connection;
        connection
            .change_property32(PropMode::REPLACE, self.window, name, name, &value)?
            .check()?;
        Ok(())
    }
}
