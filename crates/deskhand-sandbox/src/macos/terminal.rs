//! Terminals.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::{ffi::OsStringExt, fs::OpenOptionsExt},
    path::PathBuf,
};

use rustix::{
    fs::OFlags,
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Winsize, tcsetwinsize},
};

use crate::{Error, Size};

/// The outer end of a terminal: what is written to it is typed, what is read from it is shown.
#[derive(Debug)]
pub struct Terminal {
    /// The terminal itself. Reading ends, or fails with `EIO`, when nobody is left inside.
    pub end: File,
}

impl Terminal {
    /// Changes its size; whoever runs in it is told.
    ///
    /// # Errors
    ///
    /// When it is gone.
    pub fn resize(&self, size: Size) -> Result<(), Error> {
        tcsetwinsize(&self.end, winsize(size))
            .map_err(|errno| Error::Gone { why: errno.to_string() })
    }
}

/// Both ends of a new terminal, and the name of the inner one.
pub(super) struct Ends {
    pub(super) outside: File,
    pub(super) inside: File,
    pub(super) name: PathBuf,
}

pub(super) fn open(size: Size) -> io::Result<Ends> {
    let outside = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    // The system has no way to open it so from the beginning.
    rustix::io::fcntl_setfd(&outside, rustix::io::FdFlags::CLOEXEC)?;
    grantpt(&outside)?;
    unlockpt(&outside)?;
    let name = ptsname(&outside, Vec::new())?.into_bytes();
    let name = PathBuf::from(std::ffi::OsString::from_vec(name));
    let flags = i32::try_from(OFlags::NOCTTY.bits()).map_err(io::Error::other)?;
    let inside = OpenOptions::new().read(true).write(true).custom_flags(flags).open(&name)?;
    // A terminal nobody has opened yet has no size here.
    tcsetwinsize(&inside, winsize(size))?;
    Ok(Ends { outside: outside.into(), inside, name })
}

fn winsize(size: Size) -> Winsize {
    Winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 }
}
