//! Completion of prompt and template arguments from the running apps and their elements.

use std::{collections::HashMap, sync::Arc};

use deskhand_engine::{ToolKey, Vocabulary};
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, Reference};
use serde_json::{Value, json};

use crate::{
    prompt::{self, ArgumentKind, UiParts},
    resource::uri::Uri,
    server::{client::Client, state::Connection},
    tool::internal_call,
};

/// Regions that windows commonly have, for arguments completed before an app is named.
const COMMON_REGIONS: &[&str] =
    &["dialog", "form", "list", "menu bar", "sidebar", "status bar", "tab bar", "table", "toolbar"];

/// Serves `completion/complete`.
///
/// # Errors
///
/// Returns an error if there is no such prompt, template or argument.
pub(crate) async fn complete(
    connection: &Arc<Connection>,
    client: &Client,
    params: &CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let request = CompletionRequest { connection, client, given: given(params) };
    let name = params.argument.name.as_str();
    let typed = params.argument.value.as_str();
    let info = match &params.r#ref {
        Reference::Prompt(of) => {
            let (tools, ceiling) = (&connection.state.tools, client.principal.ceiling);
            let kind = prompt::find(&of.name, tools, ceiling)?.argument(name)?.kind;
            request.prompt(kind, typed).await
        }
        Reference::Resource(of) => request.template(&of.uri, name, typed).await?,
        // `Reference` is non-exhaustive.
        _ => return Err(ErrorData::invalid_params("ref: expected a prompt or a resource", None)),
    };
    Ok(CompleteResult::new(info))
}

/// Returns the arguments that are already filled in.
fn given(params: &CompleteRequestParams) -> HashMap<String, String> {
    params.context.as_ref().and_then(|context| context.arguments.clone()).unwrap_or_default()
}

/// A completion request.
struct CompletionRequest<'a> {
    connection: &'a Arc<Connection>,
    client: &'a Client,
    given: HashMap<String, String>,
}

impl CompletionRequest<'_> {
    async fn prompt(&self, kind: ArgumentKind, typed: &str) -> CompletionInfo {
        match kind {
            ArgumentKind::Text => matching(Vec::new(), typed),
            ArgumentKind::Bool | ArgumentKind::OneOf(_) => matching(
                kind.allowed_values().iter().map(|word| (*word).to_owned()).collect(),
                typed,
            ),
            ArgumentKind::App => matching(self.apps().await, typed),
            ArgumentKind::Apps => {
                let (before, last) = split_last(typed);
                let mut info = matching(self.apps().await, last);
                for value in &mut info.values {
                    value.insert_str(0, before);
                }
                info
            }
            ArgumentKind::Part { of, parts } => match self.given.get(of) {
                Some(app) => matching(self.parts(app, parts).await, typed),
                None => matching(common_parts(parts), typed),
            },
        }
    }

    async fn template(
        &self,
        uri: &str,
        name: &str,
        typed: &str,
    ) -> Result<CompletionInfo, ErrorData> {
        let filled = uri.replace("{name}", "x").replace("{index}", "0");
        if !matches!(Uri::parse(&filled), Some(Uri::App { .. })) {
            let why = format!("ref.uri: no resource template matches `{uri}`");
            return Err(ErrorData::invalid_params(why, None));
        }
        match name {
            "name" if uri.contains("{name}") => Ok(matching(self.apps().await, typed)),
            "index" if uri.contains("{index}") => Ok(matching(self.windows().await, typed)),
            _ => {
                let why = format!("argument.name: `{uri}` has no `{name}`");
                Err(ErrorData::invalid_params(why, None))
            }
        }
    }

    /// Returns the names of the running apps, connected ones first.
    async fn apps(&self) -> Vec<String> {
        let answer = self.call_read_tool(Vocabulary::Ax.tool("ax_list_apps"), json!({})).await;
        let mut apps: Vec<(bool, String)> = rows(&answer["apps"])
            .filter_map(|app| {
                let name = app["name"].as_str()?.to_owned();
                Some((app["connected"] != true, name))
            })
            .collect();
        apps.sort_by_key(|(other, name)| (*other, name.to_lowercase()));
        apps.into_iter().map(|(_, name)| name).collect()
    }

    /// Returns the window indexes of the app in argument `name`.
    async fn windows(&self) -> Vec<String> {
        let Some(app) = self.given.get("name") else { return Vec::new() };
        let tool = Vocabulary::Ax.tool("ax_list_windows");
        let answer = self.call_read_tool(tool, json!({ "app": app })).await;
        (0..rows(&answer["windows"]).count()).map(|index| index.to_string()).collect()
    }

    async fn parts(&self, app: &str, parts: UiParts) -> Vec<String> {
        let of = match parts {
            UiParts::Regions => "regions",
            UiParts::Places => "places",
            UiParts::Elements => "elements",
        };
        let view = Vocabulary::Resources.tool("view_names");
        let answer = self.call_read_tool(view, json!({ "app": app, "of": of })).await;
        rows(&answer["names"]).filter_map(|name| name.as_str().map(str::to_owned)).collect()
    }

    /// Calls a read-only tool. Failures yield an empty completion: a user who types needs no error.
    async fn call_read_tool(&self, tool: ToolKey, arguments: Value) -> Value {
        let reply =
            internal_call::call_read_tool(self.connection, self.client, tool, arguments).await;
        reply.map(|answer| answer.data).unwrap_or_default()
    }
}

fn rows(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

/// Returns names that fit any app.
fn common_parts(parts: UiParts) -> Vec<String> {
    match parts {
        UiParts::Regions => COMMON_REGIONS.iter().map(|word| (*word).to_owned()).collect(),
        UiParts::Places | UiParts::Elements => Vec::new(),
    }
}

/// Splits a comma-separated list into the finished names and the one being typed.
fn split_last(typed: &str) -> (&str, &str) {
    let begin = typed.rfind(',').map_or(0, |comma| comma + 1);
    let begin = begin + (typed[begin..].len() - typed[begin..].trim_start().len());
    typed.split_at(begin)
}

/// Returns the values that start with `typed`, then those that contain it, without duplicates and
/// up to the protocol's limit.
fn matching(all: Vec<String>, typed: &str) -> CompletionInfo {
    let typed = typed.trim().to_lowercase();
    let mut rest = all;
    let mut seen = std::collections::HashSet::new();
    rest.retain(|value| seen.insert(value.clone()));
    let (mut matches, others): (Vec<String>, Vec<String>) =
        rest.into_iter().partition(|value| value.to_lowercase().starts_with(&typed));
    matches.extend(others.into_iter().filter(|value| value.to_lowercase().contains(&typed)));
    let total = matches.len();
    matches.truncate(CompletionInfo::MAX_VALUES);
    let mut info = CompletionInfo::default();
    info.has_more = Some(total > matches.len());
    info.total = u32::try_from(total).ok();
    info.values = matches;
    info
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn prefixes_come_before_other_matches() {
        let info = matching(all(&["Mousepad", "Pad", "pad 2", "Kcalc", "Pad"]), "PAD");
        assert_eq!(info.values, ["Pad", "pad 2", "Mousepad"]);
        assert_eq!((info.total, info.has_more), (Some(3), Some(false)));
    }

    #[test]
    fn completions_are_limited() {
        let many = (0..250).map(|n| format!("window {n}")).collect();
        let info = matching(many, "win");
        assert_eq!((info.values.len(), info.total, info.has_more), (100, Some(250), Some(true)));
    }

    #[test]
    fn only_the_last_name_of_a_list_is_completed() {
        assert_eq!(split_last("Mousepad, kc"), ("Mousepad, ", "kc"));
        assert_eq!(split_last("kc"), ("", "kc"));
        assert_eq!(split_last("a,"), ("a,", ""));
    }
}
