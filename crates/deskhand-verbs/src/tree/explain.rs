//! Explains why a query matches nothing. The client's model inspects the app; without a model the
//! caller gets a screenshot and a prompt.

use deskhand_locate::{Query, Strategy};
use deskhand_model::{
    App, Index,
    outline::{Outline, OutlineOptions},
};
use deskhand_platform::{Deadline, NodeFields, WalkOptions};
use deskhand_vision::{ImageFormat, Limits};

use super::{TreeRead, element::describe, sanitize::HiddenTextPolicy};
use crate::{
    Context, ElicitResponse, Error, Image, Question, Result,
    capture::{self, CaptureRequest, target::CaptureSpec},
    elicitation::sampling::{
        ContentPart, ModelPreferences, ModelReply, SamplingMessage, SamplingRequest, SamplingTool,
        ToolResult, ToolUse,
    },
    timing, tree,
    windows::{self, WindowPreference},
};

/// The number of tokens of the outline.
const MAX_OUTLINE_TOKENS: usize = 1_500;

/// The image size that models read best: the longer side in pixels, and the bytes.
const MAX_IMAGE_SIDE: u32 = 1_568;
const MAX_IMAGE_BYTES: usize = 700_000;

/// The keys of the questions of a conversation, one per turn.
const TURN_KEYS: [&str; 5] = ["locate", "locate_2", "locate_3", "locate_4", "locate_5"];

const LOCATE_PROMPT: &str = "You help to find an element of a desktop app. Inspect elements with \
                       describe_element and try queries with suggest_locator before you answer. Answer \
                       in at most three sentences: why the query finds nothing, and the query that does.";

const READ_PROMPT: &str = "You read a picture of a desktop app for an agent that cannot see it.";

const PLAN_PROMPT: &str =
    "You plan how to operate a desktop app. Suggest the one action to take next.";

const TOOLS: [SamplingTool; 2] = [
    SamplingTool {
        name: DESCRIBE,
        description: "All properties of one element",
        parameter: "ref: the ref of an element in the outline, such as e12",
    },
    SamplingTool {
        name: SUGGEST,
        description: "Tries a query and returns its match",
        parameter: "query: title text, role:button title:Save, /regex/ or XPath",
    },
];
const DESCRIBE: &str = "describe_element";
const SUGGEST: &str = "suggest_locator";

/// An explanation.
#[derive(Debug, Default)]
pub struct Explanation {
    /// The explanation as text.
    pub text: String,
    /// Queries that the model tried and that match one element.
    pub queries: Vec<String>,
    /// A screenshot of the app, if no model has inspected it.
    pub screenshot: Option<Image>,
}

/// Explains why a query matches nothing in an app.
///
/// # Errors
///
/// Fails if the model must be asked first, or the app cannot be read.
pub fn explain_no_match(cx: &Context<'_>, app: &App, query: &str) -> Result<Explanation> {
    let outline = outline(&with_new_deadline(cx), app)?;
    if let Some(explained) = with_tools(cx, app, query, &outline)? {
        return Ok(explained);
    }
    // Without a screenshot the model still gets the outline.
    let screenshot = screenshot(&with_new_deadline(cx), app).ok();
    if let Some(text) = without_tools(cx, app, query, &outline, screenshot.as_ref())? {
        return Ok(Explanation { text, ..Explanation::default() });
    }
    let text = format!(
        "Look at the picture of {}: is \"{query}\" on it, under another name, or behind something \
         that must be opened first?",
        app.name
    );
    Ok(Explanation { text, screenshot, ..Explanation::default() })
}

/// Lets the model inspect elements and try queries itself; `None` if it cannot use tools.
fn with_tools(
    cx: &Context<'_>,
    app: &App,
    query: &str,
    outline: &str,
) -> Result<Option<Explanation>> {
    let prompt = format!("The query \"{query}\" matches nothing in {}.\n\n{outline}", app.name);
    let mut request = SamplingRequest {
        system_prompt: LOCATE_PROMPT,
        messages: vec![SamplingMessage::User(vec![ContentPart::Text(prompt)])],
        max_tokens: 2_000,
        model_preferences: None,
        tools: TOOLS.to_vec(),
    };
    let mut queries = Vec::new();
    let mut text = None;
    for key in TURN_KEYS {
        let Some(reply) = ask_model(cx, key, &request)? else { break };
        text = Some(reply.text.clone());
        if reply.tool_uses.is_empty() {
            break;
        }
        let came = reply
            .tool_uses
            .iter()
            .map(|one| run_tool(&with_new_deadline(cx), app, one, &mut queries))
            .collect();
        request.messages.push(SamplingMessage::Assistant(reply));
        request.messages.push(SamplingMessage::ToolResults(came));
    }
    Ok(text.map(|text| Explanation { text, queries, screenshot: None }))
}

/// Runs a tool that the model uses.
fn run_tool(
    cx: &Context<'_>,
    app: &App,
    tool_use: &ToolUse,
    queries: &mut Vec<String>,
) -> ToolResult {
    let given = |name: &str| tool_use.input[name].as_str().unwrap_or_default().to_owned();
    let came = match tool_use.name.as_str() {
        DESCRIBE => describe_match(cx, app, &given("ref")),
        SUGGEST => {
            let query = given("query");
            let matched = describe_match(cx, app, &query);
            if matched.is_ok() && !queries.contains(&query) {
                queries.push(query);
            }
            matched
        }
        other => Ok(format!("there is no tool {other}")),
    };
    ToolResult { id: tool_use.id.clone(), text: came.unwrap_or_else(|error| error.to_string()) }
}

/// Describes the only element that matches a query.
fn describe_match(cx: &Context<'_>, app: &App, query: &str) -> Result<String> {
    let query = Query::parse(query, Strategy::Auto)?;
    let mut result = tree::find_element(cx, app, &query)?;
    let element = describe(cx, app, &mut result.tree, &[result.found.index])?.remove(0);
    serde_json::to_string(&element)
        .map_err(|error| Error::NotSerializable { why: error.to_string() })
}

/// Asks the model to read a screenshot and to suggest the next action; `None` without a model.
fn without_tools(
    cx: &Context<'_>,
    app: &App,
    query: &str,
    outline: &str,
    screenshot: Option<&Image>,
) -> Result<Option<String>> {
    let screen = screenshot.map(|screenshot| SamplingRequest {
        system_prompt: READ_PROMPT,
        messages: vec![SamplingMessage::User(vec![
            ContentPart::Image(screenshot.clone()),
            ContentPart::Text(format!(
                "What does this window of {} show? List what can be seen and used. Is \"{query}\" \
                 among it?",
                app.name
            )),
        ])],
        max_tokens: 1_000,
        model_preferences: Some(ModelPreferences { intelligence: 0.8, cost: 0.3, speed: 0.5 }),
        tools: Vec::new(),
    });
    let history = cx.session.recent_actions().join("; ");
    let history = if history.is_empty() { "none".to_owned() } else { history };
    let prompt = format!(
        "What {} shows now:\n{outline}\n\nGoal: find \"{query}\", which nothing matches.\n\
         Actions so far: {history}\n\nWhich action comes next?",
        app.name
    );
    let next = SamplingRequest {
        system_prompt: PLAN_PROMPT,
        messages: vec![SamplingMessage::User(vec![ContentPart::Text(prompt)])],
        max_tokens: 500,
        model_preferences: None,
        tools: Vec::new(),
    };
    // Both questions are asked before either answer is awaited, so that a deferred call asks only
    // once. The image limit is checked before the model starts to work.
    let read = match screen.map(|screen| ask_model(cx, "screen", &screen)).transpose() {
        Err(refused) if !matches!(refused, Error::QuestionPending { .. }) => return Err(refused),
        response => response,
    };
    let planned = ask_model(cx, "next", &next);
    let read = read?.flatten().map(|reply| format!("On the screen: {}", reply.text));
    let planned = planned?.map(|reply| format!("Next: {}", reply.text));
    let text: Vec<String> = read.into_iter().chain(planned).collect();
    Ok((!text.is_empty()).then(|| text.join("\n\n")))
}

/// Asks the model; `None` if there is no model or no reply.
fn ask_model(
    cx: &Context<'_>,
    key: &'static str,
    request: &SamplingRequest,
) -> Result<Option<ModelReply>> {
    let is_picture = |piece: &ContentPart| matches!(piece, ContentPart::Image(_));
    let shows = |turn: &SamplingMessage| matches!(turn, SamplingMessage::User(all) if all.iter().any(is_picture));
    // An image counts only once, not again when the call is repeated with the reply.
    if request.messages.iter().any(shows) && cx.elicitor.has_model() && !cx.elicitor.has_answer(key)
    {
        cx.consent.check_model_image()?;
    }
    let question = Question::model(key, request.clone());
    match cx.elicitor.elicit(&question) {
        ElicitResponse::Accepted(answer) => Ok(ModelReply::from_value(&answer)),
        ElicitResponse::Deferred => Err(Error::QuestionPending { question: Box::new(question) }),
        ElicitResponse::Declined | ElicitResponse::Cancelled | ElicitResponse::Unavailable => {
            cx.cancel.check()?;
            Ok(None)
        }
    }
}

/// Returns the same context with time for another read.
fn with_new_deadline<'a>(cx: &Context<'a>) -> Context<'a> {
    Context { deadline: Deadline::after(timing::EXPLAIN_READ_TIMEOUT), ..*cx }
}

fn outline(cx: &Context<'_>, app: &App) -> Result<String> {
    let mut tree = TreeRead::of_app(cx, app, &WalkOptions::with_fields(NodeFields::STANDARD))?;
    tree.sanitize(cx, app, HiddenTextPolicy::Omit);
    let options = OutlineOptions {
        max_tokens: Some(MAX_OUTLINE_TOKENS),
        include_invisible: false,
        depth: None,
    };
    let TreeRead { snapshot, refs, .. } = &mut tree;
    let outline = Outline::new(snapshot, Index::ROOT, &options, &mut |snapshot, at| {
        refs.assign(snapshot, at).to_string()
    });
    let text: Vec<String> = outline.lines().iter().map(ToString::to_string).collect();
    tree.save_refs()?;
    Ok(text.join("\n"))
}

fn screenshot(cx: &Context<'_>, app: &App) -> Result<Image> {
    let window = windows::resolve_window(cx, &app.pid.to_string(), None, WindowPreference::Shown)?;
    let window = format!("{:#x}", window.id);
    let target = CaptureSpec { window: Some(&window), ..CaptureSpec::default() };
    let limits = Limits {
        width: Some(MAX_IMAGE_SIDE),
        height: Some(MAX_IMAGE_SIDE),
        bytes: Some(MAX_IMAGE_BYTES),
    };
    let format = ImageFormat::default();
    let request = CaptureRequest { target, annotate: false, format, quality: 85, limits };
    let fitted = capture::capture(cx, &request)?.fitted;
    Ok(Image { bytes: fitted.bytes, mime: format.mime(), extension: format.word() })
}
