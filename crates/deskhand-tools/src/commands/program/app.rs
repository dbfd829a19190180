//! `app`: shows details of one running app.

use deskhand_model::{Rect, Window};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Render, Requirement, Result, Style, StyledLine, StyledText, Tool, ToolSpec,
    styled_text::span,
    verbs::programs::{self, RunningProgram},
};

pub(crate) struct AppCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The app: its name, pid, desktop-file id or program.
    app: String,
}

/// Accessibility of an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AppAccess {
    /// The app has a tree and responds.
    Ok,
    /// The app has a tree but does not respond.
    NotResponding,
    /// The app has no tree; only its pixels are visible.
    NoTree,
}

/// One window of the app.
#[derive(Serialize, JsonSchema)]
struct AppWindow {
    /// Window id; pass it to the window tools.
    id: u64,
    /// Text of the title bar.
    title: String,
    /// Rectangle of the content.
    bounds: Rect,
    /// `true` if the window is minimized.
    minimized: bool,
    /// `true` if the window has the keyboard focus.
    focused: bool,
}

/// Details of one app.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AppDetails {
    /// Name.
    name: String,
    /// Process id.
    pid: u32,
    /// Desktop-file id.
    bundle_id: Option<String>,
    /// The program file it runs.
    executable: Option<String>,
    /// Toolkit and version, such as `gtk 3.24.38`.
    toolkit: Option<String>,
    /// Accessibility: `ok`, `not_responding` or `no_tree`.
    access: AppAccess,
    /// `true` if one of its windows has the keyboard focus.
    focused: bool,
    /// Its windows, frontmost first.
    windows: Vec<AppWindow>,
}

impl From<RunningProgram> for AppDetails {
    fn from(running: RunningProgram) -> Self {
        let RunningProgram { name, pid, app, windows } = running;
        let access = match &app {
            Some(app) if app.responding => AppAccess::Ok,
            Some(_) => AppAccess::NotResponding,
            None => AppAccess::NoTree,
        };
        let toolkit = app.as_ref().map(|app| &app.toolkit);
        Self {
            name,
            pid,
            toolkit: toolkit.map(|kit| format!("{} {}", kit.name, kit.version).trim().to_owned()),
            bundle_id: app.as_ref().and_then(|app| app.bundle_id.clone()),
            executable: app.and_then(|app| app.executable),
            access,
            focused: windows.iter().any(|window| window.focused),
            windows: windows.into_iter().map(row).collect(),
        }
    }
}

fn row(window: Window) -> AppWindow {
    let Window { id, title, bounds, minimized, focused, .. } = window;
    AppWindow { id, title, bounds, minimized, focused }
}

impl Render for AppDetails {
    fn render(&self) -> StyledText {
        let access = match self.access {
            AppAccess::Ok => "ok",
            AppAccess::NotResponding => "not responding",
            AppAccess::NoTree => "no tree: only pixels are visible",
        };
        let rows = [
            ("desktop file", self.bundle_id.as_deref()),
            ("program", self.executable.as_deref()),
            ("toolkit", self.toolkit.as_deref()),
            ("access", Some(access)),
        ];
        let head = StyledLine::new()
            .with(Style::Strong, &self.name)
            .with(Style::Handle, self.pid.to_string())
            .with(Style::Value, if self.focused { "focused" } else { "" });
        let known = rows.into_iter().filter_map(|(kind, value)| Some((kind, value?)));
        let page = known.fold(StyledText::default().line(head), |page, (kind, value)| {
            let line = StyledLine { indent: 1, spans: Vec::new() };
            page.line(line.with(Style::Kind, kind).with(Style::Value, value))
        });
        if self.windows.is_empty() {
            return page;
        }
        let rows = self.windows.iter().map(|window| {
            let b = window.bounds;
            let state = match (window.minimized, window.focused) {
                (true, _) => "minimized",
                (false, true) => "focused",
                (false, false) => "",
            };
            vec![
                span(Style::Handle, format!("{:#x}", window.id)),
                span(Style::Plain, format!("{},{} {}x{}", b.x, b.y, b.width, b.height)),
                span(Style::Value, state),
                span(Style::Strong, deskhand_model::outline::printable(&window.title)),
            ]
        });
        page.table(vec!["WINDOW", "BOUNDS", "STATE", "TITLE"], rows.collect())
    }
}

impl Tool for AppCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "app",
        command: "app",
        about: "Show details of one running app: program, desktop-file id, toolkit, \
                accessibility, windows.",
        effect: Effect::Observe,
        needs: &[Requirement::Tree],
    };
    type Args = Args;
    type Output = AppDetails;

    fn run(cx: &Context<'_>, args: Args) -> Result<AppDetails> {
        programs::resolve_program(cx, &args.app).map(AppDetails::from)
    }
}
