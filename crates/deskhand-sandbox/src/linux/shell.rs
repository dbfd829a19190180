//! Shells that are started before there is a script for them.

use std::{
    fs::File,
    io::{self, PipeReader, Write},
    os::fd::OwnedFd,
};

use super::container::Container;
use crate::{Error, Script, quote};

/// The longest script that fits into a pipe while its reader is busy.
const PIPE_CAPACITY: usize = 60_000;

/// A shell for one script, in its own container.
#[derive(Debug)]
pub struct PreparedShell {
    container: Container,
    script: OwnedFd,
    output: OwnedFd,
}

impl PreparedShell {
    pub(super) fn new(container: Container, script: OwnedFd, output: OwnedFd) -> Self {
        Self { container, script, output }
    }

    /// Runs a script. Standard output and standard error of the script and its descendants go to one pipe, in
    /// the order they were written. The input is empty.
    ///
    /// # Errors
    ///
    /// Fails if the shell is gone or the script is not valid.
    pub fn run(self, script: &Script) -> Result<(Container, PipeReader), Error> {
        let text = quote::render(script)
            .map_err(|reason| Error::StartFailed { program: "/bin/sh".to_owned(), reason })?;
        let mut to = File::from(self.script);
        let gone = |reason: io::Error| Error::Gone { reason: reason.to_string() };
        if text.len() <= PIPE_CAPACITY {
            to.write_all(text.as_bytes()).map_err(gone)?;
        } else {
            // The shell may run one line for a long time before it reads the next.
            let write_all = move || to.write_all(text.as_bytes());
            std::thread::Builder::new()
                .name("sandbox script".to_owned())
                .spawn(write_all)
                .map_err(gone)?;
        }
        Ok((self.container, PipeReader::from(self.output)))
    }
}
