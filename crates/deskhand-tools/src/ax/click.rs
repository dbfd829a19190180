//! `ax_click`: clicks an element.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Acted, core};
use crate::{
    Context, Effect, Need, Offer, Result, Spec, Tool,
    verbs::{
        self,
        act::{Mode, press},
    },
};

pub(crate) struct Click;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Name, alias or pid
    app: String,
    /// Ref or query
    query: String,
    #[serde(default)]
    #[schemars(default = "single")]
    click_type: press::Click,
    /// focus raises the window and uses the real pointer
    #[serde(default)]
    #[schemars(default = "background")]
    mode: Mode,
}

pub(super) fn single() -> &'static str {
    "single"
}

pub(super) fn background() -> &'static str {
    "background"
}

impl Tool for Click {
    const SPEC: Spec = Spec {
        name: "ax_click",
        command: "",
        about: "Click one element and report the verified effect.",
        effect: Effect::Act { repeatable: false },
        needs: &[Need::Tree],
    };
    const OFFER: Option<Offer> = core("Click UI element");
    type Args = Args;
    type Output = Acted;

    fn run(cx: &Context<'_>, args: Args) -> Result<Acted> {
        let app = verbs::app::meant(cx, Some(&args.app))?;
        press::click(cx, &app, &args.query, args.click_type, args.mode).map(Acted::from)
    }
}
