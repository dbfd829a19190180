//! `click`: press one element through accessibility, or by pointer when asked.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Need, Result, Spec, Tool,
    verbs::{
        self,
        act::{Mode, press},
        effect::Done,
    },
};

pub(crate) struct Click;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The element: a ref such as `e12`, or a query that matches exactly one.
    query: String,
    /// The app: its name, pid or desktop-file id. The focused one when absent.
    app: Option<String>,
    /// `single`, `double` or `right`.
    #[serde(default, rename = "type")]
    kind: press::Click,
    /// `background` goes through accessibility and disturbs nobody; `focus` brings the window forward
    /// and uses pointer and keyboard.
    #[serde(default)]
    mode: Mode,
}

impl Tool for Click {
    const SPEC: Spec = Spec {
        name: "click",
        command: "click",
        about: "Click one element, and say what came of it. Refuses an ambiguous target instead of guessing.",
        effect: Effect::Act { repeatable: false },
        needs: &[Need::Tree],
    };
    type Args = Args;
    type Output = Done;

    fn run(cx: &Context<'_>, args: Args) -> Result<Done> {
        let app = verbs::app::meant(cx, args.app.as_deref())?;
        press::click(cx, &app, &args.query, args.kind, args.mode)
    }
}
