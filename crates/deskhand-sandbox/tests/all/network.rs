//! Sockets, pipes and the network: only what the plan allows can be reached.

use std::{
    error::Error,
    fs,
    io::Read,
    net::{TcpListener, UdpSocket},
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixListener},
    },
};

use crate::fixture::TestSandbox;
use deskhand_sandbox::{Enforcement, ExitReason, Network};

type TestResult = Result<(), Box<dyn Error>>;

/// A Python script that connects a socket and sends a byte.
fn connect_script(family: &str, kind: &str, address: &str) -> String {
    format!(
        "/usr/bin/python3 -c 'import socket; s=socket.socket(socket.{family}, socket.{kind}); \
         s.settimeout(2); s.connect({address}); s.send(b\"x\")'"
    )
}

#[test]
fn sockets_outside_cannot_be_reached_and_those_inside_can() -> TestResult {
    let place = tempfile::tempdir()?;
    let path = place.path().canonicalize()?.join("socket");
    let _by_path = UnixListener::bind(&path)?;
    let name = format!("deskhand-sandbox-{}", std::process::id());
    let _by_name = UnixListener::bind_addr(&SocketAddr::from_abstract_name(name.as_bytes())?)?;
    let pathname = connect_script("AF_UNIX", "SOCK_STREAM", &format!("\"{}\"", path.display()));
    let abstracted = connect_script("AF_UNIX", "SOCK_STREAM", &format!("\"\\0{name}\""));
    for network in [Network::Off, Network::On] {
        let fixture =
            TestSandbox::with_plan(Enforcement::Kernel, |plan| plan.network = network.clone())?;
        for text in [&pathname, &abstracted] {
            let (exit, output_text) = fixture.run(text)?;
            assert_ne!(exit, ExitReason::Exit(0), "{network:?} {text}: {output_text}");
        }
        let control = "/usr/bin/python3 -c 'import socket\nfor name in (\"here\", \"\\0here\"):\n  \
                       l=socket.socket(socket.AF_UNIX); l.bind(name); l.listen(); \
                       c=socket.socket(socket.AF_UNIX); c.connect(name); c.send(b\"x\")'";
        let (exit, output_text) = fixture.run(control)?;
        assert_eq!(exit, ExitReason::Exit(0), "{network:?}: {output_text}");
    }
    for text in [pathname, abstracted] {
        let plain = TestSandbox::new(Enforcement::None)?;
        assert_eq!(plain.run(&text)?.0, ExitReason::Exit(0), "{text}");
    }
    Ok(())
}

#[test]
fn sockets_and_pipes_in_a_readable_folder_cannot_be_reached() -> TestResult {
    let place = tempfile::tempdir()?;
    let shown = place.path().canonicalize()?;
    let _listening = UnixListener::bind(shown.join("socket"))?;
    let pipe = shown.join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU)?;
    let mut reader = fs::OpenOptions::new().read(true).write(true).open(&pipe)?;
    let fixture =
        TestSandbox::with_plan(Enforcement::Kernel, |plan| plan.readable.push(shown.clone()))?;
    let socket =
        connect_script("AF_UNIX", "SOCK_STREAM", &format!("\"{}/socket\"", shown.display()));
    let written = format!("timeout 1 sh -c 'echo from inside > {}'", pipe.display());
    for text in [socket, written] {
        let (exit, output_text) = fixture.run(&text)?;
        assert_ne!(exit, ExitReason::Exit(0), "{text}: {output_text}");
    }
    // The pipe contains only what is written here.
    use std::io::Write as _;
    reader.write_all(b"end")?;
    let mut first = [0; 3];
    reader.read_exact(&mut first)?;
    assert_eq!(&first, b"end");
    Ok(())
}

#[test]
fn network_access_follows_the_plan() -> TestResult {
    let (one, other) = (TcpListener::bind("127.0.0.1:0")?, TcpListener::bind("127.0.0.1:0")?);
    let datagrams = UdpSocket::bind("127.0.0.1:0")?;
    let (port, wrong) = (one.local_addr()?.port(), other.local_addr()?.port());
    let tcp =
        |port: u16| connect_script("AF_INET", "SOCK_STREAM", &format!("(\"127.0.0.1\", {port})"));
    let udp = connect_script(
        "AF_INET",
        "SOCK_DGRAM",
        &format!("(\"127.0.0.1\", {})", datagrams.local_addr()?.port()),
    );
    let fast = format!(
        "/usr/bin/python3 -c 'import socket; s=socket.socket(); s.sendto(b\"x\", 0x20000000, (\"127.0.0.1\", {wrong}))'"
    );
    let raw =
        "/usr/bin/python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'"
            .to_owned();
    let all = [tcp(port), tcp(wrong), udp, fast, raw];
    let wanted = [
        (Network::Off, [false, false, false, false, false]),
        (Network::On, [true, true, true, true, false]),
        (Network::Ports(vec![port]), [true, false, false, false, false]),
    ];
    for (network, wanted) in wanted {
        let fixture =
            TestSandbox::with_plan(Enforcement::Kernel, |plan| plan.network = network.clone())?;
        for (text, wanted) in all.iter().zip(wanted) {
            let (exit, output_text) = fixture.run(text)?;
            assert_eq!(exit == ExitReason::Exit(0), wanted, "{network:?} {text}: {output_text}");
        }
    }
    drop((one, other));
    let mut buffer = [0; 9];
    datagrams.set_nonblocking(true)?;
    assert_eq!(datagrams.recv(&mut buffer)?, 1);
    assert!(datagrams.recv(&mut buffer).is_err());
    Ok(())
}
