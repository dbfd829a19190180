//! Listeners nobody of the inside may reach.

use std::{
    fs::File,
    io::Read,
    net::{TcpListener, UdpSocket},
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixDatagram, UnixListener},
    },
    path::Path,
};

use rustix::fs::{Mode, OFlags};

/// All the listeners of a place.
pub(super) struct Ears {
    closed: TcpListener,
    open: TcpListener,
    datagrams: UdpSocket,
    by_name: UnixListener,
    datagrams_by_name: UnixDatagram,
    by_path: Vec<(UnixListener, UnixDatagram, File)>,
    /// The name of those that have no path.
    pub(super) name: String,
}

impl Ears {
    /// Listens on this machine, by a name, and in each of these folders.
    pub(super) fn new(folders: &[&Path]) -> Self {
        let name = format!("deskhand-e2e-{:016x}", fastrand::u64(..));
        let address = |name: &str| SocketAddr::from_abstract_name(name.as_bytes()).unwrap();
        let by_path = folders.iter().map(|folder| {
            let pipe = folder.join("fifo");
            rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, Mode::from_raw_mode(0o666)).unwrap();
            // Both ways, so that it stays open while nobody writes.
            let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let pipe = File::from(rustix::fs::open(&pipe, flags, Mode::empty()).unwrap());
            let stream = UnixListener::bind(folder.join("sock")).unwrap();
            (stream, UnixDatagram::bind(folder.join("dgram")).unwrap(), pipe)
        });
        let ears = Self {
            closed: TcpListener::bind("127.0.0.1:0").unwrap(),
            open: TcpListener::bind("127.0.0.1:0").unwrap(),
            datagrams: UdpSocket::bind("127.0.0.1:0").unwrap(),
            by_name: UnixListener::bind_addr(&address(&name)).unwrap(),
            datagrams_by_name: UnixDatagram::bind_addr(&address(&format!("{name}-datagram")))
                .unwrap(),
            by_path: by_path.collect(),
            name,
        };
        ears.closed.set_nonblocking(true).unwrap();
        ears.open.set_nonblocking(true).unwrap();
        ears.datagrams.set_nonblocking(true).unwrap();
        ears.by_name.set_nonblocking(true).unwrap();
        ears.datagrams_by_name.set_nonblocking(true).unwrap();
        for (stream, datagrams, _) in &ears.by_path {
            stream.set_nonblocking(true).unwrap();
            datagrams.set_nonblocking(true).unwrap();
        }
        ears
    }

    /// The port nobody may reach, and the one some may.
    pub(super) fn ports(&self) -> (u16, u16) {
        (self.closed.local_addr().unwrap().port(), self.open.local_addr().unwrap().port())
    }

    /// The port of datagrams.
    pub(super) fn datagram_port(&self) -> u16 {
        self.datagrams.local_addr().unwrap().port()
    }

    /// Whether somebody came to the port some may reach, since this was asked last.
    pub(super) fn was_open(&self) -> bool {
        std::iter::from_fn(|| self.open.accept().ok()).count() > 0
    }

    /// Who was reached since this was asked last.
    pub(super) fn heard(&self) -> Vec<&'static str> {
        let mut all = Vec::new();
        let mut bytes = [0; 64];
        let mut add = |what, heard: bool| all.extend(heard.then_some(what));
        add("TCP", std::iter::from_fn(|| self.closed.accept().ok()).count() > 0);
        add("UDP", std::iter::from_fn(|| self.datagrams.recv(&mut bytes).ok()).count() > 0);
        add("a name", std::iter::from_fn(|| self.by_name.accept().ok()).count() > 0);
        let by_name = std::iter::from_fn(|| self.datagrams_by_name.recv(&mut bytes).ok()).count();
        add("a name, datagram", by_name > 0);
        for (stream, datagrams, pipe) in &self.by_path {
            let mut pipe = pipe;
            add("a path", std::iter::from_fn(|| stream.accept().ok()).count() > 0);
            add(
                "a path, datagram",
                std::iter::from_fn(|| datagrams.recv(&mut bytes).ok()).count() > 0,
            );
            add("a pipe", pipe.read(&mut bytes).is_ok_and(|got| got > 0));
        }
        all
    }
}
