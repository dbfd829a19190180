//! Parses scripting definitions, the XML format of sdef(5).

use deskhand_platform::{
    Class, Command, Dictionary, ElementClass, Enumeration, Parameter, Property, ScriptAccess,
    Suite, Term, TypeName, ValueType,
};
use uppsala::{Document, NodeId, parse_bytes};

/// Parses a scripting definition. The error says why it is invalid.
pub(super) fn parse(bytes: &[u8]) -> Result<Dictionary, String> {
    let document = parse_bytes(bytes).map_err(|error| error.to_string())?;
    let root = document.document_element().map(|id| SdefNode { document: &document, id });
    let root = root.filter(|node| node.tag() == "dictionary");
    let root = root.ok_or("its root element is not `dictionary`")?;
    Ok(Dictionary {
        title: root.text("title").unwrap_or_default(),
        suites: root.children("suite", suite),
        missing_includes: root.children("include", |node| node.text("href").unwrap_or_default()),
    })
}

fn suite(node: SdefNode<'_>) -> Suite {
    let mut classes = node.children("class", class);
    classes.extend(node.children("class-extension", class));
    let mut commands = node.children("command", command);
    commands.extend(node.children("event", command));
    let mut types = node.children("value-type", value_type);
    types.extend(node.children("record-type", value_type));
    Suite {
        term: word(node),
        commands,
        classes,
        enumerations: node.children("enumeration", enumeration),
        types,
    }
}

fn word(node: SdefNode<'_>) -> Term {
    Term {
        name: node.text("name").unwrap_or_default(),
        description: node.text("description").filter(|words| !words.is_empty()),
        hidden: node.is_yes("hidden"),
    }
}

fn command(node: SdefNode<'_>) -> Command {
    Command {
        term: word(node),
        event: node.tag() == "event",
        direct: node.children("direct-parameter", parameter).into_iter().next(),
        parameters: node.children("parameter", parameter),
        result: node.children("result", types).into_iter().next(),
    }
}

fn parameter(node: SdefNode<'_>) -> Parameter {
    Parameter { term: word(node), types: types(node), optional: node.is_yes("optional") }
}

/// The types of a node, from a `type` attribute or from `type` elements.
fn types(node: SdefNode<'_>) -> Vec<TypeName> {
    if let Some(name) = node.text("type") {
        // Before Mac OS X 10.4 a list was part of the name.
        let single = name.strip_prefix("list of ");
        let list = single.is_some();
        return vec![TypeName { name: single.unwrap_or(&name).to_owned(), list }];
    }
    node.children("type", |one| TypeName {
        name: one.text("type").unwrap_or_default(),
        list: one.is_yes("list"),
    })
}

fn class(node: SdefNode<'_>) -> Class {
    let extends = node.text("extends");
    let mut own = word(node);
    let extension = node.tag() == "class-extension";
    if extension && own.name.is_empty() {
        own.name = extends.unwrap_or_default();
    }
    let mut properties = node.children("contents", |one| {
        let mut property = property(one);
        if property.term.name.is_empty() {
            property.term.name = "contents".to_owned();
        }
        property
    });
    properties.extend(node.children("property", property));
    Class {
        term: own,
        plural: node.text("plural"),
        inherits: node.text("inherits"),
        extension,
        properties,
        elements: node.children("element", |one| ElementClass {
            class: one.text("type").unwrap_or_default(),
            access: access(one),
            hidden: one.is_yes("hidden"),
        }),
        // The attribute was called `name` before Mac OS X 10.5.
        responds_to: node.children("responds-to", |one| {
            one.text("command").or_else(|| one.text("name")).unwrap_or_default()
        }),
    }
}

fn property(node: SdefNode<'_>) -> Property {
    Property { term: word(node), types: types(node), access: access(node) }
}

fn access(node: SdefNode<'_>) -> ScriptAccess {
    match node.text("access").as_deref() {
        Some("r") => ScriptAccess::Read,
        Some("w") => ScriptAccess::Write,
        Some(_) | None => ScriptAccess::ReadWrite,
    }
}

fn enumeration(node: SdefNode<'_>) -> Enumeration {
    Enumeration { term: word(node), values: node.children("enumerator", word) }
}

fn value_type(node: SdefNode<'_>) -> ValueType {
    ValueType { term: word(node), properties: node.children("property", property) }
}

/// An element of the definition.
#[derive(Clone, Copy)]
struct SdefNode<'a> {
    document: &'a Document<'static>,
    id: NodeId,
}

impl<'a> SdefNode<'a> {
    fn tag(self) -> &'a str {
        self.document.element(self.id).map_or("", |element| &element.name.local_name)
    }

    fn text(self, attribute: &str) -> Option<String> {
        self.document.get_attribute(self.id, attribute).map(|text| text.trim().to_owned())
    }

    /// Returns `true` if a boolean attribute is set. Old definitions repeat the attribute's name instead of `yes`.
    fn is_yes(self, attribute: &str) -> bool {
        let value = self.document.get_attribute(self.id, attribute);
        value.is_some_and(|word| word == "yes" || word == attribute)
    }

    fn children<T>(self, tag: &str, read: impl Fn(SdefNode<'a>) -> T) -> Vec<T> {
        let children = self.document.children_iter(self.id);
        let nodes = children.map(|id| SdefNode { document: self.document, id });
        nodes.filter(|node| node.tag() == tag).map(read).collect()
    }
}

#[cfg(test)]
pub(super) mod tests;
