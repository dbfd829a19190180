//! Shells that have begun before there is a script for them.

use std::{
    fs::File,
    io::{self, PipeReader},
    os::fd::AsFd,
};

use super::held::Cell;
use crate::{Error, Request, Script};

/// A shell for one script, in a cell of its own.
#[derive(Debug)]
pub struct Shell {
    pub(super) cell: Cell,
}

impl Shell {
    /// Runs a script. What it and all it starts write, to standard output and standard error, comes out
    /// of one pipe in the order it was written; its input is empty.
    ///
    /// # Errors
    ///
    /// When the shell is gone.
    pub fn run(self, script: &Script) -> Result<(Cell, PipeReader), Error> {
        let gone = |why: io::Error| Error::Gone { why: why.to_string() };
        let (output, writer) = io::pipe().map_err(gone)?;
        let input = File::open("/dev/null").map_err(gone)?;
        let request = Request {
            program: "/bin/sh".to_owned(),
            arguments: vec!["-c".to_owned(), script.text.clone()],
            environment: script.environment.clone(),
            folder: script.folder.clone(),
        };
        self.cell.begin(&request, [input.as_fd(), writer.as_fd(), writer.as_fd()])?;
        Ok((self.cell, output))
    }
}
