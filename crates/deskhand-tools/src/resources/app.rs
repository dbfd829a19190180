//! `view_app`: resolves the name of an app.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Context, Effect, Requirement, Result, Tool, ToolSpec, verbs};

pub(crate) struct AppView;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Name, alias, pid or desktop-file id.
    app: String,
}

/// A running app.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ResolvedApp {
    /// Name.
    name: String,
    /// Process id.
    pid: u32,
}

impl Tool for AppView {
    const SPEC: ToolSpec = ToolSpec {
        name: "view_app",
        command: "",
        about: "Resolves the name of an app.",
        effect: Effect::Observe,
        needs: &[Requirement::Tree],
    };
    type Args = Args;
    type Output = ResolvedApp;

    fn run(cx: &Context<'_>, args: Args) -> Result<ResolvedApp> {
        let app = verbs::app::resolve_app(cx, Some(&args.app))?;
        Ok(ResolvedApp { name: app.name, pid: app.pid })
    }
}
