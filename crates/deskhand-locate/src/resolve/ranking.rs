//! Chooses between several matches by their use for the caller.

use std::collections::HashSet;

use deskhand_model::{
    Index, Node, Role, Snapshot, State,
    name::{AccessibleName, NameSource, is_page_of_tab},
};

use super::{Match, MatchMethod, matching::MatchSet, nested::Scope};
use crate::{
    Guess, OtherMatches, Preferences, Purpose, WantedValue,
    label::is_label,
    purpose::{Suitability, field_inside, is_editable},
    text::fold_label,
    visibility::{Reachability, VisibilityReport, window_index},
};

/// The properties that decide between matches, the most important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    blocked: bool,
    hidden: bool,
    suitability: Suitability,
    reachability: Reachability,
    /// A dialog is open, and the element is in another window.
    outside_dialog: bool,
    disabled: bool,
    in_other_tab: bool,
    /// A click selects it, and nothing else.
    selects_only: bool,
}

/// Ranks the elements of one snapshot for one caller.
pub(super) struct Ranking<'a> {
    snapshot: &'a Snapshot,
    report: VisibilityReport<'a>,
    preferences: &'a Preferences<'a>,
}

impl<'a> Ranking<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, preferences: &'a Preferences<'a>) -> Self {
        Self { snapshot, report: VisibilityReport::of(snapshot), preferences }
    }

    fn rank(&self, at: Index) -> Rank {
        let node = self.snapshot.node(at);
        let Preferences { purpose, blocked_windows } = self.preferences;
        let reachability = self.report.reachability(at);
        let window = window_index(self.snapshot, at);
        let is_in_dialog = window.is_some_and(|window| is_open_dialog(self.snapshot.node(window)));
        Rank {
            blocked: window.is_some_and(|window| blocked_windows.contains(&window)),
            hidden: reachability == Reachability::Hidden,
            suitability: self.suitability(at),
            reachability,
            outside_dialog: *purpose != Purpose::Read && !is_in_dialog,
            disabled: *purpose != Purpose::Read
                && node.role.is_control()
                && !node.states.has(State::Enabled),
            in_other_tab: *purpose != Purpose::Read && self.is_in_other_tab(at),
            selects_only: *purpose == Purpose::Act && is_item(node.role),
        }
    }

    /// Returns `true` for an element in a tab that is not selected, such as its close button.
    fn is_in_other_tab(&self, at: Index) -> bool {
        let mut around = self.snapshot.ancestors(at).map(|up| self.snapshot.node(up));
        let tab = around.find(|up| up.role == Role::Tab);
        tab.is_some_and(|tab| !tab.states.has(State::Selected))
    }

    /// Returns the use that the caller has for the element.
    pub(super) fn purpose(&self) -> Purpose {
        self.preferences.purpose
    }

    fn suitability(&self, at: Index) -> Suitability {
        let purpose = self.preferences.purpose;
        match purpose {
            Purpose::TypeText if field_inside(self.snapshot, at).is_some() => Suitability::Suitable,
            Purpose::Read
            | Purpose::Act
            | Purpose::TypeText
            | Purpose::SetValue(_)
            | Purpose::SelectItems => purpose.suitability(self.snapshot.node(at)),
        }
    }

    /// Returns `true` if the caller can use one of the elements now.
    pub(super) fn has_usable(&self, all: &[Index]) -> bool {
        all.iter().any(|at| self.is_usable(*at))
    }

    /// Returns `true` if the caller can use the element now.
    pub(super) fn is_usable(&self, at: Index) -> bool {
        let rank = self.rank(at);
        !rank.blocked && !rank.hidden && rank.suitability == Suitability::Suitable
    }

    /// Returns `true` if the element is on the screen and no dialog blocks it.
    pub(super) fn is_shown(&self, at: Index) -> bool {
        let rank = self.rank(at);
        !rank.blocked && rank.reachability == Reachability::Shown
    }

    /// Returns `true` if one of the elements suits the caller, reachable or not.
    pub(super) fn has_suitable(&self, all: &[Index]) -> bool {
        all.iter().any(|at| self.suitability(*at) == Suitability::Suitable)
    }

    /// Returns `true` if one of the elements may serve the caller. A combo box without a
    /// field takes no text.
    pub(super) fn may_serve(&self, all: &[Index]) -> bool {
        all.iter().any(|at| match self.suitability(*at) {
            Suitability::Suitable => true,
            Suitability::Possible => self.snapshot.node(*at).role != Role::ComboBox,
            Suitability::Unsuitable => false,
        })
    }

    /// Returns `true` if one of the elements holds a value, although maybe not one of the wanted kind.
    /// Such an element is meant rather than one with a longer name.
    pub(super) fn holds_value(&self, all: &[Index]) -> bool {
        let holds = |at: Index| {
            let sets_value = matches!(self.preferences.purpose, Purpose::SetValue(_));
            let suitability =
                Purpose::SetValue(WantedValue::ANY).suitability(self.snapshot.node(at));
            sets_value && suitability == Suitability::Suitable || self.may_serve(&[at])
        };
        all.iter().any(|at| !self.rank(*at).hidden && holds(*at))
    }

    /// Returns `true` if an element can be meant by a part of its name. For an action, it must be
    /// reachable and have a use.
    pub(super) fn accepts_part(&self, at: Index) -> bool {
        let purpose = self.preferences.purpose;
        let rank = self.rank(at);
        let is_usable = rank.suitability != Suitability::Unsuitable
            || purpose == Purpose::Act && self.clickable_around(at) != at;
        purpose == Purpose::Read || !rank.hidden && is_usable
    }

    /// Returns `true` if an element can be meant by a part of its value. For an action, a word in a
    /// document does not mean the document.
    pub(super) fn accepts_part_of_value(&self, at: Index) -> bool {
        let node = self.snapshot.node(at);
        let holds_text =
            is_editable(node) || matches!(node.role, Role::Text | Role::Entry | Role::Terminal);
        self.preferences.purpose == Purpose::Read || !holds_text
    }

    /// Returns `true` if an element can be meant by a part of its description. For an action, a word in
    /// a long explanation, such as the tooltip of a format field, does not name the element.
    pub(super) fn accepts_part_of_description(&self, at: Index) -> bool {
        self.preferences.purpose == Purpose::Read || is_phrase(&self.snapshot.node(at).description)
    }

    /// Returns `true` if a part of a computed name means its element. A description that stands for a
    /// name is treated as in [`Self::accepts_part_of_description`].
    pub(super) fn accepts_part_of_name(&self, name: AccessibleName<'_>) -> bool {
        let is_description = name.source == NameSource::Description;
        self.preferences.purpose == Purpose::Read || !is_description || is_phrase(name.text)
    }

    /// Returns the best matches, without duplicates, and counts the others.
    pub(super) fn choose(&self, set: MatchSet, scope: &Scope) -> (Vec<Match>, OtherMatches) {
        let MatchSet { by, mut found, guesses } = set;
        if found.len() > 1 && !matches!(by, MatchMethod::Xpath | MatchMethod::Path) {
            let all: HashSet<Index> = found.iter().copied().collect();
            found.retain(|at| !is_duplicate(self.snapshot, *at, &all));
        }
        let mut others = OtherMatches::default();
        if found.len() > 1 {
            let ranked: Vec<_> = found.iter().map(|at| (self.rank(*at), *at)).collect();
            let best = ranked.iter().map(|(rank, _)| *rank).min();
            found.clear();
            for (rank, at) in ranked {
                match best {
                    Some(best) if best < rank => others.add(best, rank),
                    Some(_) | None => found.push(at),
                }
            }
            self.remove_repetitions(&mut found);
            others.deeper = scope.keep_nearest(self.snapshot, &mut found);
        }
        let guess = |at: Index| {
            let is_beside = by == MatchMethod::Beside || guesses.binary_search(&at).is_ok();
            let is_inside = by == MatchMethod::Inside;
            is_inside.then_some(Guess::Inside).or(is_beside.then_some(Guess::Beside))
        };
        let target = |at: Index| {
            let purpose = self.preferences.purpose;
            // A ref means exactly its element.
            if purpose == Purpose::Act && by.is_by_text() {
                self.clickable_around(at)
            } else if purpose == Purpose::TypeText && by != MatchMethod::Ref {
                field_inside(self.snapshot, at).unwrap_or(at)
            } else {
                at
            }
        };
        let mut matches: Vec<Match> = found
            .into_iter()
            .map(|at| {
                let index = target(at);
                let hidden = self.report.is_hidden(index);
                Match { index, by, confidence: by.confidence(), hidden, guess: guess(at) }
            })
            .collect();
        matches.dedup_by_key(|found| found.index);
        (matches, others)
    }

    /// Removes matches that are the same thing for a user as another one inside or around them.
    fn remove_repetitions(&self, found: &mut Vec<Index>) {
        if self.preferences.purpose == Purpose::Read {
            return;
        }
        let all: HashSet<Index> = found.iter().copied().collect();
        let mut repeated = HashSet::new();
        for inner in &all {
            let around = self.snapshot.ancestors(*inner).take(MAX_LEVELS_OF_ROW);
            for outer in around.filter(|up| all.contains(up)) {
                if self.is_same_thing(outer, *inner) {
                    repeated.extend(self.repetition(outer, *inner));
                }
            }
        }
        found.retain(|at| !repeated.contains(at));
    }

    /// Returns which of two elements that are the same thing repeats the other one, which acts. A
    /// control is preferred to the row around it, because a click on the row switches the control.
    /// Otherwise the element with actions is preferred if the actions are known, and the outer one if
    /// not.
    fn repetition(&self, outer: Index, inner: Index) -> Option<Index> {
        let (outside, inside) = (self.snapshot.node(outer), self.snapshot.node(inner));
        match (is_row(outside.role), is_row(inside.role)) {
            (true, false) if inside.role.is_control() => return Some(outer),
            (false, true) if outside.role.is_control() => return None,
            (_, _) => {}
        }
        match (outside.actions.is_empty(), inside.actions.is_empty()) {
            (true, false) => Some(outer),
            (false, true) => Some(inner),
            // GTK 4 puts a button with the action into each menu button.
            (true, true) | (false, false) if outside.role == inside.role => Some(outer),
            (true, true) | (false, false) => Some(inner),
        }
    }

    /// Returns `true` if an element and one inside it have the same name and act as one.
    fn is_same_thing(&self, outer: Index, inner: Index) -> bool {
        let (outside, inside) = (self.snapshot.node(outer), self.snapshot.node(inner));
        let in_menu = matches!(outside.role, Role::Menu | Role::MenuItem | Role::PopupMenu);
        let is_button = matches!(inside.role, Role::Button | Role::ToggleButton | Role::MenuButton);
        (outside.role != inside.role || is_button)
            && !in_menu
            && fold_label(&outside.name) == fold_label(&inside.name)
    }

    /// Returns the row, button, link or tab around a text: a click on the text is a click on that.
    fn clickable_around(&self, at: Index) -> Index {
        let node = self.snapshot.node(at);
        let is_text = is_label(node.role) || matches!(node.role, Role::Image | Role::Paragraph);
        if !is_text || !node.actions.is_empty() {
            return at;
        }
        let around = self.snapshot.ancestors(at).take(MAX_LEVELS_OF_ROW).find(|up| {
            let outer = self.snapshot.node(*up);
            // Items of web pages are texts, too.
            is_row(outer.role) && outer.states.has(State::Selectable)
                || matches!(outer.role, Role::Button | Role::ToggleButton | Role::Link)
                || outer.role == Role::Tab && !is_page_of_tab(self.snapshot, *up, at)
        });
        around.unwrap_or(at)
    }
}

/// A longer description explains an element and does not name it.
const MAX_PHRASE_CHARS: usize = 60;

fn is_phrase(description: &str) -> bool {
    description.chars().nth(MAX_PHRASE_CHARS).is_none() && !description.contains('\n')
}

/// The most levels between a row and the texts and controls that stand in it.
const MAX_LEVELS_OF_ROW: usize = 4;

/// Returns `true` for items of collections. A click on one only selects it.
fn is_item(role: Role) -> bool {
    is_row(role) || matches!(role, Role::Cell | Role::Icon | Role::DesktopIcon)
}

fn is_row(role: Role) -> bool {
    matches!(role, Role::ListItem | Role::TableRow | Role::TreeItem)
}

/// Returns `true` for the window of an open dialog. Its elements are preferred to those of other
/// windows.
fn is_open_dialog(window: &Node) -> bool {
    matches!(window.role, Role::Dialog | Role::FileChooser | Role::Alert)
        && window.states.has(State::Showing)
}

impl OtherMatches {
    /// Counts a match under the first property that makes it worse than the best match.
    fn add(&mut self, best: Rank, rank: Rank) {
        let count = if rank.blocked != best.blocked {
            &mut self.blocked
        } else if rank.hidden != best.hidden {
            &mut self.hidden
        } else if rank.suitability != best.suitability {
            &mut self.unsuitable
        } else if rank.reachability != best.reachability {
            &mut self.hidden
        } else if rank.outside_dialog != best.outside_dialog {
            &mut self.outside_dialog
        } else if rank.disabled != best.disabled {
            &mut self.disabled
        } else if rank.in_other_tab != best.in_other_tab {
            &mut self.in_other_tab
        } else {
            &mut self.selects_only
        };
        *count += 1;
    }
}

/// Returns `true` if a match repeats another one: the app's root beside any other element, or the
/// text inside a control with the same name.
fn is_duplicate(snapshot: &Snapshot, at: Index, all: &HashSet<Index>) -> bool {
    if at == Index::ROOT {
        return true;
    }
    let node = snapshot.node(at);
    // Chromium and GTK 4 put a label inside each button, and Qt puts a menu inside each menu title.
    let repeats = is_label(node.role)
        || node.role.is_layout()
        || matches!(node.role, Role::Menu | Role::PopupMenu | Role::Image | Role::Icon);
    repeats
        && snapshot.ancestors(at).take(3).any(|up| {
            up != Index::ROOT
                && all.contains(&up)
                && fold_label(&snapshot.node(up).name) == fold_label(&node.name)
        })
}
