//! A sandbox over a folder of its own, with a broker that is nothing else.

use std::{
    error::Error,
    io::{PipeReader, Read},
    path::PathBuf,
};

use deskhand_sandbox::{Broker, Cell, Ended, How, Plan, Sandbox, Script};

/// With the kernel and without.
pub(crate) const EITHER: [How; 2] = [How::Kernel, How::None];

/// A sandbox, and the folder it is for.
pub(crate) struct Bench {
    pub(crate) sandbox: Sandbox,
    pub(crate) scope: PathBuf,
    _folder: tempfile::TempDir,
}

/// The broker that is built beside the tests.
pub(crate) fn broker() -> Result<Broker, Box<dyn Error>> {
    let tests = std::env::current_exe()?;
    let built =
        tests.parent().and_then(|deps| deps.parent()).ok_or("no folder of what is built")?;
    Ok(Broker { program: built.join("examples/broker"), word: "broker".to_owned() })
}

impl Bench {
    pub(crate) fn new(how: How) -> Result<Self, Box<dyn Error>> {
        Self::planned(how, |_| {})
    }

    pub(crate) fn planned(
        how: How,
        change: impl FnOnce(&mut Plan),
    ) -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let mut plan = Plan::new(folder.path())?;
        change(&mut plan);
        let sandbox = Sandbox::open(&plan, how, &broker()?)?;
        Ok(Self { sandbox, scope: plan.scope, _folder: folder })
    }

    /// Runs a script in the scope, to its end.
    pub(crate) fn run(&self, text: &str) -> Result<(Ended, String), Box<dyn Error>> {
        self.run_with(text, "", &[])
    }

    pub(crate) fn run_with(
        &self,
        text: &str,
        folder: &str,
        variables: &[(&str, &str)],
    ) -> Result<(Ended, String), Box<dyn Error>> {
        let variables =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let script = Script {
            text: text.to_owned(),
            environment: variables.collect(),
            folder: self.scope.join(folder),
        };
        let (cell, mut output) = self.sandbox.shell()?.run(&script)?;
        let mut said = Vec::new();
        output.read_to_end(&mut said)?;
        Ok((cell.wait()?, String::from_utf8_lossy(&said).into_owned()))
    }

    /// Begins a script in the scope.
    pub(crate) fn begin(&self, text: &str) -> Result<(Cell, PipeReader), Box<dyn Error>> {
        let script =
            Script { text: text.to_owned(), folder: self.scope.clone(), ..Script::default() };
        Ok(self.sandbox.shell()?.run(&script)?)
    }
}
