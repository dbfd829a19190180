//! XPath 1.0 over a snapshot.
//!
//! Elements are named by their short role (`//button`), or by their macOS role if the expression
//! contains `AX…`. A state that is set is an attribute with the value `true`. `@title` is the own name
//! of an element, and `@name` is the name as a person reads it. The document is built only for XPath
//! queries.

mod group;

use std::borrow::Cow;

use deskhand_model::{Index, Names, Node, Snapshot, Value};
use deskhand_platform::NodeFields;
use uppsala::{Document, NodeId, NodeKind, QName, XPathEvaluator, XPathValue, XmlError, XmlResult};

use crate::{Error, RefTable, Result, text::clip};

/// The maximum number of elements and attributes one evaluation may visit. This many take 0.07 to
/// 0.54 s.
const MAX_NODE_VISITS: usize = 5_000_000;
/// The maximum nesting depth of an expression.
const MAX_NESTING: u32 = 32;
/// The maximum length of an expression, in bytes.
const MAX_LENGTH: usize = 4_096;
/// The maximum number of groups in an expression. Each one takes a separate evaluation.
const MAX_GROUPS: u32 = 8;
/// The maximum depth of a tree. The library reads the text of an element recursively.
const MAX_TREE_DEPTH: usize = 2_000;

/// Parses a text that looks like an XPath expression. File paths that are no valid expressions, such
/// as `/dev/sda1 (ext4)`, are not.
pub(super) fn parse(text: &str) -> Option<Result<String>> {
    if !looks_like(text) {
        return None;
    }
    let parsed = validate(text);
    let is_file = text.starts_with('/') && !text.starts_with("//") && !text.contains(['[', '@']);
    (parsed.is_ok() || !is_file).then_some(parsed)
}

fn looks_like(text: &str) -> bool {
    let rest = text.trim_start_matches('(');
    rest.strip_prefix('/')
        .and_then(|rest| rest.chars().next())
        .is_some_and(|next| next.is_alphabetic() || matches!(next, '/' | '*' | '.' | '@' | '_'))
}

/// Returns `true` if an expression reads computed names with `@name`.
pub(crate) fn uses_computed_names(text: &str) -> bool {
    ["@name", "@*", "attribute::", "node()"].iter().any(|word| text.contains(word))
}

/// Returns the fields an expression uses, judged by the attribute names in it.
pub(super) fn required_fields(text: &str) -> NodeFields {
    let any = text.contains("@*") || text.contains("attribute::") || text.contains("node()");
    let has = |words: &[&str]| any || words.iter().any(|word| text.contains(word));
    let names = uses_computed_names(text);
    NodeFields {
        bounds: names || has(&["@x", "@y", "@width", "@height"]),
        values: has(&["@value"]),
        identifiers: names || has(&["@identifier"]),
        relations: names,
        ..NodeFields::MINIMAL
    }
}

/// Evaluates an expression from the root of a document.
fn evaluate(text: &str, document: &mut Document<'_>, groups: &mut u32) -> XmlResult<XPathValue> {
    let text = group::resolve(text, &mut |inner| {
        let nodes = evaluate(inner, document, groups)?;
        *groups += 1;
        if *groups > MAX_GROUPS {
            return Err(XmlError::xpath(format!("it has more than {MAX_GROUPS} groups")));
        }
        let mark = format!("in-group-{groups}");
        match nodes {
            XPathValue::NodeSet(nodes) => {
                for node in nodes {
                    if let Some(element) = document.element_mut(node) {
                        element.set_attribute(QName::local(mark.clone()), "".into());
                    }
                }
            }
            XPathValue::Boolean(_) | XPathValue::Number(_) | XPathValue::String(_) => {
                return Err(XmlError::xpath(
                    "the expression in parentheses does not select elements",
                ));
            }
        }
        Ok(mark)
    })?;
    document.prepare_xpath();
    XPathEvaluator::new()
        .with_max_depth(MAX_NESTING)
        .with_max_node_visits(MAX_NODE_VISITS)
        .evaluate(document, document.root(), &text)
}

/// Checks the syntax of an expression before any app is read.
pub(super) fn validate(text: &str) -> Result<String> {
    if text.len() > MAX_LENGTH {
        return Err(bad(text, format!("it is longer than {MAX_LENGTH} bytes"), None));
    }
    let reads = |text: &str| evaluate(text, &mut Document::new(), &mut 0);
    match reads(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(e) => {
            // The library does not report the error position. The longest prefix that is a valid
            // expression ends where the error starts.
            let ends = text.char_indices().map(|(end, _)| end).rev().take(512);
            let good = ends.filter(|end| *end > 0).find(|end| reads(&text[..*end]).is_ok());
            let at = good.map_or(0, |end| text[..end].trim_end().chars().count());
            Err(bad(text, reason(&e), Some(at)))
        }
    }
}

fn reason(e: &XmlError) -> String {
    match e {
        XmlError::XPath(e) => clip(&e.message, 120),
        XmlError::WellFormedness(_)
        | XmlError::Namespace(_)
        | XmlError::Validation(_)
        | XmlError::UnexpectedEof
        | XmlError::Parse(_) => clip(&e.to_string(), 120),
    }
}

fn bad(text: &str, why: String, at: Option<usize>) -> Error {
    Error::BadQuery {
        query: clip(text, 120),
        form: "XPath",
        why,
        at,
        fix: "write XPath 1.0 such as //button[@title='Save'], or put double quotes around it to \
              search for it as text"
            .into(),
    }
}

/// Returns the elements an expression selects, in document order.
pub(crate) fn select(text: &str, snapshot: &Snapshot, table: &RefTable) -> Result<Vec<Index>> {
    let costly = |why: &str| Error::TooCostly { query: clip(text, 120), why: why.to_owned() };
    let (mut document, elements) = build(text, snapshot, table)
        .ok_or_else(|| costly("the app's tree is more than 2000 levels deep"))?;
    let nodes = match evaluate(text, &mut document, &mut 0) {
        Ok(XPathValue::NodeSet(nodes)) => nodes,
        Ok(XPathValue::Boolean(_) | XPathValue::Number(_) | XPathValue::String(_)) => {
            let why = "it returns a value instead of elements".to_owned();
            return Err(bad(text, why, None));
        }
        Err(e) if reason(&e).contains("budget") => {
            return Err(costly("it visits more than 5 million elements and attributes"));
        }
        Err(e) => return Err(bad(text, reason(&e), None)),
    };
    let mut found: Vec<_> =
        nodes.into_iter().filter_map(|node| element_of(&document, &elements, node)).collect();
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Returns the element of a selected node. For an attribute, this is its owner.
fn element_of(document: &Document<'_>, elements: &[Option<Index>], node: NodeId) -> Option<Index> {
    let own = |node: NodeId| elements.get(node.index()).copied().flatten();
    match document.node_kind(node)? {
        NodeKind::Element(_) => own(node),
        NodeKind::Attribute(..) => document.parent(node).and_then(own),
        NodeKind::Document
        | NodeKind::Text(_)
        | NodeKind::Comment(_)
        | NodeKind::CData(_)
        | NodeKind::ProcessingInstruction(_) => None,
    }
}

/// Returns `true` if an expression uses macOS role names outside of quotes.
fn uses_macos_names(text: &str) -> bool {
    let mut quote = None;
    let names: String = text
        .chars()
        .filter(|c| match quote {
            Some(open) => {
                quote = (open != *c).then_some(open);
                false
            }
            None => {
                quote = matches!(c, '\'' | '"').then_some(*c);
                quote.is_none()
            }
        })
        .collect();
    names.contains("AX")
}

/// Builds the document, and the map from its nodes to elements. Returns `None` if the tree is too
/// deep.
fn build<'a>(
    text: &str,
    snapshot: &'a Snapshot,
    table: &RefTable,
) -> Option<(Document<'a>, Vec<Option<Index>>)> {
    let macos = uses_macos_names(text);
    let names = uses_computed_names(text).then(|| Names::of(snapshot));
    let mut document = Document::new();
    let mut elements = vec![None; snapshot.len() + 1];
    let mut nodes_by_index: Vec<(NodeId, usize)> = Vec::with_capacity(snapshot.len());
    for (at, node) in snapshot.iter() {
        let name = if macos { node.role.ax() } else { node.role.short() };
        let element = document.create_element(QName::local(name));
        let (parent, depth) = match snapshot.parent(at) {
            Some(up) => nodes_by_index.get(up.get()).map(|(id, depth)| (*id, depth + 1))?,
            None => (document.root(), 0),
        };
        if depth > MAX_TREE_DEPTH {
            return None;
        }
        document.append_child(parent, element);
        if let Some(element) = document.element_mut(element) {
            let mut set = |name: &'static str, value: Cow<'a, str>| {
                element.set_attribute(QName::local(name), value);
            };
            attributes(node, &mut set);
            if let Some(name) = names.and_then(|names| names.name(at)) {
                set("name", name.text.into());
            }
            if let Some(reference) = table.existing(snapshot, at) {
                set("ref", reference.to_string().into());
            }
        }
        if elements.len() <= element.index() {
            elements.resize(element.index() + 1, None);
        }
        elements[element.index()] = Some(at);
        nodes_by_index.push((element, depth));
    }
    Some((document, elements))
}

fn attributes<'a>(node: &'a Node, set: &mut impl FnMut(&'static str, Cow<'a, str>)) {
    set("role", node.role.ax().into());
    let texts = [
        ("title", &node.name),
        ("description", &node.description),
        ("identifier", &node.identifier),
    ];
    for (key, text) in texts {
        if !text.is_empty() {
            set(key, text.as_str().into());
        }
    }
    match &node.value {
        Some(Value::Text { text, .. }) => set("value", text.as_str().into()),
        Some(Value::Number { now, .. }) => set("value", now.to_string().into()),
        Some(Value::Secret) | None => {}
    }
    for state in node.states.iter() {
        set(state.word(), "true".into());
    }
    if let Some(bounds) = node.bounds {
        set("x", bounds.x.to_string().into());
        set("y", bounds.y.to_string().into());
        set("width", bounds.width.to_string().into());
        set("height", bounds.height.to_string().into());
    }
}
