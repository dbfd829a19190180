//! Targets for the ways to name an element.

use deskhand_locate::{Query, Ref, RefTable, Selector, Strategy, find_all, find_one, path};
use deskhand_model::{App, AppId, Node, NodeId, Role, Snapshot, State, Toolkit, Value};

use crate::Target;

const STRATEGIES: [Strategy; 7] = [
    Strategy::Auto,
    Strategy::Exact,
    Strategy::Contains,
    Strategy::Identifier,
    Strategy::Regex,
    Strategy::Role,
    Strategy::Xpath,
];

/// All query grammars. The first byte selects the strategy and the rest is the query.
pub(crate) const QUERY: Target = Target {
    name: "query",
    run: query,
    words: &[
        "role:",
        "title:",
        "value:",
        "identifier:",
        "description:",
        "text:",
        "button",
        "AXButton",
        "push button",
        "//",
        "[@title='",
        "']",
        "/(?i)",
        "/",
        "app(",
        ")/window[0]",
        "e1",
        "{\"role\":",
        "and",
        "or",
        "not(",
        "position()",
        "last()",
        "contains(",
        "starts-with(",
        "count(",
        "*",
        "@*",
        "ancestor::",
        "following-sibling::",
        "..",
        "|",
        "(?:",
        "{1,1000}",
        "\\p{L}",
        "[[:alpha:]]",
        "\"",
        "'",
        "\\",
        "string-length(",
        "translate(",
    ],
    rounds: 500,
};

/// A printed path resolves to its own element, whatever the element names are.
pub(crate) const PATH: Target = Target {
    name: "path",
    run: path_round_trip,
    words: &["'", "''", "]", "[", "/", "[@title='", "app(", ")", "\\", "\n", " "],
    rounds: 500,
};

/// Refs.
pub(crate) const REFERENCE: Target = Target {
    name: "reference",
    run: reference,
    words: &["e", "E", "e0", "e00", "+", "e4294967295"],
    rounds: 60_000,
};

/// Selector objects.
pub(crate) const SELECTOR: Target = Target {
    name: "selector",
    run: selector,
    words: &[
        "\"role\":",
        "\"text\":",
        "\"text_contains\":",
        "\"title\":",
        "null",
        "\"button\"",
        "{",
        "}",
        ",",
        "\"\"",
        "\\\"",
    ],
    rounds: 6_000,
};

fn query(data: &[u8]) {
    thread_local! {
        static TREE: Snapshot = sample_tree(&["Save", "Save as…", "", "a'b", "Save", "x [1]", "e1"]);
    }
    let Some((first, rest)) = data.split_first() else { return };
    let strategy = STRATEGIES[usize::from(*first) % STRATEGIES.len()];
    let text = String::from_utf8_lossy(rest);
    let Ok(query) = Query::parse(&text, strategy) else { return };
    assert_eq!(query.text(), text);
    let first = query.initial_fields();
    assert_eq!(
        query.required_fields().union(first),
        query.required_fields(),
        "the initial fields are a subset of the required ones"
    );
    assert!(Query::parse(&text, strategy).is_ok(), "parsing is deterministic");
    TREE.with(|sample_tree| {
        let mut table = RefTable::new();
        let all = find_all(sample_tree, &query, &mut table);
        let one = find_one(sample_tree, &query, &mut table);
        // `find_one` never picks one of several matches.
        if let (Ok(all), Ok(one)) = (&all, &one)
            && one.healed.is_none()
        {
            assert!(all.iter().any(|found| found.index == one.index), "{text:?}");
        }
    });
}

fn path_round_trip(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let names: Vec<&str> = text.split('\u{1f}').take(12).collect();
    let sample_tree = sample_tree(&names);
    for (at, _) in sample_tree.iter().skip(1) {
        let path = path::element_path(&sample_tree, at);
        let query = Query::parse(&path, Strategy::Auto).unwrap_or_else(|e| panic!("{path}: {e}"));
        let found = find_one(&sample_tree, &query, &mut RefTable::new());
        let found = found.unwrap_or_else(|error| panic!("{path:?}: {error}"));
        assert_eq!(found.index, at, "{path:?}");
    }
}

fn reference(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(reference) = text.parse::<Ref>() {
        assert_eq!(reference.to_string(), text, "a ref has one spelling");
    }
}

fn selector(data: &[u8]) {
    let Ok(selector) = serde_json::from_slice::<Selector>(data) else { return };
    let Ok(query) = Query::from_selector(&selector) else { return };
    let path_round_trip = serde_json::to_string(&selector).expect("a selector can be serialized");
    assert_eq!(serde_json::from_str::<Selector>(&path_round_trip).ok(), Some(selector));
    // A selector object is also a valid query.
    let whole = Query::parse(&path_round_trip, Strategy::Auto)
        .unwrap_or_else(|e| panic!("{path_round_trip}: {e}"));
    assert_eq!(whole.required_fields(), query.required_fields());
}

/// Returns a small tree whose elements have these names.
fn sample_tree(names: &[&str]) -> Snapshot {
    const ROLES: [Role; 5] = [Role::Window, Role::Group, Role::Button, Role::Text, Role::CheckBox];
    let shown = || [State::Enabled, State::Visible, State::Showing].into_iter().collect();
    let mut nodes = vec![Node::new(NodeId::new("app"), Role::Application)];
    let mut children = vec![Vec::new()];
    for (at, name) in names.iter().enumerate() {
        let number = nodes.len() as u32;
        // The first element is a window. Each later one is a child of an earlier one, chosen by its
        // index.
        let parent = if at == 0 { 0 } else { 1 + (at - 1) / 3 };
        children[parent].push(number);
        children.push(Vec::new());
        let node = Node::new(NodeId::new(format!("n{number}")), ROLES[at % ROLES.len()]);
        let value = Value::Text { text: (*name).to_owned(), length: name.chars().count() };
        nodes.push(Node { name: (*name).to_owned(), states: shown(), value: Some(value), ..node });
    }
    for (node, below) in nodes.iter_mut().zip(&children) {
        node.child_count = below.len() as u32;
    }
    let app = App {
        id: AppId(":1.1".into()),
        name: "sample".into(),
        pid: 1,
        started: 1,
        bundle_id: None,
        executable: None,
        toolkit: Toolkit::default(),
        root: NodeId::new("app"),
        windows: 1,
        responding: true,
    };
    Snapshot::assemble(app, nodes, &children)
}
