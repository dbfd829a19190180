//! Compares a reported effect with the events in the app's log.

use serde_json::Value;

use super::answer::Answer;
use super::case::Feasibility;
use super::oracle::ActualEffect;

/// The title of the button next to the labels that change all the time.
const TICKING_BUTTON: &str = "Beside clock";

/// Returns a description of the contradiction between an answer and the app's log, or `None` if
/// they agree.
pub fn wrong_answer(
    answer: &Answer,
    actual: ActualEffect,
    feasibility: Feasibility,
) -> Option<&'static str> {
    match answer {
        Answer::Unparsable(_) => Some("the output is neither an effect nor an error"),
        Answer::Effect { effect, evidence, .. } => match (effect.as_str(), actual) {
            ("confirmed", ActualEffect::None) => Some("reported confirmed, but nothing happened"),
            ("confirmed", ActualEffect::Partial) => Some(
                "reported confirmed, but something else \
                                                          happened",
            ),
            ("confirmed", ActualEffect::Full)
                if feasibility == Feasibility::AmbientChanges && !mentions_button(evidence) =>
            {
                Some("confirmed by labels that change by themselves")
            }
            ("confirmed", ActualEffect::Full) => None,
            ("partial", ActualEffect::None) => Some("reported partial, but nothing happened"),
            ("partial", ActualEffect::Partial | ActualEffect::Full) => None,
            ("no_effect" | "refused", ActualEffect::Full) => {
                Some("reported no effect, but the action happened")
            }
            ("no_effect" | "refused", ActualEffect::Partial) => Some(
                "reported no effect, but something \
                                                                      happened",
            ),
            (_, _) => None,
        },
        Answer::Failed { delivery, .. } => match (delivery.as_str(), actual) {
            ("not_sent", ActualEffect::Full | ActualEffect::Partial) => {
                Some("reported not sent, but the action happened")
            }
            ("not_sent" | "sent" | "unknown", ActualEffect::None) => None,
            ("sent" | "unknown", ActualEffect::Partial) => None,
            ("sent" | "unknown", ActualEffect::Full) => {
                Some("reported an error, but the action happened")
            }
            (_, _) => Some("the error does not state its delivery"),
        },
    }
}

/// Returns `true` if some evidence concerns the button itself rather than the labels next to it.
fn mentions_button(evidence: &[Value]) -> bool {
    let is_about_button =
        |one: &Value| one["what"].as_str().is_some_and(|what| what.contains(TICKING_BUTTON));
    evidence.iter().any(is_about_button)
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

    fn failed(delivery: &str) -> Answer {
        let text = String::new();
        Answer::Failed { code: text.clone(), delivery: delivery.to_owned(), message: text }
    }

    #[test]
    fn confirmed_requires_the_full_effect() {
        assert_eq!(
            wrong_answer(&effect("confirmed"), ActualEffect::Full, Feasibility::Possible),
            None
        );
        assert!(
            wrong_answer(&effect("confirmed"), ActualEffect::Partial, Feasibility::Possible)
                .is_some()
        );
        assert!(
            wrong_answer(&effect("confirmed"), ActualEffect::None, Feasibility::Impossible)
                .is_some()
        );
    }

    #[test]
    fn ticking_labels_confirm_nothing() {
        let confirmed_by = |what: &str| Answer::Effect {
            effect: "confirmed".to_owned(),
            strategy: String::new(),
            evidence: vec![serde_json::json!({"sign": "title", "what": what})],
            failed_strategies: Vec::new(),
        };
        let ticked = confirmed_by("label \"00:01\"");
        assert!(wrong_answer(&ticked, ActualEffect::Full, Feasibility::AmbientChanges).is_some());
        assert_eq!(wrong_answer(&ticked, ActualEffect::Full, Feasibility::Possible), None);
        let pressed = confirmed_by("button \"Beside clock\"");
        assert_eq!(wrong_answer(&pressed, ActualEffect::Full, Feasibility::AmbientChanges), None);
    }

    #[test]
    fn denying_an_effect_is_wrong() {
        for word in ["no_effect", "refused"] {
            assert!(
                wrong_answer(&effect(word), ActualEffect::Full, Feasibility::Possible).is_some()
            );
            assert_eq!(
                wrong_answer(&effect(word), ActualEffect::None, Feasibility::Possible),
                None
            );
        }
        assert!(
            wrong_answer(&failed("not_sent"), ActualEffect::Partial, Feasibility::Possible)
                .is_some()
        );
        assert!(
            wrong_answer(&failed("unknown"), ActualEffect::Full, Feasibility::Possible).is_some()
        );
        assert_eq!(
            wrong_answer(&failed("not_sent"), ActualEffect::None, Feasibility::Impossible),
            None
        );
    }

    #[test]
    fn an_error_must_state_its_delivery() {
        assert!(wrong_answer(&failed(""), ActualEffect::None, Feasibility::Impossible).is_some());
    }

    #[test]
    fn unverified_is_never_wrong() {
        for actual in [ActualEffect::Full, ActualEffect::Partial, ActualEffect::None] {
            assert_eq!(wrong_answer(&effect("unverified"), actual, Feasibility::Invisible), None);
        }
    }
}
