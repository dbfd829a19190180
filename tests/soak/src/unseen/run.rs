//! Runs the steps of one app on its own desktop.

use std::os::unix::process::CommandExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use harness::Outcome;
use harness::actions::answer::Answer;
use regex::Regex;
use rustix::process::{Pid, Signal, kill_process_group};
use serde::{Deserialize, Serialize};

use super::desktop::MeasuredDesktop;
use super::judge::{StepClass, judge};
use super::oracle::{self, Content};
use super::script::{AppScript, Expected, OracleSpec, ScriptStep};
use crate::timing::{
    CLAIMED_EFFECT_WAIT, LATE_EFFECT_WAIT, ORACLE_INTERVAL, SETTLE_WAIT, SLOW_CALL,
    UNSEEN_APP_LIMIT, UNSEEN_QUIET_PERIOD, UNSEEN_QUIET_TIMEOUT, UNSEEN_START_TIMEOUT,
};

/// Commands without the option `--app`.
const WITHOUT_APP: [&str; 5] = ["pointer", "clipboard", "window", "open", "quit"];

/// The result of one step.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StepRecord {
    pub(crate) command: String,
    pub(crate) class: StepClass,
    /// The effect that Deskhand reported, or `failed`.
    pub(crate) effect: String,
    /// The rest of the answer, or the reason why the step could not be judged.
    pub(crate) answer: String,
    pub(crate) elapsed_ms: u64,
    pub(crate) slow: bool,
}

/// The result of one app.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct AppRecord {
    pub(crate) name: String,
    pub(crate) toolkit: String,
    pub(crate) seconds: f64,
    pub(crate) steps: Vec<StepRecord>,
}

/// Runs all steps of an app. A failure outside of a step makes all its steps errors.
pub(crate) fn run_app(script: &AppScript, binary: &Path) -> AppRecord {
    let started = Instant::now();
    let steps = match start(script, binary) {
        Ok((desktop, app)) => Session { script, binary, desktop, _app: app }.run_steps(started),
        Err(why) => script.steps.iter().map(|step| error_record(step, &why)).collect(),
    };
    AppRecord {
        name: script.name.clone(),
        toolkit: script.toolkit.clone(),
        seconds: started.elapsed().as_secs_f64(),
        steps,
    }
}

/// A started app. Dropping it kills its process group.
struct StartedApp(Child);

impl Drop for StartedApp {
    fn drop(&mut self) {
        if let Some(group) = Pid::from_raw(self.0.id().cast_signed()) {
            // The app may have exited. Programs that left the group end with the desktop.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.0.wait();
    }
}

fn start(script: &AppScript, binary: &Path) -> Result<(MeasuredDesktop, StartedApp), String> {
    let desktop = MeasuredDesktop::start(binary).map_err(|error| error.to_string())?;
    let home = desktop.home();
    for (name, text) in &script.files {
        let path = home.join(name);
        path.parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|error| format!("{name}: {error}"))?;
    }
    if let Some(line) = &script.prepare {
        oracle::output(&mut desktop.shell(line));
    }
    let mut command = desktop.shell(&script.start);
    for (name, value) in &script.env {
        let value = match value.strip_prefix("~/") {
            Some(rest) => home.join(rest).into_os_string(),
            None => value.into(),
        };
        command.env(name, value);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let app = StartedApp(command.spawn().map_err(|error| error.to_string())?);
    wait_for_window(&desktop, &script.window)?;
    wait_until_quiet(&desktop);
    if let Some(line) = &script.ready {
        oracle::output(&mut desktop.shell(line));
        wait_until_quiet(&desktop);
    }
    Ok((desktop, app))
}

fn wait_for_window(desktop: &MeasuredDesktop, title: &str) -> Result<(), String> {
    let pattern = Regex::new(title).map_err(|error| error.to_string())?;
    let end = Instant::now() + UNSEEN_START_TIMEOUT;
    loop {
        let titles = oracle::titles(desktop);
        if titles.lines().any(|line| pattern.is_match(line)) {
            return Ok(());
        }
        if Instant::now() > end {
            return Err(format!("no window `{title}` opened; windows: {titles:?}"));
        }
        std::thread::sleep(ORACLE_INTERVAL);
    }
}

/// Waits until window titles and the tree stay the same.
fn wait_until_quiet(desktop: &MeasuredDesktop) {
    let tree = OracleSpec { tree: Some(String::new()), ..OracleSpec::default() };
    let read = || (oracle::titles(desktop), oracle::read(desktop, &tree));
    let end = Instant::now() + UNSEEN_QUIET_TIMEOUT;
    let (mut last, mut since) = (read(), Instant::now());
    while since.elapsed() < UNSEEN_QUIET_PERIOD && Instant::now() < end {
        std::thread::sleep(ORACLE_INTERVAL);
        let now = read();
        if now != last {
            (last, since) = (now, Instant::now());
        }
    }
}

fn error_record(step: &ScriptStep, why: &str) -> StepRecord {
    StepRecord {
        command: step.command.clone(),
        class: StepClass::Error,
        effect: "none".to_owned(),
        answer: why.to_owned(),
        elapsed_ms: 0,
        slow: false,
    }
}

struct Session<'a> {
    script: &'a AppScript,
    binary: &'a Path,
    desktop: MeasuredDesktop,
    _app: StartedApp,
}

impl Session<'_> {
    fn run_steps(&self, started: Instant) -> Vec<StepRecord> {
        let run = |step: &ScriptStep| {
            if started.elapsed() > UNSEEN_APP_LIMIT {
                return error_record(step, "the time limit of the app is over");
            }
            catch_unwind(AssertUnwindSafe(|| self.run_step(step)))
                .unwrap_or_else(|why| error_record(step, &crate::tasks::panic_message(&*why)))
        };
        self.script.steps.iter().map(run).collect()
    }

    fn run_step(&self, step: &ScriptStep) -> StepRecord {
        let needed = self.read_all(&step.needs);
        if !all_hold(&step.needs, &needed, &needed) {
            let record = error_record(step, "the state that the step needs was not reached");
            return StepRecord { class: StepClass::Blocked, ..record };
        }
        let before = self.read_before(&step.oracle);
        if step.expect == Expected::Effect && all_hold(&step.oracle, &before, &before) {
            return error_record(step, "the oracle holds before the step");
        }
        let outcome = self.call(step);
        let answer = Answer::from_outcome(&outcome);
        let holds = self.evaluate(step, &answer, &before);
        let class = judge(step.expect, &answer, holds);
        if step.expect == Expected::Effect
            && !holds
            && let Some(line) = &step.repair
        {
            oracle::output(&mut self.desktop.shell(line));
            self.wait_for(&step.oracle, &before, CLAIMED_EFFECT_WAIT);
        }
        StepRecord {
            command: step.command.clone(),
            class,
            effect: answer.word().to_owned(),
            answer: answer.to_string(),
            elapsed_ms: u64::try_from(outcome.elapsed.as_millis()).unwrap_or(u64::MAX),
            slow: outcome.elapsed > SLOW_CALL,
        }
    }

    /// Runs the command of a step with the measured build.
    fn call(&self, step: &ScriptStep) -> Outcome {
        let words = shlex::split(&step.command).unwrap_or_default();
        let mut command = self.desktop.command(self.binary);
        command.args(&words).args(["--format", "json"]);
        let names_app = words.iter().any(|word| word == "--app");
        if !names_app && words.first().is_some_and(|verb| !WITHOUT_APP.contains(&verb.as_str())) {
            command.args(["--app", self.script.app()]);
        }
        Outcome::of(&mut command)
    }

    /// Returns whether the oracle holds, after waiting for late effects.
    fn evaluate(&self, step: &ScriptStep, answer: &Answer, before: &[Content]) -> bool {
        if step.expect != Expected::Effect {
            std::thread::sleep(SETTLE_WAIT);
            return all_hold(&step.oracle, before, &self.read_all(&step.oracle));
        }
        let claimed = answer.word() == "confirmed";
        let wait = if claimed { CLAIMED_EFFECT_WAIT } else { LATE_EFFECT_WAIT };
        self.wait_for(&step.oracle, before, wait)
    }

    fn wait_for(&self, specs: &[OracleSpec], before: &[Content], wait: Duration) -> bool {
        let end = Instant::now() + wait;
        loop {
            if all_hold(specs, before, &self.read_all(specs)) {
                return true;
            }
            if Instant::now() > end {
                return false;
            }
            std::thread::sleep(ORACLE_INTERVAL);
        }
    }

    /// Reads all sources before a step. A picture must have stopped changing, or it would prove nothing.
    fn read_before(&self, specs: &[OracleSpec]) -> Vec<Content> {
        let mut contents = self.read_all(specs);
        let end = Instant::now() + UNSEEN_QUIET_PERIOD * 4;
        while specs.iter().any(|spec| spec.picture.is_some()) && Instant::now() < end {
            std::thread::sleep(UNSEEN_QUIET_PERIOD / 2);
            let now = self.read_all(specs);
            let is_still = now == contents;
            contents = now;
            if is_still {
                break;
            }
        }
        contents
    }

    fn read_all(&self, specs: &[OracleSpec]) -> Vec<Content> {
        specs.iter().map(|spec| oracle::read(&self.desktop, spec)).collect()
    }
}

fn all_hold(specs: &[OracleSpec], before: &[Content], now: &[Content]) -> bool {
    specs.iter().zip(before.iter().zip(now)).all(|(spec, (old, new))| oracle::holds(spec, old, new))
}
