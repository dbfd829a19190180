//! Reads the fields of one server.

use axum::http::{HeaderName, HeaderValue};
use jsonc_parser::{ast, common::Ranged};

use super::SourceText;
use crate::error::Result;

/// The names of all fields.
const KNOWN: [&str; 18] = [
    "type",
    "url",
    "client_id",
    "client_secret",
    "atlassian_client_id",
    "atlassian_client_secret",
    "scopes",
    "headers",
    "prefix",
    "enabled",
    "disabled",
    "trust_annotations",
    "allow_http",
    "callback_port",
    "tools",
    "exclude_tools",
    "timeout_seconds",
    "description",
];

/// Headers that the protocol sets.
const RESERVED: [&str; 4] = ["accept", "content-type", "host", "last-event-id"];

/// The fields of a server, all with known names.
pub(super) struct Fields<'a> {
    object: &'a ast::Object<'a>,
    pub(super) source: &'a SourceText<'a>,
    variable: &'a dyn Fn(&str) -> Option<String>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(
        object: &'a ast::Object<'a>,
        source: &'a SourceText<'a>,
        variable: &'a dyn Fn(&str) -> Option<String>,
    ) -> Result<Self> {
        for entry in &object.properties {
            let name = entry.name.as_str();
            if !KNOWN.contains(&name) {
                return Err(source.unknown(name, entry.start(), &KNOWN));
            }
        }
        Ok(Self { object, source, variable })
    }

    fn value(&self, name: &str) -> Option<&ast::Value<'a>> {
        self.object.get(name).map(|entry| &entry.value)
    }

    /// Returns a string and its position.
    pub(super) fn text(&self, name: &str) -> Result<Option<(String, usize)>> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let ast::Value::StringLit(text) = value else {
            return Err(self.source.invalid(name, value.start(), "a string"));
        };
        Ok(Some((self.expand(text)?, value.start())))
    }

    /// Returns the first of two fields that is set.
    pub(super) fn either(&self, names: [&str; 2]) -> Result<Option<String>> {
        let [first, second] = names;
        let found = match self.text(first)? {
            Some(found) => Some(found),
            None => self.text(second)?,
        };
        Ok(found.map(|(text, _)| text))
    }

    /// Replaces `${NAME}` by the values of environment variables.
    fn expand(&self, text: &ast::StringLit<'_>) -> Result<String> {
        let mut expanded = String::new();
        let mut rest = text.value.as_ref();
        while let Some((before, after)) = rest.split_once("${") {
            let Some((variable, left)) = after.split_once('}') else { break };
            // Editors write `${env:NAME}`.
            let variable = variable.strip_prefix("env:").unwrap_or(variable);
            let Some(value) = (self.variable)(variable) else {
                return Err(self.source.unset(variable, text.range.start));
            };
            expanded.push_str(before);
            expanded.push_str(&value);
            rest = left;
        }
        expanded.push_str(rest);
        Ok(expanded)
    }

    /// Returns a boolean.
    pub(super) fn boolean(&self, name: &str) -> Result<Option<bool>> {
        match self.value(name) {
            None => Ok(None),
            Some(ast::Value::BooleanLit(flag)) => Ok(Some(flag.value)),
            Some(other) => Err(self.source.invalid(name, other.start(), "true or false")),
        }
    }

    /// Returns an integer from 1 to `max`.
    pub(super) fn number(&self, name: &str, max: u16) -> Result<Option<u16>> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let number = value.as_number_lit().and_then(|number| number.value.parse().ok());
        let number = number.filter(|number| (1..=max).contains(number));
        let expects = format!("an integer from 1 to {max}");
        number.map(Some).ok_or_else(|| self.source.invalid(name, value.start(), &expects))
    }

    /// Returns a list of strings.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>> {
        let Some(value) = self.value(name) else { return Ok(Vec::new()) };
        let invalid = |at: usize| self.source.invalid(name, at, "a list of strings");
        let ast::Value::Array(list) = value else { return Err(invalid(value.start())) };
        let text = |item: &ast::Value<'_>| {
            let text = item.as_string_lit().ok_or_else(|| invalid(item.start()))?;
            Ok(text.value.to_string())
        };
        list.elements.iter().map(text).collect()
    }

    /// Returns headers. Their values are marked as sensitive, so that they are not printed.
    pub(super) fn headers(&self, name: &str) -> Result<Vec<(HeaderName, HeaderValue)>> {
        let Some(value) = self.value(name) else { return Ok(Vec::new()) };
        let ast::Value::Object(object) = value else {
            return Err(self.source.invalid(name, value.start(), "an object of strings"));
        };
        object.properties.iter().map(|entry| self.header(entry)).collect()
    }

    fn header(&self, entry: &ast::ObjectProp<'_>) -> Result<(HeaderName, HeaderValue)> {
        let written = entry.name.as_str();
        let invalid = |at: usize, expects: &str| self.source.invalid(written, at, expects);
        let Ok(name) = HeaderName::try_from(written) else {
            return Err(invalid(entry.start(), "a header name"));
        };
        if RESERVED.contains(&name.as_str()) || name.as_str().starts_with("mcp-") {
            return Err(invalid(entry.start(), "a header you can set: MCP sets it itself"));
        }
        let at = entry.value.start();
        let text = entry.value.as_string_lit().ok_or_else(|| invalid(at, "a string"))?;
        let expanded = self.expand(text)?;
        let mut value =
            HeaderValue::try_from(expanded).map_err(|_| invalid(at, "a valid header value"))?;
        value.set_sensitive(true);
        Ok((name, value))
    }
}
