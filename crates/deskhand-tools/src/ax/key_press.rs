//! `ax_key_press`: presses a key or a shortcut.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ActionResult, core};
use crate::{
    Context, Effect, Offer, PrivateArg, Requirement, Result, Tool, ToolSpec,
    verbs::{self, act::ActionMode, effect::ActionEffect, input::key_press, input::keys},
};

pub(crate) struct AxKeyPress;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Default: the focused app
    app: Option<String>,
    /// Such as return, escape, a, F5
    key: String,
    /// Modifiers to hold; cmd is ctrl, except on macOS
    #[serde(default)]
    modifiers: Vec<Modifier>,
}

/// A modifier key.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Modifier {
    Cmd,
    Ctrl,
    Opt,
    Shift,
}

impl Modifier {
    fn word(self) -> &'static str {
        match self {
            Self::Cmd => "cmd",
            Self::Ctrl => "ctrl",
            Self::Opt => "alt",
            Self::Shift => "shift",
        }
    }
}

impl Tool for AxKeyPress {
    const SPEC: ToolSpec = ToolSpec {
        name: "ax_key_press",
        command: "",
        about: "Press a key or shortcut in the focused app or in a named one.",
        effect: Effect::Act { repeatable: false },
        needs: &[Requirement::Input, Requirement::Windows],
    };
    const OFFER: Option<Offer> = core("Send keyboard shortcut");
    const PRIVATE: &'static [PrivateArg] = &[PrivateArg::Keys("key")];
    type Args = Args;
    type Output = ActionResult;

    fn run(cx: &Context<'_>, args: Args) -> Result<ActionResult> {
        let combo = keys::parse_combo(&written(&args.modifiers, &args.key))?;
        let app = match &args.app {
            Some(name) => Some(verbs::programs::resolve_program(cx, name)?.pid.to_string()),
            None => None,
        };
        let (combos, now) = ([combo], Duration::ZERO);
        let acted = ActionResult::from(key_press::press_combos(
            cx,
            app.as_deref(),
            &combos,
            now,
            ActionMode::Background,
        )?);
        Ok(match acted.effect() {
            ActionEffect::Refused => {
                acted.or_else("bring its window forward with ax_click and mode \"focus\" first")
            }
            ActionEffect::Confirmed
            | ActionEffect::Partial
            | ActionEffect::Unverified
            | ActionEffect::NoEffect => acted,
        })
    }
}

/// Returns the combination in its usual notation, such as `ctrl+s`.
fn written(modifiers: &[Modifier], key: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for word in modifiers.iter().map(|one| one.word()) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.push(key);
    words.join("+")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modifiers_stand_before_the_key_and_none_twice() {
        assert_eq!(written(&[Modifier::Ctrl, Modifier::Shift], "p"), "ctrl+shift+p");
        let twice = [Modifier::Cmd, Modifier::Opt, Modifier::Cmd];
        assert_eq!(written(&twice, "F5"), "cmd+alt+F5");
        assert_eq!(written(&[Modifier::Ctrl, Modifier::Cmd], "f"), "ctrl+cmd+f");
        assert_eq!(written(&[], "return"), "return");
        assert!(keys::parse_combo(&written(&[Modifier::Ctrl], "+")).is_ok());
    }
}
