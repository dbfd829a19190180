//! Listeners that sandboxed commands must not reach.

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

/// All listeners of a fixture.
pub(super) struct Listeners {
    forbidden_tcp: TcpListener,
    allowed_tcp: TcpListener,
    udp: UdpSocket,
    abstract_stream: UnixListener,
    abstract_datagram: UnixDatagram,
    path_listeners: Vec<(UnixListener, UnixDatagram, File)>,
    /// The name of the abstract sockets.
    pub(super) abstract_name: String,
}

impl Listeners {
    /// Listens on loopback ports, on an abstract name, and in each of the folders.
    pub(super) fn new(folders: &[&Path]) -> Self {
        let abstract_name = format!("deskhand-e2e-{:016x}", fastrand::u64(..));
        let address = |name: &str| SocketAddr::from_abstract_name(name.as_bytes()).unwrap();
        let path_listeners = folders.iter().map(|folder| {
            let pipe = folder.join("fifo");
            rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, Mode::from_raw_mode(0o666)).unwrap();
            // Opened for reading and writing, so that the pipe stays open without a writer.
            let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let pipe = File::from(rustix::fs::open(&pipe, flags, Mode::empty()).unwrap());
            let stream = UnixListener::bind(folder.join("sock")).unwrap();
            (stream, UnixDatagram::bind(folder.join("dgram")).unwrap(), pipe)
        });
        let listeners = Self {
            forbidden_tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            allowed_tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            abstract_stream: UnixListener::bind_addr(&address(&abstract_name)).unwrap(),
            abstract_datagram: UnixDatagram::bind_addr(&address(&format!(
                "{abstract_name}-datagram"
            )))
            .unwrap(),
            path_listeners: path_listeners.collect(),
            abstract_name,
        };
        listeners.forbidden_tcp.set_nonblocking(true).unwrap();
        listeners.allowed_tcp.set_nonblocking(true).unwrap();
        listeners.udp.set_nonblocking(true).unwrap();
        listeners.abstract_stream.set_nonblocking(true).unwrap();
        listeners.abstract_datagram.set_nonblocking(true).unwrap();
        for (stream, datagram, _) in &listeners.path_listeners {
            stream.set_nonblocking(true).unwrap();
            datagram.set_nonblocking(true).unwrap();
        }
        listeners
    }

    /// Returns the forbidden TCP port and the port that [`super::NetworkAccess::OnePort`] allows.
    pub(super) fn ports(&self) -> (u16, u16) {
        (
            self.forbidden_tcp.local_addr().unwrap().port(),
            self.allowed_tcp.local_addr().unwrap().port(),
        )
    }

    /// Returns the UDP port.
    pub(super) fn datagram_port(&self) -> u16 {
        self.udp.local_addr().unwrap().port()
    }

    /// Returns `true` if the allowed port was reached since the last call.
    pub(super) fn take_allowed_port_reached(&self) -> bool {
        std::iter::from_fn(|| self.allowed_tcp.accept().ok()).count() > 0
    }

    /// Returns the listeners that were reached since the last call.
    pub(super) fn take_reached(&self) -> Vec<&'static str> {
        let mut all = Vec::new();
        let mut bytes = [0; 64];
        let mut add = |what, reached: bool| all.extend(reached.then_some(what));
        add("TCP", std::iter::from_fn(|| self.forbidden_tcp.accept().ok()).count() > 0);
        add("UDP", std::iter::from_fn(|| self.udp.recv(&mut bytes).ok()).count() > 0);
        add(
            "abstract stream socket",
            std::iter::from_fn(|| self.abstract_stream.accept().ok()).count() > 0,
        );
        let datagrams = std::iter::from_fn(|| self.abstract_datagram.recv(&mut bytes).ok()).count();
        add("abstract datagram socket", datagrams > 0);
        for (stream, datagram, pipe) in &self.path_listeners {
            let mut pipe = pipe;
            add(
                "stream socket with a path",
                std::iter::from_fn(|| stream.accept().ok()).count() > 0,
            );
            add(
                "datagram socket with a path",
                std::iter::from_fn(|| datagram.recv(&mut bytes).ok()).count() > 0,
            );
            add("named pipe", pipe.read(&mut bytes).is_ok_and(|got| got > 0));
        }
        all
    }
}
