//! `resources/read`: most resources are the reply of a read-only tool.

use std::{sync::Arc, time::Instant};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use deskhand_engine::{Answer, Failure};
use rmcp::model::{
    CacheScope, ErrorData, MetaObject, ProtocolVersion, ReadResourceResponse, ReadResourceResult,
    ResourceContents,
};
use serde_json::{Value, json};

use super::{
    kept::{JSON, Kept},
    list::mime,
    uri::{Uri, View},
};
use crate::{
    ask::roots,
    server::{
        client::{Client, Era},
        failure,
        state::Connection,
    },
    tool::{aside, content},
    watch,
};

/// Time in milliseconds for which a client may cache the status. Contents of apps are not cached.
const STATUS_FRESH_MS: u64 = 1_000;

/// Serves `resources/read`.
///
/// # Errors
///
/// Returns an error if there is no such resource, or if its app does not answer.
pub(crate) async fn read(
    connection: &Arc<Connection>,
    client: &Client,
    given: &str,
) -> Result<ReadResourceResponse, ErrorData> {
    let uri = Uri::parse(given).ok_or_else(|| unknown(given))?;
    let contents = match &uri {
        Uri::Result(id) => {
            let kept = connection.state.shelf.get(id, Instant::now());
            let kept = kept.ok_or_else(|| forgotten(given))?;
            whole(given, &kept)
        }
        Uri::App { name, view: View::Events } => {
            let pid = watch::process(connection, client, name)
                .await
                .map_err(|failure| refused(given, &failure))?;
            let events = watch::recent(connection, pid).await?;
            text(given, &uri, &events)
        }
        Uri::Status | Uri::Apps | Uri::Clipboard | Uri::App { .. } => {
            let (tool, arguments) = look(&uri);
            let answer = aside::look(connection, client, tool, arguments)
                .await
                .map_err(|failure| refused(given, &failure))?;
            shown(connection, client, given, &uri, answer)
        }
    };
    let fresh = match uri {
        Uri::Status => STATUS_FRESH_MS,
        Uri::Apps | Uri::Clipboard | Uri::App { .. } | Uri::Result(_) => 0,
    };
    let result = ReadResourceResult::new(vec![contents])
        .with_ttl_ms(fresh)
        .with_cache_scope(CacheScope::Private);
    Ok(result.into())
}

/// Returns the tool that reads a resource, and its arguments.
pub(crate) fn look(uri: &Uri) -> (&'static str, Value) {
    match uri {
        Uri::Status | Uri::Result(_) => ("view_status", json!({})),
        Uri::Apps => ("view_apps", json!({})),
        Uri::Clipboard => ("view_clipboard", json!({})),
        Uri::App { name, view } => match view {
            View::Tree(cursor) => ("view_tree", with_cursor(json!({ "app": name }), cursor)),
            View::Window(index, cursor) => {
                ("view_tree", with_cursor(json!({ "app": name, "window": index }), cursor))
            }
            View::Screenshot => ("ax_screenshot", json!({ "app": name })),
            View::State | View::Events => ("view_state", json!({ "app": name })),
        },
    }
}

fn with_cursor(mut arguments: Value, cursor: &Option<String>) -> Value {
    if let Some(cursor) = cursor {
        arguments["cursor"] = json!(cursor);
    }
    arguments
}

fn shown(
    connection: &Connection,
    client: &Client,
    given: &str,
    uri: &Uri,
    answer: Answer,
) -> ResourceContents {
    if let Some(image) = answer.image {
        let picture = ResourceContents::blob(STANDARD.encode(&image.bytes), given);
        return picture.with_mime_type(image.mime).with_meta(all_from_apps());
    }
    let mut data = answer.data;
    if *uri == Uri::Status {
        let version = match &client.era {
            Era::Handshake(version) => version.clone(),
            Era::Modern => ProtocolVersion::V_2026_07_28,
        };
        data["server_version"] = json!(env!("CARGO_PKG_VERSION"));
        data["protocol_version"] = json!(version);
        data["uptime_seconds"] = json!(connection.state.since.elapsed().as_secs_f64());
        data["roots"] = json!(roots::found(connection));
    }
    text(given, uri, &data)
}

/// Returns the contents of a stored result. JSON is not wrapped in marks, so that programs can parse it.
fn whole(given: &str, kept: &Kept) -> ResourceContents {
    let (text, meta) = if kept.mime == JSON {
        (kept.text.to_string(), all_from_apps())
    } else {
        content::marked(&kept.text)
    };
    ResourceContents::text(text, given).with_mime_type(kept.mime).with_meta(meta)
}

fn text(given: &str, uri: &Uri, data: &Value) -> ResourceContents {
    let contents = ResourceContents::text(data.to_string(), given).with_mime_type(mime(uri));
    match uri {
        Uri::Status => contents,
        Uri::Apps | Uri::Clipboard | Uri::App { .. } | Uri::Result(_) => {
            contents.with_meta(all_from_apps())
        }
    }
}

fn all_from_apps() -> MetaObject {
    content::from_apps(json!({ "all": true }))
}

/// Creates the error of an unknown URI.
pub(crate) fn unknown(given: &str) -> ErrorData {
    let why = format!(
        "uri: no resource `{given}`; resources/list and resources/templates/list name all resources"
    );
    ErrorData::resource_not_found(why, Some(json!({ "uri": given })))
}

fn forgotten(given: &str) -> ErrorData {
    let why = "uri: this result has expired; call the tool again".to_owned();
    ErrorData::resource_not_found(why, Some(json!({ "uri": given })))
}

/// Creates the error of a failed read: "not found" if the app is not there, otherwise one that can be
/// retried.
pub(crate) fn refused(given: &str, failure: &Failure) -> ErrorData {
    let mut why = format!("uri: {}", failure.message);
    if let Some(hint) = &failure.hint {
        why.push_str("; ");
        why.push_str(hint);
    }
    let mut data = json!({ "uri": given, "code": failure.code, "hint": failure.hint });
    if let Some(wait) = failure.retry_after_ms {
        data["retry_after_ms"] = json!(wait);
    }
    let data = Some(data);
    match failure.code.as_str() {
        "app_not_running" | "no_tree" | "window_not_found" | "ambiguous_app" => {
            ErrorData::resource_not_found(why, data)
        }
        "invalid_parameter" => ErrorData::invalid_params(why, data),
        _ => {
            let mut error = failure::not_now(why);
            error.data = data;
            error
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_result_is_marked_as_app_content() {
        let of = |mime| json!(whole("deskhand://result/1", &Kept { mime, text: "{}".into() }));
        let data = of(JSON);
        assert_eq!(data["text"], "{}", "JSON has no marks");
        assert_eq!(data["_meta"]["dev.deskhand/from-apps"]["all"], true);
        let words = of("text/plain");
        let mark = words["_meta"]["dev.deskhand/from-apps"]["mark"].as_str().unwrap();
        assert_eq!(words["text"], format!("<{mark}>\n{{}}\n</{mark}>"));
    }

    #[test]
    fn missing_apps_are_told_apart_from_silent_ones() {
        let failure = |code: &str| Failure {
            code: code.to_owned(),
            message: "no app is called `x`".to_owned(),
            hint: Some("running: a, b".to_owned()),
            delivery: None,
            retry_after_ms: None,
        };
        let error = refused("deskhand://app/x/tree", &failure("app_not_running"));
        assert_eq!(error.code.0, -32002);
        assert_eq!(error.message, "uri: no app is called `x`; running: a, b");
        assert_eq!(error.data.unwrap()["uri"], "deskhand://app/x/tree");
        assert_eq!(refused("deskhand://apps", &failure("timeout")).code.0, -32000);
        let early = Failure { retry_after_ms: Some(20), ..failure("rate_limited") };
        let error = refused("deskhand://apps", &early);
        assert_eq!((error.code.0, &error.data.unwrap()["retry_after_ms"]), (-32000, &json!(20)));
        assert_eq!(refused("deskhand://apps", &failure("invalid_parameter")).code.0, -32602);
    }
}
