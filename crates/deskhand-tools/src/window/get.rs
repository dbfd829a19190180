//! `window get`: one window as the list shows it.

use deskhand_model::{Rect, Window};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Line, Need, Page, Result, Shown, Spec, Style, Tool,
    verbs::windows::{self, Prefer},
};

pub(crate) struct Get;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The window: its id from `windows`, or an app by name or pid, which means its frontmost.
    target: String,
    /// Only windows whose title contains this.
    title: Option<String>,
}

impl Shown for Window {
    fn page(&self) -> Page {
        let room = |r: Rect| format!("{},{} {}x{}", r.x, r.y, r.width, r.height);
        let owner = self.app.as_deref().unwrap_or(&self.class);
        let head = Line::new()
            .with(Style::Handle, format!("{:#x}", self.id))
            .with(Style::Strong, deskhand_model::outline::quote(&self.title, 200));
        let row = |kind: &str, value: String| {
            Line { indent: 1, spans: Vec::new() }.with(Style::Kind, kind).with(Style::Value, value)
        };
        let state = match (self.minimized, self.focused) {
            (true, _) => "minimized",
            (false, true) => "focused",
            (false, false) => "shown",
        };
        Page::default()
            .line(head)
            .line(row("app", format!("{owner} (pid {}, class {})", self.pid, self.class)))
            .line(row("bounds", room(self.bounds)))
            .line(row("frame", room(self.frame)))
            .line(row("order", format!("{} from the front", self.z)))
            .line(row("state", state.to_owned()))
    }
}

impl Tool for Get {
    const SPEC: Spec = Spec {
        name: "window_get",
        command: "window get",
        about: "Show one window: title, app, place with and without its frame, order, state.",
        effect: Effect::Observe,
        needs: &[Need::Windows],
    };
    type Args = Args;
    type Output = Window;

    fn run(cx: &Context<'_>, args: Args) -> Result<Window> {
        windows::meant(cx, &args.target, args.title.as_deref(), Prefer::Shown)
    }
}
