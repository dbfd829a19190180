//! A shop over a folder of its own, with a broker that is nothing else.

use std::{
    error::Error,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use deskhand_run::{
    Broker, Network, Setup, Shop, Workshop,
    operation::{Job, Listener, Operation, Step, Work},
};

pub(crate) type Outcome = Result<(), Box<dyn Error>>;

/// A shop, and the folder its programs are held to.
pub(crate) struct Place {
    pub(crate) shop: Shop,
    pub(crate) scope: PathBuf,
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Result<Self, Box<dyn Error>> {
        Self::with(|_| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut Setup)) -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let scope = folder.path().canonicalize()?.join("scope");
        std::fs::create_dir(&scope)?;
        let tests = std::env::current_exe()?;
        let built = tests.parent().and_then(Path::parent).ok_or("no folder of what is built")?;
        let program = built.join("examples/operations_broker");
        let broker = Broker { program, word: "broker".to_owned() };
        let mut setup = Setup::new(broker, folder.path().join("output"));
        change(&mut setup);
        Ok(Self { shop: Shop::new(setup), scope, folder })
    }

    pub(crate) fn open(&self) -> Result<Workshop, Box<dyn Error>> {
        Ok(self.shop.open(&self.scope, Network::Off)?)
    }

    /// The folder of long outputs.
    pub(crate) fn outputs(&self) -> PathBuf {
        self.folder.path().join("output")
    }
}

/// A script in the scope.
pub(crate) fn script(text: &str) -> Job {
    let work = Work::Shell { script: text.to_owned(), folder: PathBuf::new() };
    Job { tool: "sandboxed_shell".to_owned(), title: text.to_owned(), work, timeout: None }
}

/// A script that must not take long.
pub(crate) fn quick(text: &str, timeout: Duration) -> Job {
    Job { timeout: Some(timeout), ..script(text) }
}

/// A program in the scope.
pub(crate) fn step(words: &[&str]) -> Step {
    let (program, arguments) = words.split_first().map_or(("", &[][..]), |(a, b)| (*a, b));
    Step {
        title: words.join(" "),
        program: program.to_owned(),
        arguments: arguments.iter().map(|&word| word.to_owned()).collect(),
        folder: PathBuf::new(),
        skip: None,
        delay_before: Duration::ZERO,
        files: Vec::new(),
    }
}

/// Programs one after the other.
pub(crate) fn sequence(steps: Vec<Step>) -> Job {
    Job {
        tool: "cargo_check".to_owned(),
        title: "steps".to_owned(),
        work: Work::Steps(steps),
        timeout: None,
    }
}

/// Runs a job in this thread.
pub(crate) fn ran(workshop: &Workshop, job: Job) -> Result<Arc<Operation>, Box<dyn Error>> {
    let operation = workshop.prepare(job, Listener::Nobody)?;
    workshop.run(&operation)?;
    Ok(operation)
}

/// All it printed, which must not be much.
pub(crate) fn said(operation: &Operation) -> String {
    operation.excerpt(1 << 20).head
}

/// A moment that is far away, for what must come sooner.
pub(crate) fn patience() -> Instant {
    Instant::now() + Duration::from_secs(30)
}

/// Processes whose command line holds a word.
pub(crate) fn marked(word: &str) -> usize {
    let Ok(all) = std::fs::read_dir("/proc") else { return 0 };
    let lines = all.flatten().filter_map(|one| std::fs::read(one.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(word)).count()
}

/// Waits for something to be so.
pub(crate) fn until(so: impl Fn() -> bool) -> bool {
    let patience = patience();
    while !so() {
        if Instant::now() > patience {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

/// Never stops waiting by itself.
pub(crate) const STAY: &dyn Fn() -> bool = &|| false;
