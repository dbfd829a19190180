//! Whether tools that files declare can be used here: their own checks, run where they would run.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    Workshop,
    mtdf::{Callable, Probe},
    operation::{Ended, Job, Listener, Step, Work},
};

/// How long one check may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// What checks came to; each distinct one runs once.
#[derive(Debug, Default)]
pub struct Checks(HashMap<Probe, Option<String>>);

/// Tools by what their checks came to.
#[derive(Debug, Default)]
pub struct Sorted {
    /// Those that can be used.
    pub usable: Vec<Arc<Callable>>,
    /// The others, and why not.
    pub others: Vec<(Arc<Callable>, String)>,
}

impl Checks {
    /// Why a tool cannot be used, if it cannot.
    pub fn fault(&mut self, tool: &Callable, workshop: &Workshop) -> Option<String> {
        let probe = tool.availability.as_ref()?;
        if let Some(known) = self.0.get(probe) {
            return known.clone();
        }
        let fault = tried(probe, workshop);
        self.0.insert(probe.clone(), fault.clone());
        fault
    }

    /// Tells the tools that can be used from the others.
    pub fn sort(&mut self, tools: &[Arc<Callable>], workshop: &Workshop) -> Sorted {
        let mut sorted = Sorted::default();
        for tool in tools {
            match self.fault(tool, workshop) {
                None => sorted.usable.push(Arc::clone(tool)),
                Some(why) => sorted.others.push((Arc::clone(tool), why)),
            }
        }
        sorted
    }

    /// Forgets what was found, so that a program that was installed since is found.
    pub fn forget_faults(&mut self) {
        self.0.retain(|_, fault| fault.is_none());
    }
}

fn tried(probe: &Probe, workshop: &Workshop) -> Option<String> {
    let title = std::iter::once(&probe.program).chain(&probe.arguments);
    let title = title.map(String::as_str).collect::<Vec<_>>().join(" ");
    let step = Step {
        title: title.clone(),
        program: probe.program.clone(),
        arguments: probe.arguments.clone(),
        folder: probe.folder.as_ref().map(PathBuf::from).unwrap_or_default(),
        skip: None,
        delay_before: Duration::ZERO,
        files: Vec::new(),
    };
    let job = Job {
        tool: "availability_check".to_owned(),
        title: title.clone(),
        work: Work::Steps(vec![step]),
        timeout: Some(PATIENCE),
    };
    let operation = match workshop.begin(job, Listener::Nobody) {
        Ok(operation) => operation,
        Err(error) => return Some(format!("`{title}`: {error}")),
    };
    operation.wait(Instant::now() + PATIENCE * 2, &|| false);
    operation.reported();
    let summary = operation.summary();
    match summary.exit {
        Some(Ended::Exit(code)) if probe.good.contains(&code) => None,
        Some(Ended::Exit(code)) => Some(format!("`{title}` ended with exit code {code}")),
        Some(Ended::NotStarted(why)) => Some(format!("`{title}` could not be started: {why}")),
        Some(Ended::Signal(_)) | None => {
            Some(format!("`{title}`: {}", summary.why.unwrap_or_default()))
        }
    }
}
