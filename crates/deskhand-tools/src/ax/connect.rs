//! `ax_connect`: selects a running app and gives it an alias.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::core;
use crate::{Context, Effect, Error, Offer, Requirement, Result, Tool, ToolSpec, verbs};

pub(crate) struct AxConnect;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Name, desktop-file or bundle id, or pid
    app: String,
    /// Alias for the app in later calls
    alias: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ConnectResult {
    connected: bool,
    app_name: String,
    pid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    bundle_id: Option<String>,
    windows: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    alias: Option<String>,
}

impl Tool for AxConnect {
    const SPEC: ToolSpec = ToolSpec {
        name: "ax_connect",
        command: "",
        about: "Connect to a running app. Optional: other tools accept its name as well.",
        effect: Effect::Prepare { repeatable: true },
        needs: &[Requirement::Tree],
    };
    const OFFER: Option<Offer> = core("Connect to an application");
    type Args = Args;
    type Output = ConnectResult;

    fn run(cx: &Context<'_>, args: Args) -> Result<ConnectResult> {
        let alias = args.alias.as_deref().map(str::trim);
        if alias.is_some_and(|alias| alias.is_empty() || alias.parse::<u32>().is_ok()) {
            let why = "alias: expected a name that is neither empty nor a number".to_owned();
            return Err(Error::BadArguments { tool: Self::SPEC.name, why });
        }
        let app = verbs::app::resolve_app(cx, Some(&args.app))?;
        let connection = cx.session.connect(&app, alias);
        Ok(ConnectResult {
            connected: true,
            app_name: app.name,
            pid: app.pid,
            bundle_id: app.bundle_id,
            windows: app.windows,
            alias: connection.alias,
        })
    }
}
