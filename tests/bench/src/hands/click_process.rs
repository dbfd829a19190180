//! Clicks one element with each tool in turn, on the desktop of this process. After each click, an
//! independent reader checks whether the app changed.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use deskhand_engine::{
    Call, CallFailure, CallLimiter, CallOptions, CallResult, Engine, Gate, Origin, OutputForm,
    RateLimits, SecurityMode, SessionKey,
};
use harness::outcome;
use serde_json::{Value, json};

use super::figures::Clicks;
use super::observer::Observer;
use crate::error::{Error, Result};
use crate::figures::Figures;
use crate::timing::{CLICK_INTERVAL, EFFECT_TIMEOUT};

/// The display length, in bytes, at which a calculator is cleared.
const MAX_DISPLAY_LENGTH: usize = 12;
/// The maximum number of remarks per app.
const MAX_REMARKS: usize = 3;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[arg(long)]
    pid: u32,
    /// The ref of the element.
    #[arg(long)]
    element: String,
    #[arg(long)]
    x: i32,
    #[arg(long)]
    y: i32,
    /// The ref of the button that clears the display.
    #[arg(long)]
    clear: Option<String>,
    #[arg(long)]
    repeat: usize,
    /// Arguments for the observer script.
    #[arg(required = true)]
    witness: Vec<String>,
}

/// The number of calls in the measurement without an app.
const GATE_CALLS: usize = 500;

/// A tool that clicks.
#[derive(Debug, Clone, Copy)]
enum Clicker {
    Warm,
    Cli,
    Xdotool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let log_folder = tempfile::tempdir().map_err(Error::system("a folder for the audit log"))?;
    let gate = unlimited_gate(log_folder.path());
    let refs = deskhand_linux::refs_folder()?;
    let mut bench = Bench {
        arguments,
        engine: Engine::new(deskhand_linux::open()?, refs, None, gate),
        observer: Observer::start(&arguments.witness),
        clicks: Clicks::default(),
    };
    // The tools run one after the other, not in turns: Deskhand watches an element for longer if
    // another tool changed it a moment ago.
    let mut total = Clicks::default();
    for clicker in [Clicker::Warm, Clicker::Cli, Clicker::Xdotool] {
        // The first click opens connections and is not counted.
        bench.click_and_check(clicker)?;
        bench.clicks = total;
        for _ in 0..arguments.repeat {
            bench.click_and_check(clicker)?;
        }
        total = std::mem::take(&mut bench.clicks);
    }
    total.gate_in_a_row.ms = bench.gate_in_a_row();
    println!("{}", serde_json::to_string(&total)?);
    Ok(())
}

/// Returns the policy checks without rate limits: waiting for them is not part of a measurement.
pub(super) fn unlimited_gate(folder: &Path) -> Gate {
    let rates =
        RateLimits { per_second: 0, per_minute: 0, writes_per_second: 0, ..RateLimits::default() };
    Gate { limits: CallLimiter::new(&rates), ..Gate::in_folder(folder) }
}

/// Runs the command `click` with these arguments.
pub(super) fn call_click(engine: &Engine, arguments: Value) -> CallResult {
    let call = Call {
        tool: deskhand_engine::Vocabulary::Commands.tool("click"),
        arguments,
        form: OutputForm::Data,
        origin: Origin::Cli,
        session: SessionKey::Shared,
        principal: None,
        caller_mode: SecurityMode::Normal,
    };
    engine.call(call, &CallOptions::non_interactive(&|_| true))
}

struct Bench<'a> {
    arguments: &'a Arguments,
    engine: Engine,
    observer: Observer,
    clicks: Clicks,
}

impl Bench<'_> {
    /// Returns the overhead of the policy checks for calls that are recorded and end at once, in
    /// milliseconds.
    fn gate_in_a_row(&self) -> Vec<f64> {
        let one = |_| {
            // A number is not a valid query, so the tool refuses the call after the policy checks.
            let _refused = self.call(json!({"query": 7}));
            Engine::last_cost().overhead.as_secs_f64() * 1e3
        };
        (0..GATE_CALLS).map(one).collect()
    }

    /// Performs one click and checks its effect.
    fn click_and_check(&mut self, clicker: Clicker) -> Result<()> {
        let display_before = self.display_before();
        let started = Instant::now();
        let reported = match clicker {
            Clicker::Warm => self.warm(),
            Clicker::Cli => self.cli()?,
            Clicker::Xdotool => self.xdotool()?,
        };
        let ms = started.elapsed().as_secs_f64() * 1e3;
        if let Clicker::Warm = clicker {
            self.clicks.gate.ms.push(Engine::last_cost().overhead.as_secs_f64() * 1e3);
        }
        let has_effect = self.observer.wait_for_change(&display_before, EFFECT_TIMEOUT);
        let remark = match (reported, has_effect) {
            (Ok(()), true) => None,
            (Ok(()), false) => Some("reported as done, but the app did not change".to_owned()),
            (Err(why), true) => Some(format!("reported a failure, but the app changed: {why}")),
            (Err(why), false) => Some(why),
        };
        let clicks = &mut self.clicks;
        let figures: &mut Figures = match clicker {
            Clicker::Warm => &mut clicks.warm,
            Clicker::Cli => &mut clicks.cli,
            Clicker::Xdotool => &mut clicks.xdotool,
        };
        match remark {
            None => figures.ms.push(ms),
            Some(remark) => {
                figures.failed += 1;
                if clicks.remarks.len() < MAX_REMARKS {
                    clicks.remarks.push(format!("{clicker:?}: {remark}"));
                }
            }
        }
        std::thread::sleep(CLICK_INTERVAL);
        Ok(())
    }

    /// Returns the current display. Clears it first if it is nearly full.
    fn display_before(&mut self) -> String {
        let shown = self.observer.read().unwrap_or_default();
        let Some(clear) =
            self.arguments.clear.as_ref().filter(|_| shown.len() >= MAX_DISPLAY_LENGTH)
        else {
            return shown;
        };
        // If clearing fails, the figures show it: no more digits fit.
        let _cleared = self.click(clear);
        self.observer.wait_for_change(&shown, EFFECT_TIMEOUT);
        std::thread::sleep(CLICK_INTERVAL);
        self.observer.read().unwrap_or_default()
    }

    fn click(&self, element: &str) -> CallResult {
        self.call(json!({"query": element, "app": self.arguments.pid.to_string()}))
    }

    fn call(&self, arguments: Value) -> CallResult {
        call_click(&self.engine, arguments)
    }

    fn warm(&self) -> std::result::Result<(), String> {
        match self.click(&self.arguments.element) {
            Ok(answer) => confirmed(&answer.data),
            Err(error) => Err(CallFailure::from(error).message),
        }
    }

    fn cli(&self) -> Result<std::result::Result<(), String>> {
        let pid = self.arguments.pid.to_string();
        let words = ["click", &self.arguments.element, "--app", &pid, "--format", "json"];
        let output = Command::new(outcome::binary())
            .args(words)
            .stdin(Stdio::null())
            .output()
            .map_err(Error::system("deskhand"))?;
        Ok(match serde_json::from_slice::<Value>(&output.stdout) {
            Ok(answer) => confirmed(&answer),
            Err(_) => Err(message(&output.stderr)),
        })
    }

    /// xdotool only reports its exit code.
    fn xdotool(&self) -> Result<std::result::Result<(), String>> {
        let (x, y) = (self.arguments.x.to_string(), self.arguments.y.to_string());
        let status = Command::new("xdotool")
            .args(["mousemove", &x, &y, "click", "1"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()
            .map_err(Error::system("xdotool"))?;
        Ok(if status.success() { Ok(()) } else { Err(status.to_string()) })
    }
}

/// Returns the message of a JSON error.
fn message(written: &[u8]) -> String {
    let error: Option<Value> = serde_json::from_slice(written).ok();
    let sentence = error.as_ref().and_then(|error| error["error"]["message"].as_str());
    sentence.map_or_else(|| String::from_utf8_lossy(written).into_owned(), str::to_owned)
}

fn confirmed(answer: &Value) -> std::result::Result<(), String> {
    let effect = answer["effect"].as_str().unwrap_or("no effect");
    if effect == "confirmed" { Ok(()) } else { Err(format!("reported {effect}")) }
}
