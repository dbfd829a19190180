//! Scripting definitions: the XML of sdef(5), read into the seam's words.

use deskhand_platform::{
    Access, Class, Command, Dictionary, ElementOf, Enumeration, Parameter, Property, Suite,
    TypeName, ValueType, Word,
};
use uppsala::{Document, NodeId, parse_bytes};

/// Reads a scripting definition; why not, when it is none.
pub(super) fn parse(bytes: &[u8]) -> Result<Dictionary, String> {
    let document = parse_bytes(bytes).map_err(|error| error.to_string())?;
    let root = document.document_element().map(|id| Node { document: &document, id });
    let root = root.filter(|node| node.tag() == "dictionary");
    let root = root.ok_or("it is no dictionary of a scripting definition")?;
    Ok(Dictionary {
        title: root.text("title").unwrap_or_default(),
        suites: root.each("suite", suite),
        left_out: root.each("include", |node| node.text("href").unwrap_or_default()),
    })
}

fn suite(node: Node<'_>) -> Suite {
    let mut classes = node.each("class", class);
    classes.extend(node.each("class-extension", class));
    let mut commands = node.each("command", command);
    commands.extend(node.each("event", command));
    let mut types = node.each("value-type", value_type);
    types.extend(node.each("record-type", value_type));
    Suite {
        word: word(node),
        commands,
        classes,
        enumerations: node.each("enumeration", enumeration),
        types,
    }
}

fn word(node: Node<'_>) -> Word {
    Word {
        name: node.text("name").unwrap_or_default(),
        description: node.text("description").filter(|words| !words.is_empty()),
        hidden: node.says_yes("hidden"),
    }
}

fn command(node: Node<'_>) -> Command {
    Command {
        word: word(node),
        event: node.tag() == "event",
        direct: node.each("direct-parameter", parameter).into_iter().next(),
        parameters: node.each("parameter", parameter),
        result: node.each("result", types).into_iter().next(),
    }
}

fn parameter(node: Node<'_>) -> Parameter {
    Parameter { word: word(node), types: types(node), optional: node.says_yes("optional") }
}

/// A type stands in an attribute, or several in elements.
fn types(node: Node<'_>) -> Vec<TypeName> {
    if let Some(name) = node.text("type") {
        // Before Mac OS X 10.4 a list was part of the name.
        let single = name.strip_prefix("list of ");
        let list = single.is_some();
        return vec![TypeName { name: single.unwrap_or(&name).to_owned(), list }];
    }
    node.each("type", |one| TypeName {
        name: one.text("type").unwrap_or_default(),
        list: one.says_yes("list"),
    })
}

fn class(node: Node<'_>) -> Class {
    let extends = node.text("extends");
    let mut own = word(node);
    let extension = node.tag() == "class-extension";
    if extension && own.name.is_empty() {
        own.name = extends.unwrap_or_default();
    }
    let mut properties = node.each("contents", |one| {
        let mut property = property(one);
        if property.word.name.is_empty() {
            property.word.name = "contents".to_owned();
        }
        property
    });
    properties.extend(node.each("property", property));
    Class {
        word: own,
        plural: node.text("plural"),
        inherits: node.text("inherits"),
        extension,
        properties,
        elements: node.each("element", |one| ElementOf {
            class: one.text("type").unwrap_or_default(),
            access: access(one),
            hidden: one.says_yes("hidden"),
        }),
        // The attribute was called `name` before Mac OS X 10.5.
        responds_to: node.each("responds-to", |one| {
            one.text("command").or_else(|| one.text("name")).unwrap_or_default()
        }),
    }
}

fn property(node: Node<'_>) -> Property {
    Property { word: word(node), types: types(node), access: access(node) }
}

fn access(node: Node<'_>) -> Access {
    match node.text("access").as_deref() {
        Some("r") => Access::Read,
        Some("w") => Access::Write,
        Some(_) | None => Access::ReadWrite,
    }
}

fn enumeration(node: Node<'_>) -> Enumeration {
    Enumeration { word: word(node), values: node.each("enumerator", word) }
}

fn value_type(node: Node<'_>) -> ValueType {
    ValueType { word: word(node), properties: node.each("property", property) }
}

/// An element of the definition.
#[derive(Clone, Copy)]
struct Node<'a> {
    document: &'a Document<'static>,
    id: NodeId,
}

impl<'a> Node<'a> {
    fn tag(self) -> &'a str {
        self.document.element(self.id).map_or("", |element| &element.name.local_name)
    }

    fn text(self, attribute: &str) -> Option<String> {
        self.document.get_attribute(self.id, attribute).map(|text| text.trim().to_owned())
    }

    /// Older definitions write an attribute's own name for yes.
    fn says_yes(self, attribute: &str) -> bool {
        let said = self.document.get_attribute(self.id, attribute);
        said.is_some_and(|word| word == "yes" || word == attribute)
    }

    fn each<T>(self, tag: &str, read: impl Fn(Node<'a>) -> T) -> Vec<T> {
        let children = self.document.children_iter(self.id);
        let nodes = children.map(|id| Node { document: self.document, id });
        nodes.filter(|node| node.tag() == tag).map(read).collect()
    }
}

#[cfg(test)]
pub(super) mod tests;
