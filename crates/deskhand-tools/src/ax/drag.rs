//! `ax_drag`: drags with the pointer.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ActionResult, offer};
use crate::{
    Context, Effect, Error, Int, Offer, Requirement, Result, Tool, ToolSpec,
    verbs::{
        self,
        act::drag::{self, DragEnd},
    },
};

pub(crate) struct AxDrag;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Name, alias or pid
    app: String,
    /// Element to drag, or from_x and from_y
    from_query: Option<String>,
    /// Element to drop on, or to_x and to_y
    to_query: Option<String>,
    /// Screen pixels
    from_x: Option<i32>,
    /// Screen pixels
    from_y: Option<i32>,
    /// Screen pixels
    to_x: Option<i32>,
    /// Screen pixels
    to_y: Option<i32>,
    /// Duration of the movement
    #[serde(default = "half_a_second")]
    duration_ms: Int<0, 60_000>,
}

fn half_a_second() -> Int<0, 60_000> {
    Int::of(500)
}

impl Tool for AxDrag {
    const SPEC: ToolSpec = ToolSpec {
        name: "ax_drag",
        command: "",
        about: "Drag from an element or point to another with the real pointer.",
        effect: Effect::Act { repeatable: false },
        needs: &[Requirement::Tree, Requirement::Input],
    };
    const OFFER: Option<Offer> = offer("Drag element or between positions");
    type Args = Args;
    type Output = ActionResult;

    fn run(cx: &Context<'_>, args: Args) -> Result<ActionResult> {
        let from = end(args.from_query, args.from_x, args.from_y, "from")?;
        let to = end(args.to_query, args.to_x, args.to_y, "to")?;
        let app = verbs::app::resolve_app(cx, Some(&args.app))?;
        let duration = Duration::from_millis(args.duration_ms.count() as u64);
        drag::drag(cx, &app, &from, &to, duration).map(ActionResult::from)
    }
}

fn end(query: Option<String>, x: Option<i32>, y: Option<i32>, side: &str) -> Result<DragEnd> {
    match (query, x, y) {
        (Some(query), None, None) => Ok(DragEnd::Element(query)),
        (None, Some(x), Some(y)) => Ok(DragEnd::Point(x, y)),
        (Some(_) | None, ..) => Err(Error::BadArguments {
            tool: AxDrag::SPEC.name,
            why: format!("expected {side}_query, or {side}_x and {side}_y"),
        }),
    }
}
