//! A command service over a temporary folder, with the example broker.

use std::{
    error::Error,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use deskhand_run::{
    BrokerCommand, CommandService, CommandSession, Network, ServiceConfig,
    operation::{Operation, OperationObserver, OperationSpec, ProgramStep, Work},
};

pub(crate) type TestResult = Result<(), Box<dyn Error>>;

/// A command service and its scope.
pub(crate) struct Fixture {
    pub(crate) service: CommandService,
    pub(crate) scope: PathBuf,
    folder: tempfile::TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Result<Self, Box<dyn Error>> {
        Self::with(|_| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut ServiceConfig)) -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let scope = folder.path().canonicalize()?.join("scope");
        std::fs::create_dir(&scope)?;
        let tests = std::env::current_exe()?;
        let built = tests.parent().and_then(Path::parent).ok_or("no build folder")?;
        let program = built.join("examples/operations_broker");
        let broker = BrokerCommand { program, argument: "broker".to_owned() };
        let mut config = ServiceConfig::new(broker, folder.path().join("output"));
        change(&mut config);
        Ok(Self { service: CommandService::new(config), scope, folder })
    }

    pub(crate) fn open(&self) -> Result<CommandSession, Box<dyn Error>> {
        Ok(self.service.open_session(&self.scope, Network::Off)?)
    }

    /// The folder for long outputs.
    pub(crate) fn outputs(&self) -> PathBuf {
        self.folder.path().join("output")
    }
}

/// Describes a script in the scope.
pub(crate) fn script(text: &str) -> OperationSpec {
    let work = Work::Shell { script: text.to_owned(), folder: PathBuf::new() };
    OperationSpec {
        tool: "sandboxed_shell".to_owned(),
        title: text.to_owned(),
        work,
        timeout: None,
    }
}

/// Describes a script with a timeout.
pub(crate) fn script_with_timeout(text: &str, timeout: Duration) -> OperationSpec {
    OperationSpec { timeout: Some(timeout), ..script(text) }
}

/// Describes a program in the scope.
pub(crate) fn step(words: &[&str]) -> ProgramStep {
    let (program, arguments) = words.split_first().map_or(("", &[][..]), |(a, b)| (*a, b));
    ProgramStep {
        title: words.join(" "),
        program: program.to_owned(),
        arguments: arguments.iter().map(|&word| word.to_owned()).collect(),
        folder: PathBuf::new(),
        skip: None,
        delay_before: Duration::ZERO,
        files: Vec::new(),
    }
}

/// Describes programs that run one after the other.
pub(crate) fn sequence(steps: Vec<ProgramStep>) -> OperationSpec {
    OperationSpec {
        tool: "cargo_check".to_owned(),
        title: "steps".to_owned(),
        work: Work::Steps(steps),
        timeout: None,
    }
}

/// Runs an operation in this thread.
pub(crate) fn run_now(
    session: &CommandSession,
    spec: OperationSpec,
) -> Result<Arc<Operation>, Box<dyn Error>> {
    let operation = session.register(spec, OperationObserver::None)?;
    session.run(&operation)?;
    Ok(operation)
}

/// The complete output, which must be short.
pub(crate) fn output_text(operation: &Operation) -> String {
    operation.excerpt(1 << 20).head
}

/// A deadline that only a failing test reaches.
pub(crate) fn test_deadline() -> Instant {
    Instant::now() + Duration::from_secs(30)
}

/// Counts processes with this word in their command line.
pub(crate) fn count_processes(word: &str) -> usize {
    let Ok(all) = std::fs::read_dir("/proc") else { return 0 };
    let lines = all.flatten().filter_map(|one| std::fs::read(one.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(word)).count()
}

/// Waits until the condition is met. Returns `false` after a timeout.
pub(crate) fn wait_until(so: impl Fn() -> bool) -> bool {
    let test_deadline = test_deadline();
    while !so() {
        if Instant::now() > test_deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

/// A `should_stop` that never stops.
pub(crate) const NEVER_STOP: &dyn Fn() -> bool = &|| false;
