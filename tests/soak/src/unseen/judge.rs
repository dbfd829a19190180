//! Compares the answer of Deskhand with the oracle of a step.

use harness::actions::answer::Answer;
use serde::{Deserialize, Serialize};

use super::script::Expected;

/// The judgement of one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StepClass {
    /// The effect happened and was reported as confirmed.
    Done,
    /// The effect happened and was reported as unverified or partial.
    DoneUnverified,
    /// Reported as confirmed, and the oracle contradicts it.
    FalseConfirmed,
    /// Reported as not happened or not sent, and the oracle contradicts it.
    FalseNoEffect,
    /// The effect is possible, and Deskhand refused or failed without sending anything.
    FalseRefused,
    /// The effect is possible and did not happen, and the answer did not claim it.
    NotDone,
    /// The app does not allow the effect, and the answer did not claim it.
    Honest,
    /// An earlier step failed, so that this one makes no sense.
    Blocked,
    /// The step could not be judged: a crash, no parsable answer, or an oracle that held before.
    Error,
}

impl StepClass {
    pub(crate) const ALL: [Self; 9] = [
        Self::Done,
        Self::DoneUnverified,
        Self::FalseConfirmed,
        Self::FalseNoEffect,
        Self::FalseRefused,
        Self::NotDone,
        Self::Honest,
        Self::Blocked,
        Self::Error,
    ];

    /// Returns the heading in tables.
    pub(crate) fn heading(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::DoneUnverified => "done, unverified",
            Self::FalseConfirmed => "false confirmed",
            Self::FalseNoEffect => "false no_effect",
            Self::FalseRefused => "refused",
            Self::NotDone => "not done",
            Self::Honest => "honest",
            Self::Blocked => "blocked",
            Self::Error => "error",
        }
    }

    /// Returns `true` if the run fails because of such a step.
    pub(crate) fn is_failure(self) -> bool {
        self.is_false_answer() || self == Self::Error
    }

    /// Returns `true` if the terminal output lists such a step with its answer.
    pub(crate) fn is_worth_listing(self) -> bool {
        !matches!(self, Self::Done | Self::DoneUnverified | Self::Honest)
    }

    /// Returns `true` if the answer contradicts the app.
    pub(crate) fn is_false_answer(self) -> bool {
        matches!(self, Self::FalseConfirmed | Self::FalseNoEffect)
    }
}

/// Judges an answer. `holds` tells whether the oracle holds after the command.
pub(crate) fn judge(expected: Expected, answer: &Answer, holds: bool) -> StepClass {
    let claim = Claim::of(answer);
    match (expected, claim, holds) {
        (_, Claim::Unreadable, _) => StepClass::Error,
        (Expected::Effect, Claim::Happened, true) => StepClass::Done,
        (Expected::Effect, Claim::Open, true) => StepClass::DoneUnverified,
        (Expected::Effect, Claim::Nothing | Claim::NotSent, true) => StepClass::FalseNoEffect,
        (_, Claim::Happened, _) => StepClass::FalseConfirmed,
        (Expected::Effect, Claim::Open | Claim::Nothing, false) => StepClass::NotDone,
        (Expected::Effect, Claim::NotSent, false) => StepClass::FalseRefused,
        (Expected::Nothing | Expected::Refused, Claim::Nothing | Claim::NotSent, false) => {
            StepClass::FalseNoEffect
        }
        (Expected::Refused, Claim::Open, false) => StepClass::NotDone,
        (Expected::Nothing, Claim::Open, _) | (Expected::Refused, Claim::Open, true) => {
            StepClass::Honest
        }
        (Expected::Nothing | Expected::Refused, Claim::Nothing | Claim::NotSent, true) => {
            StepClass::Honest
        }
    }
}

/// The statement of an answer about the effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Claim {
    Happened,
    /// The answer does not say: `unverified`, `partial`, or an error after sending.
    Open,
    Nothing,
    NotSent,
    Unreadable,
}

impl Claim {
    fn of(answer: &Answer) -> Self {
        match answer {
            Answer::Effect { effect, .. } => match effect.as_str() {
                "confirmed" => Self::Happened,
                "no_effect" => Self::Nothing,
                "refused" => Self::NotSent,
                _ => Self::Open,
            },
            Answer::Failed { delivery, .. } if delivery == "not_sent" => Self::NotSent,
            Answer::Failed { .. } => Self::Open,
            Answer::Unparsable(_) => Self::Unreadable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(word: &str) -> Answer {
        Answer::Effect {
            effect: word.to_owned(),
            strategy: String::new(),
            evidence: Vec::new(),
            failed_strategies: Vec::new(),
        }
    }

    fn not_sent() -> Answer {
        Answer::Failed {
            code: "no_match".to_owned(),
            delivery: "not_sent".to_owned(),
            message: String::new(),
        }
    }

    #[test]
    fn a_possible_effect_is_judged_by_the_oracle() {
        let judged = |word, holds| judge(Expected::Effect, &effect(word), holds);
        assert_eq!(judged("confirmed", true), StepClass::Done);
        assert_eq!(judged("confirmed", false), StepClass::FalseConfirmed);
        assert_eq!(judged("unverified", true), StepClass::DoneUnverified);
        assert_eq!(judged("partial", false), StepClass::NotDone);
        assert_eq!(judged("no_effect", true), StepClass::FalseNoEffect);
        assert_eq!(judged("no_effect", false), StepClass::NotDone);
        assert_eq!(judge(Expected::Effect, &not_sent(), false), StepClass::FalseRefused);
        assert_eq!(judge(Expected::Effect, &not_sent(), true), StepClass::FalseNoEffect);
    }

    #[test]
    fn a_veto_must_not_be_confirmed() {
        for expected in [Expected::Nothing, Expected::Refused] {
            assert_eq!(judge(expected, &effect("confirmed"), true), StepClass::FalseConfirmed);
            assert_eq!(judge(expected, &effect("no_effect"), true), StepClass::Honest);
            assert_eq!(judge(expected, &not_sent(), true), StepClass::Honest);
            assert_eq!(judge(expected, &not_sent(), false), StepClass::FalseNoEffect);
        }
    }

    #[test]
    fn sending_what_must_be_refused_is_not_honest_if_it_has_an_effect() {
        assert_eq!(judge(Expected::Refused, &effect("unverified"), false), StepClass::NotDone);
        assert_eq!(judge(Expected::Nothing, &effect("unverified"), false), StepClass::Honest);
    }
}
