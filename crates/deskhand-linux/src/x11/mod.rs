//! The connection to the X server, on a thread of its own: X calls block without a deadline, so
//! callers wait for the thread instead, and no longer than they may.

mod grab;

use std::{
    sync::{Mutex, PoisonError, mpsc},
    time::Duration,
};

use deskhand_platform::{Deadline, Error, Result};
use x11rb::{
    connection::RequestConnection as _,
    protocol::xproto::{Atom, ConnectionExt, Window},
    rust_connection::RustConnection,
};

pub(crate) use self::grab::Grab;

/// What can be asked of the server, and the names it is asked by.
pub(crate) struct Server {
    pub(crate) connection: RustConnection,
    pub(crate) root: Window,
    pub(crate) atoms: Atoms,
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

type Job = Box<dyn FnOnce(&Server) + Send>;

/// A connection that is used from any thread.
pub(crate) struct X11 {
    jobs: Mutex<mpsc::Sender<Job>>,
}

impl X11 {
    /// Connects to the display the environment names.
    pub(crate) fn open(by: Deadline) -> Result<Self> {
        let (jobs, work) = mpsc::channel::<Job>();
        let (ready, opened) = mpsc::channel();
        std::thread::Builder::new()
            .name("x11".to_owned())
            .spawn(move || match connect() {
                Ok(server) => {
                    // The opener may have given up; then there are no jobs either.
                    let _gone = ready.send(Ok(()));
                    for job in work {
                        job(&server);
                    }
                }
                Err(why) => {
                    let _gone = ready.send(Err(why));
                }
            })
            .map_err(|e| Error::NoDisplay { why: e.to_string() })?;
        opened
            .recv_timeout(by.left())
            .map_err(|_| Error::Timeout { what: "the X server".to_owned() })?
            .map_err(|why| Error::NoDisplay { why })?;
        Ok(Self { jobs: Mutex::new(jobs) })
    }

    /// Runs something on the connection and waits for it until the deadline.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        by: Deadline,
        job: impl FnOnce(&Server) -> std::result::Result<T, Trouble> + Send + 'static,
    ) -> Result<T> {
        let (done, result) = mpsc::channel();
        let job: Job = Box::new(move |server| {
            // The caller's deadline may have passed meanwhile; then nobody wants the result.
            let _late = done.send(job(server));
        });
        let sent = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).send(job);
        sent.map_err(|_| broken("its thread ended"))?;
        // A result that is there already counts, however late.
        match result.recv_timeout(by.left().max(Duration::from_millis(1))) {
            Ok(outcome) => outcome.map_err(|trouble| trouble.0),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                Err(Error::Timeout { what: "the X server".to_owned() })
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => Err(broken("its thread ended")),
        }
    }
}

fn broken(why: &str) -> Error {
    Error::Broken { what: "the X server".to_owned(), why: why.to_owned() }
}

/// Why the server did not do what it was asked.
pub(crate) struct Trouble(Error);

impl Trouble {
    /// The server was not asked: somebody else forbids it.
    pub(crate) fn refused(why: Error) -> Self {
        Self(why)
    }

    /// Who forbids it, if it was that.
    pub(crate) fn refusal(&self) -> Option<&Error> {
        Some(&self.0).filter(|error| !matches!(error, Error::Broken { .. }))
    }
}

impl From<Trouble> for Error {
    fn from(trouble: Trouble) -> Self {
        trouble.0
    }
}

impl<E: std::error::Error> From<E> for Trouble {
    fn from(error: E) -> Self {
        Self(broken(&error.to_string()))
    }
}

/// Connects to the display the environment names, on the calling thread.
pub(crate) fn connect() -> std::result::Result<Server, String> {
    let display = std::env::var("DISPLAY").map_err(|_| "DISPLAY is not set".to_owned())?;
    let told = |e: &dyn std::fmt::Display| format!("{display}: {e}");
    let (connection, screen) = x11rb::connect(Some(&display)).map_err(|e| told(&e))?;
    let root = x11rb::connection::Connection::setup(&connection)
        .roots
        .get(screen)
        .map(|screen| screen.root)
        .ok_or_else(|| told(&"no such screen"))?;
    // The question goes out with those that follow; most calls need the answer.
    connection
        .prefetch_extension_information(x11rb::protocol::randr::X11_EXTENSION_NAME)
        .map_err(|e| told(&e))?;
    let atoms = Atoms::new(&connection)
        .map_err(|e| told(&e))
        .and_then(|cookie| cookie.reply().map_err(|e| told(&e)))?;
    Ok(Server { connection, root, atoms })
}

impl Server {
    /// A list property of 32-bit numbers, empty when it is not set.
    pub(crate) fn numbers(
        &self,
        window: Window,
        property: Atom,
    ) -> std::result::Result<Vec<u32>, Trouble> {
        let any = x11rb::protocol::xproto::AtomEnum::ANY;
        let reply =
            self.connection.get_property(false, window, property, any, 0, 65_536)?.reply()?;
        Ok(reply.value32().map(Iterator::collect).unwrap_or_default())
    }
}
