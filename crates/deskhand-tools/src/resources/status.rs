//! `view_status`: whether apps can be seen here, and which ones the caller connected to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Context, Effect, Result, Spec, Tool};

pub(crate) struct Status;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

/// How things stand.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Standing {
    /// Whether apps can be seen at all.
    accessibility_enabled: bool,
    /// Which service reads pictures.
    vlm_backend: &'static str,
    /// Whether it can be reached.
    vlm_available: bool,
    /// The apps the caller connected to.
    connected_apps: Vec<String>,
    /// The system and the processor.
    platform: String,
    /// How much callers may do.
    security_mode: &'static str,
}

impl Tool for Status {
    const SPEC: Spec = Spec {
        name: "view_status",
        command: "",
        about: "Whether apps can be seen here, and which ones are connected.",
        effect: Effect::Observe,
        needs: &[],
    };
    type Args = Args;
    type Output = Standing;

    fn run(cx: &Context<'_>, _: Args) -> Result<Standing> {
        let apps = cx.desktop.tree.apps(cx.by);
        if let Ok(apps) = &apps {
            cx.session.retain(|id| apps.iter().any(|app| app.id == *id));
        }
        let connections = cx.session.connections();
        Ok(Standing {
            accessibility_enabled: apps.is_ok(),
            vlm_backend: "none",
            vlm_available: false,
            connected_apps: connections.into_iter().map(|one| one.name).collect(),
            platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            security_mode: "normal",
        })
    }
}
