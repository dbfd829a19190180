//! The tools of other servers among our own: declared in words that were cleaned, called through the
//! gate like all others.

use std::{
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Instant,
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use deskhand_client::{Kind, Outcome, Piece, Remote, Servers};
use deskhand_engine::{
    Answer, Catalogue, Effect, Entry, Failure, Image, Line, Made, Page, Style, TaskSupport, Toolset,
};
use deskhand_model::{Delivery, clean, secret};
use deskhand_tools::{Context, Error, Result};
use serde_json::{Map, Value, json};

use super::{LOOK, foreign, wanted};
use crate::{logging, settings::Settings};

/// What stands in the place of a secret.
const HIDDEN: &str = "[not recorded]";
/// As much of a text as records show.
const SHOWN: usize = 200;
/// As much as is said about a tool.
const LONGEST: usize = 2_000;

/// Offers the tools of other servers for as long as what comes back lives; nothing comes back where
/// there are none.
///
/// # Errors
///
/// When the file that names the servers is no good.
pub(crate) fn offer(
    catalogue: &Arc<Catalogue>,
    settings: &Settings,
) -> std::result::Result<Option<Arc<Servers>>, Failure> {
    let Some((config, storage)) = wanted(settings)? else { return Ok(None) };
    for left in &config.skipped {
        logging::warned(&format!("the server `{}` is not used: {}", left.name, left.why));
    }
    let servers = Arc::new(Servers::open(&config, &storage)?);
    let (all, others) = (Arc::downgrade(catalogue), Arc::downgrade(&servers));
    // Two changes at the same time must not be put in the wrong order.
    let turn = Mutex::new(());
    let again = move || {
        if let (Some(all), Some(servers)) = (all.upgrade(), others.upgrade()) {
            let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
            put(&all, &servers);
        }
    };
    let again = Arc::new(again);
    let heard = Arc::clone(&again);
    servers.on_change(move || heard());
    again();
    Ok(Some(servers))
}

/// The same, after every server was reached or has failed once.
///
/// # Errors
///
/// When the file that names the servers is no good.
pub(crate) fn offer_settled(
    catalogue: &Arc<Catalogue>,
    settings: &Settings,
) -> std::result::Result<Option<Arc<Servers>>, Failure> {
    let servers = offer(catalogue, settings)?;
    if let Some(servers) = &servers {
        servers.settle(Instant::now() + LOOK);
        put(catalogue, servers);
    }
    Ok(servers)
}

fn put(catalogue: &Catalogue, servers: &Arc<Servers>) {
    let tools = servers.tools().into_iter().map(|remote| Elsewhere::entry(remote, servers));
    for name in catalogue.replace("servers", tools.collect()) {
        logging::warned(&format!("not offered: another tool is called {name}"));
    }
}

/// A tool of another server.
struct Elsewhere {
    remote: Remote,
    title: String,
    about: String,
    schema: Value,
    servers: Weak<Servers>,
}

impl Elsewhere {
    fn entry(remote: Remote, servers: &Arc<Servers>) -> Entry {
        let title = remote.title.as_deref().unwrap_or(&remote.own_name);
        let about = format!("{} (from the server {})", plain(&remote.about), plain(&remote.server));
        let (title, schema) = (plain(title), foreign::flat(&remote.input_schema));
        let servers = Arc::downgrade(servers);
        Entry::made(Arc::new(Self { remote, title, about, schema, servers }))
    }
}

impl Made for Elsewhere {
    fn name(&self) -> &str {
        &self.remote.name
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn about(&self) -> &str {
        &self.about
    }

    fn effect(&self) -> Effect {
        match self.remote.kind {
            Kind::Reads => Effect::Observe,
            Kind::Acts => Effect::Act { repeatable: false },
            Kind::Destroys => Effect::Destroy,
        }
    }

    fn toolsets(&self) -> &'static [Toolset] {
        &[Toolset::Servers]
    }

    fn task(&self) -> TaskSupport {
        TaskSupport::Optional
    }

    fn arguments(&self) -> Value {
        self.schema.clone()
    }

    fn output(&self) -> Value {
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

    fn told(&self, arguments: &Value) -> Value {
        told(arguments)
    }

    fn run(&self, cx: &Context<'_>, arguments: Value) -> Result<Answer> {
        let arguments = match arguments {
            Value::Object(fields) => fields,
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => Map::new(),
        };
        let Some(servers) = self.servers.upgrade() else {
            return Err(Error::Stopped { delivery: Delivery::NotSent });
        };
        let by = Instant::now() + self.remote.patience;
        let answer = servers.call(&self.remote, arguments, by, &|| cx.stop.asked());
        if cx.stop.asked() && answer.is_err() {
            return Err(Error::Stopped { delivery: Delivery::Unknown });
        }
        Ok(answered(&self.remote.server, answer.map_err(|error| Error::Made(Box::new(error)))?))
    }
}

fn answered(server: &str, answer: deskhand_client::Answer) -> Answer {
    let (mut texts, mut left_out, mut image) = (Vec::new(), Vec::new(), None);
    for piece in answer.content {
        match piece {
            Piece::Text(text) => texts.push(text),
            Piece::Picture { base64, mime_type } => match picture(&base64, &mime_type) {
                Some(found) if image.is_none() => image = Some(found),
                Some(_) | None => left_out.push(format!("a picture: {mime_type}")),
            },
            Piece::LeftOut(what) => left_out.push(what),
        }
    }
    let text = texts.join("\n");
    let mut page = Page::default();
    for line in text.lines() {
        page = page.line(Line::new().with(Style::Plain, line));
    }
    for what in &left_out {
        page = page.line(Line::new().with(Style::Faint, format!("left out: {what}")));
    }
    let mut data = json!({ "server": server });
    match answer.structured {
        Some(structured) => data["structured"] = structured,
        None if text.is_empty() => {}
        None => data["text"] = Value::from(text),
    }
    if !left_out.is_empty() {
        data["left_out"] = Value::from(left_out);
    }
    let succeeded = answer.outcome == Outcome::Done;
    Answer { data, page, image, succeeded, warnings: Vec::new() }
}

fn picture(base64: &str, mime_type: &str) -> Option<Image> {
    const KINDS: [(&str, &str); 4] =
        [("image/png", "png"), ("image/jpeg", "jpg"), ("image/webp", "webp"), ("image/gif", "gif")];
    let (mime, extension) = KINDS.into_iter().find(|(mime, _)| *mime == mime_type)?;
    let bytes = BASE64_STANDARD.decode(base64).ok()?;
    Some(Image { bytes, mime, extension })
}

/// Arguments as records show them: no secrets, and no long texts.
fn told(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let one = |(name, value): (&String, &Value)| {
                let hidden = secret::is_called_secret(name);
                (name.clone(), if hidden { json!(HIDDEN) } else { told(value) })
            };
            Value::Object(fields.iter().map(one).collect())
        }
        Value::Array(all) => Value::Array(all.iter().map(told).collect()),
        Value::String(text) if text.chars().count() > SHOWN => {
            Value::from(text.chars().take(SHOWN).chain("…".chars()).collect::<String>())
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Words of a stranger: as a person would see them, and not without end.
fn plain(text: &str) -> String {
    let cleaned = clean::clean(text, &mut |_| {});
    cleaned.trim().chars().take(LONGEST).collect()
}
