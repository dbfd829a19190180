//! Runs cases one after the other in one window.

use std::time::Duration;

use super::answer::Answer;
use super::case::{Case, Feasibility, Preparation, Situation};
use super::cases::{CASES, query};
use super::judge;
use super::oracle::{ActualEffect, Oracle};
use super::toolkit::Toolkit;
use super::user::SimulatedUser;
use crate::timing::{
    CLAIMED_EFFECT_TIMEOUT, LATE_EFFECT_TIMEOUT, NO_EFFECT_TIMEOUT, UNREACHABLE_TIMEOUT,
};
use crate::{Outcome, Program, TestDesktop};

/// The result of one case.
#[derive(Debug, Clone)]
pub struct CaseResult {
    /// The toolkit.
    pub toolkit: Toolkit,
    /// The case.
    pub case: &'static Case,
    /// The situation.
    pub situation: Situation,
    /// The best possible outcome here.
    pub feasibility: Feasibility,
    /// The reported effect.
    pub answer: Answer,
    /// The effect according to the app's log.
    pub actual: ActualEffect,
    /// The contradiction between the two, if any.
    pub wrong_answer: Option<String>,
    /// The user's resources that were disturbed.
    pub disturbed: Vec<&'static str>,
    /// The command line, for repeating the case.
    pub line: String,
    /// The duration of the command.
    pub elapsed: Duration,
}

impl std::fmt::Display for CaseResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (toolkit, situation) = (self.toolkit.name(), self.situation.name());
        let Self { answer, actual, line, elapsed, .. } = self;
        let before = self.case.preparation;
        write!(
            f,
            "{toolkit}, {situation}, {before:?}: `{line}` ({elapsed:.0?})\n    reported {answer}\n \
             actual effect: {actual:?}"
        )?;
        if let Some(wrong_answer) = &self.wrong_answer {
            write!(f, "\n    WRONG: {wrong_answer}")?;
        }
        if !self.disturbed.is_empty() {
            write!(f, "\n    disturbed: {}", self.disturbed.join(", "))?;
        }
        Ok(())
    }
}

/// A selection of cases in one situation.
#[derive(Debug, Clone, Copy)]
pub struct CaseFilter<'a> {
    /// The situation.
    pub situation: Situation,
    /// Parts of case names. A case is selected if its name contains one of them, or if the list is
    /// empty.
    pub names: &'a [String],
}

/// Runs the selected cases, one situation after the other.
pub fn run(
    toolkit: Toolkit,
    filters: &[CaseFilter<'_>],
    mut on_result: impl FnMut(&CaseResult),
) -> Vec<CaseResult> {
    let desktop = TestDesktop::new();
    let (program, oracle) = toolkit.start(&desktop);
    let user = SimulatedUser::new(&desktop, "Matrix");
    let mut runner = MatrixRunner { desktop: &desktop, program, oracle, user, toolkit };
    let mut rows = Vec::new();
    for CaseFilter { situation, names } in filters {
        runner.oracle.prepare(&mut runner.program, "reset");
        runner.user.arrange(*situation);
        let chosen = |case: &&Case| {
            let title = format!("{} {}", case.action, case.widget);
            names.is_empty() || names.iter().any(|name| title.contains(name.as_str()))
        };
        for case in CASES.iter().filter(chosen) {
            if let Some(arguments) = runner.arguments_for(case) {
                let row = runner.run_case(case, arguments);
                on_result(&row);
                rows.push(row);
            }
        }
    }
    rows
}

struct MatrixRunner<'a> {
    desktop: &'a TestDesktop,
    program: Program,
    oracle: Oracle,
    user: SimulatedUser,
    toolkit: Toolkit,
}

impl MatrixRunner<'_> {
    /// Returns the command-line arguments of a case in this toolkit, or `None` if the toolkit has
    /// no such widget.
    fn arguments_for(&self, case: &Case) -> Option<Vec<String>> {
        let word = |word: &&str| match word.strip_prefix('@') {
            Some(name) => query(self.toolkit, name).map(str::to_owned),
            None => Some((*word).to_owned()),
        };
        let mut arguments: Vec<String> = case.command.iter().map(word).collect::<Option<_>>()?;
        arguments.extend(["--app".to_owned(), self.program.pid_text()]);
        arguments.extend(["--format".to_owned(), "json".to_owned()]);
        let verb = case.command[0];
        if self.user.situation == Situation::Focus {
            if case.takes_mode() && verb != "drag" {
                arguments.extend(["--mode".to_owned(), "focus".to_owned()]);
            }
            let feasibility = super::limits::feasibility(self.toolkit, case, Situation::Focus);
            if feasibility == Feasibility::NeedsRealInput
                && !arguments.iter().any(|word| word == "--timeout")
            {
                arguments.extend(["--timeout".to_owned(), UNREACHABLE_TIMEOUT.to_owned()]);
            }
        } else if verb == "drag" {
            // `drag` brings the window to the front, so background situations do not apply.
            return None;
        }
        Some(arguments)
    }

    fn run_case(&mut self, case: &'static Case, arguments: Vec<String>) -> CaseResult {
        self.oracle.prepare(&mut self.program, "reset");
        match case.preparation {
            Preparation::Initial => {}
            Preparation::Toggled => self.oracle.prepare(&mut self.program, "other"),
            Preparation::TickingLabels => self.oracle.send_command(&mut self.program, "ticks"),
            Preparation::DialogOpen => {
                self.oracle.send_command(&mut self.program, "ask");
                self.oracle.await_event("opened");
                std::thread::sleep(Duration::from_millis(150));
            }
        }
        self.user.restore();
        if self.user.situation == Situation::Focus && !case.takes_mode() {
            self.user.yield_focus();
        }
        let before = self.user.state();
        let outcome = self.desktop.deskhand(&arguments);
        let answer = Answer::from_outcome(&outcome);
        let situation = self.user.situation;
        let feasibility = super::limits::feasibility(self.toolkit, case, situation);
        let timeout = match (&answer, feasibility) {
            (Answer::Effect { effect, .. }, _) if effect == "confirmed" || effect == "partial" => {
                CLAIMED_EFFECT_TIMEOUT
            }
            (Answer::Effect { effect, .. }, _) if effect == "refused" => NO_EFFECT_TIMEOUT,
            (Answer::Failed { delivery, .. }, _) if delivery == "not_sent" => NO_EFFECT_TIMEOUT,
            (_, Feasibility::Impossible) => NO_EFFECT_TIMEOUT,
            (_, _) => LATE_EFFECT_TIMEOUT,
        };
        let actual = self.oracle.wait_for_effect(&case.expected, timeout);
        let disturbed = match situation {
            Situation::Focus => Vec::new(),
            Situation::Background | Situation::Covered | Situation::Minimized => {
                self.user.disturbances_since(&before)
            }
        };
        let stray_events = self.oracle.other_widget_events(&case.expected);
        let wrong_answer = match stray_events.is_empty() {
            true => judge::wrong_answer(&answer, actual, feasibility).map(str::to_owned),
            false => Some(format!("other widgets changed: {}", stray_events.join(" "))),
        };
        let toolkit = self.toolkit;
        let Outcome { elapsed, line, .. } = outcome;
        CaseResult {
            toolkit,
            case,
            situation,
            feasibility,
            answer,
            actual,
            wrong_answer,
            disturbed,
            line,
            elapsed,
        }
    }
}
