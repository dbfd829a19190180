//! `ax_click`: clicks an element.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ActionResult, core};
use crate::{
    Context, Effect, Offer, Requirement, Result, Tool, ToolSpec,
    verbs::{
        self,
        act::{RequestedMode, click},
    },
};

pub(crate) struct AxClick;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Name, alias or pid
    app: String,
    /// Ref or query
    query: String,
    #[serde(default)]
    #[schemars(default = "single")]
    click_type: click::ClickKind,
    /// focus raises the window and uses the real pointer; auto: only if refused otherwise
    #[serde(default)]
    #[schemars(default = "background")]
    mode: RequestedMode,
}

pub(super) fn single() -> &'static str {
    "single"
}

pub(super) fn background() -> &'static str {
    "background"
}

impl Tool for AxClick {
    const SPEC: ToolSpec = ToolSpec {
        name: "ax_click",
        command: "",
        about: "Click one element and report the verified effect.",
        effect: Effect::Act { repeatable: false },
        needs: &[Requirement::Tree],
    };
    const OFFER: Option<Offer> = core("Click UI element");
    type Args = Args;
    type Output = ActionResult;

    fn run(cx: &Context<'_>, args: Args) -> Result<ActionResult> {
        let app = verbs::app::resolve_app(cx, Some(&args.app))?;
        let click = |mode| click::click(cx, &app, &args.query, args.click_type, mode);
        args.mode.run(click).map(ActionResult::from)
    }
}
