//! `resources/read`: most resources are the reply of a read-only tool.

use std::{sync::Arc, time::Instant};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use deskhand_engine::{CallFailure, ToolKey, ToolOutput, Vocabulary};
use rmcp::model::{
    CacheScope, ErrorData, MetaObject, ProtocolVersion, ReadResourceResponse, ReadResourceResult,
    ResourceContents,
};
use serde_json::{Value, json};

use super::{
    list::mime,
    stored::{JSON, StoredResult},
    uri::{AppView, Uri},
};
use crate::{
    input::roots,
    server::{
        client::{Client, Era},
        failure,
        state::Connection,
    },
    subscription, timing,
    tool::{content, internal_call},
};

/// Serves `resources/read`.
///
/// # Errors
///
/// Returns an error if there is no such resource, or if its app does not answer.
pub(crate) async fn read_resource(
    connection: &Arc<Connection>,
    client: &Client,
    given_uri: &str,
) -> Result<ReadResourceResponse, ErrorData> {
    let uri = Uri::parse(given_uri).ok_or_else(|| not_found(given_uri))?;
    let contents = match &uri {
        Uri::Result(id) => {
            let stored = connection.state.stored_results.get(id, Instant::now());
            let stored = stored.ok_or_else(|| expired(given_uri))?;
            stored_contents(given_uri, &stored)
        }
        Uri::App { name, view: AppView::Events } => {
            let pid = subscription::resolve_pid(connection, client, name)
                .await
                .map_err(|failure| read_error(given_uri, &failure))?;
            let events = subscription::recent_events(connection, pid).await?;
            json_contents(given_uri, &uri, &events)
        }
        Uri::Status | Uri::Apps | Uri::Clipboard | Uri::App { .. } => {
            let (tool, arguments) = read_tool(&uri);
            let answer = internal_call::call_read_tool(connection, client, tool, arguments)
                .await
                .map_err(|failure| read_error(given_uri, &failure))?;
            contents_from_answer(connection, client, given_uri, &uri, answer)
        }
    };
    let ttl_ms = match uri {
        Uri::Status => timing::STATUS_TTL_MS,
        Uri::Apps | Uri::Clipboard | Uri::App { .. } | Uri::Result(_) => 0,
    };
    let result = ReadResourceResult::new(vec![contents])
        .with_ttl_ms(ttl_ms)
        .with_cache_scope(CacheScope::Private);
    Ok(result.into())
}

/// Returns the tool that reads a resource, and its arguments.
pub(crate) fn read_tool(uri: &Uri) -> (ToolKey, Value) {
    let view = |name: &'static str| Vocabulary::Resources.tool(name);
    match uri {
        Uri::Status | Uri::Result(_) => (view("view_status"), json!({})),
        Uri::Apps => (view("view_apps"), json!({})),
        Uri::Clipboard => (view("view_clipboard"), json!({})),
        Uri::App { name, view: of_app } => match of_app {
            AppView::Tree(cursor) => {
                (view("view_tree"), with_cursor(json!({ "app": name }), cursor))
            }
            AppView::Window(index, cursor) => {
                (view("view_tree"), with_cursor(json!({ "app": name, "window": index }), cursor))
            }
            AppView::Screenshot => (Vocabulary::Ax.tool("ax_screenshot"), json!({ "app": name })),
            AppView::State | AppView::Events => (view("view_state"), json!({ "app": name })),
        },
    }
}

fn with_cursor(mut arguments: Value, cursor: &Option<String>) -> Value {
    if let Some(cursor) = cursor {
        arguments["cursor"] = json!(cursor);
    }
    arguments
}

fn contents_from_answer(
    connection: &Connection,
    client: &Client,
    given_uri: &str,
    uri: &Uri,
    answer: ToolOutput,
) -> ResourceContents {
    if let Some(image) = answer.image {
        let picture = ResourceContents::blob(STANDARD.encode(&image.bytes), given_uri);
        return picture.with_mime_type(image.mime).with_meta(from_apps_meta());
    }
    let mut data = answer.data;
    if *uri == Uri::Status {
        let version = match &client.era {
            Era::Handshake(version) => version.clone(),
            Era::Stateless => ProtocolVersion::V_2026_07_28,
        };
        data["server_version"] = json!(env!("CARGO_PKG_VERSION"));
        data["protocol_version"] = json!(version);
        data["uptime_seconds"] = json!(connection.state.started.elapsed().as_secs_f64());
        data["roots"] = json!(roots::deskhand_folders(connection));
    }
    json_contents(given_uri, uri, &data)
}

/// Returns the contents of a stored result. JSON is not wrapped in marks, so that programs can
/// parse it.
fn stored_contents(given_uri: &str, stored: &StoredResult) -> ResourceContents {
    let (text, meta) = if stored.mime == JSON {
        (stored.text.to_string(), from_apps_meta())
    } else {
        content::wrap_in_marks(&stored.text)
    };
    ResourceContents::text(text, given_uri).with_mime_type(stored.mime).with_meta(meta)
}

fn json_contents(given_uri: &str, uri: &Uri, data: &Value) -> ResourceContents {
    let contents = ResourceContents::text(data.to_string(), given_uri).with_mime_type(mime(uri));
    match uri {
        Uri::Status => contents,
        Uri::Apps | Uri::Clipboard | Uri::App { .. } | Uri::Result(_) => {
            contents.with_meta(from_apps_meta())
        }
    }
}

fn from_apps_meta() -> MetaObject {
    content::from_apps(json!({ "all": true }))
}

/// Creates the error of an unknown URI.
pub(crate) fn not_found(given_uri: &str) -> ErrorData {
    let why = format!(
        "uri: no resource `{given_uri}`; resources/list and resources/templates/list name all resources"
    );
    ErrorData::resource_not_found(why, Some(json!({ "uri": given_uri })))
}

fn expired(given_uri: &str) -> ErrorData {
    let why = "uri: this result has expired; call the tool again".to_owned();
    ErrorData::resource_not_found(why, Some(json!({ "uri": given_uri })))
}

/// Creates the error of a failed read: "not found" if the app is not there, otherwise one that can
/// be retried.
pub(crate) fn read_error(given_uri: &str, failure: &CallFailure) -> ErrorData {
    let mut why = format!("uri: {}", failure.message);
    if let Some(hint) = &failure.hint {
        why.push_str("; ");
        why.push_str(hint);
    }
    let mut data = json!({ "uri": given_uri, "code": failure.code, "hint": failure.hint });
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
            let mut error = failure::unavailable(why);
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
        let of = |mime| {
            json!(stored_contents("deskhand://result/1", &StoredResult { mime, text: "{}".into() }))
        };
        let data = of(JSON);
        assert_eq!(data["text"], "{}", "JSON has no marks");
        assert_eq!(data["_meta"]["dev.deskhand/from-apps"]["all"], true);
        let words = of("text/plain");
        let mark = words["_meta"]["dev.deskhand/from-apps"]["mark"].as_str().unwrap();
        assert_eq!(words["text"], format!("<{mark}>\n{{}}\n</{mark}>"));
    }

    #[test]
    fn missing_apps_and_silent_ones_have_different_errors() {
        let failure = |code: &str| CallFailure {
            code: code.to_owned(),
            message: "no app is called `x`".to_owned(),
            hint: Some("running: a, b".to_owned()),
            delivery: None,
            retry_after_ms: None,
        };
        let error = read_error("deskhand://app/x/tree", &failure("app_not_running"));
        assert_eq!(error.code.0, -32002);
        assert_eq!(error.message, "uri: no app is called `x`; running: a, b");
        assert_eq!(error.data.unwrap()["uri"], "deskhand://app/x/tree");
        assert_eq!(read_error("deskhand://apps", &failure("timeout")).code.0, -32000);
        let early = CallFailure { retry_after_ms: Some(20), ..failure("rate_limited") };
        let error = read_error("deskhand://apps", &early);
        assert_eq!((error.code.0, &error.data.unwrap()["retry_after_ms"]), (-32000, &json!(20)));
        assert_eq!(read_error("deskhand://apps", &failure("invalid_parameter")).code.0, -32602);
    }
}
