//! `drag`: drags an element to another, or from point to point.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Error, Int, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::{
        self,
        act::drag::{self, DragEnd},
    },
};

pub(crate) struct DragCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The app: its name, pid or desktop-file id (default: the focused app).
    app: Option<String>,
    /// The element to drag: a ref or a query.
    #[schemars(extend("x-positional" = true))]
    from: Option<String>,
    /// The element to drop on: a ref or a query.
    #[schemars(extend("x-positional" = true))]
    to: Option<String>,
    /// Start point, if no element is given.
    from_x: Option<i32>,
    /// Start point, if no element is given.
    from_y: Option<i32>,
    /// End point, if no element is given.
    to_x: Option<i32>,
    /// End point, if no element is given.
    to_y: Option<i32>,
    /// Duration of the movement in milliseconds (default: 500).
    duration_ms: Option<Int<0, 60_000>>,
}

impl Tool for DragCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "drag",
        command: "drag",
        about: "Drag with the pointer from one element or point to another. Raises the window.",
        effect: Effect::Act { repeatable: false },
        needs: &[Requirement::Tree, Requirement::Input],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let duration = Duration::from_millis(args.duration_ms.map_or(500, Int::count) as u64);
        let end = |query: Option<String>, x: Option<i32>, y: Option<i32>, which: &str| match (
            query, x, y,
        ) {
            (Some(query), None, None) => Ok(DragEnd::Element(query)),
            (None, Some(x), Some(y)) => Ok(DragEnd::Point(x, y)),
            (Some(_) | None, ..) => Err(Error::BadArguments {
                tool: "drag",
                why: format!("pass where it {which}: an element, or both coordinates"),
            }),
        };
        let from = end(args.from, args.from_x, args.from_y, "begins")?;
        let to = end(args.to, args.to_x, args.to_y, "ends")?;
        let app = verbs::app::resolve_app(cx, args.app.as_deref())?;
        drag::drag(cx, &app, &from, &to, duration).map(Into::into)
    }
}
