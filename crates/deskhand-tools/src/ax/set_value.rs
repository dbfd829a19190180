//! `ax_set_value`: sets the value of an element.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Acted, offer};
use crate::{
    Context, Effect, Need, Offer, Private, Result, Spec, Tool,
    verbs::{self, act::set},
};

pub(crate) struct SetValue;

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

impl Tool for SetValue {
    const SPEC: Spec = Spec {
        name: "ax_set_value",
        command: "",
        about: "Set the value of a field, slider, check box or choice.",
        effect: Effect::Act { repeatable: true },
        needs: &[Need::Tree],
    };
    const OFFER: Option<Offer> = offer("Set element value");
    const PRIVATE: &'static [Private] = &[Private::Text("value")];
    type Args = Args;
    type Output = Acted;

    fn run(cx: &Context<'_>, args: Args) -> Result<Acted> {
        let app = verbs::app::meant(cx, Some(&args.app))?;
        set::set(cx, &app, &args.query, &args.value).map(Acted::from)
    }
}
