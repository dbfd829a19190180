//! `view_app`: which app a name means.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Context, Effect, Need, Result, Spec, Tool, verbs};

pub(crate) struct App;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Its name, the caller's own name for it, its pid or its desktop-file id.
    app: String,
}

/// A running app.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Known {
    /// The name it calls itself.
    name: String,
    /// Its process.
    pid: u32,
}

impl Tool for App {
    const SPEC: Spec = Spec {
        name: "view_app",
        command: "",
        about: "The app a name means.",
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
