//! `scroll`: scrolls to an element, or by an amount.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Error, Int, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::{
        self,
        act::{ActionMode, scroll},
    },
};

pub(crate) struct ScrollCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The element to scroll into view; with a direction, the element to scroll in.
    #[schemars(extend("x-positional" = true))]
    query: Option<String>,
    /// The app: its name, pid or desktop-file id (default: the focused app).
    app: Option<String>,
    /// Scroll in this direction by an amount instead.
    direction: Option<scroll::Direction>,
    /// Distance in pixels (default: 100).
    amount: Option<Int<1, 100_000>>,
    /// `background` uses accessibility and disturbs nothing; `focus` raises the window and uses the
    /// pointer and the keyboard.
    #[serde(default)]
    mode: ActionMode,
}

impl Tool for ScrollCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "scroll",
        command: "scroll",
        about: "Scroll an element into view or, with a direction, scroll by an amount.",
        effect: Effect::Act { repeatable: false },
        needs: &[Requirement::Tree],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let app = verbs::app::resolve_app(cx, args.app.as_deref())?;
        let done = match (args.direction, args.query.as_deref()) {
            (Some(direction), query) => {
                let pixels = args.amount.map_or(100, Int::get);
                scroll::scroll_by(cx, &app, query, direction, pixels, args.mode)
            }
            (None, Some(query)) => scroll::scroll_to(cx, &app, query, args.mode),
            (None, None) => Err(Error::BadArguments {
                tool: "scroll",
                why: "pass an element to scroll into view, or a direction".to_owned(),
            }),
        };
        done.map(Into::into)
    }
}
