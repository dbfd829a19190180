//! `mcp.json`, the configuration of other servers. Every field is checked; errors have a line and a column.

mod fields;

use std::time::Duration;

use axum::http::{HeaderName, HeaderValue};
use deskhand_model::{TextPosition, suggest};
use jsonc_parser::{ParseOptions, ast, common::Ranged, parse_to_ast};
use url::{Host, Url};

use crate::{
    error::{Error, Result},
    timing::CALL_TIMEOUT,
    tool_name,
};
use fields::Fields;

/// The configured servers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// The servers, in the order of the file.
    pub servers: Vec<ServerConfig>,
    /// Servers that cannot be used.
    pub skipped: Vec<SkippedServer>,
}

/// The configuration of one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerConfig {
    /// The name in the file.
    pub name: String,
    /// The URL.
    pub url: Url,
    /// The OAuth client to use, if one is configured.
    pub oauth_client: Option<OAuthClient>,
    /// The scopes to request at a login; if empty, those that the server asks for.
    pub scopes: Vec<String>,
    /// Headers to send with every request.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The prefix of its tools' names.
    pub prefix: String,
    /// `Disabled` if the user turned the server off.
    pub activation: Activation,
    /// The trust in its tool annotations.
    pub trust: Trust,
    /// The server's names of the tools to offer; if empty, all.
    pub only: Vec<String>,
    /// The server's names of the tools not to offer.
    pub exclude: Vec<String>,
    /// The timeout of a call.
    pub timeout: Duration,
    /// The local port of the login callback; if `None`, any free port.
    pub callback_port: Option<u16>,
}

impl ServerConfig {
    /// Returns `true` if a tool of the server is offered.
    pub(crate) fn offers(&self, tool: &str) -> bool {
        let contains = |names: &[String]| names.iter().any(|name| name == tool);
        (self.only.is_empty() || contains(&self.only)) && !contains(&self.exclude)
    }

    /// Returns the configuration of a server that is not in a file. Its URL is its name.
    ///
    /// # Errors
    ///
    /// If the URL is invalid, or is plain HTTP to another machine.
    pub fn from_url(address: &str) -> Result<Self> {
        let quoted = serde_json::Value::from(address);
        let text = format!(r#"{{ "servers": {{ "it": {{ "url": {quoted} }} }} }}"#);
        let config = Config::parse(&text, "--server", &|_| None)?;
        let server = config.server("it")?.clone();
        Ok(Self { name: address.to_owned(), ..server })
    }
}

/// The client id of this program at an authorization server.
#[derive(Clone, PartialEq, Eq)]
pub struct OAuthClient {
    /// The client id.
    pub id: String,
    /// The client secret, if it has one.
    pub secret: Option<String>,
}

impl std::fmt::Debug for OAuthClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OAuthClient").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The switch of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// The server is used.
    Enabled,
    /// The user turned the server off.
    Disabled,
}

/// The trust in a server's description of its tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// None: every tool counts as one that changes something.
    Nothing,
    /// A tool that is annotated as read-only counts as read-only.
    Annotations,
}

/// A server that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedServer {
    /// Its name.
    pub name: String,
    /// The reason it cannot be used.
    pub reason: &'static str,
}

impl Config {
    /// Parses the text of a file. `file` is its name in messages; `variable` looks up `${NAME}`.
    ///
    /// # Errors
    ///
    /// If the text is invalid. The error has the position.
    pub fn parse(
        text: &str,
        file: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self> {
        let source = SourceText { text, file };
        let parsed = parse_to_ast(text, &Default::default(), &ParseOptions::default())
            .map_err(|error| source.syntax(error.range().start, error.kind().to_string()))?;
        let Some(ast::Value::Object(top)) = parsed.value else {
            return Err(source.syntax(0, "expected an object".to_owned()));
        };
        let mut config = Self::default();
        for entry in &top.properties {
            match entry.name.as_str() {
                // Other clients write `mcpServers`; editors add `$schema` and `inputs`.
                "servers" | "mcpServers" => config.add(&entry.value, &source, variable)?,
                "$schema" | "inputs" => {}
                other => {
                    return Err(source.unknown(other, entry.start(), &["servers", "mcpServers"]));
                }
            }
        }
        Ok(config)
    }

    /// Returns the server with a name.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn server(&self, name: &str) -> Result<&ServerConfig> {
        self.servers.iter().find(|server| server.name == name).ok_or_else(|| Error::UnknownServer {
            name: name.to_owned(),
            known: self.servers.iter().map(|server| server.name.clone()).collect(),
        })
    }

    fn add(
        &mut self,
        value: &ast::Value<'_>,
        source: &SourceText<'_>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<()> {
        let ast::Value::Object(servers) = value else {
            return Err(source.invalid("servers", value.start(), "an object of servers by name"));
        };
        for entry in &servers.properties {
            let name = entry.name.as_str();
            let ast::Value::Object(object) = &entry.value else {
                return Err(source.invalid(name, entry.value.start(), "an object with a `url`"));
            };
            let is_same = |server: &ServerConfig| server.name == name;
            if name.is_empty() || self.servers.iter().any(is_same) {
                return Err(source.invalid(name, entry.start(), "a unique name"));
            }
            if object.get("command").is_some() {
                let reason = "it is started as a program, and only servers over HTTP are supported";
                self.skipped.push(SkippedServer { name: name.to_owned(), reason });
                continue;
            }
            let server = parse_server(name, entry, &Fields::new(object, source, variable)?)?;
            let same = |other: &&ServerConfig| other.prefix == server.prefix;
            if let Some(other) = self.servers.iter().find(same) {
                let expects = format!("a unique prefix (`{}` has this one)", other.name);
                return Err(source.invalid("prefix", entry.start(), &expects));
            }
            self.servers.push(server);
        }
        Ok(())
    }
}

fn parse_server(
    name: &str,
    entry: &ast::ObjectProp<'_>,
    fields: &Fields<'_>,
) -> Result<ServerConfig> {
    let source = fields.source;
    if let Some((kind, start)) = fields.text("type")? {
        // Other clients use these names. `sse` is the deprecated transport, which is not supported.
        if !["http", "streamable-http", "streamableHttp"].contains(&kind.as_str()) {
            return Err(source.invalid("type", start, "\"http\""));
        }
    }
    let Some((written, start)) = fields.text("url")? else {
        return Err(source.invalid(name, entry.value.start(), "a server with a `url`"));
    };
    let url = Url::parse(&written)
        .map_err(|_| source.invalid("url", start, "a URL such as https://example.com/mcp"))?;
    let allow_http = fields.boolean("allow_http")?.is_some_and(|allowed| allowed);
    match url.scheme() {
        "https" => {}
        "http" if is_local(&url) || allow_http => {}
        "http" => {
            let expects = "an https URL (http only to this machine, or with \"allow_http\": true)";
            return Err(source.invalid("url", start, expects));
        }
        _ => return Err(source.invalid("url", start, "an http or https URL")),
    }
    let id = fields.either(["client_id", "atlassian_client_id"])?;
    let secret = fields.either(["client_secret", "atlassian_client_secret"])?;
    let oauth_client = match (id, secret) {
        (Some(id), secret) => Some(OAuthClient { id, secret }),
        (None, None) => None,
        (None, Some(_)) => {
            return Err(source.invalid(
                name,
                entry.value.start(),
                "a server with a `client_id` together with its `client_secret`",
            ));
        }
    };
    let prefix = match fields.text("prefix")? {
        Some((prefix, start)) if !tool_name::is_valid_prefix(&prefix) && !prefix.is_empty() => {
            let expects = "a prefix of at most 24 letters, digits, `_` and `-`";
            return Err(source.invalid("prefix", start, expects));
        }
        Some((prefix, _)) => prefix,
        None => tool_name::default_prefix(name),
    };
    let callback_port = fields.number("callback_port", u16::MAX)?;
    let timeout = fields
        .number("timeout_seconds", 3_600)?
        .map_or(CALL_TIMEOUT, |seconds| Duration::from_secs(seconds.into()));
    Ok(ServerConfig {
        name: name.to_owned(),
        url,
        oauth_client,
        scopes: fields.texts("scopes")?,
        headers: fields.headers("headers")?,
        prefix,
        activation: match (fields.boolean("enabled")?, fields.boolean("disabled")?) {
            (Some(false), _) | (_, Some(true)) => Activation::Disabled,
            (Some(true) | None, Some(false) | None) => Activation::Enabled,
        },
        trust: match fields.boolean("trust_annotations")? {
            Some(true) => Trust::Annotations,
            Some(false) | None => Trust::Nothing,
        },
        only: fields.texts("tools")?,
        exclude: fields.texts("exclude_tools")?,
        timeout,
        callback_port,
    })
}

/// Returns `true` if a URL is on this machine.
pub(crate) fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

/// The text of a file and its name.
struct SourceText<'a> {
    text: &'a str,
    file: &'a str,
}

impl SourceText<'_> {
    fn position(&self, byte: usize) -> TextPosition {
        TextPosition::from_byte_offset(self.text, byte)
    }

    fn syntax(&self, byte: usize, reason: String) -> Error {
        Error::Syntax { file: self.file.to_owned(), position: self.position(byte), reason }
    }

    fn invalid(&self, field: &str, byte: usize, expects: &str) -> Error {
        Error::InvalidField {
            file: self.file.to_owned(),
            position: self.position(byte),
            field: field.to_owned(),
            expects: expects.to_owned(),
        }
    }

    fn unset(&self, variable: &str, byte: usize) -> Error {
        let (file, variable) = (self.file.to_owned(), variable.to_owned());
        Error::UnsetVariable { file, position: self.position(byte), variable }
    }

    fn unknown(&self, field: &str, byte: usize, known: &[&'static str]) -> Error {
        const MIN_SIMILARITY: f64 = 0.6;
        let score = |known: &&'static str| suggest::edit_similarity(known, field);
        let near = suggest::nearest_by(known.iter().copied(), MIN_SIMILARITY, 1, score);
        Error::UnknownField {
            file: self.file.to_owned(),
            position: self.position(byte),
            field: field.to_owned(),
            similar: near.into_iter().next(),
        }
    }
}

#[cfg(test)]
mod tests;
