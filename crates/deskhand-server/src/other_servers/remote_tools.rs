//! Offers the tools of other MCP servers in the catalogue. Their descriptions are cleaned, and their calls
//! go through the same policy checks as all others.

use std::{
    sync::{Arc, Weak},
    time::Instant,
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use deskhand::settings::Settings;
use deskhand_client::{
    RemoteContent, RemoteEffect, RemoteResult, RemoteStatus, RemoteTool, Servers,
};
use deskhand_engine::{
    CallFailure, Catalogue, DynamicTool, Effect, Image, Style, StyledLine, StyledText, TaskSupport,
    ToolEntry, ToolOutput, Toolset,
};
use deskhand_model::{Delivery, clean, secret};
use deskhand_verbs::{Context, Error, Result};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use super::{schema, selected, token_storage};
use crate::{Notify, SERVER_STATUS_TIMEOUT, ServerMessage};

/// Replaces a secret in the audit log.
const REDACTED: &str = "[not recorded]";
/// The maximum length of a text in the audit log, in characters.
const MAX_LOGGED: usize = 200;
/// The maximum length of a tool's description, in characters.
const MAX_DESCRIPTION: usize = 2_000;

/// Offers the tools of other servers until the returned value is dropped. Returns `None` if no servers are
/// configured.
///
/// # Errors
///
/// If the file that lists the servers is invalid.
pub(crate) fn offer(
    catalogue: &Arc<Catalogue>,
    settings: &Settings,
    notify: Notify,
) -> std::result::Result<Option<Arc<Servers>>, CallFailure> {
    let Some(config) = selected(settings)? else { return Ok(None) };
    for skipped in &config.skipped {
        let text = format!("the server `{}` is not used: {}", skipped.name, skipped.reason);
        notify(ServerMessage::Warning(&text));
    }
    let servers = Arc::new(Servers::open(&config, &token_storage(settings))?);
    let (weak_catalogue, weak_servers) = (Arc::downgrade(catalogue), Arc::downgrade(&servers));
    // Keeps concurrent updates in order.
    let order = Mutex::new(());
    let update = move || {
        if let (Some(catalogue), Some(servers)) = (weak_catalogue.upgrade(), weak_servers.upgrade())
        {
            let _order = order.lock();
            publish(&catalogue, &servers, notify);
        }
    };
    let update = Arc::new(update);
    let on_change = Arc::clone(&update);
    servers.on_change(move || on_change());
    update();
    Ok(Some(servers))
}

/// Does the same as [`offer`], and waits until every server is connected or has failed once.
///
/// # Errors
///
/// If the file that lists the servers is invalid.
pub(crate) fn offer_connected(
    catalogue: &Arc<Catalogue>,
    settings: &Settings,
    notify: Notify,
) -> std::result::Result<Option<Arc<Servers>>, CallFailure> {
    let servers = offer(catalogue, settings, notify)?;
    if let Some(servers) = &servers {
        servers.wait_until_connected(Instant::now() + SERVER_STATUS_TIMEOUT);
        publish(catalogue, servers, notify);
    }
    Ok(servers)
}

fn publish(catalogue: &Catalogue, servers: &Arc<Servers>, notify: Notify) {
    let tools = servers.tools().into_iter().map(|remote| CatalogueTool::entry(remote, servers));
    for name in catalogue.replace("servers", tools.collect()) {
        notify(ServerMessage::Warning(&format!("not offered: another tool is called {name}")));
    }
}

/// A tool of another server, as an entry of the catalogue.
struct CatalogueTool {
    remote: RemoteTool,
    title: String,
    about: String,
    schema: Value,
    servers: Weak<Servers>,
}

impl CatalogueTool {
    fn entry(remote: RemoteTool, servers: &Arc<Servers>) -> ToolEntry {
        let title = remote.title.as_deref().unwrap_or(&remote.remote_name);
        let about = format!(
            "{} (from the server {})",
            clean_text(&remote.description),
            clean_text(&remote.server)
        );
        let (title, schema) = (clean_text(title), schema::normalize(&remote.input_schema));
        let servers = Arc::downgrade(servers);
        ToolEntry::dynamic(Arc::new(Self { remote, title, about, schema, servers }))
    }
}

impl DynamicTool for CatalogueTool {
    fn name(&self) -> &str {
        &self.remote.name
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn description(&self) -> &str {
        &self.about
    }

    fn effect(&self) -> Effect {
        match self.remote.effect {
            RemoteEffect::ReadOnly => Effect::Observe,
            RemoteEffect::Modifies => Effect::Act { repeatable: false },
            RemoteEffect::Destroys => Effect::Destroy,
        }
    }

    fn toolsets(&self) -> &'static [Toolset] {
        &[Toolset::Servers]
    }

    fn task_support(&self) -> TaskSupport {
        TaskSupport::Optional
    }

    fn full_input_schema(&self) -> Value {
        self.schema.clone()
    }

    fn full_output_schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "server": { "type": "string" },
                "text": { "type": "string" },
                "structured": {},
                "left_out": { "type": "array", "items": { "type": "string" } },
            },
            "required": ["server"],
        })
    }

    fn redacted_args(&self, arguments: &Value) -> Value {
        redact(arguments)
    }

    fn run(&self, cx: &Context<'_>, arguments: Value) -> Result<ToolOutput> {
        let arguments = match arguments {
            Value::Object(fields) => fields,
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => Map::new(),
        };
        let Some(servers) = self.servers.upgrade() else {
            return Err(Error::Cancelled { delivery: Delivery::NotSent });
        };
        let deadline = Instant::now() + self.remote.timeout;
        let answer = servers.call(&self.remote, arguments, deadline, &|| cx.cancel.is_cancelled());
        if cx.cancel.is_cancelled() && answer.is_err() {
            return Err(Error::Cancelled { delivery: Delivery::Unknown });
        }
        let answer = answer.map_err(|error| Error::Dynamic(Box::new(error)))?;
        Ok(convert(&self.remote.server, answer))
    }
}

/// Converts the result of another server into one of ours.
fn convert(server: &str, result: RemoteResult) -> ToolOutput {
    let (mut texts, mut left_out, mut image) = (Vec::new(), Vec::new(), None);
    for piece in result.content {
        match piece {
            RemoteContent::Text(text) => texts.push(text),
            RemoteContent::Image { base64, mime_type } => match decode_image(&base64, &mime_type) {
                Some(decoded) if image.is_none() => image = Some(decoded),
                Some(_) | None => left_out.push(format!("an image: {mime_type}")),
            },
            RemoteContent::Omitted(what) => left_out.push(what),
        }
    }
    let text = texts.join("\n");
    let mut page = StyledText::default();
    for line in text.lines() {
        page = page.line(StyledLine::new().with(Style::Plain, line));
    }
    for what in &left_out {
        page = page.line(StyledLine::new().with(Style::Faint, format!("omitted: {what}")));
    }
    let mut data = json!({ "server": server });
    match result.structured {
        Some(structured) => data["structured"] = structured,
        None if text.is_empty() => {}
        None => data["text"] = Value::from(text),
    }
    if !left_out.is_empty() {
        data["left_out"] = Value::from(left_out);
    }
    let succeeded = result.status == RemoteStatus::Succeeded;
    ToolOutput { data, text: page, image, succeeded, warnings: Vec::new() }
}

fn decode_image(base64: &str, mime_type: &str) -> Option<Image> {
    const KINDS: [(&str, &str); 4] =
        [("image/png", "png"), ("image/jpeg", "jpg"), ("image/webp", "webp"), ("image/gif", "gif")];
    let (mime, extension) = KINDS.into_iter().find(|(mime, _)| *mime == mime_type)?;
    let bytes = BASE64_STANDARD.decode(base64).ok()?;
    Some(Image { bytes, mime, extension })
}

/// Returns arguments for the audit log: without secrets, and with long texts cut.
fn redact(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                let is_secret = secret::is_secret_name(name);
                (name.clone(), if is_secret { json!(REDACTED) } else { redact(value) })
            };
            Value::Object(fields.iter().map(field).collect())
        }
        Value::Array(all) => Value::Array(all.iter().map(redact).collect()),
        Value::String(text) if text.chars().count() > MAX_LOGGED => {
            Value::from(text.chars().take(MAX_LOGGED).chain("…".chars()).collect::<String>())
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Removes hidden characters from an untrusted text, and limits its length.
fn clean_text(text: &str) -> String {
    let cleaned = clean::clean(text, &mut |_| {});
    cleaned.trim().chars().take(MAX_DESCRIPTION).collect()
}
