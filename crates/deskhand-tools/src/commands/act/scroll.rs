//! `scroll`: scroll to an element, or by an amount.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Error, Int, Need, Result, Spec, Tool,
    verbs::{
        self,
        act::{Mode, reveal},
        effect::Done,
    },
};

pub(crate) struct Scroll;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The element to bring into view; with a direction, the element to scroll in.
    #[schemars(extend("x-positional" = true))]
    query: Option<String>,
    /// The app: its name, pid or desktop-file id. The focused one when absent.
    app: Option<String>,
    /// Scroll this way by an amount instead.
    direction: Option<reveal::Direction>,
    /// How far, in pixels; 100 when absent.
    amount: Option<Int<1, 100_000>>,
    /// `background` goes through accessibility and disturbs nobody; `focus` brings the window forward
    /// and uses pointer and keyboard.
    #[serde(default)]
    mode: Mode,
}

impl Tool for Scroll {
    const SPEC: Spec = Spec {
        name: "scroll",
        command: "scroll",
        about: "Scroll until an element is in view, or, with a direction, by an amount.",
        effect: Effect::Act { repeatable: false },
        needs: &[Need::Tree],
    };
    type Args = Args;
    type Output = Done;

    fn run(cx: &Context<'_>, args: Args) -> Result<Done> {
        let app = verbs::app::meant(cx, args.app.as_deref())?;
        match (args.direction, args.query.as_deref()) {
            (Some(direction), query) => {
                let pixels = args.amount.map_or(100, Int::get);
                reveal::by_amount(cx, &app, query, direction, pixels, args.mode)
            }
            (None, Some(query)) => reveal::to_element(cx, &app, query, args.mode),
            (None, None) => Err(Error::BadArguments {
                tool: "scroll",
                why: "neither an element to bring into view nor a direction was given".to_owned(),
            }),
        }
    }
}
