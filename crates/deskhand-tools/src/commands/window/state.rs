//! `window state`: shows everything the window system knows about a window.

use deskhand_model::{Rect, Window};
use deskhand_platform::WindowState;
use schemars::JsonSchema;
use serde::Serialize;

use super::Args;
use crate::{
    Context, Effect, Render, Requirement, Result, Style, StyledLine, StyledText, Tool, ToolSpec,
    verbs::windows::{self, WindowPreference},
};

pub(crate) struct WindowStateCommand;

/// Details of one window.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WindowDetails {
    /// Window id; pass it as `target`.
    id: u64,
    /// Text of the title bar.
    title: String,
    /// Process id of the owner; 0 if unknown.
    pid: u32,
    /// Type of the window, such as `normal` or `dialog`.
    kind: String,
    /// States, such as `maximized`, `fullscreen`, `above`, `modal`, `hidden`.
    states: Vec<String>,
    /// `true` if the window is minimized.
    minimized: bool,
    /// `true` if the window has the keyboard focus.
    focused: bool,
    /// Stacking position: 0 is the frontmost.
    z: u32,
    /// Rectangle of the content.
    bounds: Rect,
    /// The same rectangle with borders and title bar.
    frame: Rect,
    /// The parent window, for dialogs.
    parent: Option<u64>,
    /// Workspace number; absent if it is on all workspaces.
    workspace: Option<u32>,
    /// `true` if the program supports closing the window.
    closable: bool,
    /// Minimum width and height of the content.
    smallest: Option<(u32, u32)>,
    /// Maximum width and height of the content.
    largest: Option<(u32, u32)>,
    /// Width and height of the resize steps.
    step: Option<(u32, u32)>,
}

impl WindowDetails {
    fn of(window: Window, state: WindowState) -> Self {
        Self {
            id: window.id,
            title: window.title,
            pid: window.pid,
            kind: state.kind,
            states: state.states,
            minimized: window.minimized,
            focused: window.focused,
            z: window.z,
            bounds: window.bounds,
            frame: window.frame,
            parent: state.parent,
            workspace: state.workspace,
            closable: state.closable,
            smallest: state.min_size,
            largest: state.max_size,
            step: state.resize_increment,
        }
    }
}

impl Render for WindowDetails {
    fn render(&self) -> StyledText {
        let room = |r: Rect| format!("{},{} {}x{}", r.x, r.y, r.width, r.height);
        let size = |(width, height): (u32, u32)| format!("{width}x{height}");
        let states =
            if self.states.is_empty() { "none".to_owned() } else { self.states.join(", ") };
        let rows = [
            ("kind", Some(self.kind.clone())),
            ("states", Some(states)),
            ("bounds", Some(room(self.bounds))),
            ("frame", Some(room(self.frame))),
            ("order", Some(format!("{} from the front", self.z))),
            ("belongs to", self.parent.map(|parent| format!("{parent:#x}"))),
            ("workspace", self.workspace.map(|workspace| workspace.to_string())),
            ("closable", Some(if self.closable { "yes" } else { "only by force" }.to_owned())),
            ("smallest", self.smallest.map(size)),
            ("largest", self.largest.map(size)),
            ("step", self.step.map(size)),
        ];
        let head = StyledLine::new()
            .with(Style::Handle, format!("{:#x}", self.id))
            .with(Style::Strong, deskhand_model::outline::quote(&self.title, 200))
            .with(Style::Faint, format!("pid {}", self.pid));
        let known = rows.into_iter().filter_map(|(kind, value)| Some((kind, value?)));
        known.fold(StyledText::default().line(head), |page, (kind, value)| {
            let line = StyledLine { indent: 1, spans: Vec::new() };
            page.line(line.with(Style::Kind, kind).with(Style::Value, value))
        })
    }
}

impl Tool for WindowStateCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "window_state",
        command: "window state",
        about: "Show details of one window: type, states such as maximized or modal, parent \
                window, workspace, size limits.",
        effect: Effect::Observe,
        needs: &[Requirement::Windows],
    };
    type Args = Args;
    type Output = WindowDetails;

    fn run(cx: &Context<'_>, args: Args) -> Result<WindowDetails> {
        let window = args.window(cx, WindowPreference::Shown)?;
        let state = windows::window_system(cx)?.state(window.id, cx.deadline)?;
        Ok(WindowDetails::of(window, state))
    }
}
