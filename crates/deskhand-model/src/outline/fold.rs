//! Which elements get a line, and which are told by the line of another.

use super::{digest, fate::Fate, kinds, labels::Labels};
use crate::{Index, Rect, Role, Snapshot, State, States};

/// What a line stands for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum What {
    /// One element.
    Element,
    /// A control without a name of its own, and the words in it.
    Named(Vec<Index>),
    /// Words to read, one or several elements of them.
    Words(Vec<Index>),
    /// The cells of a row.
    Row(Vec<Index>),
    /// The heads of columns.
    Header(Vec<Index>),
}

/// One line to be.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    /// The element it is about.
    pub(crate) at: Index,
    /// What it stands for.
    pub(crate) what: What,
    /// A heading whose only content is this element, told on the same line.
    pub(crate) within: Option<Role>,
    /// The line it stands under.
    pub(crate) parent: Option<usize>,
    /// How many lines it stands under.
    pub(crate) depth: u32,
    /// One past the last line under it.
    pub(crate) end: usize,
    /// How many telling elements this line speaks for.
    pub(crate) covers: usize,
    /// How many elements under it are off the screen.
    pub(crate) away: usize,
    /// How many cells under it are empty.
    pub(crate) blank: usize,
}

/// A tree without what tells a reader nothing.
pub(crate) struct View<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) labels: Labels<'a>,
    pub(crate) items: Vec<Item>,
    /// How many elements are hidden or off the screen.
    pub(crate) hidden: usize,
}

/// Whether an element can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    Here,
    /// Scrolled away, on another page, or in a closed menu.
    Away,
    No,
}

/// Judges one element by itself.
pub(crate) fn seen(snapshot: &Snapshot, at: Index) -> Seen {
    let node = snapshot.node(at);
    let has = |state| node.states.has(state);
    // An app that stopped answering leaves elements without states: unknown is not hidden.
    let unread = node.states == States::NONE && node.cut.is_some();
    let is_top = snapshot.parent(at).is_none_or(|up| snapshot.node(up).role == Role::Application);
    let kept = is_top && (has(State::Visible) || has(State::Minimized));
    // Firefox answers -1 for a place it does not know: only a true zero takes no room.
    let takes_none = |bounds: Rect| bounds.width == 0 || bounds.height == 0;
    let bare = node.bounds.is_some_and(takes_none) && !has(State::Focused);
    if unread || kept || has(State::Showing) && !bare {
        Seen::Here
    } else if has(State::Visible) && !has(State::Showing) {
        Seen::Away
    } else {
        Seen::No
    }
}

/// Whether elements off the screen are folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unseen {
    Folded,
    Shown,
}

impl<'a> View<'a> {
    /// Folds the tree at and below a root.
    pub(crate) fn of(snapshot: &'a Snapshot, root: Index, unseen: Unseen) -> Self {
        let labels = Labels::of(snapshot);
        let mut view = Self { snapshot, labels, items: Vec::new(), hidden: 0 };
        if snapshot.is_empty() {
            return view;
        }
        // The lines that are open here: where each one's subtree ends, and its position.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut skip = root.get();
        for at in snapshot.subtree(root) {
            if at.get() < skip {
                continue;
            }
            while let Some((_, item)) = open.pop_if(|(end, _)| *end <= at.get()) {
                view.items[item].end = view.items.len();
            }
            let above = open.last().map(|(_, item)| *item);
            let end = at.get() + snapshot.subtree_len(at);
            if at != root && unseen == Unseen::Folded {
                let seen = seen(snapshot, at);
                if seen != Seen::Here {
                    view.hidden += 1;
                    view.count_away(above, at, seen);
                    continue;
                }
            }
            match view.fate(at, root, above) {
                Fate::Line => {
                    if !view.merge(at, above) {
                        open.push((end, view.items.len()));
                        view.push(at, What::Element, above, 1);
                    }
                }
                Fate::Named(words) => {
                    let covers = 1 + words.len();
                    view.push(at, What::Named(words), above, covers);
                    skip = end;
                }
                Fate::Words => view.join_words(at, above),
                Fate::Row => {
                    let cells = snapshot.children(at).collect();
                    view.push(at, What::Row(cells), above, snapshot.subtree_len(at));
                    skip = end;
                }
                Fate::Cell => {
                    match above {
                        Some(above) if digest::is_blank(snapshot, at) => {
                            view.items[above].blank += 1;
                        }
                        Some(_) | None => view.join_cell(at, above),
                    }
                    skip = end;
                }
                Fate::Header => {
                    view.join_header(at, above);
                    skip = end;
                }
                Fate::Fold | Fate::Repeat => {}
                Fate::Drop => skip = end,
            }
        }
        while let Some((_, item)) = open.pop() {
            view.items[item].end = view.items.len();
        }
        view
    }

    /// The name a line shows for an element.
    pub(crate) fn name(&self, at: Index) -> &'a str {
        self.labels.name(self.snapshot, at)
    }

    /// The lines directly under a line.
    pub(crate) fn under(&self, item: usize) -> impl Iterator<Item = usize> + '_ {
        self.chain(item + 1, self.items[item].end)
    }

    /// The lines under no other.
    pub(crate) fn tops(&self) -> impl Iterator<Item = usize> + '_ {
        self.chain(0, self.items.len())
    }

    fn chain(&self, first: usize, end: usize) -> impl Iterator<Item = usize> + '_ {
        let mut next = first;
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let here = next;
                next = self.items[here].end;
                here
            })
        })
    }

    fn push(&mut self, at: Index, what: What, parent: Option<usize>, covers: usize) {
        let depth = parent.map_or(0, |parent| self.items[parent].depth + 1);
        let end = self.items.len() + 1;
        let within = None;
        self.items.push(Item { at, what, within, parent, depth, end, covers, away: 0, blank: 0 });
    }

    fn count_away(&mut self, above: Option<usize>, at: Index, seen: Seen) {
        let (Some(above), Seen::Away) = (above, seen) else { return };
        let container = self.snapshot.node(self.items[above].at).role;
        let role = self.snapshot.node(at).role;
        let counts = if kinds::is_list(container) {
            kinds::is_item(role) && !(kinds::is_cell(role) && container != Role::Spreadsheet)
        } else {
            kinds::is_document(container) && !kinds::is_wrapper(role)
        };
        self.items[above].away += usize::from(counts);
    }

    /// Puts a control on the line of the heading or idle control that says the same.
    fn merge(&mut self, at: Index, above: Option<usize>) -> bool {
        let Some(above) = above.filter(|above| above + 1 == self.items.len()) else { return false };
        let node = self.snapshot.node(at);
        let outer = self.snapshot.node(self.items[above].at);
        let is_heading = outer.role == Role::Heading;
        // GTK 4 wraps the button of a menu in another that takes no action.
        let is_idle =
            outer.role == node.role && outer.actions.is_empty() && !node.actions.is_empty();
        let same = !node.name.is_empty() && outer.name.trim() == node.name.trim();
        let merges = same && node.role.is_control() && (is_heading || is_idle);
        if merges {
            let item = &mut self.items[above];
            item.within = is_heading.then_some(outer.role);
            item.at = at;
            item.covers += 1;
        }
        merges
    }

    /// The last line, when it stands under the same one and so can take more in.
    fn last_beside(&mut self, above: Option<usize>) -> Option<&mut Item> {
        self.items.last_mut().filter(|last| last.parent == above)
    }

    fn join_words(&mut self, at: Index, above: Option<usize>) {
        const MOST_JOINED: usize = 8;
        if let Some(Item { what: What::Words(words), covers, .. }) = self.last_beside(above)
            && words.len() < MOST_JOINED
        {
            words.push(at);
            *covers += 1;
            return;
        }
        self.push(at, What::Words(vec![at]), above, 1);
    }

    fn join_cell(&mut self, at: Index, above: Option<usize>) {
        let snapshot = self.snapshot;
        let covers = snapshot.subtree_len(at);
        let columns = snapshot.parent(at).map_or(0, |table| {
            let is_head = |at: &Index| kinds::is_column_header(snapshot.node(*at).role);
            snapshot.children(table).take_while(is_head).count()
        });
        let line = |at: Index| snapshot.node(at).bounds.map(|bounds| bounds.y);
        if let Some(Item { what: What::Row(cells), covers: sum, .. }) = self.last_beside(above) {
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
        self.push(at, What::Row(vec![at]), above, covers);
    }

    fn join_header(&mut self, at: Index, above: Option<usize>) {
        let covers = self.snapshot.subtree_len(at);
        if let Some(Item { what: What::Header(heads), covers: sum, .. }) = self.last_beside(above) {
            heads.push(at);
            *sum += covers;
            return;
        }
        self.push(at, What::Header(vec![at]), above, covers);
    }
}
