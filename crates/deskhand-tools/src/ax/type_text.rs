//! `ax_type`: types text into an element.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ActionResult, click::background, core};
use crate::{
    Context, Effect, Offer, PrivateArg, Requirement, Result, Tool, ToolSpec,
    verbs::{
        self,
        act::{ActionMode, type_text},
    },
};

pub(crate) struct AxType;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Name, alias or pid
    app: String,
    /// Ref or query (default: the focused element)
    query: Option<String>,
    /// Any characters, line breaks and tabs
    text: String,
    /// Replace the existing text
    #[serde(default)]
    clear_first: bool,
    /// focus raises the window and uses the real keyboard
    #[serde(default)]
    #[schemars(default = "background")]
    mode: ActionMode,
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
        let app = verbs::app::resolve_app(cx, Some(&args.app))?;
        let clear = args.clear_first;
        let typing = type_text::TypeRequest { text: &args.text, clear, pause: Duration::ZERO };
        type_text::type_text(cx, &app, args.query.as_deref(), typing, args.mode)
            .map(ActionResult::from)
    }
}
