//! `key`: presses keys and shortcuts.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Error, Int, PrivateArg, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::{
        act::RequestedMode,
        input::key_press,
        input::keys::{self, KeyCombo},
    },
};

pub(crate) struct KeyCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The key combinations, in order: `ctrl+s`, `cmd+shift+p`, `F5`, `Return`. `cmd` is the
    /// modifier of app shortcuts: Command on macOS, Control elsewhere. `super` and `meta` are the
    /// logo key.
    keys: Vec<String>,
    /// Time to hold each combination down, in milliseconds (default: 0).
    hold_ms: Option<Int<0, 60_000>>,
    /// The target app, by name, pid or window id (default: the app with the keyboard focus).
    app: Option<String>,
    /// `background` leaves the user's keyboard focus alone; `focus` raises the app's window first;
    /// `auto` does so only if `background` is refused.
    #[serde(default)]
    mode: RequestedMode,
}

impl Tool for KeyCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "key",
        command: "key",
        about: "Press keys and shortcuts in the focused app or in a named one.",
        effect: Effect::Act { repeatable: false },
        needs: &[Requirement::Input, Requirement::Windows],
    };
    const PRIVATE: &'static [PrivateArg] = &[PrivateArg::Keys("keys")];
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let combos: Vec<KeyCombo> =
            args.keys.iter().map(|text| keys::parse_combo(text)).collect::<Result<_>>()?;
        if combos.is_empty() {
            let why = "pass at least one key".to_owned();
            return Err(Error::BadArguments { tool: Self::SPEC.command, why });
        }
        let hold = Duration::from_millis(args.hold_ms.map_or(0, |ms| ms.get().unsigned_abs()));
        let press = |mode| key_press::press_combos(cx, args.app.as_deref(), &combos, hold, mode);
        args.mode.run(press).map(Into::into)
    }
}
