//! The match methods and the order in which they are tried.

use deskhand_model::{AccessibleName, Index, NameSource, Node, Role, Snapshot, Value};
use regex::Regex;

use super::{MatchMethod, belonging, nested::Scope, ranking::Ranking};
use crate::{
    Purpose,
    label::{self, CalledElements, is_label},
    query::{
        LiteralMatch,
        role_words::{self, RoleAndName},
        terms::{TermField, Terms, TextMatch, TextMatchMode, WantedText},
    },
};

/// The elements that one method found, in document order.
#[derive(Debug, Clone)]
pub(super) struct MatchSet {
    pub(super) by: MatchMethod,
    pub(super) found: Vec<Index>,
    /// The found elements that match only by a label beside them, which is a guess.
    pub(super) guesses: Vec<Index>,
}

impl MatchSet {
    pub(super) fn new(by: MatchMethod, found: Vec<Index>) -> Self {
        Self { by, found, guesses: Vec::new() }
    }

    fn called(by: MatchMethod, CalledElements { all, guesses }: CalledElements) -> Self {
        Self { by, found: all, guesses }
    }

    /// Returns another set if this one is empty.
    pub(super) fn or_else(self, other: impl FnOnce() -> Self) -> Self {
        if self.found.is_empty() { other() } else { self }
    }
}

type FieldReader = fn(&Node) -> &str;

/// The texts of an element that a method compares.
#[derive(Clone, Copy)]
enum ComparedText {
    Own(FieldReader),
    /// The label, or the name that is computed.
    OtherName,
}

/// Matches a text by every method, within a scope.
///
/// The first method that finds an element the caller can use wins; if none does, the first that
/// finds anything. Methods that compare whole names come before methods that compare parts: an
/// element that cannot be used now still hides one with another name.
pub(super) fn text(
    snapshot: &Snapshot,
    text: &str,
    ranking: &Ranking<'_>,
    scope: &Scope,
) -> MatchSet {
    // A label or a menu item does not hide the field that a value is for.
    let is_enough =
        |set: &MatchSet| !ranking.purpose().needs_field() || ranking.has_suitable(&set.found);
    let named_set = named(snapshot, text, ranking, scope, None);
    if let Some(set) = named_set.as_ref().filter(|set| is_enough(set)) {
        return set.clone();
    }
    let split = role_words::split(text);
    let with_role =
        split.as_ref().and_then(|split| with_role_words(snapshot, split, ranking, scope));
    if let Some(set) = with_role.as_ref().filter(|set| is_enough(set)) {
        return set.clone();
    }
    let has_name = named_set.as_ref().or(with_role.as_ref());
    if has_name.is_some_and(|set| !ranking.may_serve(&set.found))
        && let Some(set) = belonging::field(snapshot, text, ranking, scope)
    {
        return set;
    }
    if let Some(set) = with_role {
        return set;
    }
    let parts = parts(snapshot, text, ranking, scope);
    match (named_set, parts) {
        (Some(named), Some(parts))
            if !ranking.has_usable(&parts.found) || ranking.holds_value(&named.found) =>
        {
            named
        }
        (Some(_), Some(parts)) | (None, Some(parts)) => parts,
        (Some(named), None) => named,
        (None, None) => {
            let split = split.as_ref();
            let other_role =
                split.and_then(|split| with_other_role(snapshot, text, split, ranking, scope));
            other_role.unwrap_or_else(|| {
                let roles = Role::named(text);
                let found = filter(snapshot, |node| roles.contains(&node.role));
                MatchSet::new(MatchMethod::Role, scope.within(snapshot, found))
            })
        }
    }
}

/// Matches whole names and labels; `None` if nothing matches.
fn named(
    snapshot: &Snapshot,
    text: &str,
    ranking: &Ranking<'_>,
    scope: &Scope,
    accept: Option<&dyn Fn(&Node) -> bool>,
) -> Option<MatchSet> {
    let wanted = WantedText::new(text);
    let mut buffer = String::new();
    let steps = [
        (MatchMethod::TitleExact, TextMatch::Exact),
        (MatchMethod::TitleInsensitive, TextMatch::Insensitive),
        (MatchMethod::TitleInsensitive, TextMatch::Loose),
        (MatchMethod::Label, TextMatch::Loose),
    ];
    let sets = steps.into_iter().map(|(by, step)| {
        let mut set = if by == MatchMethod::Label {
            MatchSet::called(by, labelled_with(snapshot, &wanted, accept.is_some()))
        } else {
            let found = filter(snapshot, |node| wanted.matches(step, &node.name, &mut buffer));
            replace_labels(snapshot, MatchSet::new(by, found), MatchMethod::Label, || {
                let takes_content = accept.is_some() || ranking.purpose() != Purpose::Read;
                labelled_with(snapshot, &wanted, takes_content)
            })
        };
        set.found.retain(|at| accept.is_none_or(|accept| accept(snapshot.node(*at))));
        MatchSet { found: scope.within(snapshot, set.found), ..set }
    });
    first_usable(sets, ranking)
}

/// Matches a text with a role word, such as `the OK button`: the elements with the role. After an
/// article alone, any control with the name is meant.
fn with_role_words(
    snapshot: &Snapshot,
    RoleAndName { name, roles, .. }: &RoleAndName,
    ranking: &Ranking<'_>,
    scope: &Scope,
) -> Option<MatchSet> {
    let is_meant = |node: &Node| {
        if roles.is_empty() { node.role.is_control() } else { roles.contains(&node.role) }
    };
    let set = named(snapshot, name, ranking, scope, Some(&is_meant))?;
    let is_title = set.by != MatchMethod::Label;
    let by = if is_title && !roles.is_empty() { MatchMethod::RoleTitle } else { set.by };
    Some(MatchSet { by, ..set })
}

/// Matches controls with the name but without the stated role: the field beside such a control or,
/// after an article, the control itself. `the Save button` may be an item of a menu, but `Delete row`
/// does not mean `Delete`.
fn with_other_role(
    snapshot: &Snapshot,
    text: &str,
    split: &RoleAndName,
    ranking: &Ranking<'_>,
    scope: &Scope,
) -> Option<MatchSet> {
    let is_control = |node: &Node| node.role.is_control();
    let controls = named(snapshot, &split.name, ranking, scope, Some(&is_control))?;
    let has_role = |at: &Index| split.roles.contains(&snapshot.node(*at).role);
    let beside = || belonging::field(snapshot, text, ranking, scope);
    let field = if ranking.may_serve(&controls.found) { None } else { beside() };
    field.filter(|field| field.found.iter().all(has_role)).or(split.has_article.then_some(controls))
}

/// Matches parts of names, and values, descriptions and identifiers; `None` if nothing matches that
/// the caller may mean.
fn parts(
    snapshot: &Snapshot,
    text: &str,
    ranking: &Ranking<'_>,
    scope: &Scope,
) -> Option<MatchSet> {
    use ComparedText::{OtherName, Own};
    let wanted = WantedText::new(text);
    let mut buffer = String::new();
    let steps: [(MatchMethod, TextMatch, ComparedText); 8] = [
        (MatchMethod::Contains, TextMatch::Part, Own(title)),
        (MatchMethod::Contains, TextMatch::Part, OtherName),
        (MatchMethod::Value, TextMatch::Insensitive, Own(value)),
        (MatchMethod::Value, TextMatch::Part, Own(value)),
        (MatchMethod::Description, TextMatch::Part, Own(description)),
        (MatchMethod::Inside, TextMatch::Part, Own(description)),
        (MatchMethod::Identifier, TextMatch::Exact, Own(identifier)),
        (MatchMethod::Identifier, TextMatch::Insensitive, Own(identifier)),
    ];
    let sets = steps.into_iter().map(|(by, step, compared)| {
        let mut is = |text: &str| wanted.matches(step, text, &mut buffer);
        let mut set = match compared {
            OtherName => MatchSet::called(
                by,
                label::elements_called(snapshot, |name| {
                    is_beside(name) && ranking.accepts_part_of_name(name) && is(name.text)
                }),
            ),
            Own(field) => MatchSet::new(by, filter(snapshot, |node| is(field(node)))),
        };
        if matches!(by, MatchMethod::Description | MatchMethod::Inside) {
            set.found.retain(|at| ranking.accepts_part_of_description(*at));
        }
        if by == MatchMethod::Inside {
            set.found = belonging::inside(snapshot, set.found, ranking);
        }
        set.found = scope.within(snapshot, set.found);
        set.found.retain(|at| ranking.accepts_part(*at));
        if (by, step) == (MatchMethod::Value, TextMatch::Part) {
            set.found.retain(|at| ranking.accepts_part_of_value(*at));
        }
        set
    });
    first_usable(sets, ranking)
}

/// Returns the first set with an element that the caller can use, or else the first set that is not
/// empty. Mousepad pads its menu items with spaces, and the buttons of its hidden toolbar have the
/// exact names.
fn first_usable(
    sets: impl IntoIterator<Item = MatchSet>,
    ranking: &Ranking<'_>,
) -> Option<MatchSet> {
    let mut first = None;
    for set in sets.into_iter().filter(|set| !set.found.is_empty()) {
        if ranking.has_usable(&set.found) {
            return Some(set);
        }
        first.get_or_insert(set);
    }
    first
}

/// Returns the elements with exactly this title.
pub(super) fn title_exact(snapshot: &Snapshot, text: &str) -> MatchSet {
    MatchSet::new(MatchMethod::TitleExact, filter(snapshot, |node| node.name == text))
}

/// Matches a text by one method.
pub(super) fn literal(
    snapshot: &Snapshot,
    text: &str,
    kind: LiteralMatch,
    ranking: &Ranking<'_>,
) -> MatchSet {
    let wanted = WantedText::new(text);
    let takes_content = ranking.purpose() != Purpose::Read;
    match kind {
        LiteralMatch::Exact => {
            let labelled = || labelled_with(snapshot, &wanted, takes_content);
            let titled = title_exact(snapshot, text);
            replace_labels(snapshot, titled, MatchMethod::Label, labelled).or_else(|| {
                MatchSet::called(MatchMethod::Label, labelled_with(snapshot, &wanted, false))
            })
        }
        LiteralMatch::Contains => {
            let mut buffer = String::new();
            let mut is = |text: &str| wanted.matches(TextMatch::Contains, text, &mut buffer);
            let by = MatchMethod::Contains;
            let titled = MatchSet::new(by, filter(snapshot, |node| is(&node.name)));
            replace_labels(snapshot, titled, by, || {
                controls_called(snapshot, takes_content, &mut is)
            })
            .or_else(|| {
                let called = label::elements_called(snapshot, |name| is(name.text));
                MatchSet::called(by, called)
            })
            .or_else(|| {
                let found = filter(snapshot, |node| is(value(node)));
                MatchSet::new(MatchMethod::Value, found)
            })
            .or_else(|| {
                let found = filter(snapshot, |node| is(&node.description));
                MatchSet::new(MatchMethod::Description, found)
            })
        }
        LiteralMatch::Identifier => {
            let found = filter(snapshot, |node| node.identifier == text);
            MatchSet::new(MatchMethod::Identifier, found)
        }
    }
}

/// Matches terms by the first comparison that finds an element the caller can use, or else the first
/// that finds anything: own names, then labels and computed names, and parts of these only if
/// nothing else matches.
pub(super) fn terms(
    snapshot: &Snapshot,
    terms: &Terms,
    mode: TextMatchMode,
    ranking: &Ranking<'_>,
) -> MatchSet {
    let mut buffer = String::new();
    let mut by_own_name = |step: TextMatch| {
        let found = filter(snapshot, |node| terms.matches(node, &[], step, &mut buffer));
        MatchSet::new(method_of(terms, step), found)
    };
    let mut buffer = String::new();
    let mut by_other_name = |by: MatchMethod, step: TextMatch| {
        let mut set = MatchSet::new(by, Vec::new());
        for (at, node) in snapshot.iter().filter(|_| terms.has_name()) {
            let mut names: Vec<_> = label::other_names(snapshot, at).collect();
            if names.is_empty() || !terms.matches(node, &names, step, &mut buffer) {
                continue;
            }
            set.found.push(at);
            names.retain(|name| !name.source.is_guess());
            if !terms.matches(node, &names, step, &mut buffer) {
                set.guesses.push(at);
            }
        }
        set
    };
    let mut sets: Vec<MatchSet> = mode.whole().iter().map(|step| by_own_name(*step)).collect();
    if !sets.is_empty() {
        let is_part = method_of(terms, TextMatch::Loose) == MatchMethod::Contains;
        let by = if is_part { MatchMethod::Contains } else { MatchMethod::Label };
        // Labels end with colons and contain mnemonics.
        sets.push(by_other_name(by, TextMatch::Loose));
    }
    first_usable(sets, ranking)
        .or_else(|| {
            let part = mode.part()?;
            let mut sets = [by_own_name(part), by_other_name(MatchMethod::Contains, part)];
            if mode == TextMatchMode::Any {
                for set in &mut sets {
                    set.found.retain(|at| ranking.accepts_part(*at));
                }
            }
            first_usable(sets, ranking)
        })
        .unwrap_or_else(|| MatchSet::new(method_of(terms, TextMatch::Exact), Vec::new()))
}

fn method_of(terms: &Terms, step: TextMatch) -> MatchMethod {
    match (terms.leading_field(), step) {
        (None, _) => MatchMethod::Role,
        (Some(TermField::Identifier), _) => MatchMethod::Identifier,
        (Some(TermField::Value), _) => MatchMethod::Value,
        (Some(TermField::Description), _) => MatchMethod::Description,
        (Some(TermField::TextContains), _) => MatchMethod::Contains,
        (Some(TermField::Title | TermField::Text), TextMatch::Part | TextMatch::Contains) => {
            MatchMethod::Contains
        }
        (Some(TermField::Title | TermField::Text), TextMatch::Insensitive | TextMatch::Loose) => {
            MatchMethod::TitleInsensitive
        }
        (Some(TermField::Title | TermField::Text), TextMatch::Exact) if terms.roles().is_some() => {
            MatchMethod::RoleTitle
        }
        (Some(TermField::Title | TermField::Text), TextMatch::Exact) => MatchMethod::TitleExact,
    }
}

/// Matches a regular expression by the first of these that finds an element the caller can use, or
/// else the first that finds anything: titles, then values and descriptions, then labels and computed
/// names.
pub(super) fn pattern(snapshot: &Snapshot, pattern: &Regex, ranking: &Ranking<'_>) -> MatchSet {
    let by = MatchMethod::Regex;
    let takes_content = ranking.purpose() != Purpose::Read;
    let by_title = || {
        let found = filter(snapshot, |node| pattern.is_match(&node.name));
        replace_labels(snapshot, MatchSet::new(by, found), by, || {
            controls_called(snapshot, takes_content, |text| pattern.is_match(text))
        })
    };
    let by_text = || {
        let mut found = filter(snapshot, |node| {
            pattern.is_match(value(node)) || pattern.is_match(&node.description)
        });
        found.retain(|at| {
            pattern.is_match(&snapshot.node(*at).description) || ranking.accepts_part_of_value(*at)
        });
        MatchSet::new(by, found)
    };
    let by_other_name = || {
        MatchSet::called(by, label::elements_called(snapshot, |name| pattern.is_match(name.text)))
    };
    let steps: [&dyn Fn() -> MatchSet; 3] = [&by_title, &by_text, &by_other_name];
    first_usable(steps.into_iter().map(|step| step()), ranking)
        .unwrap_or_else(|| MatchSet::new(by, Vec::new()))
}

fn title(node: &Node) -> &str {
    &node.name
}

fn description(node: &Node) -> &str {
    &node.description
}

fn identifier(node: &Node) -> &str {
    &node.identifier
}

fn value(node: &Node) -> &str {
    match &node.value {
        Some(Value::Text { text, .. }) => text,
        Some(Value::Number { .. } | Value::Secret) | None => "",
    }
}

fn filter(snapshot: &Snapshot, mut is: impl FnMut(&Node) -> bool) -> Vec<Index> {
    snapshot.iter().filter(|(_, node)| is(node)).map(|(at, _)| at).collect()
}

/// Returns the elements whose label or computed name is this text.
fn labelled_with(snapshot: &Snapshot, wanted: &WantedText, takes_content: bool) -> CalledElements {
    let mut buffer = String::new();
    controls_called(snapshot, takes_content, |text| {
        wanted.matches(TextMatch::Loose, text, &mut buffer)
    })
}

/// Returns the elements whose label or computed name meets a condition, and those with such a text
/// inside if `takes_content` is `true`.
fn controls_called(
    snapshot: &Snapshot,
    takes_content: bool,
    mut is_meant: impl FnMut(&str) -> bool,
) -> CalledElements {
    label::elements_called(snapshot, |name| {
        (takes_content || is_beside(name)) && is_meant(name.text)
    })
}

/// Returns `true` for a name that comes from outside its element. A text inside an element matches
/// by itself.
fn is_beside(name: AccessibleName<'_>) -> bool {
    name.source != NameSource::Content
}

/// Replaces matches by the controls they name if all of them are labels, because users call a control
/// by its label.
fn replace_labels(
    snapshot: &Snapshot,
    set: MatchSet,
    by: MatchMethod,
    controls: impl FnOnce() -> CalledElements,
) -> MatchSet {
    let is_label = |at: &Index| is_label(snapshot.node(*at).role);
    if set.found.is_empty() || !set.found.iter().all(is_label) {
        return set;
    }
    MatchSet::called(by, controls()).or_else(|| set)
}
