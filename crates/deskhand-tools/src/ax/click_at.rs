//! `ax_click_at`: clicks at a point on the screen.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ActionResult, click::single, offer};
use crate::{
    Context, Effect, Offer, Requirement, Result, Tool, ToolSpec,
    verbs::{
        act::click,
        input::pointer::{self, CoordinateUnits},
    },
};

pub(crate) struct AxClickAt;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Screen pixels
    x: i32,
    /// Screen pixels
    y: i32,
    #[serde(default)]
    #[schemars(default = "single")]
    click_type: click::ClickKind,
}

impl Tool for AxClickAt {
    const SPEC: ToolSpec = ToolSpec {
        name: "ax_click_at",
        command: "",
        about: "Click at a screen point with the real pointer. Prefer ax_click.",
        effect: Effect::Act { repeatable: false },
        needs: &[Requirement::Input, Requirement::Screen],
    };
    const OFFER: Option<Offer> = offer("Click at screen coordinates");
    type Args = Args;
    type Output = ActionResult;

    fn run(cx: &Context<'_>, args: Args) -> Result<ActionResult> {
        let units = CoordinateUnits { screenshot: None, factor: None };
        let to = pointer::resolve_point(cx, f64::from(args.x), f64::from(args.y), units)?;
        let (button, count) = args.click_type.button_and_count();
        pointer::click_at(cx, to, button, count, &[]).map(ActionResult::from)
    }
}
