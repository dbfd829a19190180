//! Shells that have begun before there is a script for them.

use std::{
    fs::File,
    io::{self, PipeReader, Write},
    os::fd::OwnedFd,
};

use super::held::Cell;
use crate::{Error, Script, quote};

/// The longest script a pipe takes at once, whatever its reader does meanwhile.
const LONGEST: usize = 60_000;

/// A shell for one script, in a cell of its own.
#[derive(Debug)]
pub struct Shell {
    cell: Cell,
    script: OwnedFd,
    output: OwnedFd,
}

impl Shell {
    pub(super) fn new(cell: Cell, script: OwnedFd, output: OwnedFd) -> Self {
        Self { cell, script, output }
    }

    /// Runs a script. What it and all it starts write, to standard output and standard error, comes out
    /// of one pipe in the order it was written; its input is empty.
    ///
    /// # Errors
    ///
    /// When the shell is gone, or no shell could read the script.
    pub fn run(self, script: &Script) -> Result<(Cell, PipeReader), Error> {
        let text = quote::whole(script)
            .map_err(|why| Error::Start { program: "/bin/sh".to_owned(), why })?;
        let mut to = File::from(self.script);
        let gone = |why: io::Error| Error::Gone { why: why.to_string() };
        if text.len() <= LONGEST {
            to.write_all(text.as_bytes()).map_err(gone)?;
        } else {
            // Its reader may run one line for long before it reads the next.
            let rest = move || to.write_all(text.as_bytes());
            std::thread::Builder::new()
                .name("sandbox script".to_owned())
                .spawn(rest)
                .map_err(gone)?;
        }
        Ok((self.cell, PipeReader::from(self.output)))
    }
}
