//! `set`: sets the value of an element of any kind.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, PrivateArg, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::{self, act::set_value},
};

pub(crate) struct SetCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The element: a ref such as `e12`, or a query that matches exactly one.
    query: String,
    /// The new value: text, a number, `true` or `false`, or an item's name.
    value: String,
    /// The app: its name, pid or desktop-file id (default: the focused app).
    app: Option<String>,
}

impl Tool for SetCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "set",
        command: "set",
        about: "Set the value of one element: text, a number, true or false, or the name of a \
                choice.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Tree],
    };
    const PRIVATE: &'static [PrivateArg] = &[PrivateArg::Text("value")];
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let app = verbs::app::resolve_app(cx, args.app.as_deref())?;
        set_value::set_value(cx, &app, &args.query, &args.value).map(Into::into)
    }
}
