//! `ax_list_windows`: lists the windows of an app.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::offer;
use crate::{Context, Effect, Offer, Requirement, Result, Tool, ToolSpec, verbs::windows};

pub(crate) struct AxListWindows;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Name, alias or pid
    app: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct WindowsResult {
    windows: Vec<ListedWindow>,
}

#[derive(Serialize, JsonSchema)]
struct ListedWindow {
    index: usize,
    title: String,
    position: Vec<i32>,
    size: Vec<i32>,
    focused: bool,
    minimized: bool,
}

impl Tool for AxListWindows {
    const SPEC: ToolSpec = ToolSpec {
        name: "ax_list_windows",
        command: "",
        about: "List the windows of an app, frontmost first.",
        effect: Effect::Observe,
        needs: &[Requirement::Tree, Requirement::Windows],
    };
    const OFFER: Option<Offer> = offer("List application windows");
    type Args = Args;
    type Output = WindowsResult;

    fn run(cx: &Context<'_>, args: Args) -> Result<WindowsResult> {
        let windows = windows::list_by_index(cx, &args.app)?;
        let rows = (0..).zip(windows).map(|(index, window)| ListedWindow {
            index,
            title: window.title,
            position: vec![window.bounds.x, window.bounds.y],
            size: vec![window.bounds.width, window.bounds.height],
            focused: window.focused,
            minimized: window.minimized,
        });
        Ok(WindowsResult { windows: rows.collect() })
    }
}
