//! `mcp.json`: which servers there are. Read whole, every field of it checked, with line and column
//! where something is wrong.

mod field;

use std::time::Duration;

use axum::http::{HeaderName, HeaderValue};
use deskhand_model::TextPosition;
use jsonc_parser::{ParseOptions, ast, common::Ranged, parse_to_ast};
use url::{Host, Url};

use crate::{
    error::{Error, Result},
    name,
};
use field::Fields;

/// How long a call may take where nobody says: clients wait no longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// The servers of a person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// Those that are spoken to over HTTP, in the order of the file.
    pub servers: Vec<Server>,
    /// Those that are not taken, and why.
    pub skipped: Vec<Skipped>,
}

/// One server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// What the person calls it.
    pub name: String,
    /// Where it is.
    pub url: Url,
    /// Who this program is there, where it was told so.
    pub identity: Option<Identity>,
    /// What is asked for at a login; what the server wants when empty.
    pub scopes: Vec<String>,
    /// Headers that go with every request.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// What stands before the names of its tools.
    pub prefix: String,
    /// Whether it is used.
    pub use_it: Use,
    /// Whether its word on what its tools do is taken.
    pub trust: Trust,
    /// The tools that are taken, as the server calls them; all when empty.
    pub only: Vec<String>,
    /// The tools that are not taken.
    pub without: Vec<String>,
    /// How long a call may take.
    pub patience: Duration,
    /// The port a login comes back to; any free one when absent.
    pub callback_port: Option<u16>,
}

impl Server {
    /// Whether one of its tools is offered.
    pub(crate) fn takes(&self, tool: &str) -> bool {
        let named = |names: &[String]| names.iter().any(|name| name == tool);
        (self.only.is_empty() || named(&self.only)) && !named(&self.without)
    }

    /// A server nobody has set up: its address is its name.
    ///
    /// # Errors
    ///
    /// When the address is no good, or would be spoken to in the clear over a network.
    pub fn at(address: &str) -> Result<Self> {
        let quoted = serde_json::Value::from(address);
        let text = format!(r#"{{ "servers": {{ "it": {{ "url": {quoted} }} }} }}"#);
        let config = Config::parse(&text, "--server", &|_| None)?;
        let server = config.server("it")?.clone();
        Ok(Self { name: address.to_owned(), ..server })
    }
}

/// Who this program is to an authorization server.
#[derive(Clone, PartialEq, Eq)]
pub struct Identity {
    /// The client id.
    pub id: String,
    /// The client secret, where it has one.
    pub secret: Option<String>,
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Identity").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Whether a server is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// It is.
    On,
    /// The person switched it off.
    Off,
}

/// Whether a server's word on what its tools do is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// No: each of its tools may change something.
    Nothing,
    /// Yes: a tool it calls read-only is taken for that.
    Annotations,
}

/// A server that is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Its name.
    pub name: String,
    /// Why.
    pub why: &'static str,
}

impl Config {
    /// What a text says; `file` is what it is called in messages, `variable` looks up `${NAME}`.
    ///
    /// # Errors
    ///
    /// When it is no list of servers, with the place where it stops being one.
    pub fn parse(
        text: &str,
        file: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self> {
        let at = Place { text, file };
        let parsed = parse_to_ast(text, &Default::default(), &ParseOptions::default())
            .map_err(|error| at.syntax(error.range().start, error.kind().to_string()))?;
        let Some(ast::Value::Object(top)) = parsed.value else {
            return Err(at.syntax(0, "no object stands here".to_owned()));
        };
        let mut config = Self::default();
        for entry in &top.properties {
            match entry.name.as_str() {
                // Other clients write `mcpServers`; editors add where the schema of the file is.
                "servers" | "mcpServers" => config.add(&entry.value, &at, variable)?,
                "$schema" | "inputs" => {}
                other => return Err(at.unknown(other, entry.start(), &["servers", "mcpServers"])),
            }
        }
        Ok(config)
    }

    /// The server with a name.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn server(&self, name: &str) -> Result<&Server> {
        self.servers.iter().find(|server| server.name == name).ok_or_else(|| Error::NoServer {
            name: name.to_owned(),
            known: self.servers.iter().map(|server| server.name.clone()).collect(),
        })
    }

    fn add(
        &mut self,
        value: &ast::Value<'_>,
        at: &Place<'_>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<()> {
        let ast::Value::Object(servers) = value else {
            return Err(at.wrong("servers", value.start(), "an object of servers by name"));
        };
        for entry in &servers.properties {
            let name = entry.name.as_str();
            let ast::Value::Object(object) = &entry.value else {
                return Err(at.wrong(name, entry.value.start(), "an object with a `url`"));
            };
            let taken = |server: &Server| server.name == name;
            if name.is_empty() || self.servers.iter().any(taken) {
                return Err(at.wrong(name, entry.start(), "a name of its own"));
            }
            if object.get("command").is_some() {
                let why = "it is a program, and only servers over HTTP are taken";
                self.skipped.push(Skipped { name: name.to_owned(), why });
                continue;
            }
            let server = one(name, entry, &Fields::new(object, at, variable)?)?;
            let same = |other: &&Server| other.prefix == server.prefix;
            if let Some(other) = self.servers.iter().find(same) {
                let takes = format!("a prefix of its own (`{}` has this one)", other.name);
                return Err(at.wrong("prefix", entry.start(), &takes));
            }
            self.servers.push(server);
        }
        Ok(())
    }
}

fn one(name: &str, entry: &ast::ObjectProp<'_>, fields: &Fields<'_>) -> Result<Server> {
    let at = fields.at;
    if let Some((kind, start)) = fields.text("type")? {
        // The names clients have for it; the older SSE transport is not this one.
        if !["http", "streamable-http", "streamableHttp"].contains(&kind.as_str()) {
            return Err(at.wrong("type", start, "\"http\""));
        }
    }
    let Some((written, start)) = fields.text("url")? else {
        return Err(at.wrong(name, entry.value.start(), "a server with a `url`"));
    };
    let url = Url::parse(&written)
        .map_err(|_| at.wrong("url", start, "an address such as https://example.com/mcp"))?;
    let plain = fields.flag("allow_http")?.is_some_and(|allowed| allowed);
    match url.scheme() {
        "https" => {}
        "http" if is_here(&url) || plain => {}
        "http" => {
            let takes =
                "an https address (http only to this machine, or with \"allow_http\": true)";
            return Err(at.wrong("url", start, takes));
        }
        _ => return Err(at.wrong("url", start, "an http or https address")),
    }
    let id = fields.either(["client_id", "atlassian_client_id"])?;
    let secret = fields.either(["client_secret", "atlassian_client_secret"])?;
    let identity = match (id, secret) {
        (Some(id), secret) => Some(Identity { id, secret }),
        (None, None) => None,
        (None, Some(_)) => {
            return Err(at.wrong(name, entry.value.start(), "complete: it has a secret and no id"));
        }
    };
    let prefix = match fields.text("prefix")? {
        Some((prefix, start)) if !name::is_fit(&prefix) && !prefix.is_empty() => {
            let takes = "a prefix of letters, digits, `_` and `-`, 24 at most";
            return Err(at.wrong("prefix", start, takes));
        }
        Some((prefix, _)) => prefix,
        None => name::prefix(name),
    };
    let callback_port = fields.number("callback_port", u16::MAX)?;
    let patience = fields
        .number("timeout_seconds", 3_600)?
        .map_or(PATIENCE, |seconds| Duration::from_secs(seconds.into()));
    Ok(Server {
        name: name.to_owned(),
        url,
        identity,
        scopes: fields.texts("scopes")?,
        headers: fields.headers("headers")?,
        prefix,
        use_it: match (fields.flag("enabled")?, fields.flag("disabled")?) {
            (Some(false), _) | (_, Some(true)) => Use::Off,
            (Some(true) | None, Some(false) | None) => Use::On,
        },
        trust: match fields.flag("trust_annotations")? {
            Some(true) => Trust::Annotations,
            Some(false) | None => Trust::Nothing,
        },
        only: fields.texts("tools")?,
        without: fields.texts("exclude_tools")?,
        patience,
        callback_port,
    })
}

/// Whether an address is on this machine.
pub(crate) fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

/// A text, and what it is called.
struct Place<'a> {
    text: &'a str,
    file: &'a str,
}

impl Place<'_> {
    fn spot(&self, byte: usize) -> TextPosition {
        TextPosition::from_byte_offset(self.text, byte)
    }

    fn syntax(&self, byte: usize, why: String) -> Error {
        Error::Syntax { file: self.file.to_owned(), spot: self.spot(byte), why }
    }

    fn wrong(&self, field: &str, byte: usize, takes: &str) -> Error {
        Error::Wrong {
            file: self.file.to_owned(),
            spot: self.spot(byte),
            field: field.to_owned(),
            takes: takes.to_owned(),
        }
    }

    fn unset(&self, variable: &str, byte: usize) -> Error {
        let (file, variable) = (self.file.to_owned(), variable.to_owned());
        Error::Unset { file, spot: self.spot(byte), variable }
    }

    fn unknown(&self, field: &str, byte: usize, known: &[&'static str]) -> Error {
        const ALIKE: f64 = 0.6;
        let score = |one: &str| strsim::normalized_damerau_levenshtein(one, field);
        let best = known.iter().copied().max_by(|a, b| score(a).total_cmp(&score(b)));
        Error::Unknown {
            file: self.file.to_owned(),
            spot: self.spot(byte),
            field: field.to_owned(),
            near: best.filter(|one| score(one) >= ALIKE),
        }
    }
}

#[cfg(test)]
mod tests;
