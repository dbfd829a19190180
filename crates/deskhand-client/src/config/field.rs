//! The fields of one server, read by what they take.

use axum::http::{HeaderName, HeaderValue};
use jsonc_parser::{ast, common::Ranged};

use super::Place;
use crate::error::Result;

/// The fields there are.
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

/// Headers the protocol has a use for.
const RESERVED: [&str; 4] = ["accept", "content-type", "host", "last-event-id"];

/// The fields of a server, none of them unknown.
pub(super) struct Fields<'a> {
    object: &'a ast::Object<'a>,
    pub(super) at: &'a Place<'a>,
    variable: &'a dyn Fn(&str) -> Option<String>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(
        object: &'a ast::Object<'a>,
        at: &'a Place<'a>,
        variable: &'a dyn Fn(&str) -> Option<String>,
    ) -> Result<Self> {
        for entry in &object.properties {
            let name = entry.name.as_str();
            if !KNOWN.contains(&name) {
                return Err(at.unknown(name, entry.start(), &KNOWN));
            }
        }
        Ok(Self { object, at, variable })
    }

    fn value(&self, name: &str) -> Option<&ast::Value<'a>> {
        self.object.get(name).map(|entry| &entry.value)
    }

    /// A text, and where it stands.
    pub(super) fn text(&self, name: &str) -> Result<Option<(String, usize)>> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let ast::Value::StringLit(text) = value else {
            return Err(self.at.wrong(name, value.start(), "a text"));
        };
        Ok(Some((self.filled(text)?, value.start())))
    }

    /// The first of two fields that is there.
    pub(super) fn either(&self, names: [&str; 2]) -> Result<Option<String>> {
        let [first, second] = names;
        let found = match self.text(first)? {
            Some(found) => Some(found),
            None => self.text(second)?,
        };
        Ok(found.map(|(text, _)| text))
    }

    /// A text with the variables it names.
    fn filled(&self, text: &ast::StringLit<'_>) -> Result<String> {
        let mut filled = String::new();
        let mut rest = text.value.as_ref();
        while let Some((before, after)) = rest.split_once("${") {
            let Some((variable, left)) = after.split_once('}') else { break };
            // Editors write `${env:NAME}`.
            let variable = variable.strip_prefix("env:").unwrap_or(variable);
            let Some(value) = (self.variable)(variable) else {
                return Err(self.at.unset(variable, text.range.start));
            };
            filled.push_str(before);
            filled.push_str(&value);
            rest = left;
        }
        filled.push_str(rest);
        Ok(filled)
    }

    /// Yes or no.
    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>> {
        match self.value(name) {
            None => Ok(None),
            Some(ast::Value::BooleanLit(flag)) => Ok(Some(flag.value)),
            Some(other) => Err(self.at.wrong(name, other.start(), "true or false")),
        }
    }

    /// A whole number from 1 up to a most.
    pub(super) fn number(&self, name: &str, most: u16) -> Result<Option<u16>> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let number = value.as_number_lit().and_then(|number| number.value.parse().ok());
        let number = number.filter(|number| (1..=most).contains(number));
        let takes = format!("a whole number from 1 to {most}");
        number.map(Some).ok_or_else(|| self.at.wrong(name, value.start(), &takes))
    }

    /// Several texts.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>> {
        let Some(value) = self.value(name) else { return Ok(Vec::new()) };
        let wrong = |at: usize| self.at.wrong(name, at, "a list of texts");
        let ast::Value::Array(list) = value else { return Err(wrong(value.start())) };
        let text = |one: &ast::Value<'_>| {
            let text = one.as_string_lit().ok_or_else(|| wrong(one.start()))?;
            Ok(text.value.to_string())
        };
        list.elements.iter().map(text).collect()
    }

    /// Headers, which are not shown.
    pub(super) fn headers(&self, name: &str) -> Result<Vec<(HeaderName, HeaderValue)>> {
        let Some(value) = self.value(name) else { return Ok(Vec::new()) };
        let ast::Value::Object(object) = value else {
            return Err(self.at.wrong(name, value.start(), "an object of texts"));
        };
        object.properties.iter().map(|entry| self.header(entry)).collect()
    }

    fn header(&self, entry: &ast::ObjectProp<'_>) -> Result<(HeaderName, HeaderValue)> {
        let written = entry.name.as_str();
        let wrong = |at: usize, takes: &str| self.at.wrong(written, at, takes);
        let Ok(name) = HeaderName::try_from(written) else {
            return Err(wrong(entry.start(), "the name of a header"));
        };
        if RESERVED.contains(&name.as_str()) || name.as_str().starts_with("mcp-") {
            return Err(wrong(entry.start(), "a header of yours: MCP sets it"));
        }
        let at = entry.value.start();
        let text = entry.value.as_string_lit().ok_or_else(|| wrong(at, "a text"))?;
        let filled = self.filled(text)?;
        let mut value = HeaderValue::try_from(filled)
            .map_err(|_| wrong(at, "a text of one line in plain letters"))?;
        value.set_sensitive(true);
        Ok((name, value))
    }
}
