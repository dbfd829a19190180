//! `focus`: gives an element the keyboard focus within its window.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::{
        self,
        act::{ActionMode, set_value},
    },
};

pub(crate) struct FocusCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The element: a ref such as `e12`, or a query that matches exactly one.
    query: String,
    /// The app: its name, pid or desktop-file id (default: the focused app).
    app: Option<String>,
    /// `background` uses accessibility and disturbs nothing; `focus` raises the window and uses the
    /// pointer and the keyboard.
    #[serde(default)]
    mode: ActionMode,
}

impl Tool for FocusCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "focus",
        command: "focus",
        about: "Give an element the keyboard focus within its window. With `--mode focus`, also \
                raise the window.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Tree],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let app = verbs::app::resolve_app(cx, args.app.as_deref())?;
        set_value::focus(cx, &app, &args.query, args.mode).map(Into::into)
    }
}
