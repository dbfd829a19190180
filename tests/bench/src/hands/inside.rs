//! Clicks on one element, by each contender in turn, on the desktop this process runs in. After each
//! an independent reader says whether the app did something.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use deskhand_engine::{
    Call, Door, Engine, Failure, Form, Gate, Limits, Mode, Rates, SessionKey, Surroundings,
    Vocabulary,
};
use harness::outcome;
use serde_json::{Value, json};

use super::figures::Clicks;
use super::witness::Witness;
use crate::error::{Error, Result};
use crate::figures::Figures;

/// How long an app may take to show what a click did.
const SHOWN: Duration = Duration::from_secs(3);
/// Between two clicks, so that one is over before the next: Qt 5 shows a button down for 100 ms.
const PAUSE: Duration = Duration::from_millis(200);
/// A calculator is cleared when its display is this long, in bytes.
const FULL: usize = 12;
/// How many remarks are kept.
const REMARKS: usize = 3;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[arg(long)]
    pid: u32,
    /// The element's ref.
    #[arg(long)]
    element: String,
    #[arg(long)]
    x: i32,
    #[arg(long)]
    y: i32,
    /// The ref of what clears the display.
    #[arg(long)]
    clear: Option<String>,
    #[arg(long)]
    repeat: usize,
    /// What the witness looks at.
    #[arg(required = true)]
    witness: Vec<String>,
}

/// How many calls are made one right after the other.
const IN_A_ROW: usize = 500;

/// Who clicks.
#[derive(Debug, Clone, Copy)]
enum Hand {
    Warm,
    Cli,
    Xdotool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let kept = tempfile::tempdir().map_err(Error::system("a folder for the log"))?;
    // What is measured is the work, not the waiting for the next turn.
    let rates = Rates { per_second: 0, per_minute: 0, writes_per_second: 0, ..Rates::default() };
    let gate = Gate { limits: Limits::new(&rates), ..Gate::in_folder(kept.path()) };
    let refs = deskhand_linux::refs_folder()?;
    let mut bench = Bench {
        arguments,
        engine: Engine::new(deskhand_linux::open()?, refs, None, gate),
        witness: Witness::start(&arguments.witness),
        clicks: Clicks::default(),
    };
    // One after the other: what somebody else changed a moment ago is looked at longer, and here
    // nobody else is at work.
    let mut counted = Clicks::default();
    for hand in [Hand::Warm, Hand::Cli, Hand::Xdotool] {
        // The first opens what stays open, and is no part of the figures.
        bench.turn(hand)?;
        bench.clicks = counted;
        for _ in 0..arguments.repeat {
            bench.turn(hand)?;
        }
        counted = std::mem::take(&mut bench.clicks);
    }
    counted.gate_in_a_row.ms = bench.gate_in_a_row();
    println!("{}", serde_json::to_string(&counted)?);
    Ok(())
}

struct Bench<'a> {
    arguments: &'a Arguments,
    engine: Engine,
    witness: Witness,
    clicks: Clicks,
}

impl Bench<'_> {
    /// What the gate takes of calls that are recorded and end at once, each in milliseconds.
    fn gate_in_a_row(&self) -> Vec<f64> {
        let one = |_| {
            // A number is no query: the call is refused by the tool, behind the gate.
            let _refused = self.call(json!({"query": 7}));
            Engine::cost().gate.as_secs_f64() * 1e3
        };
        (0..IN_A_ROW).map(one).collect()
    }

    /// One click, with what was seen before and after it.
    fn turn(&mut self, hand: Hand) -> Result<()> {
        let before = self.before();
        let begun = Instant::now();
        let claim = match hand {
            Hand::Warm => self.warm(),
            Hand::Cli => self.cli()?,
            Hand::Xdotool => self.xdotool()?,
        };
        let ms = begun.elapsed().as_secs_f64() * 1e3;
        if let Hand::Warm = hand {
            self.clicks.gate.ms.push(Engine::cost().gate.as_secs_f64() * 1e3);
        }
        let landed = self.witness.changes(&before, SHOWN);
        let remark = match (claim, landed) {
            (Ok(()), true) => None,
            (Ok(()), false) => Some("said to be done, and the app did nothing".to_owned()),
            (Err(why), true) => Some(format!("the app did it: {why}")),
            (Err(why), false) => Some(why),
        };
        let clicks = &mut self.clicks;
        let figures: &mut Figures = match hand {
            Hand::Warm => &mut clicks.warm,
            Hand::Cli => &mut clicks.cli,
            Hand::Xdotool => &mut clicks.xdotool,
        };
        match remark {
            None => figures.ms.push(ms),
            Some(remark) => {
                figures.failed += 1;
                if clicks.remarks.len() < REMARKS {
                    clicks.remarks.push(format!("{hand:?}: {remark}"));
                }
            }
        }
        std::thread::sleep(PAUSE);
        Ok(())
    }

    /// What the app shows; a display that is nearly full is cleared first.
    fn before(&mut self) -> String {
        let shown = self.witness.look().unwrap_or_default();
        let Some(clear) = self.arguments.clear.as_ref().filter(|_| shown.len() >= FULL) else {
            return shown;
        };
        // A display that stays full shows in the figures: no digit fits any more.
        let _cleared = self.click(clear);
        self.witness.changes(&shown, SHOWN);
        std::thread::sleep(PAUSE);
        self.witness.look().unwrap_or_default()
    }

    fn click(&self, element: &str) -> deskhand_engine::Reply {
        self.call(json!({"query": element, "app": self.arguments.pid.to_string()}))
    }

    fn call(&self, arguments: Value) -> deskhand_engine::Reply {
        let call = Call {
            tool: Vocabulary::Commands.tool("click"),
            arguments,
            form: Form::Data,
            door: Door::CommandLine,
            session: SessionKey::Common,
            principal: None,
            ceiling: Mode::Normal,
        };
        self.engine.call(call, &Surroundings::alone(&|_| true))
    }

    fn warm(&self) -> std::result::Result<(), String> {
        match self.click(&self.arguments.element) {
            Ok(answer) => confirmed(&answer.data),
            Err(stopped) => Err(Failure::from(stopped).message),
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

    /// Says what it has to say by its exit code alone.
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

/// The sentence of an error that was written as JSON.
fn message(written: &[u8]) -> String {
    let error: Option<Value> = serde_json::from_slice(written).ok();
    let sentence = error.as_ref().and_then(|error| error["error"]["message"].as_str());
    sentence.map_or_else(|| String::from_utf8_lossy(written).into_owned(), str::to_owned)
}

fn confirmed(answer: &Value) -> std::result::Result<(), String> {
    let effect = answer["effect"].as_str().unwrap_or("no effect told");
    if effect == "confirmed" { Ok(()) } else { Err(format!("answered {effect}")) }
}
