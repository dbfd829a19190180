//! Words no person could see, as far as places and states tell: without size, off the page, cut away
//! by nothing that can be scrolled. What is merely scrolled away, behind a tab or in a closed menu is
//! not among them.

mod scroll_extent;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use crate::{Index, Node, Rect, Role, Snapshot, State, Value};
use scroll_extent::ScrollExtent;

/// What stands before words nobody could see, where they are shown all the same.
pub const HIDDEN_TEXT_MARK: &str = "[nobody sees this] ";

/// An element this small in one direction shows no word.
const MAX_INVISIBLE_SIZE: i32 = 2;

/// A text shorter than this is left out like the others, and is no reason to doubt the whole: pages
/// hide "Skip to content" and the like for those who hear them.
const MIN_SUSPICIOUS_CHARS: usize = 24;

/// Of the texts of a page so many in a hundred must have a place before one without is doubted:
/// while a page is laid out, most have none.
const MIN_PLACED_PERCENT: usize = 80;

/// Which elements of a look were asked for their places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundsScope {
    /// All of them.
    All,
    /// Only those that show.
    Showing,
}

/// Words nobody could see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HiddenText {
    nodes: Vec<Index>,
}

impl HiddenText {
    /// Judges a look that took in the places of all elements, or of those alone that show.
    pub fn detect(snapshot: &Snapshot, bounds_read: BoundsScope) -> Self {
        let mut hidden = Self::default();
        for (document, room) in documents(snapshot) {
            let scroll_extent = ScrollExtent::of(snapshot, document, room);
            let worded: Vec<Index> = worded(snapshot, document).collect();
            let known = worded.iter().filter(|at| snapshot.node(**at).bounds.is_some()).count();
            let laid_out =
                bounds_read == BoundsScope::All && known * 100 >= worded.len() * MIN_PLACED_PERCENT;
            let unseen = worded.into_iter().filter(|at| {
                let node = snapshot.node(*at);
                match node.bounds {
                    None => laid_out && !node.states.has(State::Showing),
                    Some(bounds) => {
                        is_cut(snapshot, *at, document, bounds, room) || scroll_extent.lost(bounds)
                    }
                }
            });
            hidden.nodes.extend(unseen);
        }
        hidden
    }

    /// The same with more, such as what pixels tell.
    #[must_use]
    pub fn and(mut self, more: impl IntoIterator<Item = Index>) -> Self {
        self.nodes.extend(more);
        self.nodes.sort_unstable();
        self.nodes.dedup();
        self
    }

    /// Which elements.
    pub fn nodes(&self) -> &[Index] {
        &self.nodes
    }

    /// How many there are whose words are nowhere to be seen, and whether one of them is long enough
    /// to tell a reader what to do.
    pub fn count(&self, snapshot: &Snapshot) -> (usize, bool) {
        let elsewhere = self.elsewhere(snapshot);
        let unseen = self.nodes.iter().map(|at| snapshot.node(*at));
        let unseen = unseen.filter(|node| !elsewhere.contains(words(node)));
        unseen.fold((0, false), |(count, telling), node| {
            (count + 1, telling || words(node).chars().count() >= MIN_SUSPICIOUS_CHARS)
        })
    }

    /// The look without these words. The elements stay: what can be pressed can still be pressed.
    #[must_use]
    pub fn without_hidden_text(&self, snapshot: &Snapshot) -> Snapshot {
        let elsewhere = self.elsewhere(snapshot);
        let mut lost: Vec<(Index, String)> = Vec::new();
        let mut changed: Vec<Node> = Vec::new();
        for at in &self.nodes {
            let node = snapshot.node(*at);
            // A box nobody sees beside a label everybody does is how pages draw their own boxes.
            if elsewhere.contains(words(node)) {
                continue;
            }
            lost.push((*at, words(node).to_owned()));
            changed.push(Node {
                name: String::new(),
                description: String::new(),
                value: node.value.clone().filter(|value| !matches!(value, Value::Text { .. })),
                ..node.clone()
            });
        }
        // What an element is called is often made of all the words in it.
        for (at, words) in &lost {
            for up in snapshot.ancestors(*at) {
                let node = snapshot.node(up);
                if node.role == Role::WebDocument || self.nodes.contains(&up) {
                    break;
                }
                let known = changed.iter().position(|one| one.id == node.id);
                let named = known.map_or(node, |at| &changed[at]);
                if !words.is_empty() && named.name.contains(words.as_str()) {
                    let name = named.name.replace(words.as_str(), "").trim().to_owned();
                    let renamed = Node { name, ..named.clone() };
                    match known {
                        Some(at) => changed[at] = renamed,
                        None => changed.push(renamed),
                    }
                }
            }
        }
        snapshot.with_replaced_nodes(changed)
    }

    /// The look with these words, with_marked_text.
    #[must_use]
    pub fn with_marked_text(&self, snapshot: &Snapshot) -> Snapshot {
        let with_marked_text = self.nodes.iter().map(|at| {
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
        snapshot.with_replaced_nodes(with_marked_text)
    }

    /// All words of the look that can be seen.
    fn elsewhere<'a>(&self, snapshot: &'a Snapshot) -> HashSet<&'a str> {
        let hidden: HashSet<Index> = self.nodes.iter().copied().collect();
        let seen = snapshot.iter().filter(|(at, node)| {
            !hidden.contains(at)
                && node.states.has(State::Showing)
                && !is_above(snapshot, *at, &hidden)
        });
        seen.map(|(_, node)| words(node)).filter(|words| !words.is_empty()).collect()
    }
}

/// Texts on the screen that only pixels can tell from nothing, and the places where they would be.
pub fn needs_pixel_check(snapshot: &Snapshot, hidden: &HiddenText) -> Vec<(Index, Rect)> {
    let pages: Vec<(Index, Rect)> = documents(snapshot).collect();
    let in_page = |at: Index| {
        let mut ends =
            pages.iter().map(|(page, _)| (*page, page.get() + snapshot.subtree_len(*page)));
        ends.any(|(page, end)| page < at && at.get() < end)
    };
    let known: HashSet<Index> = hidden.nodes.iter().copied().collect();
    let texts = snapshot.iter().filter(|(at, node)| {
        let pressed = node.role.is_control() && in_page(*at);
        (is_text(node.role) || pressed) && node.states.has(State::Showing) && !known.contains(at)
    });
    texts
        .filter_map(|(at, node)| {
            let bounds = node.bounds.filter(|bounds| {
                bounds.width > MAX_INVISIBLE_SIZE && bounds.height > MAX_INVISIBLE_SIZE
            })?;
            let said = words(node);
            let least = if is_text(node.role) && in_page(at) { 1 } else { MIN_SUSPICIOUS_CHARS };
            let inside = clips(snapshot, at).all(|room| room.intersection(bounds) == Some(bounds));
            (inside && said.chars().count() >= least && !has_worded_children(snapshot, at))
                .then_some((at, bounds))
        })
        .collect()
}

/// Elements of the pages on the screen that do not show and were not asked where they are: at most so
/// many, the first first.
pub fn elements_without_bounds(snapshot: &Snapshot, most: usize) -> Vec<Index> {
    let pages: Vec<Index> = documents(snapshot).map(|(page, _)| page).collect();
    let below = pages.into_iter().flat_map(|page| snapshot.subtree(page).skip(1));
    let away = below.filter(|at| {
        let node = snapshot.node(*at);
        let worded = is_text(node.role) || node.role.is_control() || node.role == Role::Image;
        worded && node.bounds.is_none() && !node.states.has(State::Showing)
    });
    away.take(most).collect()
}

/// The page on the screen an element stands in; a look without places knows it, too.
fn page_of(snapshot: &Snapshot, at: Index) -> Option<Index> {
    snapshot.ancestors(at).find(|up| is_page(snapshot.node(*up)))
}

/// Whether there are words that could be hidden from a person: on a page any, elsewhere such as could
/// tell a reader what to do. A look without places knows it, too.
pub fn may_have_hidden_text(snapshot: &Snapshot) -> bool {
    snapshot.iter().any(|(at, node)| is_page(node) || is_long(snapshot, at))
}

/// Whether the words of an element could be.
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

/// The pages on the screen, and the room each is seen through.
fn documents(snapshot: &Snapshot) -> impl Iterator<Item = (Index, Rect)> + '_ {
    let pages = snapshot.iter().filter(|(_, node)| is_page(node));
    pages.filter_map(|(at, node)| Some((at, node.bounds.filter(|bounds| !bounds.is_empty())?)))
}

/// The elements of a page that have words of their own. Pages draw their own boxes and buttons beside
/// real ones nobody sees, so what can be pressed keeps a short name.
fn worded(snapshot: &Snapshot, document: Index) -> impl Iterator<Item = Index> + '_ {
    snapshot.subtree(document).skip(1).filter(|at| {
        let node = snapshot.node(*at);
        let length = words(node).chars().count();
        let text = is_text(node.role) || node.role == Role::Image;
        (text && length > 0) || (node.role.is_control() && length >= MIN_SUSPICIOUS_CHARS)
    })
}

/// Whether an element has no size, or is cut away where nothing could bring it back.
fn is_cut(snapshot: &Snapshot, at: Index, document: Index, bounds: Rect, room: Rect) -> bool {
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
    // Where it would be seen if it were scrolled away from nothing.
    !shows && inside(room) && above().all(inside)
}

/// Rooms of a native window an element can be scrolled out of.
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

fn has_worded_children(snapshot: &Snapshot, at: Index) -> bool {
    snapshot.subtree(at).skip(1).any(|below| !words(snapshot.node(below)).is_empty())
}

fn is_above(snapshot: &Snapshot, at: Index, hidden: &HashSet<Index>) -> bool {
    snapshot.subtree(at).skip(1).any(|below| hidden.contains(&below))
}

/// The words an element shows, or is called by.
fn words(node: &Node) -> &str {
    let text = node.text().unwrap_or_default();
    let said = if node.name.trim().is_empty() { text } else { &node.name };
    said.trim_matches(|c: char| c.is_whitespace() || c == '\u{fffc}')
}
