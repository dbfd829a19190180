//! `ax_list_apps`: lists the running apps.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Nothing, core};
use crate::{Context, Effect, Need, Offer, Result, Spec, Tool};

pub(crate) struct ListApps;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Apps {
    apps: Vec<Row>,
}

#[derive(Serialize, JsonSchema)]
struct Row {
    name: String,
    pid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    bundle_id: Option<String>,
    connected: bool,
    responding: bool,
}

impl Tool for ListApps {
    const SPEC: Spec = Spec {
        name: "ax_list_apps",
        command: "",
        about: "List the running apps.",
        effect: Effect::Observe,
        needs: &[Need::Tree],
    };
    const OFFER: Option<Offer> = core("List running applications");
    type Args = Nothing;
    type Output = Apps;

    fn run(cx: &Context<'_>, _: Nothing) -> Result<Apps> {
        let apps = cx.desktop.tree.apps(cx.by)?.into_iter().map(|app| Row {
            connected: cx.session.has(&app.id),
            name: app.name,
            pid: app.pid,
            bundle_id: app.bundle_id,
            responding: app.responding,
        });
        Ok(Apps { apps: apps.collect() })
    }
}
