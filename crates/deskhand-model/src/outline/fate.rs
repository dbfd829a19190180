//! What becomes of one element: a line of its own, a part of another's, or none.

use super::{digest, fold::View, kinds, labels};
use crate::{Index, Role, State};

/// What becomes of an element.
pub(crate) enum Fate {
    /// A line of its own.
    Line,
    /// A line named by these words in it; nothing below it gets a line.
    Named(Vec<Index>),
    /// Words, joined with those before.
    Words,
    /// A row; nothing below it gets a line.
    Row,
    /// A cell without a row, joined with those before.
    Cell,
    /// The head of a column, joined with those before.
    Header,
    /// No line, but what is below it may get one.
    Fold,
    /// No line, and it was told already or is not there to be told.
    Repeat,
    /// No line for it and for all below it.
    Drop,
}

impl View<'_> {
    /// Decides for one element, given the line it would stand under.
    pub(crate) fn fate(&self, at: Index, root: Index, above: Option<usize>) -> Fate {
        let node = self.snapshot.node(at);
        let role = node.role;
        if at == root {
            return if role == Role::Application { Fate::Fold } else { Fate::Line };
        }
        if node.cut.is_some() {
            return Fate::Line;
        }
        let name = self.name(at).trim();
        let parent = self.snapshot.parent(at).map(|parent| self.snapshot.node(parent).role);
        if kinds::is_ornament(role) || role == Role::ScrollBar && self.has_company(at) {
            Fate::Drop
        } else if kinds::is_column_header(role) && !name.is_empty() {
            Fate::Header
        } else if parent.is_some_and(kinds::is_table) && kinds::is_cell(role) {
            Fate::Cell
        } else if role == Role::TableRow && digest::is_small_row(self.snapshot, at) {
            Fate::Row
        } else if role == Role::ListItem && digest::is_one_control(self.snapshot, at) {
            Fate::Fold
        } else if role.is_control() && name.is_empty() {
            self.fate_of_nameless(at)
        } else if node.states.has(State::Focused) {
            Fate::Line
        } else if kinds::is_words(role) && !kinds::is_actionable(node) {
            self.fate_of_words(at, above)
        } else if kinds::is_picture(role) && name.is_empty() && !kinds::is_actionable(node) {
            Fate::Fold
        } else if !name.is_empty() && self.is_repeated(at, name, above) {
            Fate::Repeat
        } else if name.is_empty() && self.is_mere_wrapper(at, parent) {
            // Firefox keeps the words between elements in the text of what is around them.
            self.fate_of_words(at, above)
        } else {
            Fate::Line
        }
    }

    fn fate_of_nameless(&self, at: Index) -> Fate {
        let role = self.snapshot.node(at).role;
        if kinds::has_popup(role) || kinds::is_text_box(role) || kinds::holds_number(role) {
            return Fate::Line;
        }
        match digest::words_inside(self.snapshot, at) {
            words if words.is_empty() => Fate::Line,
            words => Fate::Named(words),
        }
    }

    fn fate_of_words(&self, at: Index, above: Option<usize>) -> Fate {
        let text = labels::words(self.snapshot, at);
        // The bullets of a list, and the places of elements inside a text.
        let says_nothing = |c: char| c.is_whitespace() || "•◦▪▫‣⁃·|\u{fffc}".contains(c);
        if text.chars().take(16).all(says_nothing) || digest::is_spelled_out(self.snapshot, at) {
            Fate::Fold
        } else if self.above_says(above, text) || self.labels.repeats(self.snapshot, at) {
            Fate::Repeat
        } else {
            Fate::Words
        }
    }

    /// Whether the line above already tells this element.
    fn is_repeated(&self, at: Index, name: &str, above: Option<usize>) -> bool {
        let role = self.snapshot.node(at).role;
        if !role.is_control() {
            return self.above_says(above, name);
        }
        // A closed combo box shows its chosen item as its name and as its only child.
        let in_popup = above.is_some_and(|above| {
            let owner = self.snapshot.node(self.items[above].at);
            owner.role == Role::ComboBox && !owner.states.has(State::Expanded)
        });
        in_popup && kinds::is_menu_entry(role) && self.above_says(above, name)
    }

    fn is_mere_wrapper(&self, at: Index, parent: Option<Role>) -> bool {
        let node = self.snapshot.node(at);
        // Qt calls any widget without a role of its own a window.
        let inner_window = matches!(node.role, Role::Window | Role::Surface)
            && parent.is_some_and(|parent| parent != Role::Application)
            && !node.states.has(State::Modal);
        inner_window || kinds::is_wrapper(node.role)
    }

    fn has_company(&self, at: Index) -> bool {
        self.snapshot.parent(at).is_some_and(|parent| {
            self.snapshot
                .children(parent)
                .any(|child| self.snapshot.node(child).role != Role::ScrollBar)
        })
    }

    /// Whether the line above already says these words.
    fn above_says(&self, above: Option<usize>, text: &str) -> bool {
        let Some(above) = above else { return false };
        let at = self.items[above].at;
        let node = self.snapshot.node(at);
        let made_of_words = node.role.is_control()
            || kinds::is_words(node.role)
            || kinds::is_cell(node.role)
            || node.role == Role::Heading;
        let says = |said: &str| {
            // A longer text is not searched: a page of them under a megabyte name would take hours.
            said.trim() == text || made_of_words && said.len() <= 4096 && said.contains(text)
        };
        says(self.name(at)) || node.text().is_some_and(says)
    }
}
