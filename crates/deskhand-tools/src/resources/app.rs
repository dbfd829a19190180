//! `view_app`: resolves the name of an app.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Context, Effect, Need, Result, Spec, Tool, verbs};

pub(crate) struct App;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Name, alias, pid or desktop-file id.
    app: String,
}

/// A running app.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Known {
    /// Name.
    name: String,
    /// Process id.
    pid: u32,
}

impl Tool for App {
    const SPEC: Spec = Spec {
        name: "view_app",
        command: "",
        about: "Resolves the name of an app.",
        effect: Effect::Observe,
        needs: &[Need::Tree],
    };
    type Args = Args;
    type Output = Known;

    fn run(cx: &Context<'_>, args: Args) -> Result<Known> {
        let app = verbs::app::meant(cx, Some(&args.app))?;
        Ok(Known { name: app.name, pid: app.pid })
    }
}
