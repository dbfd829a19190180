//! `click`: clicks an element through accessibility, or with the pointer in `focus` mode.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::{
        self,
        act::{RequestedMode, click},
    },
};

pub(crate) struct ClickCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The element: a ref such as `e12`, or a query that matches exactly one.
    query: String,
    /// The app: its name, pid or desktop-file id (default: the focused app).
    app: Option<String>,
    /// `single`, `double` or `right`.
    #[serde(default, rename = "type")]
    kind: click::ClickKind,
    /// `background` uses accessibility and disturbs nothing; `focus` raises the window and uses the
    /// pointer and the keyboard; `auto` uses `focus` only if `background` is refused.
    #[serde(default)]
    mode: RequestedMode,
}

impl Tool for ClickCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "click",
        command: "click",
        about: "Click one element and report the verified effect. Refuses an ambiguous target.",
        effect: Effect::Act { repeatable: false },
        needs: &[Requirement::Tree],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let app = verbs::app::resolve_app(cx, args.app.as_deref())?;
        let click = |mode| click::click(cx, &app, &args.query, args.kind, mode);
        args.mode.run(click).map(Into::into)
    }
}
