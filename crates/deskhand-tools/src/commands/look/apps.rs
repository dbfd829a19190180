//! `apps`: lists the running apps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Render, Requirement, Result, Style, StyledText, Tool, ToolSpec,
    styled_text::span,
    verbs::app::{self, ListedApp},
};

pub(crate) struct AppsCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Wait until this app runs, by name, pid or desktop-file id, and list only it.
    wait: Option<String>,
}

/// One running app.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AppRow {
    /// Name; pass it as `app`.
    name: String,
    /// Process id; pass it as `app` if two apps share a name.
    pid: u32,
    /// Desktop-file id.
    bundle_id: Option<String>,
    /// Toolkit and version, such as `gtk 3.24.38`.
    toolkit: String,
    /// Number of its top-level windows.
    windows: u32,
    /// `true` if it has an accessibility tree. Without one, only its windows are known.
    tree: bool,
    /// `true` if it has a tree and responds. A frozen app is listed but cannot be read.
    accessible: bool,
}

impl From<ListedApp> for AppRow {
    fn from(ListedApp { app, has_tree, .. }: ListedApp) -> Self {
        Self {
            toolkit: format!("{} {}", app.toolkit.name, app.toolkit.version).trim().to_owned(),
            name: app.name,
            pid: app.pid,
            bundle_id: app.bundle_id,
            windows: app.windows,
            tree: has_tree,
            accessible: has_tree && app.responding,
        }
    }
}

/// The running apps.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct AppList(Vec<AppRow>);

impl Render for AppList {
    fn render(&self) -> StyledText {
        let rows = self.0.iter().map(|row| {
            vec![
                span(Style::Strong, &row.name),
                span(Style::Handle, row.pid.to_string()),
                span(Style::Plain, row.bundle_id.as_deref().unwrap_or("-")),
                span(Style::Plain, &row.toolkit),
                span(Style::Plain, row.windows.to_string()),
                match (row.tree, row.accessible) {
                    (false, _) => span(Style::Plain, "no tree"),
                    (true, true) => span(Style::Faint, "ok"),
                    (true, false) => span(Style::Warning, "not responding"),
                },
            ]
        });
        let titles = vec!["NAME", "PID", "BUNDLE ID", "TOOLKIT", "WINDOWS", "STATE"];
        StyledText::default().table(titles, rows.collect())
    }
}

impl Tool for AppsCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "apps",
        command: "apps",
        about: "List the running apps: name, pid, desktop-file id, toolkit, windows.",
        effect: Effect::Observe,
        needs: &[Requirement::Tree],
    };
    type Args = Args;
    type Output = AppList;

    fn run(cx: &Context<'_>, args: Args) -> Result<AppList> {
        let apps = match args.wait {
            Some(wanted) => vec![app::wait_for_app(cx, &wanted)?],
            None => app::list_apps(cx)?,
        };
        Ok(AppList(apps.into_iter().map(AppRow::from).collect()))
    }
}
