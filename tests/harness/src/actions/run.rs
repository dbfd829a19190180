//! Runs cells one after the other on one window.

use std::time::Duration;

use super::answer::Answer;
use super::cases::{CASES, query};
use super::cell::{Before, Case, Reach, Situation};
use super::judge;
use super::oracle::{Landed, Oracle};
use super::sentinel::Sentinel;
use super::toolkit::Toolkit;
use crate::{Outcome, Program, Stage};

/// How long the app may take to tell of an action that is said to have happened.
const CLAIMED: Duration = Duration::from_secs(3);
/// How long it may take to tell of any other that was sent.
const LATE: Duration = Duration::from_millis(900);
/// How long to look whether something happens of which nothing was sent.
const NEVER: Duration = Duration::from_millis(250);
/// How long a command may wait for what a real hand cannot reach.
const OUT_OF_REACH: &str = "1.5";

/// One cell that was run.
#[derive(Debug, Clone)]
pub struct Row {
    /// The toolkit.
    pub toolkit: Toolkit,
    /// The case.
    pub case: &'static Case,
    /// The situation.
    pub situation: Situation,
    /// How far the action can get here.
    pub reach: Reach,
    /// What was answered.
    pub answer: Answer,
    /// What the app told.
    pub landed: Landed,
    /// Why the answer is a lie.
    pub lie: Option<String>,
    /// What of the person's was touched.
    pub disturbed: Vec<&'static str>,
    /// The command, for repeating it.
    pub line: String,
    /// How long it took.
    pub elapsed: Duration,
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (toolkit, situation) = (self.toolkit.name(), self.situation.name());
        let Self { answer, landed, line, elapsed, .. } = self;
        let before = self.case.before;
        write!(
            f,
            "{toolkit}, {situation}, {before:?}: `{line}` ({elapsed:.0?})\n    answered {answer}\n    the app: {landed:?}"
        )?;
        if let Some(lie) = &self.lie {
            write!(f, "\n    LIE: {lie}")?;
        }
        if !self.disturbed.is_empty() {
            write!(f, "\n    disturbed: {}", self.disturbed.join(", "))?;
        }
        Ok(())
    }
}

/// Some cases in one situation.
#[derive(Debug, Clone, Copy)]
pub struct Leg<'a> {
    /// The situation.
    pub situation: Situation,
    /// What the names of the cases contain, one of these; empty means every case.
    pub names: &'a [String],
}

/// Runs some cases, one situation after the other.
pub fn run(toolkit: Toolkit, legs: &[Leg<'_>], mut seen: impl FnMut(&Row)) -> Vec<Row> {
    let stage = Stage::new();
    let (program, oracle) = toolkit.start(&stage);
    let sentinel = Sentinel::new(&stage, "Matrix");
    let mut scene = Theatre { stage: &stage, program, oracle, sentinel, toolkit };
    let mut rows = Vec::new();
    for Leg { situation, names } in legs {
        scene.oracle.put(&mut scene.program, "reset");
        scene.sentinel.arrange(*situation);
        let chosen = |case: &&Case| {
            let title = format!("{} {}", case.action, case.widget);
            names.is_empty() || names.iter().any(|name| title.contains(name.as_str()))
        };
        for case in CASES.iter().filter(chosen) {
            if let Some(words) = scene.words(case) {
                let row = scene.cell(case, words);
                seen(&row);
                rows.push(row);
            }
        }
    }
    rows
}

struct Theatre<'a> {
    stage: &'a Stage,
    program: Program,
    oracle: Oracle,
    sentinel: Sentinel,
    toolkit: Toolkit,
}

impl Theatre<'_> {
    /// The words of a command in this toolkit; `None` where it has no such widget.
    fn words(&self, case: &Case) -> Option<Vec<String>> {
        let word = |word: &&str| match word.strip_prefix('@') {
            Some(name) => query(self.toolkit, name).map(str::to_owned),
            None => Some((*word).to_owned()),
        };
        let mut words: Vec<String> = case.words.iter().map(word).collect::<Option<_>>()?;
        words.extend(["--app".to_owned(), self.program.pid_text()]);
        words.extend(["--format".to_owned(), "json".to_owned()]);
        let verb = case.words[0];
        if self.sentinel.situation == Situation::Focus {
            if case.takes_mode() && verb != "drag" {
                words.extend(["--mode".to_owned(), "focus".to_owned()]);
            }
            let reach = super::limits::reach(self.toolkit, case, Situation::Focus);
            if reach == Reach::Hand && !words.iter().any(|word| word == "--timeout") {
                words.extend(["--timeout".to_owned(), OUT_OF_REACH.to_owned()]);
            }
        } else if verb == "drag" {
            // It says of itself that it brings the window forward.
            return None;
        }
        Some(words)
    }

    fn cell(&mut self, case: &'static Case, words: Vec<String>) -> Row {
        self.oracle.put(&mut self.program, "reset");
        match case.before {
            Before::Nothing => {}
            Before::Other => self.oracle.put(&mut self.program, "other"),
            Before::Ticks => self.oracle.say(&mut self.program, "ticks"),
            Before::Ask => {
                self.oracle.say(&mut self.program, "ask");
                self.oracle.await_event("opened");
                std::thread::sleep(Duration::from_millis(150));
            }
        }
        self.sentinel.restore();
        if self.sentinel.situation == Situation::Focus && !case.takes_mode() {
            self.sentinel.give_way();
        }
        let before = self.sentinel.scene();
        let outcome = self.stage.deskhand(&words);
        let answer = Answer::of(&outcome);
        let situation = self.sentinel.situation;
        let reach = super::limits::reach(self.toolkit, case, situation);
        let patience = match (&answer, reach) {
            (Answer::Effect { effect, .. }, _) if effect == "confirmed" || effect == "partial" => {
                CLAIMED
            }
            (Answer::Effect { effect, .. }, _) if effect == "refused" => NEVER,
            (Answer::Failed { delivery, .. }, _) if delivery == "not_sent" => NEVER,
            (_, Reach::Never) => NEVER,
            (_, _) => LATE,
        };
        let landed = self.oracle.landed(&case.wanted, patience);
        let disturbed = match situation {
            Situation::Focus => Vec::new(),
            Situation::Background | Situation::Covered | Situation::Minimized => {
                self.sentinel.disturbed(&before)
            }
        };
        let strays = self.oracle.strays(&case.wanted);
        let lie = match strays.is_empty() {
            true => judge::lie(&answer, landed, reach).map(str::to_owned),
            false => Some(format!("it acted on something else: {}", strays.join(" "))),
        };
        let toolkit = self.toolkit;
        let Outcome { elapsed, line, .. } = outcome;
        Row { toolkit, case, situation, reach, answer, landed, lie, disturbed, line, elapsed }
    }
}
