//! `expand` and `collapse`: open and close a menu, tree item, combo box or section.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::{self, act::set_value},
};

pub(crate) struct ExpandCommand;
pub(crate) struct CollapseCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The element: a ref such as `e12`, or a query that matches exactly one.
    query: String,
    /// The app: its name, pid or desktop-file id (default: the focused app).
    app: Option<String>,
}

impl Args {
    fn set_expanded(&self, cx: &Context<'_>, expanded: bool) -> Result<CommandOutcome> {
        let app = verbs::app::resolve_app(cx, self.app.as_deref())?;
        set_value::expand(cx, &app, &self.query, expanded).map(Into::into)
    }
}

impl Tool for ExpandCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "expand",
        command: "expand",
        about: "Expand a tree item, a section or a combo box.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Tree],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        args.set_expanded(cx, true)
    }
}

impl Tool for CollapseCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "collapse",
        command: "collapse",
        about: "Collapse a tree item, a section or a combo box.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Tree],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        args.set_expanded(cx, false)
    }
}
