//! Decides which elements get their own line and which share the line of another element.

use super::{contents, labels::Labels, placement::Placement, role_groups};
use crate::{Index, Node, Role, ScreenVisibility, Snapshot, State, Visibility};

/// The content of a line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LineContent {
    /// One element.
    Element,
    /// A control without its own name, and the texts inside it.
    Named(Vec<Index>),
    /// One or more text elements.
    Text(Vec<Index>),
    /// The cells of a row.
    Row(Vec<Index>),
    /// The column headers of a table.
    Header(Vec<Index>),
}

/// One line of the folded tree.
#[derive(Debug, Clone)]
pub(crate) struct FoldedLine {
    /// The element the line is about.
    pub(crate) at: Index,
    /// The content of the line.
    pub(crate) content: LineContent,
    /// The role of a heading that contains only this element. Both share the line.
    pub(crate) within: Option<Role>,
    /// The parent line.
    pub(crate) parent: Option<usize>,
    /// The number of ancestor lines.
    pub(crate) depth: u32,
    /// One past the last line below this one.
    pub(crate) end: usize,
    /// The number of informative elements this line covers.
    pub(crate) covers: usize,
    /// The number of elements below it that are off screen.
    pub(crate) off_screen: usize,
    /// The number of empty cells below it.
    pub(crate) blank_cells: usize,
}

/// A tree reduced to its informative elements.
pub(crate) struct FoldedTree<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) labels: Labels<'a>,
    pub(crate) visibility: ScreenVisibility,
    pub(crate) items: Vec<FoldedLine>,
    /// The number of elements that are hidden or off screen.
    pub(crate) hidden: usize,
}

/// Tells how to treat elements that are not on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HiddenElements {
    Folded,
    Shown,
}

impl<'a> FoldedTree<'a> {
    /// Folds the tree at and below `root`.
    pub(crate) fn of(snapshot: &'a Snapshot, root: Index, hidden: HiddenElements) -> Self {
        let visibility = ScreenVisibility::below(snapshot, root);
        let labels = Labels::of(snapshot);
        let mut tree = Self { snapshot, labels, visibility, items: Vec::new(), hidden: 0 };
        if snapshot.is_empty() {
            return tree;
        }
        // The ancestor lines: where each subtree ends, and the index of its line.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut skip = root.get();
        for at in snapshot.subtree(root) {
            if at.get() < skip {
                continue;
            }
            while let Some((_, item)) = open.pop_if(|(end, _)| *end <= at.get()) {
                tree.items[item].end = tree.items.len();
            }
            let above = open.last().map(|(_, item)| *item);
            let end = at.get() + snapshot.subtree_len(at);
            if at != root && hidden == HiddenElements::Folded {
                let visibility = tree.visibility.of_element(at);
                if visibility != Visibility::OnScreen {
                    tree.hidden += 1;
                    tree.count_off_screen(above, at, visibility);
                    continue;
                }
            }
            match tree.placement(at, root, above) {
                Placement::Line => {
                    if !tree.merge(at, above) {
                        open.push((end, tree.items.len()));
                        tree.push(at, LineContent::Element, above, 1);
                    }
                }
                Placement::Named(words) => {
                    let covers = 1 + words.len();
                    tree.push(at, LineContent::Named(words), above, covers);
                    skip = end;
                }
                Placement::Text => tree.join_words(at, above),
                Placement::Row => {
                    let cells = snapshot.children(at).collect();
                    tree.push(at, LineContent::Row(cells), above, snapshot.subtree_len(at));
                    skip = end;
                }
                Placement::Cell => {
                    match above {
                        Some(above) if contents::is_blank_cell(snapshot, at) => {
                            tree.items[above].blank_cells += 1;
                        }
                        Some(_) | None => tree.join_cell(at, above),
                    }
                    skip = end;
                }
                Placement::Header => {
                    tree.join_header(at, above);
                    skip = end;
                }
                Placement::Skip | Placement::Duplicate => {}
                Placement::SkipSubtree => skip = end,
            }
        }
        while let Some((_, item)) = open.pop() {
            tree.items[item].end = tree.items.len();
        }
        tree
    }

    /// Returns the name shown for an element.
    pub(crate) fn name(&self, at: Index) -> &'a str {
        self.labels.name(self.snapshot, at)
    }

    /// Iterates over the lines directly below a line.
    pub(crate) fn children_of(&self, item: usize) -> impl Iterator<Item = usize> + '_ {
        self.chain(item + 1, self.items[item].end)
    }

    /// Iterates over the lines without a parent line.
    pub(crate) fn top_lines(&self) -> impl Iterator<Item = usize> + '_ {
        self.chain(0, self.items.len())
    }

    fn chain(&self, first: usize, end: usize) -> impl Iterator<Item = usize> + '_ {
        let mut next = first;
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let line = next;
                next = self.items[line].end;
                line
            })
        })
    }

    fn push(&mut self, at: Index, content: LineContent, parent: Option<usize>, covers: usize) {
        let depth = parent.map_or(0, |parent| self.items[parent].depth + 1);
        let end = self.items.len() + 1;
        let within = None;
        self.items.push(FoldedLine {
            at,
            content,
            within,
            parent,
            depth,
            end,
            covers,
            off_screen: 0,
            blank_cells: 0,
        });
    }

    fn count_off_screen(&mut self, above: Option<usize>, at: Index, visibility: Visibility) {
        let (Some(above), Visibility::OffScreen) = (above, visibility) else { return };
        let container = self.snapshot.node(self.items[above].at).role;
        let role = self.snapshot.node(at).role;
        let counts = if role_groups::is_list(container) {
            role_groups::is_item(role)
                && !(role_groups::is_cell(role) && container != Role::Spreadsheet)
        } else if container == Role::TabList {
            role == Role::Tab
        } else {
            role_groups::is_document(container) && !role_groups::is_wrapper(role)
        };
        self.items[above].off_screen += usize::from(counts);
    }

    /// Merges a control into the line of a heading or inactive control with the same name. Returns
    /// `true` if it did.
    fn merge(&mut self, at: Index, above: Option<usize>) -> bool {
        let Some(above) = above.filter(|above| above + 1 == self.items.len()) else { return false };
        let node = self.snapshot.node(at);
        let outer = self.snapshot.node(self.items[above].at);
        let is_heading = outer.role == Role::Heading;
        // GTK 4 wraps a menu button in another button that takes no focus.
        let takes_focus = |node: &Node| node.states.has(State::Focusable);
        let is_wrapper = outer.role == node.role && !takes_focus(outer) && takes_focus(node);
        let same_name = outer.name.trim() == node.name.trim();
        let merges = node.role.is_control()
            && same_name
            && if node.name.is_empty() {
                is_wrapper && outer.description == node.description
            } else {
                is_heading || is_wrapper
            };
        if merges {
            let item = &mut self.items[above];
            item.within = is_heading.then_some(outer.role);
            item.at = at;
            item.covers += 1;
        }
        merges
    }

    /// Returns the last line if it has this parent, so that it can take more elements.
    fn last_sibling_line(&mut self, above: Option<usize>) -> Option<&mut FoldedLine> {
        self.items.last_mut().filter(|last| last.parent == above)
    }

    fn join_words(&mut self, at: Index, above: Option<usize>) {
        const MAX_JOINED: usize = 8;
        if let Some(FoldedLine { content: LineContent::Text(words), covers, .. }) =
            self.last_sibling_line(above)
            && words.len() < MAX_JOINED
        {
            words.push(at);
            *covers += 1;
            return;
        }
        self.push(at, LineContent::Text(vec![at]), above, 1);
    }

    fn join_cell(&mut self, at: Index, above: Option<usize>) {
        let snapshot = self.snapshot;
        let covers = snapshot.subtree_len(at);
        let columns = snapshot.parent(at).map_or(0, |table| {
            let is_head = |at: &Index| role_groups::is_column_header(snapshot.node(*at).role);
            snapshot.children(table).take_while(is_head).count()
        });
        let line = |at: Index| snapshot.node(at).bounds.map(|bounds| bounds.y);
        if let Some(FoldedLine { content: LineContent::Row(cells), covers: sum, .. }) =
            self.last_sibling_line(above)
        {
            let same = match (cells.first().and_then(|first| line(*first)), line(at)) {
                (Some(row), Some(here)) => row == here,
                (Some(_), None) | (None, Some(_)) => false,
                (None, None) => cells.len() < columns,
            };
            if same {
                cells.push(at);
                *sum += covers;
                return;
            }
        }
        self.push(at, LineContent::Row(vec![at]), above, covers);
    }

    fn join_header(&mut self, at: Index, above: Option<usize>) {
        let covers = self.snapshot.subtree_len(at);
        if let Some(FoldedLine { content: LineContent::Header(heads), covers: sum, .. }) =
            self.last_sibling_line(above)
        {
            heads.push(at);
            *sum += covers;
            return;
        }
        self.push(at, LineContent::Header(vec![at]), above, covers);
    }
}
