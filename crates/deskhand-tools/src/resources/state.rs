//! `view_state`: summarizes an app: windows, focus, activity, menus.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    verbs::app::state::{self, Activity},
};

pub(crate) struct StateView;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The app: its name, pid or desktop-file id.
    app: String,
}

/// The summary of an app.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AppState {
    /// Name.
    app: String,
    /// Process id.
    pid: u32,
    /// Its windows, frontmost first.
    windows: Vec<WindowSummary>,
    /// The focused element.
    #[serde(skip_serializing_if = "Option::is_none")]
    focused_element: Option<FocusedElement>,
    /// The activity of the app.
    detected_state: Activity,
    /// The menus of the menu bar.
    menu_bar: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct WindowSummary {
    title: String,
    focused: bool,
    position: [i32; 2],
    size: [i32; 2],
}

#[derive(Serialize, JsonSchema)]
struct FocusedElement {
    role: &'static str,
    title: String,
}

impl Tool for StateView {
    const SPEC: ToolSpec = ToolSpec {
        name: "view_state",
        command: "",
        about: "A summary of an app: windows, focus, activity, menus.",
        effect: Effect::Observe,
        needs: &[Requirement::Tree],
    };
    type Args = Args;
    type Output = AppState;

    fn run(cx: &Context<'_>, args: Args) -> Result<AppState> {
        let state = state::read_state(cx, &args.app)?;
        let windows = state.windows.into_iter().map(|window| WindowSummary {
            title: window.title,
            focused: window.focused,
            position: [window.bounds.x, window.bounds.y],
            size: [window.bounds.width, window.bounds.height],
        });
        let focused = state.focused.map(|node| FocusedElement {
            role: node.role.ax(),
            title: if node.name.is_empty() { node.description } else { node.name },
        });
        Ok(AppState {
            app: state.app.name,
            pid: state.app.pid,
            windows: windows.collect(),
            focused_element: focused,
            detected_state: state.activity,
            menu_bar: state.menus,
        })
    }
}
