//! `window get`: shows one window of the window list.

use deskhand_model::{Rect, Window};
use schemars::JsonSchema;
use serde::Serialize;

use super::Args;
use crate::{
    Context, Effect, Render, Requirement, Result, Style, StyledLine, StyledText, Tool, ToolSpec,
    verbs::windows::WindowPreference,
};

pub(crate) struct WindowGetCommand;

/// One window.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct WindowOutput(Window);

impl Render for WindowOutput {
    fn render(&self) -> StyledText {
        let Self(window) = self;
        let room = |r: Rect| format!("{},{} {}x{}", r.x, r.y, r.width, r.height);
        let owner = window.app.as_deref().unwrap_or(&window.class);
        let head = StyledLine::new()
            .with(Style::Handle, format!("{:#x}", window.id))
            .with(Style::Strong, deskhand_model::outline::quote(&window.title, 200));
        let row = |kind: &str, value: String| {
            StyledLine { indent: 1, spans: Vec::new() }
                .with(Style::Kind, kind)
                .with(Style::Value, value)
        };
        let state = match (window.minimized, window.focused) {
            (true, _) => "minimized",
            (false, true) => "focused",
            (false, false) => "shown",
        };
        StyledText::default()
            .line(head)
            .line(row("app", format!("{owner} (pid {}, class {})", window.pid, window.class)))
            .line(row("bounds", room(window.bounds)))
            .line(row("frame", room(window.frame)))
            .line(row("order", format!("{} from the front", window.z)))
            .line(row("state", state.to_owned()))
    }
}

impl Tool for WindowGetCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "window_get",
        command: "window get",
        about: "Show one window: title, app, bounds with and without its frame, stacking order, \
                state.",
        effect: Effect::Observe,
        needs: &[Requirement::Windows],
    };
    type Args = Args;
    type Output = WindowOutput;

    fn run(cx: &Context<'_>, args: Args) -> Result<WindowOutput> {
        Ok(WindowOutput(args.window(cx, WindowPreference::Shown)?))
    }
}
