//! `act`: performs a named action of an element.

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

pub(crate) struct ActCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The action: a common word, or a name from the element's own list.
    action: String,
    /// The element: a ref such as `e12`, or a query that matches exactly one.
    query: String,
    /// The app: its name, pid or desktop-file id (default: the focused app).
    app: Option<String>,
    /// `background` uses accessibility and disturbs nothing; `focus` raises the window and uses the
    /// pointer and the keyboard; `auto` uses `focus` only if `background` is refused.
    #[serde(default)]
    mode: RequestedMode,
}

impl Tool for ActCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "act",
        command: "act",
        about: "Perform a named action of one element: press, pick, show-menu, confirm, cancel, \
                raise, increment, decrement, or any name the element lists.",
        effect: Effect::Act { repeatable: false },
        needs: &[Requirement::Tree],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let app = verbs::app::resolve_app(cx, args.app.as_deref())?;
        let act = |mode| click::perform_action(cx, &app, &args.query, &args.action, mode);
        args.mode.run(act).map(Into::into)
    }
}
