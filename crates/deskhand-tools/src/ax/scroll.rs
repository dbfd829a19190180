//! `ax_scroll`: scrolls inside an element.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ActionResult, offer};
use crate::{
    Context, Effect, Int, Offer, Requirement, Result, Tool, ToolSpec,
    verbs::{
        self,
        act::{ActionMode, scroll},
    },
};

pub(crate) struct AxScroll;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Name, alias or pid
    app: String,
    /// Ref or query to scroll in
    query: Option<String>,
    /// Direction
    direction: scroll::Direction,
    /// Pixels
    #[serde(default = "hundred")]
    amount: Int<1, 100_000>,
}

fn hundred() -> Int<1, 100_000> {
    Int::of(100)
}

impl Tool for AxScroll {
    const SPEC: ToolSpec = ToolSpec {
        name: "ax_scroll",
        command: "",
        about: "Scroll an app or an element by a number of pixels.",
        effect: Effect::Adjust { repeatable: false },
        needs: &[Requirement::Tree],
    };
    const OFFER: Option<Offer> = offer("Scroll within element");
    type Args = Args;
    type Output = ActionResult;

    fn run(cx: &Context<'_>, args: Args) -> Result<ActionResult> {
        let app = verbs::app::resolve_app(cx, Some(&args.app))?;
        let (query, pixels) = (args.query.as_deref(), args.amount.get());
        let done =
            scroll::scroll_by(cx, &app, query, args.direction, pixels, ActionMode::Background)?;
        Ok(done.into())
    }
}
