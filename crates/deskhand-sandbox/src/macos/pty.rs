//! Pseudoterminals.

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

use crate::{Error, TerminalSize};

/// The master side of a pseudoterminal: writes are typed, reads return what is shown.
#[derive(Debug)]
pub struct Pty {
    /// The open device. Reading ends or fails with `EIO` when no process has the terminal open.
    pub master: File,
}

impl Pty {
    /// Changes the size. The program gets `SIGWINCH`.
    ///
    /// # Errors
    ///
    /// Fails if the terminal is gone.
    pub fn resize(&self, size: TerminalSize) -> Result<(), Error> {
        tcsetwinsize(&self.master, winsize(size))
            .map_err(|errno| Error::Gone { reason: errno.to_string() })
    }
}

/// Both sides of a new pseudoterminal, and the path of the slave side.
pub(super) struct PtyPair {
    pub(super) master: File,
    pub(super) slave: File,
    pub(super) name: PathBuf,
}

pub(super) fn open(size: TerminalSize) -> io::Result<PtyPair> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    // macOS cannot set this flag when it opens the device.
    rustix::io::fcntl_setfd(&master, rustix::io::FdFlags::CLOEXEC)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let name = ptsname(&master, Vec::new())?.into_bytes();
    let name = PathBuf::from(std::ffi::OsString::from_vec(name));
    let flags = i32::try_from(OFlags::NOCTTY.bits()).map_err(io::Error::other)?;
    let slave = OpenOptions::new().read(true).write(true).custom_flags(flags).open(&name)?;
    // On macOS the size can be set only after the slave side was opened.
    tcsetwinsize(&slave, winsize(size))?;
    Ok(PtyPair { master: master.into(), slave, name })
}

fn winsize(size: TerminalSize) -> Winsize {
    Winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 }
}
