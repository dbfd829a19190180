//! `ax_type`: types text into an element.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ActionResult, click::background, core};
use crate::{
    Context, Effect, Offer, PrivateArg, Requirement, Result, Tool, ToolSpec,
    verbs::act::{RequestedMode, type_text, type_without_tree},
};

pub(crate) struct AxType;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Name, alias or pid
    app: String,
    /// Ref or query (default: the focused element)
    query: Option<String>,
    /// Any characters; a line break at the end presses Return in a single-line field
    text: String,
    /// Replace the existing text
    #[serde(default)]
    clear_first: bool,
    /// focus raises the window and uses the real keyboard; auto: only if refused otherwise
    #[serde(default)]
    #[schemars(default = "background")]
    mode: RequestedMode,
}

impl Tool for AxType {
    const SPEC: ToolSpec = ToolSpec {
        name: "ax_type",
        command: "",
        about: "Type text into an element, at the caret or replacing its text, and verify it by \
                reading back.",
        effect: Effect::Act { repeatable: false },
        needs: &[Requirement::Tree],
    };
    const OFFER: Option<Offer> = core("Type text into element");
    const PRIVATE: &'static [PrivateArg] = &[PrivateArg::Text("text")];
    type Args = Args;
    type Output = ActionResult;

    fn run(cx: &Context<'_>, args: Args) -> Result<ActionResult> {
        type_text::check_typable(&args.text)?;
        let clear = args.clear_first;
        let typing = type_text::TypeRequest { text: &args.text, clear, pause: Duration::ZERO };
        let (app, into) = (Some(args.app.as_str()), args.query.as_deref());
        args.mode
            .run(|mode| type_without_tree::type_into_app(cx, app, into, typing, mode))
            .map(ActionResult::from)
    }
}
