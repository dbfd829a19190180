//! Scripts.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, PipeReader, Write},
    os::{fd::AsFd, unix::fs::OpenOptionsExt},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{cell::Cell, sandbox::Held};
use crate::{Error, Request, Script, quote};

/// What a shell is given: it reads its script from standard input before that becomes the script's. Apple's
/// reads only files of a known length so, no pipes.
const SCRIPT: [&str; 3] = ["-c", ". /dev/fd/0", "sh"];

/// Tells one script from another of the same process.
static SCRIPTS: AtomicU64 = AtomicU64::new(0);

/// A shell for one script, in a cell of its own.
#[derive(Debug)]
pub struct Shell {
    cell: Cell,
    held: Arc<Held>,
}

impl Shell {
    pub(super) fn new(held: &Arc<Held>) -> Self {
        Self { cell: Cell::new(held.clone()), held: held.clone() }
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
        let gone = |why: io::Error| Error::Gone { why: why.to_string() };
        let input = self.written(&text).map_err(gone)?;
        let (output, writer) = io::pipe().map_err(gone)?;
        let request = Request {
            program: "/bin/sh".to_owned(),
            arguments: SCRIPT.map(str::to_owned).into(),
            folder: self.held.plan.scope.clone(),
            ..Request::default()
        };
        self.cell.begin(&request, [input.as_fd(), writer.as_fd(), writer.as_fd()])?;
        Ok((self.cell, output))
    }

    /// The script as a file that has no name any more.
    fn written(&self, text: &str) -> io::Result<File> {
        let number = SCRIPTS.fetch_add(1, Ordering::Relaxed);
        let path = self.held.scripts.join(format!("{}-{number}", std::process::id()));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let written = file.write_all(text.as_bytes()).and_then(|()| File::open(&path));
        fs::remove_file(&path)?;
        written
    }
}
