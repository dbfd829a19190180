//! `ax_set_value`: sets the value of an element.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ActionResult, offer};
use crate::{
    Context, Effect, Offer, PrivateArg, Requirement, Result, Tool, ToolSpec,
    verbs::{self, act::set_value},
};

pub(crate) struct AxSetValue;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Name, alias or pid
    app: String,
    /// Ref or query
    query: String,
    /// Text, number, true or false, or an item's name
    value: String,
}

impl Tool for AxSetValue {
    const SPEC: ToolSpec = ToolSpec {
        name: "ax_set_value",
        command: "",
        about: "Set the value of a field, slider, check box or choice.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Tree],
    };
    const OFFER: Option<Offer> = offer("Set element value");
    const PRIVATE: &'static [PrivateArg] = &[PrivateArg::Text("value")];
    type Args = Args;
    type Output = ActionResult;

    fn run(cx: &Context<'_>, args: Args) -> Result<ActionResult> {
        let app = verbs::app::resolve_app(cx, Some(&args.app))?;
        set_value::set_value(cx, &app, &args.query, &args.value).map(ActionResult::from)
    }
}
