//! MCP prompts: frequent tasks, described step by step with the offered tools.

mod words;

use std::{collections::HashMap, sync::Arc};

use rmcp::model::{
    CacheScope, ContentBlock, ErrorData, GetPromptRequestParams, GetPromptResult, JsonObject,
    ListPromptsResult, PaginatedRequestParams, Prompt as Wire, PromptArgument, PromptMessage,
    ResourceContents, Role,
};
use serde_json::{Value, json};

use crate::{
    resource::uri::{Uri, View},
    server::{client::Client, failure, paging, state::Connection},
    tool::{aside, content, list::Tools},
};

/// Maximum number of prompts per page.
const PAGE: usize = 50;

/// Time in milliseconds for which a client may cache the list.
const FRESH_MS: u64 = 60_000;

/// A prompt.
#[derive(Debug)]
pub(crate) struct Prompt {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    arguments: &'static [Argument],
    task: &'static str,
    /// Whether the prompt includes the app's current tree.
    shows_app: bool,
    steps: &'static [Step],
}

/// An argument of a prompt.
#[derive(Debug)]
pub(crate) struct Argument {
    /// The name.
    pub(crate) name: &'static str,
    about: &'static str,
    /// The kind of value.
    pub(crate) kind: Kind,
    required: bool,
}

/// The kind of value an argument takes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// Any text.
    Text,
    /// The name of an app.
    App,
    /// The names of apps, separated by commas.
    Apps,
    /// A part of the app that another argument names.
    Part {
        /// The other argument.
        of: &'static str,
        /// The kind of part.
        parts: Parts,
    },
    /// `true` or `false`.
    YesOrNo,
    /// One of these values.
    OneOf(&'static [&'static str]),
}

/// Kinds of parts of an app.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Parts {
    /// Toolbars, tab bars, dialogs and similar regions.
    Regions,
    /// Screens to navigate to.
    Places,
    /// All elements with a name.
    Elements,
}

#[derive(Debug)]
struct Step {
    when: When,
    ways: &'static [&'static str],
}

/// The condition under which a step is included.
#[derive(Debug)]
enum When {
    Always,
    Given(&'static str),
    Yes(&'static str),
    No(&'static str),
}

/// The given arguments.
type Given = HashMap<&'static str, String>;

/// Serves `prompts/list`.
///
/// # Errors
///
/// Returns an error if the cursor does not belong to this list.
pub(crate) fn list(asked: Option<PaginatedRequestParams>) -> Result<ListPromptsResult, ErrorData> {
    let all: Vec<Wire> = words::ALL.iter().map(declared).collect();
    let page = paging::page(all, asked, PAGE, |prompt| prompt.name.clone())?;
    let mut list = ListPromptsResult::with_all_items(page.items)
        .with_ttl_ms(FRESH_MS)
        .with_cache_scope(CacheScope::Public);
    list.next_cursor = page.next;
    Ok(list)
}

/// Returns a prompt.
///
/// # Errors
///
/// Returns an error if there is no such prompt.
pub(crate) fn named(name: &str) -> Result<&'static Prompt, ErrorData> {
    words::ALL.iter().find(|prompt| prompt.name == name).ok_or_else(|| {
        let all: Vec<&str> = words::ALL.iter().map(|prompt| prompt.name).collect();
        let why = format!("name: unknown prompt `{name}`; available: {}", all.join(", "));
        ErrorData::invalid_params(why, None)
    })
}

impl Prompt {
    /// Returns an argument.
    ///
    /// # Errors
    ///
    /// Returns an error if the prompt has no such argument.
    pub(crate) fn argument(&self, name: &str) -> Result<&'static Argument, ErrorData> {
        self.arguments.iter().find(|argument| argument.name == name).ok_or_else(|| {
            let all: Vec<&str> = self.arguments.iter().map(|argument| argument.name).collect();
            let why =
                format!("`{}` has no argument `{name}`; it has {}", self.name, all.join(", "));
            ErrorData::invalid_params(why, None)
        })
    }
}

/// Serves `prompts/get`.
///
/// # Errors
///
/// Returns an error if there is no such prompt, if an argument is missing or invalid, or if the client
/// exceeds its limits.
pub(crate) async fn get(
    connection: &Arc<Connection>,
    client: &Client,
    params: GetPromptRequestParams,
) -> Result<GetPromptResult, ErrorData> {
    let prompt = named(&params.name)?;
    let given = read(prompt, params.arguments.as_ref())?;
    let words = told(prompt, &given, &connection.state.tools);
    let mut messages = vec![PromptMessage::new_text(Role::User, words)];
    if let Some(app) = given.get("app_name").filter(|_| prompt.shows_app) {
        // If the app is not running, the steps start or find it.
        let arguments = json!({ "app": app });
        match aside::look(connection, client, "ax_get_tree", arguments).await {
            Ok(answer) => {
                // The message has the role of the user, so marks separate the app's text.
                let (text, meta) = content::marked(answer.page.to_string().trim_end());
                let outline = ContentBlock::resource(ResourceContents::TextResourceContents {
                    uri: of_app(app, View::Tree(None)),
                    mime_type: Some("text/plain".to_owned()),
                    text,
                    meta: Some(meta),
                });
                messages.push(PromptMessage::new(Role::User, outline));
            }
            Err(failure) => failure::let_in(&failure)?,
        }
    }
    Ok(GetPromptResult::new(messages).with_description(prompt.about))
}

fn declared(prompt: &Prompt) -> Wire {
    let argument = |argument: &Argument| {
        PromptArgument::new(argument.name)
            .with_description(argument.about)
            .with_required(argument.required)
    };
    let arguments = prompt.arguments.iter().map(argument).collect();
    Wire::new(prompt.name, Some(prompt.about), Some(arguments)).with_title(prompt.title)
}

fn read(prompt: &Prompt, arguments: Option<&JsonObject>) -> Result<Given, ErrorData> {
    let bad = |argument: &Argument, why: String| {
        ErrorData::invalid_params(format!("arguments.{}: {why}", argument.name), None)
    };
    let mut all = Given::new();
    for argument in prompt.arguments {
        let text = match arguments.and_then(|all| all.get(argument.name)) {
            None | Some(Value::Null) => "",
            Some(Value::String(text)) => text.trim(),
            Some(_) => return Err(bad(argument, "expected a string".to_owned())),
        };
        if text.is_empty() {
            if argument.required {
                return Err(bad(argument, format!("required by `{}`", prompt.name)));
            }
            continue;
        }
        let text = argument.kind.read(text).map_err(|why| bad(argument, why))?;
        all.insert(argument.name, text);
    }
    Ok(all)
}

impl Kind {
    /// Returns the allowed values, if they are limited.
    pub(crate) fn words(self) -> &'static [&'static str] {
        match self {
            Self::Text | Self::App | Self::Apps | Self::Part { .. } => &[],
            Self::YesOrNo => &["true", "false"],
            Self::OneOf(words) => words,
        }
    }

    fn read(self, text: &str) -> Result<String, String> {
        let words = self.words();
        if words.is_empty() {
            return Ok(text.to_owned());
        }
        let fits = |word: &&&str| word.eq_ignore_ascii_case(text);
        match words.iter().find(fits) {
            Some(word) => Ok((*word).to_owned()),
            None => Err(format!("expected one of {}", words.join(", "))),
        }
    }
}

/// Renders a prompt for the offered tools.
fn told(prompt: &Prompt, given: &Given, tools: &Tools) -> String {
    let is_yes = |name: &str| given.get(name).is_some_and(|word| word == "true");
    let belongs = |step: &&Step| match step.when {
        When::Always => true,
        When::Given(name) => given.contains_key(name),
        When::Yes(name) => is_yes(name),
        When::No(name) => !is_yes(name),
    };
    let way = |step: &Step| step.ways.iter().copied().find(|way| tools.cover(way));
    let mut text = filled(prompt.task, given);
    text.push('\n');
    let ways = prompt.steps.iter().filter(belongs).filter_map(way);
    for (at, way) in ways.enumerate() {
        text.push_str(&format!("\n{}. {}", at + 1, filled(way, given)));
    }
    text
}

/// Replaces placeholders by arguments.
fn filled(words: &str, given: &Given) -> String {
    let mut text = String::new();
    let mut rest = words;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((name, after)) = after.split_once('}') else { break };
        let value = match name.strip_prefix("events of ") {
            Some(name) => given.get(name).map(|app| of_app(app, View::Events)),
            None => given.get(name).cloned(),
        };
        text.push_str(&value.unwrap_or_default());
        rest = after;
    }
    text.push_str(rest);
    text
}

/// Returns the URI of a resource of an app.
fn of_app(name: &str, view: View) -> String {
    Uri::App { name: name.to_owned(), view }.to_string()
}

#[cfg(test)]
mod tests;
