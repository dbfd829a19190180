//! The connection to the X server. X calls block without a timeout, so they run on a dedicated
//! thread and callers wait for that thread until their deadline.

mod grab;

use std::{sync::mpsc, time::Duration};

use parking_lot::Mutex;

use deskhand_platform::{Deadline, Error, Result};
use x11rb::{
    connection::RequestConnection as _,
    protocol::xproto::{Atom, ConnectionExt, Window},
    rust_connection::RustConnection,
};

pub(crate) use self::grab::ServerGrab;
use crate::session_env::SessionEnv;

/// An open connection to the X server, with its root window and interned atoms.
pub(crate) struct XServer {
    pub(crate) connection: RustConnection,
    pub(crate) root: Window,
    pub(crate) atoms: Atoms,
    /// The session of the server, for further connections.
    pub(crate) env: SessionEnv,
}

x11rb::atom_manager! {
    /// The property names this crate reads.
    pub(crate) Atoms: AtomsCookie {
        _GTK_FRAME_EXTENTS,
        _NET_ACTIVE_WINDOW,
        _NET_CLIENT_LIST,
        _NET_CLIENT_LIST_STACKING,
        _NET_FRAME_EXTENTS,
        _NET_WM_NAME,
        _NET_WM_PID,
        _NET_WM_STATE,
        _NET_WM_STATE_HIDDEN,
        UTF8_STRING,
        WM_STATE,
    }
}

type X11Task = Box<dyn FnOnce(&XServer) + Send>;

/// The result of a request to the X server.
pub(crate) type X11Result<T> = std::result::Result<T, X11Error>;

/// A handle to the thread that owns an X connection. Any thread can use it.
pub(crate) struct X11Thread {
    tasks: Mutex<mpsc::Sender<X11Task>>,
    env: SessionEnv,
}

impl X11Thread {
    /// Connects to the display of a session.
    pub(crate) fn open(env: &SessionEnv, deadline: Deadline) -> Result<Self> {
        let own_env = env.clone();
        let (tasks, queue) = mpsc::channel::<X11Task>();
        let (ready, opened) = mpsc::channel();
        std::thread::Builder::new()
            .name("x11".to_owned())
            .spawn(move || match connect(&own_env) {
                Ok(server) => {
                    // The caller may have stopped waiting; then there are no tasks either.
                    let _unreceived = ready.send(Ok(()));
                    for task in queue {
                        task(&server);
                    }
                }
                Err(why) => {
                    let _unreceived = ready.send(Err(why));
                }
            })
            .map_err(|e| Error::NoDisplay { why: e.to_string() })?;
        opened
            .recv_timeout(deadline.remaining())
            .map_err(|_| Error::Timeout { what: "the X server".to_owned() })?
            .map_err(|why| Error::NoDisplay { why })?;
        Ok(Self { tasks: Mutex::new(tasks), env: env.clone() })
    }

    /// Opens another connection to the same display, with its own thread.
    pub(crate) fn open_another(&self, deadline: Deadline) -> Result<Self> {
        Self::open(&self.env, deadline)
    }

    /// Runs `task` on the connection's thread and waits for its result until the deadline.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        deadline: Deadline,
        task: impl FnOnce(&XServer) -> X11Result<T> + Send + 'static,
    ) -> Result<T> {
        let (done, result) = mpsc::channel();
        let task: X11Task = Box::new(move |server| {
            // If the caller's deadline has passed, the result is not needed.
            let _unreceived = done.send(task(server));
        });
        let sent = self.tasks.lock().send(task);
        sent.map_err(|_| broken("its thread ended"))?;
        // A result that is already there counts even after the deadline.
        match result.recv_timeout(deadline.remaining().max(Duration::from_millis(1))) {
            Ok(outcome) => outcome.map_err(|error| error.0),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                Err(Error::Timeout { what: "the X server".to_owned() })
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => Err(broken("its thread ended")),
        }
    }
}

fn broken(why: &str) -> Error {
    Error::Disconnected { what: "the X server".to_owned(), why: why.to_owned() }
}

/// The reason why a request to the X server failed or was not sent.
pub(crate) struct X11Error(Error);

impl X11Error {
    /// Creates the error of a request that was not sent because `why` forbids it.
    pub(crate) fn refused(why: Error) -> Self {
        Self(why)
    }

    /// Returns the reason why the request was not sent, or `None` if the connection failed.
    pub(crate) fn refusal(&self) -> Option<&Error> {
        Some(&self.0).filter(|error| !matches!(error, Error::Disconnected { .. }))
    }
}

impl From<X11Error> for Error {
    fn from(error: X11Error) -> Self {
        error.0
    }
}

impl<E: std::error::Error> From<E> for X11Error {
    fn from(error: E) -> Self {
        Self(broken(&error.to_string()))
    }
}

/// Connects to the display of a session, on the calling thread.
pub(crate) fn connect(env: &SessionEnv) -> std::result::Result<XServer, String> {
    let (connection, root) = env.connect_x11()?;
    let describe = |e: &dyn std::fmt::Display| e.to_string();
    // Sends this query together with the requests below; most calls need the reply.
    connection
        .prefetch_extension_information(x11rb::protocol::randr::X11_EXTENSION_NAME)
        .map_err(|e| describe(&e))?;
    let atoms = Atoms::new(&connection)
        .map_err(|e| describe(&e))
        .and_then(|cookie| cookie.reply().map_err(|e| describe(&e)))?;
    Ok(XServer { connection, root, atoms, env: env.clone() })
}

impl XServer {
    /// Returns a property that is a list of 32-bit numbers, or an empty list if it is not set.
    pub(crate) fn read_u32_list(&self, window: Window, property: Atom) -> X11Result<Vec<u32>> {
        let any = x11rb::protocol::xproto::AtomEnum::ANY;
        let reply =
            self.connection.get_property(false, window, property, any, 0, 65_536)?.reply()?;
        Ok(reply.value32().map(Iterator::collect).unwrap_or_default())
    }
}
