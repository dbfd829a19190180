//! Paging of a tree, as elements or as an outline. Each page has the cursor of the next.

use std::collections::HashMap;

use deskhand_model::{
    json::NodeJson,
    outline::{LinePartKind, OutlineLine},
};

/// Maximum size of a page of elements in bytes.
const PAGE: usize = 100_000;

/// Maximum nesting depth of a page, because JSON readers reject deep nesting.
const LEVELS: usize = 50;

/// A page of elements.
#[derive(Debug)]
pub struct ElementPage {
    /// Elements with their descendants on this page. Each except the root names its parent, which
    /// is on an earlier page.
    pub elements: Vec<NodeJson>,
    /// The ref of the last element, if more follow.
    pub next: Option<String>,
}

/// Returns the page of elements after a cursor, or the first page; upper levels come first. Returns `None`
/// if nothing follows the cursor.
pub fn page_elements(flat: Vec<NodeJson>, last: Option<&str>) -> Option<ElementPage> {
    let mut order = flat;
    // Sorted by depth, document order goes level by level: what is above comes on earlier pages.
    order.sort_by_key(|node| node.depth);
    let begin = match last {
        None => 0,
        Some(last) => 1 + order.iter().position(|node| node.reference == last)?,
    };
    let rest = order.split_off(begin);
    let top = rest.first()?.depth;
    let (mut bytes, mut count) = (0, 0);
    for node in &rest {
        // An element that cannot be serialized counts as nothing: the reply fails later with the reason.
        bytes += serde_json::to_string(node).map_or(0, |text| text.len());
        if count > 0 && (bytes > PAGE || node.depth - top >= LEVELS) {
            break;
        }
        count += 1;
    }
    let (page, later) = rest.split_at(count);
    let next = page.last().filter(|_| !later.is_empty()).map(|node| node.reference.clone());
    Some(ElementPage { elements: nested(page, later), next })
}

/// Nests each element in its parent if both are on the page.
fn nested(page: &[NodeJson], later: &[NodeJson]) -> Vec<NodeJson> {
    let places: HashMap<&str, usize> =
        page.iter().enumerate().map(|(at, node)| (node.reference.as_str(), at)).collect();
    let parent_of = |node: &NodeJson| node.parent.as_deref().and_then(|it| places.get(it)).copied();
    let mut nodes: Vec<Option<NodeJson>> = page.iter().cloned().map(Some).collect();
    for node in later {
        if let Some(parent) = parent_of(node).and_then(|at| nodes[at].as_mut()) {
            parent.cut.get_or_insert("page");
        }
    }
    let mut tops = Vec::new();
    // Backwards, every element is complete when it is handed to its parent.
    for at in (0..nodes.len()).rev() {
        let Some(mut node) = nodes[at].take() else { continue };
        node.children.reverse();
        match parent_of(&node) {
            Some(parent) => {
                node.parent = None;
                if let Some(parent) = nodes[parent].as_mut() {
                    parent.children.push(node);
                }
            }
            None => tops.push(node),
        }
    }
    tops.reverse();
    tops
}

/// A page of an outline.
#[derive(Debug)]
pub struct OutlinePage {
    /// The lines.
    pub text: String,
    /// The ref of the last element, if more lines follow.
    pub next: Option<String>,
}

/// Returns the lines of an outline after the element with this ref, or from the beginning, up to
/// `max_bytes`. A page has at least one element. Returns `None` if no line has this ref.
pub fn page_outline(
    lines: &[OutlineLine],
    after: Option<&str>,
    max_bytes: usize,
    format: impl Fn(&OutlineLine) -> String,
) -> Option<OutlinePage> {
    let reference = |line: &OutlineLine| line.part(LinePartKind::Reference).map(str::to_owned);
    let begin = match after {
        None => 0,
        Some(cursor) => {
            1 + lines.iter().position(|line| reference(line).as_deref() == Some(cursor))?
        }
    };
    let mut text = String::new();
    let mut last = None;
    for line in &lines[begin..] {
        let words = format(line);
        if text.len() + words.len() > max_bytes && last.is_some() {
            return Some(OutlinePage { text, next: last });
        }
        text.push_str(&words);
        text.push('\n');
        last = reference(line).or(last);
    }
    Some(OutlinePage { text, next: None })
}

#[cfg(test)]
mod tests {
    use deskhand_model::outline::LinePart;

    use super::*;

    fn node(number: usize, parent: Option<usize>, depth: usize, size: usize) -> NodeJson {
        NodeJson {
            reference: format!("e{number}"),
            id: String::new(),
            role: "AXGroup",
            kind: "panel",
            title: "x".repeat(size),
            name: String::new(),
            name_source: None,
            value: None,
            value_length: None,
            range: None,
            secret: false,
            description: String::new(),
            identifier: String::new(),
            states: Vec::new(),
            bounds: None,
            actions: Vec::new(),
            relations: Vec::new(),
            child_count: 0,
            cut: None,
            depth,
            parent: parent.map(|it| format!("e{it}")),
            children: Vec::new(),
        }
    }

    fn names(of: &[NodeJson], into: &mut Vec<String>) {
        for node in of {
            into.push(node.reference.clone());
            names(&node.children, into);
        }
    }

    /// Every page of a tree, and all the names on them.
    fn all(flat: &[NodeJson]) -> (Vec<ElementPage>, Vec<String>) {
        let (mut pages, mut seen, mut cursor) = (Vec::new(), Vec::new(), None::<String>);
        loop {
            let page = page_elements(flat.to_vec(), cursor.as_deref()).unwrap();
            names(&page.elements, &mut seen);
            cursor = page.next.clone();
            pages.push(page);
            if cursor.is_none() {
                return (pages, seen);
            }
        }
    }

    #[test]
    fn a_small_tree_is_one_page_in_its_own_order() {
        let flat = [
            node(0, None, 0, 1),
            node(1, Some(0), 1, 1),
            node(2, Some(1), 2, 1),
            node(3, Some(0), 1, 1),
        ];
        let (pages, seen) = all(&flat);
        assert_eq!((pages.len(), seen), (1, ["e0", "e1", "e2", "e3"].map(str::to_owned).to_vec()));
        assert_eq!(pages[0].elements[0].children.len(), 2);
    }

    #[test]
    fn a_large_tree_begins_at_the_top_and_loses_nothing() {
        let mut flat = vec![node(0, None, 0, 10)];
        for window in 0..10 {
            flat.push(node(1 + window * 41, Some(0), 1, 1_000));
            for child in 0..40 {
                flat.push(node(2 + window * 41 + child, Some(1 + window * 41), 2, 1_000));
            }
        }
        let (pages, mut seen) = all(&flat);
        assert!(pages.len() > 3);
        assert_eq!(pages[0].elements[0].children.len(), 10, "all windows stand on the first page");
        let cut = pages[0].elements[0].children.iter().filter(|it| it.cut == Some("page"));
        assert!(cut.count() > 5);
        assert!(pages[1..].iter().all(|page| page.elements.iter().all(|it| it.parent.is_some())));
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), flat.len());
    }

    #[test]
    fn a_deep_tree_is_nested_no_deeper_than_readers_bear() {
        let deep: Vec<NodeJson> = (0..200).map(|at| node(at, at.checked_sub(1), at, 1)).collect();
        let (pages, seen) = all(&deep);
        assert_eq!((pages.len(), seen.len()), (4, 200));
    }

    #[test]
    fn an_element_that_is_gone_begins_no_page() {
        assert!(page_elements(vec![node(0, None, 0, 1)], Some("e9")).is_none());
        assert!(page_elements(vec![node(0, None, 0, 1)], Some("e0")).is_none());
    }

    #[test]
    fn pages_of_an_outline_continue_and_lose_nothing() {
        let line = |reference: String| OutlineLine {
            depth: 1,
            index: None,
            parts: vec![LinePart { kind: LinePartKind::Reference, text: reference }],
        };
        let lines: Vec<OutlineLine> = (0..100).map(|at| line(format!("e{at}"))).collect();
        let (mut all, mut cursor, mut pages) = (String::new(), None::<String>, 0);
        loop {
            let long = |_: &OutlineLine| "x".repeat(1_000);
            let page = page_outline(&lines, cursor.as_deref(), 40_000, long).unwrap();
            assert!(page.text.len() <= 42_000);
            all.push_str(&page.text);
            pages += 1;
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!((pages, all.lines().count()), (3, 100));
        assert!(page_outline(&lines, Some("e999"), 40_000, ToString::to_string).is_none());
    }
}
