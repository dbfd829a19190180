//! A pool of containers that are ready before a request needs one. They come from the broker and return after
//! use: a container kills everything a program left before it takes the next one.

use std::{
    collections::VecDeque,
    io,
    os::fd::OwnedFd,
    sync::{Arc, Weak},
    thread,
};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::{
    broker,
    container::{Container, ContainerConnection, ContainerKind},
    init,
    remedy::unavailable,
    wire,
};
use crate::{
    Error,
    platform::timing::{CLEANUP_TIMEOUT, IDLE_TIMEOUT, RETURN_WAIT},
};

/// Number of containers of each kind that are created in advance.
const MIN_IDLE: usize = 3;

/// Maximum number of idle containers of each kind.
const MAX_IDLE: usize = 24;

/// The idle containers of one broker.
#[derive(Debug)]
pub(super) struct Pool {
    broker: Mutex<OwnedFd>,
    idle: Mutex<Idle>,
    /// Notified when fewer than [`MIN_IDLE`] containers of a kind are left.
    low: Condvar,
    /// Notified when a container of a kind becomes idle. Wakes one waiting thread.
    available: [Condvar; 2],
}

#[derive(Debug, Default)]
struct Idle {
    bare: VecDeque<ContainerConnection>,
    shells: VecDeque<ContainerConnection>,
    /// Set by a request, cleared by the pool's thread.
    requested: bool,
    /// Number of containers that have returned so far.
    returned: u64,
    closed: bool,
}

impl Idle {
    fn queue(&mut self, kind: ContainerKind) -> &mut VecDeque<ContainerConnection> {
        match kind {
            ContainerKind::Bare => &mut self.bare,
            ContainerKind::Shell => &mut self.shells,
        }
    }
}

impl Pool {
    /// Creates a pool and the thread that keeps it filled until it is closed.
    pub(super) fn new(broker: OwnedFd) -> Result<Arc<Self>, Error> {
        let idle = Mutex::new(Idle::default());
        let (low, available) = (Condvar::new(), [Condvar::new(), Condvar::new()]);
        let pool = Arc::new(Self { broker: Mutex::new(broker), idle, low, available });
        let weak = Arc::downgrade(&pool);
        thread::Builder::new()
            .name("sandbox pool".to_owned())
            .spawn(move || maintain(&weak))
            .map_err(broker_gone)?;
        Ok(pool)
    }

    /// Returns a container for any program.
    pub(super) fn container(self: &Arc<Self>) -> Result<Container, Error> {
        let connection = match self.take_idle(ContainerKind::Bare) {
            Some(connection) => connection,
            None => self.create()?,
        };
        Ok(Container::new(connection, ContainerKind::Bare, Arc::downgrade(self)))
    }

    /// Returns a container with a waiting shell, the pipe for its script and the pipe with its output.
    pub(super) fn shell(self: &Arc<Self>) -> Result<(Container, OwnedFd, OwnedFd), Error> {
        loop {
            let idle = self.take_idle(ContainerKind::Shell);
            let fresh = idle.is_none();
            let connection = match idle {
                Some(connection) => connection,
                None => {
                    let connection = self.create()?;
                    prepare(&connection, ContainerKind::Shell).map_err(broker_gone)?;
                    connection
                }
            };
            // A container that is still killing processes would delay this request.
            if !fresh && !connection.is_readable_within(CLEANUP_TIMEOUT).map_err(broker_gone)? {
                // The container may be gone already.
                let _ = connection.kill_init();
                continue;
            }
            let reply = wire::receive(&connection.socket).map_err(broker_gone)?;
            let (message, files) = reply.unwrap_or_default();
            let found: Result<[OwnedFd; 2], _> = files.try_into();
            if let Ok([script, output]) = found {
                return Ok((
                    Container::new(connection, ContainerKind::Shell, Arc::downgrade(self)),
                    script,
                    output,
                ));
            }
            // A container that ended while it was idle is skipped. If a new one ends, that is an error.
            if fresh {
                return Err(Error::StartFailed {
                    program: "/bin/sh".to_owned(),
                    reason: describe_reply(&message),
                });
            }
        }
    }

    /// Takes back a container whose program has exited.
    pub(super) fn take_back(&self, connection: ContainerConnection, kind: ContainerKind) {
        let mut idle = self.idle.lock();
        if idle.closed || idle.queue(kind).len() >= MAX_IDLE {
            drop(idle);
            // The container may be gone already.
            let _ = connection.kill_init();
        } else {
            idle.returned += 1;
            idle.queue(kind).push_back(connection);
            drop(idle);
            self.available(kind).notify_one();
        }
    }

    fn available(&self, kind: ContainerKind) -> &Condvar {
        let [bare, shells] = &self.available;
        match kind {
            ContainerKind::Bare => bare,
            ContainerKind::Shell => shells,
        }
    }

    /// Ends the broker and all containers.
    pub(super) fn close(&self) {
        let mut idle = self.idle.lock();
        idle.closed = true;
        idle.bare.clear();
        idle.shells.clear();
        drop(idle);
        self.low.notify_all();
        self.available.iter().for_each(|condvar| {
            condvar.notify_all();
        });
        let broker = self.broker.lock();
        // The broker ends when its connection closes. It may have ended before.
        let _ = rustix::net::shutdown(&*broker, rustix::net::Shutdown::Both);
    }

    /// Returns an idle container, or waits for one that is about to return.
    fn take_idle(&self, kind: ContainerKind) -> Option<ContainerConnection> {
        let mut idle = self.idle.lock();
        idle.requested = true;
        let mut returned = idle.returned;
        loop {
            let connection = idle.queue(kind).pop_front();
            if idle.queue(kind).len() < MIN_IDLE {
                self.low.notify_one();
            }
            if connection.is_some() || idle.closed {
                return connection;
            }
            let waited = self.available(kind).wait_for(&mut idle, RETURN_WAIT);
            if waited.timed_out() && idle.queue(kind).is_empty() && returned == idle.returned {
                return None;
            }
            returned = idle.returned;
        }
    }

    /// Creates a new container.
    fn create(&self) -> Result<ContainerConnection, Error> {
        let connection = self.broker.lock();
        wire::send(&*connection, broker::CONTAINER, &[]).map_err(broker_gone)?;
        let answer = wire::receive(&*connection).map_err(broker_gone)?;
        drop(connection);
        let files = answer.map(|(_, files)| files).unwrap_or_default();
        let [socket, process]: [OwnedFd; 2] = files
            .try_into()
            .map_err(|_| Error::Gone { reason: "its broker has ended".to_owned() })?;
        match wire::receive(&socket).map_err(broker_gone)? {
            Some((message, _)) if message == init::READY => {
                Ok(ContainerConnection { socket: Arc::new(socket), process: Arc::new(process) })
            }
            Some((message, _)) => Err(unavailable(describe_reply(&message))),
            None => Err(unavailable("a container ended right after its start".to_owned())),
        }
    }
}

/// Asks a container to get ready for its kind of program.
fn prepare(connection: &ContainerConnection, kind: ContainerKind) -> io::Result<()> {
    match kind {
        ContainerKind::Bare => Ok(()),
        ContainerKind::Shell => wire::send(&connection.socket, init::SHELL, &[]),
    }
}

/// Keeps [`MIN_IDLE`] containers of each kind ready, and ends the surplus after a while without requests.
fn maintain(pool: &Weak<Pool>) {
    while let Some(pool) = pool.upgrade() {
        let idle = pool.idle.lock();
        if idle.closed {
            return;
        }
        let returned = idle.returned;
        let Some(kind) = kind_below_minimum(&idle) else {
            wait_until_low(&pool, idle);
            continue;
        };
        drop(idle);
        if returned > 0 {
            thread::sleep(RETURN_WAIT);
            if pool.idle.lock().returned != returned {
                continue;
            }
        }
        let created = pool.create().and_then(|connection| {
            prepare(&connection, kind).map_err(broker_gone)?;
            Ok(connection)
        });
        let Ok(connection) = created else {
            // The next request reports the error.
            thread::sleep(IDLE_TIMEOUT);
            continue;
        };
        pool.idle.lock().queue(kind).push_back(connection);
        pool.available(kind).notify_one();
    }
}

fn kind_below_minimum(idle: &Idle) -> Option<ContainerKind> {
    let all = [(ContainerKind::Shell, &idle.shells), (ContainerKind::Bare, &idle.bare)];
    all.into_iter().find(|(_, lines)| lines.len() < MIN_IDLE).map(|(kind, _)| kind)
}

/// Waits until few containers are left. After [`IDLE_TIMEOUT`] without a request it ends the surplus.
fn wait_until_low(pool: &Pool, mut idle: MutexGuard<'_, Idle>) {
    let waited = pool.low.wait_for(&mut idle, IDLE_TIMEOUT);
    if waited.timed_out() && !std::mem::take(&mut idle.requested) {
        for kind in [ContainerKind::Bare, ContainerKind::Shell] {
            let many = idle.queue(kind).len().min(MIN_IDLE);
            for connection in idle.queue(kind).drain(many..) {
                // The container may be gone already.
                let _ = connection.kill_init();
            }
        }
    }
}

fn broker_gone(reason: io::Error) -> Error {
    Error::Gone { reason: reason.to_string() }
}

fn describe_reply(message: &[u8]) -> String {
    match init::decode_exit(message) {
        Some(ended) => format!("{ended:?}"),
        None if message.is_empty() => "its container ended".to_owned(),
        None => String::from_utf8_lossy(message).into_owned(),
    }
}
