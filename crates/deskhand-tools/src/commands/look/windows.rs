//! `windows`: lists the open windows.

use deskhand_model::Window;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Render, Requirement, Result, Style, StyledText, Tool, ToolSpec,
    styled_text::span, verbs::windows,
};

pub(crate) struct WindowsCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Only the windows of this app: its name, pid or desktop-file id.
    app: Option<String>,
}

/// The open windows, frontmost first.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct WindowList(Vec<Window>);

impl Render for WindowList {
    fn render(&self) -> StyledText {
        let rows = self.0.iter().map(|window| {
            let b = window.bounds;
            let state = match (window.focused, window.minimized) {
                (_, true) => span(Style::Faint, "minimized"),
                (true, false) => span(Style::Value, "focused"),
                (false, false) => span(Style::Plain, ""),
            };
            vec![
                span(Style::Handle, format!("{:#x}", window.id)),
                span(Style::Plain, window.app.clone().unwrap_or_else(|| window.class.clone())),
                span(Style::Plain, window.pid.to_string()),
                span(Style::Plain, format!("{},{} {}x{}", b.x, b.y, b.width, b.height)),
                state,
                span(Style::Strong, deskhand_model::outline::printable(&window.title)),
            ]
        });
        let titles = vec!["WINDOW", "APP", "PID", "BOUNDS", "STATE", "TITLE"];
        StyledText::default().table(titles, rows.collect())
    }
}

impl Tool for WindowsCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "windows",
        command: "windows",
        about: "List the windows, frontmost first: title, app, bounds, state.",
        effect: Effect::Observe,
        needs: &[Requirement::Tree, Requirement::Windows],
    };
    type Args = Args;
    type Output = WindowList;

    fn run(cx: &Context<'_>, args: Args) -> Result<WindowList> {
        windows::list(cx, args.app.as_deref()).map(WindowList)
    }
}
