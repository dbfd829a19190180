//! MCP prompts: frequent tasks, described step by step with the offered tools. The list names the
//! connected apps, so clients are notified when those change.

mod texts;

use std::{collections::HashMap, sync::Arc};

use deskhand_engine::{SecurityMode, Vocabulary};
use deskhand_model::outline::quote;
use rmcp::model::{
    CacheScope, ContentBlock, ErrorData, GetPromptRequestParams, GetPromptResult, JsonObject,
    ListPromptsResult, PaginatedRequestParams, Prompt as WirePrompt, PromptArgument, PromptMessage,
    ResourceContents, Role,
};
use serde_json::{Value, json};

use crate::{
    resource::uri::{AppView, Uri},
    server::{
        client::{Client, Era},
        failure, paging,
        principal::Principal,
        state::Connection,
    },
    subscription::{self, registry::ListInterest},
    timing,
    tool::{content, internal_call, list::ToolList},
};

/// Maximum number of prompts per page.
const PAGE_SIZE: usize = 50;

/// A prompt.
#[derive(Debug)]
pub(crate) struct Prompt {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    arguments: &'static [Argument],
    task: &'static str,
    /// Set if the prompt includes the app's current tree.
    includes_tree: bool,
    steps: &'static [PromptStep],
}

/// An argument of a prompt.
#[derive(Debug)]
pub(crate) struct Argument {
    /// The name.
    pub(crate) name: &'static str,
    about: &'static str,
    /// The kind of value.
    pub(crate) kind: ArgumentKind,
    required: bool,
}

/// The kind of value an argument takes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ArgumentKind {
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
        parts: UiParts,
    },
    /// `true` or `false`.
    Bool,
    /// One of these values.
    OneOf(&'static [&'static str]),
}

/// Kinds of parts of an app.
#[derive(Debug, Clone, Copy)]
pub(crate) enum UiParts {
    /// Toolbars, tab bars, dialogs and similar regions.
    Regions,
    /// Screens to navigate to.
    Places,
    /// All elements with a name.
    Elements,
}

#[derive(Debug)]
struct PromptStep {
    when: When,
    variants: &'static [&'static str],
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

/// The tools that read an app. Without one of them no prompt can be followed.
const READING_TOOLS: &[&str] = &["ax_get_tree", "ax_find"];

/// Maximum number of connected apps that the description of an argument names.
const MAX_NAMED_APPS: usize = 8;

/// Maximum length of an app's name in the description of an argument.
const MAX_NAME_CHARS: usize = 40;

/// Serves `prompts/list`. From then on, a client on protocol 2025-11-25 or older is notified when the
/// list changes.
///
/// # Errors
///
/// Returns an error if the cursor does not belong to this list, if the client exceeds its limits, or if
/// it cannot be notified.
pub(crate) async fn list(
    connection: &Arc<Connection>,
    client: &Client,
    page_request: Option<PaginatedRequestParams>,
) -> Result<ListPromptsResult, ErrorData> {
    let state = &connection.state;
    if let Era::Handshake(_) = client.era {
        subscription::register(connection, client, ListInterest::PROMPTS)?;
    }
    let session = state.engine.session(&connection.session(client));
    if !session.connections().is_empty() {
        // This call forgets apps that have exited. If it fails, the list may be out of date.
        let status = internal_call::call_read_tool(
            connection,
            client,
            Vocabulary::Resources.tool("view_status"),
            json!({}),
        );
        if let Err(failure) = status.await {
            failure::check_admission(&failure)?;
        }
    }
    let connected: Vec<String> = session.connections().into_iter().map(|one| one.name).collect();
    let prompts = offered(&state.tools, client.principal.ceiling);
    let all: Vec<WirePrompt> = prompts.map(|prompt| declaration(prompt, &connected)).collect();
    // The list depends on the session and on the principal's mode.
    let scope = match connected.is_empty() && client.principal.is_same(&Principal::owner()) {
        true => CacheScope::Public,
        false => CacheScope::Private,
    };
    let page = paging::paginate(all, page_request, PAGE_SIZE, |prompt| prompt.name.clone())?;
    let mut list = ListPromptsResult::with_all_items(page.items)
        .with_ttl_ms(timing::PROMPT_LIST_TTL_MS)
        .with_cache_scope(scope);
    list.next_cursor = page.next;
    Ok(list)
}

/// Returns the prompts that clients of this mode can follow with the offered tools.
fn offered(tools: &ToolList, ceiling: SecurityMode) -> impl Iterator<Item = &'static Prompt> {
    let can_read = READING_TOOLS.iter().any(|name| tools.has(name, ceiling));
    texts::ALL.iter().filter(move |_| can_read)
}

/// Returns a prompt that is offered to clients of this mode.
///
/// # Errors
///
/// Returns an error if there is no such prompt.
pub(crate) fn find(
    name: &str,
    tools: &ToolList,
    ceiling: SecurityMode,
) -> Result<&'static Prompt, ErrorData> {
    offered(tools, ceiling).find(|prompt| prompt.name == name).ok_or_else(|| {
        let all: Vec<&str> = offered(tools, ceiling).map(|prompt| prompt.name).collect();
        let available = if all.is_empty() {
            "no prompt is available with the offered tools".to_owned()
        } else {
            format!("available: {}", all.join(", "))
        };
        ErrorData::invalid_params(format!("name: unknown prompt `{name}`; {available}"), None)
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
/// Returns an error if there is no such prompt, if an argument is missing or invalid, or if the
/// client exceeds its limits.
pub(crate) async fn get(
    connection: &Arc<Connection>,
    client: &Client,
    params: GetPromptRequestParams,
) -> Result<GetPromptResult, ErrorData> {
    let (tools, ceiling) = (&connection.state.tools, client.principal.ceiling);
    let prompt = find(&params.name, tools, ceiling)?;
    let given = read_arguments(prompt, params.arguments.as_ref())?;
    let words = render(prompt, &given, tools, ceiling);
    let mut messages = vec![PromptMessage::new_text(Role::User, words)];
    if let Some(app) = given.get("app_name").filter(|_| prompt.includes_tree) {
        // If the app is not running, the steps start or find it.
        let arguments = json!({ "app": app });
        let tool = Vocabulary::Ax.tool("ax_get_tree");
        match internal_call::call_read_tool(connection, client, tool, arguments).await {
            Ok(answer) => {
                // The message has the role of the user, so marks separate the app's text.
                let (text, meta) = content::wrap_in_marks(answer.text.to_string().trim_end());
                let outline = ContentBlock::resource(ResourceContents::TextResourceContents {
                    uri: app_uri(app, AppView::Tree(None)),
                    mime_type: Some("text/plain".to_owned()),
                    text,
                    meta: Some(meta),
                });
                messages.push(PromptMessage::new(Role::User, outline));
            }
            Err(failure) => failure::check_admission(&failure)?,
        }
    }
    Ok(GetPromptResult::new(messages).with_description(prompt.about))
}

fn declaration(prompt: &Prompt, connected: &[String]) -> WirePrompt {
    let argument = |argument: &Argument| {
        PromptArgument::new(argument.name)
            .with_description(argument.description(connected))
            .with_required(argument.required)
    };
    let arguments = prompt.arguments.iter().map(argument).collect();
    WirePrompt::new(prompt.name, Some(prompt.about), Some(arguments)).with_title(prompt.title)
}

fn read_arguments(prompt: &Prompt, arguments: Option<&JsonObject>) -> Result<Given, ErrorData> {
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

impl Argument {
    /// Returns its description, which names the connected apps if it takes an app.
    fn description(&self, connected: &[String]) -> String {
        let takes_app = matches!(self.kind, ArgumentKind::App | ArgumentKind::Apps);
        if !takes_app || connected.is_empty() {
            return self.about.to_owned();
        }
        let named = connected.iter().take(MAX_NAMED_APPS);
        let mut names: Vec<String> = named.map(|name| quote(name, MAX_NAME_CHARS)).collect();
        let more = connected.len() - names.len();
        if more > 0 {
            names.push(format!("{more} more"));
        }
        format!("{} (connected: {})", self.about, names.join(", "))
    }
}

impl ArgumentKind {
    /// Returns the allowed values, if they are limited.
    pub(crate) fn allowed_values(self) -> &'static [&'static str] {
        match self {
            Self::Text | Self::App | Self::Apps | Self::Part { .. } => &[],
            Self::Bool => &["true", "false"],
            Self::OneOf(words) => words,
        }
    }

    fn read(self, text: &str) -> Result<String, String> {
        let words = self.allowed_values();
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
fn render(prompt: &Prompt, given: &Given, tools: &ToolList, ceiling: SecurityMode) -> String {
    let is_yes = |name: &str| given.get(name).is_some_and(|word| word == "true");
    let is_included = |step: &&PromptStep| match step.when {
        When::Always => true,
        When::Given(name) => given.contains_key(name),
        When::Yes(name) => is_yes(name),
        When::No(name) => !is_yes(name),
    };
    let variant = |step: &PromptStep| {
        step.variants.iter().copied().find(|variant| tools.offers_all_in(variant, ceiling))
    };
    let mut text = fill_in(prompt.task, given);
    text.push('\n');
    let variants = prompt.steps.iter().filter(is_included).filter_map(variant);
    for (at, variant) in variants.enumerate() {
        text.push_str(&format!("\n{}. {}", at + 1, fill_in(variant, given)));
    }
    text
}

/// Replaces placeholders by arguments.
fn fill_in(words: &str, given: &Given) -> String {
    let mut text = String::new();
    let mut rest = words;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((name, after)) = after.split_once('}') else { break };
        let value = match name.strip_prefix("events of ") {
            Some(name) => given.get(name).map(|app| app_uri(app, AppView::Events)),
            None => given.get(name).cloned(),
        };
        text.push_str(&value.unwrap_or_default());
        rest = after;
    }
    text.push_str(rest);
    text
}

/// Returns the URI of a resource of an app.
fn app_uri(name: &str, view: AppView) -> String {
    Uri::App { name: name.to_owned(), view }.to_string()
}

#[cfg(test)]
mod tests;
