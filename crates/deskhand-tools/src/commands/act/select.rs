//! `select`: selects items in a list, tree, tab list or combo box.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::{self, act::select},
};

pub(crate) struct SelectCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The container: a ref such as `e12`, or a query that matches exactly one.
    query: String,
    /// The items by name, or by number as `#3`.
    items: Vec<String>,
    /// The app: its name, pid or desktop-file id (default: the focused app).
    app: Option<String>,
}

impl Tool for SelectCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "select",
        command: "select",
        about: "Select exactly the named items of a list, table, tab list or combo box.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Tree],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let app = verbs::app::resolve_app(cx, args.app.as_deref())?;
        select::select(cx, &app, &args.query, &args.items).map(Into::into)
    }
}
