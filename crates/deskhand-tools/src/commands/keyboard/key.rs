//! `key`: press keys and shortcuts.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Error, Int, Need, Private, Result, Spec, Tool,
    verbs::{
        act::Mode,
        effect::Done,
        keys::{self, Combo},
        stroke,
    },
};

pub(crate) struct Press;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The keys, one combination after the other: `ctrl+s`, `cmd+shift+p`, `F5`, `Return`. `cmd` is
    /// what apps make their shortcuts with: Command on a Mac, Control elsewhere. `super` and `meta`
    /// are the key with the logo.
    keys: Vec<String>,
    /// How long each combination is held down, in milliseconds; not at all when absent.
    hold_ms: Option<Int<0, 60_000>>,
    /// The app they are meant for, by name, pid or window id; whoever has the keyboard when absent.
    app: Option<String>,
    /// `background` leaves the keyboard to the person at the desk; `focus` brings the app's window
    /// forward first.
    #[serde(default)]
    mode: Mode,
}

impl Tool for Press {
    const SPEC: Spec = Spec {
        name: "key",
        command: "key",
        about: "Press keys and shortcuts, in the app that has the keyboard or in one that is named.",
        effect: Effect::Act { repeatable: false },
        needs: &[Need::Input, Need::Windows],
    };
    const PRIVATE: &'static [Private] = &[Private::Keys("keys")];
    type Args = Args;
    type Output = Done;

    fn run(cx: &Context<'_>, args: Args) -> Result<Done> {
        let combos: Vec<Combo> =
            args.keys.iter().map(|text| keys::parse(text)).collect::<Result<_>>()?;
        if combos.is_empty() {
            let why = "name at least one key".to_owned();
            return Err(Error::BadArguments { tool: Self::SPEC.command, why });
        }
        let hold = Duration::from_millis(args.hold_ms.map_or(0, |ms| ms.get().unsigned_abs()));
        stroke::press(cx, args.app.as_deref(), &combos, hold, args.mode)
    }
}
