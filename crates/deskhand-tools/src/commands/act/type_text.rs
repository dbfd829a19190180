//! `type`: types text at the caret, or replaces the existing text.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Int, PrivateArg, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::act::{RequestedMode, type_text, type_without_tree},
};

pub(crate) struct TypeCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The text: any characters, line breaks and tabs. In a single-line field, a line break at the
    /// end presses Return.
    text: String,
    /// The element to type into: a ref or a query (default: the focused element).
    #[serde(alias = "element")]
    #[schemars(extend("x-alias" = "element"))]
    into: Option<String>,
    /// The app: its name, pid or desktop-file id (default: the focused app).
    app: Option<String>,
    /// Remove the existing text first.
    #[serde(default)]
    clear: bool,
    /// Pause after each character in milliseconds when typing on a keyboard (default: 0).
    delay_ms: Option<Int<0, 5_000>>,
    /// `background` uses accessibility and disturbs nothing; `focus` raises the window and uses the
    /// pointer and the keyboard; `auto` uses `focus` only if `background` is refused.
    #[serde(default)]
    mode: RequestedMode,
}

impl Tool for TypeCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "type",
        command: "type",
        about: "Type text into an element, at its caret or after clearing it, and verify it by \
                reading back.",
        effect: Effect::Act { repeatable: false },
        needs: &[Requirement::Tree],
    };
    const PRIVATE: &'static [PrivateArg] = &[PrivateArg::Text("text")];
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        type_text::check_typable(&args.text)?;
        let pause = Duration::from_millis(args.delay_ms.map_or(0, Int::count) as u64);
        let typing = type_text::TypeRequest { text: &args.text, clear: args.clear, pause };
        let (app, into) = (args.app.as_deref(), args.into.as_deref());
        args.mode
            .run(|mode| type_without_tree::type_into_app(cx, app, into, typing, mode))
            .map(Into::into)
    }
}
