//! Acting on elements: wait until the element is ready, try the best strategy first, and verify the
//! effect by reading the app.
//!
//! Each module is one capability. `verify` has the loop they share.

mod action_names;
pub mod click;
mod click_strategies;
mod closed_menus;
mod container_selection;
mod current_item;
pub mod drag;
mod exclusive_selection;
mod line_end;
pub(crate) mod modality;
mod popups;
pub(crate) mod real_input;
pub(crate) mod risk;
pub mod scroll;
pub mod select;
pub mod set_value;
mod tab_focus;
pub(crate) mod target;
mod target_window;
pub(crate) mod timing;
pub mod type_text;
pub mod type_without_tree;
mod typed_text;
pub(crate) mod verify;
mod visibility;
mod wheel;

use deskhand_model::{Advice, Delivery, Explain, Part, Step};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Result,
    effect::{ActionEffect, ActionOutcome, FailedAttempt},
};

/// The way to act on an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActionMode {
    /// Through accessibility. The focus, the pointer and the order of windows stay as they are.
    #[default]
    Background,
    /// With the real pointer and keyboard, after bringing the window to the front.
    Focus,
}

/// The mode that a caller requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RequestedMode {
    /// Only in the background.
    #[default]
    Background,
    /// Only with the real pointer and keyboard.
    Focus,
    /// In the background, and with the real pointer and keyboard if the background refuses.
    Auto,
}

impl RequestedMode {
    /// Runs an action in this mode. The foreground follows only if nothing was sent in the
    /// background and the refusal suggests it; the outcome says so.
    ///
    /// # Errors
    ///
    /// Fails like the action.
    pub fn run(
        self,
        action: impl Fn(ActionMode) -> Result<ActionOutcome>,
    ) -> Result<ActionOutcome> {
        let why = match self {
            Self::Background => return action(ActionMode::Background),
            Self::Focus => return action(ActionMode::Focus),
            Self::Auto => match action(ActionMode::Background) {
                Ok(outcome)
                    if outcome.effect == ActionEffect::Refused
                        && outcome.next_step.as_ref().is_some_and(suggests_focus_mode) =>
                {
                    refusal_reason(&outcome)
                }
                Err(error)
                    if error.delivery() == Delivery::NotSent
                        && error.advice().as_ref().is_some_and(suggests_focus_mode) =>
                {
                    error.to_string()
                }
                other => return other,
            },
        };
        let mut outcome = action(ActionMode::Focus)?;
        let refused = FailedAttempt { strategy: "mode background".to_owned(), why };
        outcome.failed_attempts.insert(0, refused);
        Ok(outcome)
    }
}

fn suggests_focus_mode(advice: &Advice) -> bool {
    advice.parts().contains(&Part::Step(Step::FocusMode))
}

fn refusal_reason(outcome: &ActionOutcome) -> String {
    let reasons = outcome.failed_attempts.iter().map(|attempt| attempt.why.clone());
    let reasons: Vec<String> = reasons.collect();
    if reasons.is_empty() { "it was refused".to_owned() } else { reasons.join("; ") }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn run_auto(in_background: ActionOutcome) -> (ActionOutcome, Vec<ActionMode>) {
        let modes = RefCell::new(Vec::new());
        let outcome = RequestedMode::Auto.run(|mode| {
            modes.borrow_mut().push(mode);
            Ok(match mode {
                ActionMode::Background => in_background.clone(),
                ActionMode::Focus => ActionOutcome::new(ActionEffect::Confirmed, "pointer"),
            })
        });
        (outcome.unwrap(), modes.into_inner())
    }

    #[test]
    fn auto_takes_the_foreground_only_after_a_refusal_that_suggests_it() {
        let refused = ActionOutcome::new(ActionEffect::Refused, "none");
        let suggesting = refused.clone().with_next_step(Advice::from("use ").step(Step::FocusMode));
        let (outcome, modes) = run_auto(suggesting.clone());
        assert_eq!(modes, [ActionMode::Background, ActionMode::Focus]);
        assert_eq!(outcome.effect, ActionEffect::Confirmed);
        assert_eq!(outcome.failed_attempts[0].strategy, "mode background");
        let by_the_user = refused.with_next_step("the user declined");
        assert_eq!(run_auto(by_the_user).1, [ActionMode::Background]);
        let sent = ActionOutcome { effect: ActionEffect::NoEffect, ..suggesting };
        assert_eq!(run_auto(sent).1, [ActionMode::Background], "something was sent");
    }
}
