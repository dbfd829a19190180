//! `window state`: everything the window system knows about one window.

use deskhand_model::{Rect, Window};
use deskhand_platform::WindowState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Line, Need, Page, Result, Shown, Spec, Style, Tool,
    verbs::windows::{self, Prefer},
};

pub(crate) struct State;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The window: its id from `windows`, or an app by name or pid, which means its frontmost.
    target: String,
    /// Only windows whose title contains this.
    title: Option<String>,
}

/// Everything about one window.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Seen {
    /// Its number; pass it as `target`.
    id: u64,
    /// The text in its title bar.
    title: String,
    /// The process it belongs to; 0 when that is not known.
    pid: u32,
    /// Which kind of window it is, such as `normal` or `dialog`.
    kind: String,
    /// The states it is in, such as `maximized`, `fullscreen`, `above`, `modal`, `hidden`.
    states: Vec<String>,
    /// Whether it is minimized.
    minimized: bool,
    /// Whether it has the keyboard.
    focused: bool,
    /// Stacking position: 0 is the frontmost.
    z: u32,
    /// The room its content takes.
    bounds: Rect,
    /// The same with the borders and title bar around it.
    frame: Rect,
    /// The window it belongs to, for dialogs.
    parent: Option<u64>,
    /// On which workspace it is; absent on all of them.
    workspace: Option<u32>,
    /// Whether its program can be asked to close it.
    closable: bool,
    /// The smallest width and height of its content that its program allows.
    smallest: Option<(u32, u32)>,
    /// The largest width and height of its content that its program allows.
    largest: Option<(u32, u32)>,
    /// The steps in which its program lets it grow, as width and height.
    step: Option<(u32, u32)>,
}

impl Seen {
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
            smallest: state.smallest,
            largest: state.largest,
            step: state.step,
        }
    }
}

impl Shown for Seen {
    fn page(&self) -> Page {
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
        let head = Line::new()
            .with(Style::Handle, format!("{:#x}", self.id))
            .with(Style::Strong, deskhand_model::outline::quote(&self.title, 200))
            .with(Style::Faint, format!("pid {}", self.pid));
        let known = rows.into_iter().filter_map(|(kind, value)| Some((kind, value?)));
        known.fold(Page::default().line(head), |page, (kind, value)| {
            let line = Line { indent: 1, spans: Vec::new() };
            page.line(line.with(Style::Kind, kind).with(Style::Value, value))
        })
    }
}

impl Tool for State {
    const SPEC: Spec = Spec {
        name: "window_state",
        command: "window state",
        about: "Show everything about one window: kind, states such as maximized or modal, the \
                window it belongs to, workspace, allowed sizes.",
        effect: Effect::Observe,
        needs: &[Need::Windows],
    };
    type Args = Args;
    type Output = Seen;

    fn run(cx: &Context<'_>, args: Args) -> Result<Seen> {
        let window = windows::meant(cx, &args.target, args.title.as_deref(), Prefer::Shown)?;
        let state = windows::list(cx)?.state(window.id, cx.by)?;
        Ok(Seen::of(window, state))
    }
}
