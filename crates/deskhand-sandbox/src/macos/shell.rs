//! Shells that run scripts.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, PipeReader, Write},
    os::{fd::AsFd, unix::fs::OpenOptionsExt},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{container::Container, sandbox::SandboxContext};
use crate::{Error, Request, Script, quote};

/// Arguments of the shell. It reads the whole script from standard input. Apple's shell can do this only with a
/// regular file, not with a pipe.
const SHELL_ARGUMENTS: [&str; 3] = ["-c", ". /dev/fd/0", "sh"];

/// Makes the script names of this process distinct.
static NEXT_SCRIPT: AtomicU64 = AtomicU64::new(0);

/// A shell for one script, in its own container.
#[derive(Debug)]
pub struct PreparedShell {
    container: Container,
    context: Arc<SandboxContext>,
}

impl PreparedShell {
    pub(super) fn new(context: &Arc<SandboxContext>) -> Self {
        Self { container: Container::new(context.clone()), context: context.clone() }
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
        let broker_gone = |reason: io::Error| Error::Gone { reason: reason.to_string() };
        let input = self.write_script(&text).map_err(broker_gone)?;
        let (output, writer) = io::pipe().map_err(broker_gone)?;
        let request = Request {
            program: "/bin/sh".to_owned(),
            arguments: SHELL_ARGUMENTS.map(str::to_owned).into(),
            folder: self.context.plan.scope.clone(),
            ..Request::default()
        };
        self.container.start(&request, [input.as_fd(), writer.as_fd(), writer.as_fd()])?;
        Ok((self.container, output))
    }

    /// Returns the script as an open file without a name.
    fn write_script(&self, text: &str) -> io::Result<File> {
        let id = NEXT_SCRIPT.fetch_add(1, Ordering::Relaxed);
        let path = self.context.scripts.join(format!("{}-{id}", std::process::id()));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let opened = file.write_all(text.as_bytes()).and_then(|()| File::open(&path));
        fs::remove_file(&path)?;
        opened
    }
}
