//! LineContent becomes of one element: a line of its own, a part of another's, or none.

use super::{contents, fold::FoldedTree, labels, role_groups};
use crate::{Index, Role, State};

/// LineContent becomes of an element.
pub(crate) enum Placement {
    /// A line of its own.
    Line,
    /// A line named by these words in it; nothing below it gets a line.
    Named(Vec<Index>),
    /// Words, joined with those before.
    Text,
    /// A row; nothing below it gets a line.
    Row,
    /// A cell without a row, joined with those before.
    Cell,
    /// The head of a column, joined with those before.
    Header,
    /// No line, but what is below it may get one.
    Skip,
    /// No line, and it was told already or is not there to be told.
    Duplicate,
    /// No line for it and for all below it.
    SkipSubtree,
}

impl FoldedTree<'_> {
    /// Decides for one element, given the line it would stand children_of.
    pub(crate) fn placement(&self, at: Index, root: Index, above: Option<usize>) -> Placement {
        let node = self.snapshot.node(at);
        let role = node.role;
        if at == root {
            return if role == Role::Application { Placement::Skip } else { Placement::Line };
        }
        if node.cut.is_some() {
            return Placement::Line;
        }
        let name = self.name(at).trim();
        let parent = self.snapshot.parent(at).map(|parent| self.snapshot.node(parent).role);
        if role_groups::is_decoration(role)
            || role == Role::ScrollBar && self.has_other_siblings(at)
        {
            Placement::SkipSubtree
        } else if role_groups::is_column_header(role) && !name.is_empty() {
            Placement::Header
        } else if parent.is_some_and(role_groups::is_table) && role_groups::is_cell(role) {
            Placement::Cell
        } else if role == Role::TableRow && contents::is_small_row(self.snapshot, at) {
            Placement::Row
        } else if role == Role::ListItem && contents::wraps_one_control(self.snapshot, at) {
            Placement::Skip
        } else if role.is_control() && name.is_empty() {
            self.nameless_placement(at)
        } else if node.states.has(State::Focused) {
            Placement::Line
        } else if role_groups::is_text(role) && !role_groups::is_actionable(node) {
            self.text_placement(at, above)
        } else if role_groups::is_picture(role)
            && name.is_empty()
            && !role_groups::is_actionable(node)
        {
            Placement::Skip
        } else if !name.is_empty() && self.is_repeated(at, name, above) {
            Placement::Duplicate
        } else if name.is_empty() && self.is_mere_wrapper(at, parent) {
            // Firefox keeps the words between elements in the text of what is around them.
            self.text_placement(at, above)
        } else {
            Placement::Line
        }
    }

    fn nameless_placement(&self, at: Index) -> Placement {
        let role = self.snapshot.node(at).role;
        if role_groups::has_popup(role)
            || role_groups::is_text_box(role)
            || role_groups::has_number(role)
        {
            return Placement::Line;
        }
        match contents::words_inside(self.snapshot, at) {
            words if words.is_empty() => Placement::Line,
            words => Placement::Named(words),
        }
    }

    fn text_placement(&self, at: Index, above: Option<usize>) -> Placement {
        let text = labels::words(self.snapshot, at);
        // The bullets of a list, and the places of elements inside a text.
        let is_filler = |c: char| c.is_whitespace() || "•◦▪▫‣⁃·|\u{fffc}".contains(c);
        if text.chars().take(16).all(is_filler) || contents::is_repeated_below(self.snapshot, at) {
            Placement::Skip
        } else if self.parent_line_contains(above, text) || self.labels.repeats(self.snapshot, at) {
            Placement::Duplicate
        } else {
            Placement::Text
        }
    }

    /// Whether the line above already tells this element.
    fn is_repeated(&self, at: Index, name: &str, above: Option<usize>) -> bool {
        let role = self.snapshot.node(at).role;
        if !role.is_control() {
            return self.parent_line_contains(above, name);
        }
        // A closed combo box shows its chosen item as its name and as its only child.
        let in_popup = above.is_some_and(|above| {
            let owner = self.snapshot.node(self.items[above].at);
            owner.role == Role::ComboBox && !owner.states.has(State::Expanded)
        });
        in_popup && role_groups::is_menu_entry(role) && self.parent_line_contains(above, name)
    }

    fn is_mere_wrapper(&self, at: Index, parent: Option<Role>) -> bool {
        let node = self.snapshot.node(at);
        // Qt calls any widget without a role of its own a window.
        let inner_window = matches!(node.role, Role::Window | Role::Surface)
            && parent.is_some_and(|parent| parent != Role::Application)
            && !node.states.has(State::Modal);
        inner_window || role_groups::is_wrapper(node.role)
    }

    fn has_other_siblings(&self, at: Index) -> bool {
        self.snapshot.parent(at).is_some_and(|parent| {
            self.snapshot
                .children(parent)
                .any(|child| self.snapshot.node(child).role != Role::ScrollBar)
        })
    }

    /// Whether the line above already says these words.
    fn parent_line_contains(&self, above: Option<usize>, text: &str) -> bool {
        let Some(above) = above else { return false };
        let at = self.items[above].at;
        let node = self.snapshot.node(at);
        let made_of_words = node.role.is_control()
            || role_groups::is_text(node.role)
            || role_groups::is_cell(node.role)
            || node.role == Role::Heading;
        let says = |said: &str| {
            // A longer text is not searched: a page of them children_of a megabyte name would take hours.
            said.trim() == text || made_of_words && said.len() <= 4096 && said.contains(text)
        };
        says(self.name(at)) || node.text().is_some_and(says)
    }
}
