//! Finds text that users cannot see, judged by positions and states: elements without size, off the
//! page, or clipped where no scrolling can reveal them.
//!
//! Text that is scrolled not_showing, behind a tab or in a closed menu does not count as hidden.

mod scroll_extent;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use crate::{Index, Node, Rect, Role, Snapshot, State, Value, name::own_words as words};
use scroll_extent::ScrollExtent;

/// The prefix of hidden text in output that includes it.
pub const HIDDEN_TEXT_MARK: &str = "[invisible] ";

/// An element this narrow or this low, in pixels, shows no text.
const MAX_INVISIBLE_SIZE: i32 = 2;

/// Hidden text shorter than this is removed, but not reported as suspicious. Pages hide text such
/// as "Skip to content" for screen readers.
const MIN_SUSPICIOUS_CHARS: usize = 24;

/// The percentage of texts on a page that must have bounds before a text without bounds counts as
/// hidden. While a page is being laid out, most texts have none.
const MIN_PLACED_PERCENT: usize = 80;

/// The elements of a snapshot whose bounds were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundsScope {
    /// All elements.
    All,
    /// Only elements that are showing.
    Showing,
}

/// The elements of a snapshot whose text users cannot see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HiddenText {
    nodes: Vec<Index>,
}

impl HiddenText {
    /// Finds the hidden text of a snapshot. `bounds_read` tells which elements have their bounds.
    pub fn detect(snapshot: &Snapshot, bounds_read: BoundsScope) -> Self {
        let mut hidden = Self::default();
        for (document, viewport) in documents(snapshot) {
            let scroll_extent = ScrollExtent::of(snapshot, document, viewport);
            let texts: Vec<Index> = elements_with_text(snapshot, document).collect();
            let known = texts.iter().filter(|at| snapshot.node(**at).bounds.is_some()).count();
            let laid_out =
                bounds_read == BoundsScope::All && known * 100 >= texts.len() * MIN_PLACED_PERCENT;
            let hidden_elements = texts.into_iter().filter(|at| {
                let node = snapshot.node(*at);
                match node.bounds {
                    None => laid_out && !node.states.has(State::Showing),
                    Some(bounds) => {
                        is_clipped(snapshot, *at, document, bounds, viewport)
                            || scroll_extent.excludes(bounds)
                    }
                }
            });
            hidden.nodes.extend(hidden_elements);
        }
        hidden
    }

    /// Adds more elements, such as those found by checking pixels.
    #[must_use]
    pub fn with(mut self, more: impl IntoIterator<Item = Index>) -> Self {
        self.nodes.extend(more);
        self.nodes.sort_unstable();
        self.nodes.dedup();
        self
    }

    /// Returns the elements with hidden text.
    pub fn nodes(&self) -> &[Index] {
        &self.nodes
    }

    /// Returns the number of elements whose text is visible nowhere else, and `true` if one of the
    /// texts is long enough to be an instruction to the reader.
    pub fn count(&self, snapshot: &Snapshot) -> (usize, bool) {
        let visible = self.visible_texts(snapshot);
        let hidden_elements = self.nodes.iter().map(|at| snapshot.node(*at));
        let hidden_elements = hidden_elements.filter(|node| !visible.contains(words(node)));
        hidden_elements.fold((0, false), |(count, suspicious), node| {
            (count + 1, suspicious || words(node).chars().count() >= MIN_SUSPICIOUS_CHARS)
        })
    }

    /// Returns the snapshot without the hidden text. The elements stay, so that controls can still
    /// be used.
    #[must_use]
    pub fn without_hidden_text(&self, snapshot: &Snapshot) -> Snapshot {
        let visible = self.visible_texts(snapshot);
        let hidden: HashSet<Index> = self.nodes.iter().copied().collect();
        let mut lost: Vec<(Index, &str)> = Vec::new();
        let mut changed: HashMap<Index, Node> = HashMap::new();
        for at in &self.nodes {
            let node = snapshot.node(*at);
            // Pages that draw their own checkboxes keep an invisible one beside the visible label.
            if visible.contains(words(node)) {
                continue;
            }
            lost.push((*at, words(node)));
            let without_text = Node {
                name: String::new(),
                description: String::new(),
                value: node.value.clone().filter(|value| !matches!(value, Value::Text { .. })),
                ..node.clone()
            };
            changed.insert(*at, without_text);
        }
        // The name of an element is often composed of the text inside it.
        for (at, words) in lost.into_iter().filter(|(_, words)| !words.is_empty()) {
            for up in snapshot.ancestors(at) {
                let node = snapshot.node(up);
                if node.role == Role::WebDocument || hidden.contains(&up) {
                    break;
                }
                let named = changed.get(&up).unwrap_or(node);
                if named.name.contains(words) {
                    let name = named.name.replace(words, "").trim().to_owned();
                    let renamed = Node { name, ..named.clone() };
                    changed.insert(up, renamed);
                }
            }
        }
        snapshot.with_replaced_nodes(changed.into_values())
    }

    /// Returns the snapshot with [`HIDDEN_TEXT_MARK`] before each hidden text.
    #[must_use]
    pub fn with_marked_text(&self, snapshot: &Snapshot) -> Snapshot {
        let marked = self.nodes.iter().map(|at| {
            let node = snapshot.node(*at).clone();
            match node.value {
                Some(Value::Text { text, length }) if node.name.is_empty() => {
                    let length = length + HIDDEN_TEXT_MARK.chars().count();
                    let value =
                        Some(Value::Text { text: format!("{HIDDEN_TEXT_MARK}{text}"), length });
                    Node { value, ..node }
                }
                Some(_) | None => Node { name: format!("{HIDDEN_TEXT_MARK}{}", node.name), ..node },
            }
        });
        snapshot.with_replaced_nodes(marked)
    }

    /// Returns all text that is visible in the snapshot.
    fn visible_texts<'a>(&self, snapshot: &'a Snapshot) -> HashSet<&'a str> {
        let hidden: HashSet<Index> = self.nodes.iter().copied().collect();
        let visible_nodes = snapshot.iter().filter(|(at, node)| {
            !hidden.contains(at)
                && node.states.has(State::Showing)
                && !contains_hidden(snapshot, *at, &hidden)
        });
        visible_nodes.map(|(_, node)| words(node)).filter(|words| !words.is_empty()).collect()
    }
}

/// Returns the texts on the screen whose visibility only their pixels can prove, with their bounds.
pub fn needs_pixel_check(snapshot: &Snapshot, hidden: &HiddenText) -> Vec<(Index, Rect)> {
    let pages: Vec<(Index, Rect)> = documents(snapshot).collect();
    let in_page = |at: Index| {
        let mut ends =
            pages.iter().map(|(page, _)| (*page, page.get() + snapshot.subtree_len(*page)));
        ends.any(|(page, end)| page < at && at.get() < end)
    };
    let known: HashSet<Index> = hidden.nodes.iter().copied().collect();
    let texts = snapshot.iter().filter(|(at, node)| {
        let is_page_control = node.role.is_control() && in_page(*at);
        (is_text(node.role) || is_page_control)
            && node.states.has(State::Showing)
            && !known.contains(at)
    });
    texts
        .filter_map(|(at, node)| {
            let bounds = node.bounds.filter(|bounds| {
                bounds.width > MAX_INVISIBLE_SIZE && bounds.height > MAX_INVISIBLE_SIZE
            })?;
            let text = words(node);
            let least = if is_text(node.role) && in_page(at) { 1 } else { MIN_SUSPICIOUS_CHARS };
            let inside =
                clips(snapshot, at).all(|viewport| viewport.intersection(bounds) == Some(bounds));
            (inside && text.chars().count() >= least && !has_text_below(snapshot, at))
                .then_some((at, bounds))
        })
        .collect()
}

/// Returns up to `max` elements of the pages on the screen that are not showing and whose bounds
/// were not read, in document order.
pub fn elements_without_bounds(snapshot: &Snapshot, max: usize) -> Vec<Index> {
    let pages: Vec<Index> = documents(snapshot).map(|(page, _)| page).collect();
    let below = pages.into_iter().flat_map(|page| snapshot.subtree(page).skip(1));
    let not_showing = below.filter(|at| {
        let node = snapshot.node(*at);
        let worded = is_text(node.role) || node.role.is_control() || node.role == Role::Image;
        worded && node.bounds.is_none() && !node.states.has(State::Showing)
    });
    not_showing.take(max).collect()
}

/// Returns the page on the screen that contains an element. Works without bounds.
fn page_of(snapshot: &Snapshot, at: Index) -> Option<Index> {
    snapshot.ancestors(at).find(|up| is_page(snapshot.node(*up)))
}

/// Returns `true` if the snapshot may contain hidden text: any text on a page, or a text outside of
/// pages that is long enough to be an instruction. Works without bounds.
pub fn may_have_hidden_text(snapshot: &Snapshot) -> bool {
    snapshot.iter().any(|(at, node)| is_page(node) || is_long(snapshot, at))
}

/// Returns `true` if the text of an element may be hidden.
pub fn may_be_hidden(snapshot: &Snapshot, at: Index) -> bool {
    page_of(snapshot, at).is_some() || is_long(snapshot, at)
}

fn is_long(snapshot: &Snapshot, at: Index) -> bool {
    let node = snapshot.node(at);
    is_text(node.role) && words(node).chars().nth(MIN_SUSPICIOUS_CHARS - 1).is_some()
}

fn is_page(node: &Node) -> bool {
    node.role == Role::WebDocument && node.states.has(State::Showing)
}

/// Iterates over the pages on the screen and their visible areas.
fn documents(snapshot: &Snapshot) -> impl Iterator<Item = (Index, Rect)> + '_ {
    let pages = snapshot.iter().filter(|(_, node)| is_page(node));
    pages.filter_map(|(at, node)| Some((at, node.bounds.filter(|bounds| !bounds.is_empty())?)))
}

/// Iterates over the elements of a page that have their own text.
///
/// Controls with short names are left out: pages draw their own checkboxes and buttons beside
/// invisible real ones.
fn elements_with_text(snapshot: &Snapshot, document: Index) -> impl Iterator<Item = Index> + '_ {
    snapshot.subtree(document).skip(1).filter(|at| {
        let node = snapshot.node(*at);
        let length = words(node).chars().count();
        let text = is_text(node.role) || node.role == Role::Image;
        (text && length > 0) || (node.role.is_control() && length >= MIN_SUSPICIOUS_CHARS)
    })
}

/// Returns `true` if an element has no size or is clipped and no scrolling can reveal it.
fn is_clipped(
    snapshot: &Snapshot,
    at: Index,
    document: Index,
    bounds: Rect,
    viewport: Rect,
) -> bool {
    if bounds.width <= MAX_INVISIBLE_SIZE || bounds.height <= MAX_INVISIBLE_SIZE {
        return true;
    }
    let above = || {
        let up = snapshot.ancestors(at).take_while(|up| *up != document);
        up.filter_map(|up| snapshot.node(up).bounds)
    };
    let dot = |box_: Rect| {
        (1..=MAX_INVISIBLE_SIZE).contains(&box_.width)
            && (1..=MAX_INVISIBLE_SIZE).contains(&box_.height)
    };
    if above().any(dot) {
        return true;
    }
    let shows = snapshot.node(at).states.has(State::Showing);
    let inside = |outer: Rect| outer.intersection(bounds) == Some(bounds);
    // It lies within every visible area, yet it is not showing: scrolling is not the reason.
    !shows && inside(viewport) && above().all(inside)
}

/// Iterates over the areas of a native window that clip an element.
fn clips(snapshot: &Snapshot, at: Index) -> impl Iterator<Item = Rect> + '_ {
    snapshot.ancestors(at).filter_map(|up| {
        let node = snapshot.node(up);
        let clips = node.role.is_window()
            || matches!(
                node.role,
                Role::ScrollPane
                    | Role::Viewport
                    | Role::WebDocument
                    | Role::List
                    | Role::ListBox
                    | Role::Table
                    | Role::Tree
                    | Role::TreeTable
            );
        node.bounds.filter(|bounds| clips && !bounds.is_empty())
    })
}

fn is_text(role: Role) -> bool {
    matches!(
        role,
        Role::StaticText
            | Role::Paragraph
            | Role::Heading
            | Role::Label
            | Role::Section
            | Role::Caption
            | Role::BlockQuote
            | Role::Comment
            | Role::Footnote
    )
}

fn has_text_below(snapshot: &Snapshot, at: Index) -> bool {
    snapshot.subtree(at).skip(1).any(|below| !words(snapshot.node(below)).is_empty())
}

fn contains_hidden(snapshot: &Snapshot, at: Index, hidden: &HashSet<Index>) -> bool {
    snapshot.subtree(at).skip(1).any(|below| hidden.contains(&below))
}
