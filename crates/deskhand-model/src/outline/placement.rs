//! Decides how an element appears in an outline: on its own line, as part of another line, or not
//! at all.

use super::{contents, fold::FoldedTree, labels, role_groups};
use crate::{Index, Role, State};

/// The way an element appears in an outline.
pub(crate) enum Placement {
    /// On its own line.
    Line,
    /// On a line named by these texts inside it. Nothing below it gets a line.
    Named(Vec<Index>),
    /// As text, joined with the text before it.
    Text,
    /// As a row. Nothing below it gets a line.
    Row,
    /// As a cell without a row, joined with the cells before it.
    Cell,
    /// As a column header, joined with the headers before it.
    Header,
    /// Without a line, but elements below it may get one.
    Skip,
    /// Without a line, because another line already shows the same text.
    Duplicate,
    /// Without a line, like everything below it.
    SkipSubtree,
}

impl FoldedTree<'_> {
    /// Decides how an element appears. `above` is its parent line.
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
        } else if role == Role::ListItem
            && contents::wraps_one_control(self.snapshot, &self.visibility, at)
        {
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
            // Firefox stores the text between elements as the text of their container.
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
        match contents::words_inside(self.snapshot, &self.visibility, at) {
            words if words.is_empty() && self.is_meaningless(at) => Placement::Skip,
            words if words.is_empty() => Placement::Line,
            words => Placement::Named(words),
        }
    }

    /// Returns `true` for a button that shows no text and cannot be used. GTK apps keep such buttons
    /// in reserve, drawn without any content.
    fn is_meaningless(&self, at: Index) -> bool {
        let node = self.snapshot.node(at);
        matches!(node.role, Role::Button | Role::ToggleButton)
            && !node.states.has(State::Enabled)
            && node.description.trim().is_empty()
            && node.identifier.is_empty()
    }

    fn text_placement(&self, at: Index, above: Option<usize>) -> Placement {
        let text = labels::words(self.snapshot, at);
        // List bullets, and placeholders for embedded elements.
        let is_filler = |c: char| c.is_whitespace() || "•◦▪▫‣⁃·|\u{fffc}".contains(c);
        if text.chars().take(16).all(is_filler) || contents::is_repeated_below(self.snapshot, at) {
            Placement::Skip
        } else if self.parent_line_contains(above, text) || self.labels.repeats(self.snapshot, at) {
            Placement::Duplicate
        } else {
            Placement::Text
        }
    }

    /// Returns `true` if the parent line already shows this element.
    fn is_repeated(&self, at: Index, name: &str, above: Option<usize>) -> bool {
        let role = self.snapshot.node(at).role;
        if !role.is_control() {
            return self.parent_line_contains(above, name);
        }
        // The selected item of a closed combo box is both its name and its only child.
        let in_popup = above.is_some_and(|above| {
            let owner = self.snapshot.node(self.items[above].at);
            let is_closed = owner.role == Role::ComboBox && !owner.states.has(State::Expanded);
            is_closed && (owner.name.trim() == name || self.parent_line_contains(Some(above), name))
        });
        in_popup && role_groups::is_menu_entry(role)
    }

    fn is_mere_wrapper(&self, at: Index, parent: Option<Role>) -> bool {
        let node = self.snapshot.node(at);
        // Qt reports widgets without a specific role as windows.
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

    /// Returns `true` if the parent line already contains this text.
    fn parent_line_contains(&self, above: Option<usize>, text: &str) -> bool {
        let Some(above) = above else { return false };
        let at = self.items[above].at;
        let node = self.snapshot.node(at);
        let made_of_words = node.role.is_control()
            || role_groups::is_text(node.role)
            || role_groups::is_cell(node.role)
            || node.role == Role::Heading;
        let contains = |shown: &str| {
            // Longer texts are not searched: many elements below a name of one megabyte would take
            // hours.
            shown.trim() == text || made_of_words && shown.len() <= 4096 && shown.contains(text)
        };
        contains(self.name(at)) || node.text().is_some_and(contains)
    }
}
