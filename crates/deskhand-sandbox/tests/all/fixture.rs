//! A sandbox over a temporary folder, with the example broker.

use std::{
    error::Error,
    io::{PipeReader, Read},
    path::PathBuf,
};

use deskhand_sandbox::{BrokerCommand, Container, Enforcement, ExitReason, Plan, Sandbox, Script};

/// Both kinds of enforcement.
pub(crate) const BOTH: [Enforcement; 2] = [Enforcement::Kernel, Enforcement::None];

/// A sandbox and its scope.
pub(crate) struct TestSandbox {
    pub(crate) sandbox: Sandbox,
    pub(crate) scope: PathBuf,
    _folder: tempfile::TempDir,
}

/// The broker that is built next to the tests.
pub(crate) fn broker() -> Result<BrokerCommand, Box<dyn Error>> {
    let tests = std::env::current_exe()?;
    let built = tests.parent().and_then(|deps| deps.parent()).ok_or("no build folder")?;
    Ok(BrokerCommand { program: built.join("examples/broker"), argument: "broker".to_owned() })
}

impl TestSandbox {
    pub(crate) fn new(enforcement: Enforcement) -> Result<Self, Box<dyn Error>> {
        Self::with_plan(enforcement, |_| {})
    }

    pub(crate) fn with_plan(
        enforcement: Enforcement,
        change: impl FnOnce(&mut Plan),
    ) -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let mut plan = Plan::new(folder.path())?;
        change(&mut plan);
        let sandbox = Sandbox::open(&plan, enforcement, &broker()?)?;
        Ok(Self { sandbox, scope: plan.scope, _folder: folder })
    }

    /// Runs a script in the scope and waits for its end.
    pub(crate) fn run(&self, text: &str) -> Result<(ExitReason, String), Box<dyn Error>> {
        self.run_with(text, "", &[])
    }

    pub(crate) fn run_with(
        &self,
        text: &str,
        folder: &str,
        variables: &[(&str, &str)],
    ) -> Result<(ExitReason, String), Box<dyn Error>> {
        let variables =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let script = Script {
            text: text.to_owned(),
            environment: variables.collect(),
            folder: self.scope.join(folder),
        };
        let (container, mut output) = self.sandbox.shell()?.run(&script)?;
        let mut output_text = Vec::new();
        output.read_to_end(&mut output_text)?;
        Ok((container.wait()?, String::from_utf8_lossy(&output_text).into_owned()))
    }

    /// Starts a script in the scope.
    pub(crate) fn start(&self, text: &str) -> Result<(Container, PipeReader), Box<dyn Error>> {
        let script =
            Script { text: text.to_owned(), folder: self.scope.clone(), ..Script::default() };
        Ok(self.sandbox.shell()?.run(&script)?)
    }
}
