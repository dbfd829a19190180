//! The X server of a desktop: the virtual screen, its cookie and its monitors.

use std::io::ErrorKind;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use x11rb::connection::Connection;
use x11rb::errors::ReplyError;
use x11rb::protocol::randr::{ConnectionExt as _, MonitorInfo};
use x11rb::protocol::xproto::ConnectionExt as _;
use x11rb::rust_connection::{DefaultStream, RustConnection};

use super::components::ComponentStarter;
use super::error::{Error, Result};
use super::info::{ComponentKind, DesktopInfo, Display};
use super::programs::Programs;
use super::state::random;

const COOKIE_NAME: &[u8] = b"MIT-MAGIC-COOKIE-1";
const COOKIE_LENGTH: usize = 16;
const DPI: u32 = 96;

/// Starts the X server, and returns its display, such as `:7`, when it accepts connections.
pub(super) fn start(
    starter: &ComponentStarter<'_>,
    programs: &Programs,
    displays: &[Display],
) -> Result<String> {
    let xauthority = starter.dir().xauthority();
    starter.dir().write(&xauthority, &authority_file(&random::<COOKIE_LENGTH>()?))?;
    let width = displays.iter().map(|one| one.x + one.width).max().unwrap_or_default();
    let height = displays.iter().map(|one| one.y + one.height).max().unwrap_or_default();
    let screen = format!("{width}x{height}x24");
    let xauthority = xauthority.display().to_string();
    let dpi = DPI.to_string();
    // The server chooses a free number and reports it when it is ready.
    #[rustfmt::skip]
    let arguments = [
        "-displayfd", "3", "-screen", "0", &screen, "-dpi", &dpi, "-auth", &xauthority,
        "-nolisten", "tcp", "-noreset", "-s", "0",
    ];
    let mut started = starter.start(ComponentKind::Display, &programs.xvfb, &arguments, None)?;
    let number = starter.first_line(&programs.xvfb, &mut started.report)?;
    Ok(format!(":{number}"))
}

/// Connects to a display with the cookie in an authority file.
pub(super) fn connect(display: &str, xauthority: &Path) -> Result<RustConnection> {
    let file = std::fs::read(xauthority).map_err(Error::io("read", xauthority))?;
    let cookie = file.last_chunk::<COOKIE_LENGTH>().map(|end| end.to_vec()).unwrap_or_default();
    let socket = socket_path(display);
    let (stream, _) = UnixStream::connect(&socket)
        .and_then(DefaultStream::from_unix_stream)
        .map_err(Error::io("connect to", &socket))?;
    RustConnection::connect_to_stream_with_auth_info(stream, 0, COOKIE_NAME.to_vec(), cookie)
        .map_err(|error| Error::io("connect to", &socket)(std::io::Error::other(error)))
}

/// Removes the socket and lock file of a killed server, unless another server uses them.
pub(super) fn remove_leftovers(info: &DesktopInfo) {
    let number = info.display.trim_start_matches(':');
    let socket = socket_path(&info.display);
    let refused = |error: std::io::Error| error.kind() == ErrorKind::ConnectionRefused;
    if UnixStream::connect(&socket).is_err_and(refused) {
        // Another process may have removed it first.
        let _ = std::fs::remove_file(&socket);
    }
    // A server that chooses its own number creates no lock file today, but other servers do.
    let lock = format!("/tmp/.X{number}-lock");
    let lock_pid = std::fs::read_to_string(&lock).unwrap_or_default();
    let server = info.component(ComponentKind::Display).map(|one| one.process);
    if server.is_some_and(|one| !one.is_alive() && lock_pid.trim() == one.pid.to_string()) {
        let _ = std::fs::remove_file(lock);
    }
}

fn socket_path(display: &str) -> PathBuf {
    format!("/tmp/.X11-unix/X{}", display.trim_start_matches(':')).into()
}

/// Divides the screen into monitors. The first is the primary one.
pub(super) fn set_monitors(
    connection: &RustConnection,
    displays: &[Display],
) -> Result<(), ReplyError> {
    let root = connection.setup().roots[0].root;
    connection.randr_query_version(1, 5)?.reply()?;
    let outputs = connection.randr_get_screen_resources_current(root)?.reply()?.outputs;
    for (index, display) in displays.iter().enumerate() {
        let name = connection.intern_atom(false, display.name.as_bytes())?.reply()?.atom;
        let monitor = MonitorInfo {
            name,
            primary: index == 0,
            automatic: false,
            x: to_x11_int(display.x),
            y: to_x11_int(display.y),
            width: to_x11_int(display.width),
            height: to_x11_int(display.height),
            width_in_millimeters: millimeters(display.width),
            height_in_millimeters: millimeters(display.height),
            // The server has one output, and an output belongs to one monitor.
            outputs: if index == 0 { outputs.clone() } else { Vec::new() },
        };
        connection.randr_set_monitor(root, monitor)?.check()?;
    }
    Ok(())
}

/// Converts a number to an X11 integer type. The sizes were checked before the server was started.
fn to_x11_int<T: TryFrom<u32> + Default>(pixels: u32) -> T {
    T::try_from(pixels).unwrap_or_default()
}

fn millimeters(pixels: u32) -> u32 {
    pixels * 254 / (DPI * 10)
}

/// Returns the content of the authority file: one entry for any host and display number, because
/// the file must exist before the server has chosen a number.
fn authority_file(cookie: &[u8; COOKIE_LENGTH]) -> Vec<u8> {
    const ANY_HOST: [u8; 2] = [0xff, 0xff];
    let mut file = ANY_HOST.to_vec();
    for field in [b"", b"", COOKIE_NAME, cookie.as_slice()] {
        file.extend(
            to_x11_int::<u16>(u32::try_from(field.len()).unwrap_or_default()).to_be_bytes(),
        );
        file.extend(field);
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_authority_file_ends_with_the_cookie() {
        let file = authority_file(&[7; COOKIE_LENGTH]);
        assert_eq!(&file[..6], [0xff, 0xff, 0, 0, 0, 0]);
        assert_eq!(&file[6..8], [0, 18]);
        assert_eq!(&file[8..26], COOKIE_NAME);
        assert_eq!(&file[26..28], [0, 16]);
        assert_eq!(&file[28..], [7; 16]);
    }

    #[test]
    fn millimeters_follow_from_96_dpi() {
        assert_eq!(millimeters(1920), 508);
    }
}
