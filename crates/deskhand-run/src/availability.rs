//! Runs the availability checks of tools, in the sandbox in which the tools would run.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    CommandSession,
    mtdf::{AvailabilityProbe, CommandTool},
    operation::{ExitReason, OperationObserver, OperationSpec, ProgramStep, Work},
    timing::CHECK_TIMEOUT,
};

/// Cached results of availability checks: `None` for success, or the reason of the failure.
#[derive(Debug, Default)]
pub struct AvailabilityChecks(HashMap<AvailabilityProbe, Option<String>>);

/// Tools divided by the results of their checks.
#[derive(Debug, Default)]
pub struct CheckedTools {
    /// Tools that are available.
    pub available: Vec<Arc<CommandTool>>,
    /// Unavailable tools, each with the reason.
    pub unavailable: Vec<(Arc<CommandTool>, String)>,
}

impl AvailabilityChecks {
    /// Returns the reason why a tool is unavailable. Each distinct check runs once.
    pub fn failure(&mut self, tool: &CommandTool, session: &CommandSession) -> Option<String> {
        let probe = tool.availability.as_ref()?;
        if let Some(known) = self.0.get(probe) {
            return known.clone();
        }
        let failure = run_check(probe, session);
        self.0.insert(probe.clone(), failure.clone());
        failure
    }

    /// Divides tools into available and unavailable ones.
    pub fn partition(
        &mut self,
        tools: &[Arc<CommandTool>],
        session: &CommandSession,
    ) -> CheckedTools {
        let mut checked = CheckedTools::default();
        for tool in tools {
            match self.failure(tool, session) {
                None => checked.available.push(Arc::clone(tool)),
                Some(reason) => checked.unavailable.push((Arc::clone(tool), reason)),
            }
        }
        checked
    }

    /// Forgets failed checks, so that a newly installed program is found.
    pub fn forget_failures(&mut self) {
        self.0.retain(|_, failure| failure.is_none());
    }
}

fn run_check(probe: &AvailabilityProbe, session: &CommandSession) -> Option<String> {
    let title = std::iter::once(&probe.program).chain(&probe.arguments);
    let title = title.map(String::as_str).collect::<Vec<_>>().join(" ");
    let step = ProgramStep {
        title: title.clone(),
        program: probe.program.clone(),
        arguments: probe.arguments.clone(),
        folder: probe.folder.as_ref().map(PathBuf::from).unwrap_or_default(),
        skip: None,
        delay_before: Duration::ZERO,
        files: Vec::new(),
    };
    let spec = OperationSpec {
        tool: "availability_check".to_owned(),
        title: title.clone(),
        work: Work::Steps(vec![step]),
        timeout: Some(CHECK_TIMEOUT),
    };
    let operation = match session.start(spec, OperationObserver::None) {
        Ok(operation) => operation,
        Err(error) => return Some(format!("`{title}`: {error}")),
    };
    operation.wait(Instant::now() + CHECK_TIMEOUT * 2, &|| false);
    operation.mark_reported();
    let summary = operation.summary();
    match summary.exit {
        Some(ExitReason::Exit(code)) if probe.success_codes.contains(&code) => None,
        Some(ExitReason::Exit(code)) => Some(format!("`{title}` exited with code {code}")),
        Some(ExitReason::NotStarted(reason)) => {
            Some(format!("`{title}` could not be started: {reason}"))
        }
        Some(ExitReason::Signal(_)) | None => {
            Some(format!("`{title}`: {}", summary.reason.unwrap_or_default()))
        }
    }
}
