//! The X server of a desktop: a virtual screen, a cookie that opens it, its monitors.

use std::io::ErrorKind;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use x11rb::connection::Connection;
use x11rb::errors::ReplyError;
use x11rb::protocol::randr::{ConnectionExt as _, MonitorInfo};
use x11rb::protocol::xproto::ConnectionExt as _;
use x11rb::rust_connection::{DefaultStream, RustConnection};

use super::crew::Crew;
use super::error::{Error, Result};
use super::info::{Display, Info, Part};
use super::programs::Programs;
use super::state::random;

const COOKIE_NAME: &[u8] = b"MIT-MAGIC-COOKIE-1";
const COOKIE_LENGTH: usize = 16;
const DPI: u32 = 96;

/// Starts the server and returns its display, such as `:7`, when it takes connections.
pub(super) fn start(crew: &Crew<'_>, programs: &Programs, displays: &[Display]) -> Result<String> {
    let xauthority = crew.place().xauthority();
    crew.place().write(&xauthority, &authority(&random::<COOKIE_LENGTH>()?))?;
    let width = displays.iter().map(|one| one.x + one.width).max().unwrap_or_default();
    let height = displays.iter().map(|one| one.y + one.height).max().unwrap_or_default();
    let screen = format!("{width}x{height}x24");
    let xauthority = xauthority.display().to_string();
    let dpi = DPI.to_string();
    // The server picks a free number itself and tells it when it is ready.
    #[rustfmt::skip]
    let arguments = [
        "-displayfd", "3", "-screen", "0", &screen, "-dpi", &dpi, "-auth", &xauthority,
        "-nolisten", "tcp", "-noreset", "-s", "0",
    ];
    let mut started = crew.start(Part::Display, &programs.xvfb, &arguments, None)?;
    let number = crew.first_line(&programs.xvfb, &mut started.report)?;
    Ok(format!(":{number}"))
}

/// Opens a display with the cookie in a file of ours.
pub(super) fn connect(display: &str, xauthority: &Path) -> Result<RustConnection> {
    let file = std::fs::read(xauthority).map_err(Error::io("read", xauthority))?;
    let cookie = file.last_chunk::<COOKIE_LENGTH>().map(|end| end.to_vec()).unwrap_or_default();
    let socket = socket(display);
    let (stream, _) = UnixStream::connect(&socket)
        .and_then(DefaultStream::from_unix_stream)
        .map_err(Error::io("connect to", &socket))?;
    RustConnection::connect_to_stream_with_auth_info(stream, 0, COOKIE_NAME.to_vec(), cookie)
        .map_err(|error| Error::io("connect to", &socket)(std::io::Error::other(error)))
}

/// Removes what a killed server leaves in the file system, unless another has taken it over.
pub(super) fn remove_leftovers(info: &Info) {
    let number = info.display.trim_start_matches(':');
    let socket = socket(&info.display);
    let refused = |error: std::io::Error| error.kind() == ErrorKind::ConnectionRefused;
    if UnixStream::connect(&socket).is_err_and(refused) {
        // Another sweep may be faster.
        let _ = std::fs::remove_file(&socket);
    }
    // A server that picks its own number takes no lock file today; others have.
    let lock = format!("/tmp/.X{number}-lock");
    let holder = std::fs::read_to_string(&lock).unwrap_or_default();
    let server = info.component(Part::Display).map(|one| one.process);
    if server.is_some_and(|one| !one.is_alive() && holder.trim() == one.pid.to_string()) {
        let _ = std::fs::remove_file(lock);
    }
}

fn socket(display: &str) -> PathBuf {
    format!("/tmp/.X11-unix/X{}", display.trim_start_matches(':')).into()
}

/// Divides the screen into monitors, the first of them the primary one.
pub(super) fn divide(connection: &RustConnection, displays: &[Display]) -> Result<(), ReplyError> {
    let root = connection.setup().roots[0].root;
    connection.randr_query_version(1, 5)?.reply()?;
    let outputs = connection.randr_get_screen_resources_current(root)?.reply()?.outputs;
    for (index, display) in displays.iter().enumerate() {
        let name = connection.intern_atom(false, display.name.as_bytes())?.reply()?.atom;
        let monitor = MonitorInfo {
            name,
            primary: index == 0,
            automatic: false,
            x: narrow(display.x),
            y: narrow(display.y),
            width: narrow(display.width),
            height: narrow(display.height),
            width_in_millimeters: millimeters(display.width),
            height_in_millimeters: millimeters(display.height),
            // The server has one output, and an output belongs to one monitor.
            outputs: if index == 0 { outputs.clone() } else { Vec::new() },
        };
        connection.randr_set_monitor(root, monitor)?.check()?;
    }
    Ok(())
}

/// Sizes were checked against what X11 can carry before the server was started.
fn narrow<T: TryFrom<u32> + Default>(pixels: u32) -> T {
    T::try_from(pixels).unwrap_or_default()
}

fn millimeters(pixels: u32) -> u32 {
    pixels * 254 / (DPI * 10)
}

/// Writes the authority file: one entry for any host and any display number, so that it can be
/// there before the server has picked one.
fn authority(cookie: &[u8; COOKIE_LENGTH]) -> Vec<u8> {
    const ANY_HOST: [u8; 2] = [0xff, 0xff];
    let mut file = ANY_HOST.to_vec();
    for field in [b"", b"", COOKIE_NAME, cookie.as_slice()] {
        file.extend(narrow::<u16>(u32::try_from(field.len()).unwrap_or_default()).to_be_bytes());
        file.extend(field);
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_authority_file_ends_with_the_cookie() {
        let file = authority(&[7; COOKIE_LENGTH]);
        assert_eq!(&file[..6], [0xff, 0xff, 0, 0, 0, 0]);
        assert_eq!(&file[6..8], [0, 18]);
        assert_eq!(&file[8..26], COOKIE_NAME);
        assert_eq!(&file[26..28], [0, 16]);
        assert_eq!(&file[28..], [7; 16]);
    }

    #[test]
    fn a_display_at_96_dots_an_inch_has_its_size() {
        assert_eq!(millimeters(1920), 508);
    }
}
