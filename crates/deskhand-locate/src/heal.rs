//! Recovers the element of a ref or path after the app changed.
//!
//! Each method has a confidence. An element below [`MIN_CONFIDENCE`] is suggested but not used,
//! because acting on the wrong element is worse than asking.
//!
//! | method | confidence | reason |
//! |---|---|---|
//! | identifier | 0.95; 0.99 with the same name; 0.75 with another role | identifiers rarely change |
//! | name | 0.60 to 0.90, by the share of matching named ancestors | an `OK` in another dialog is another `OK` |
//! | label or computed name | 0.60 to 0.85, likewise | the same holds for labelled controls |
//! | neighbourhood | 0.85 if all neighbours match, otherwise at most 0.68; lower if the name differs | when a row is removed, the next one takes its place |
//! | structure | at most 0.60 | another element often takes the same position in the tree |
//! | position | at most 0.55 | dialogs open where others were closed |

use deskhand_model::{Index, NodeId, Rect, Role, Snapshot};

use crate::{
    label,
    text::{clip, fold, fold_label, similarity},
    visibility::window_index,
};

/// The minimum confidence at which a recovered element is used.
pub const MIN_CONFIDENCE: f32 = 0.7;

/// The confidence of an element that differs from the one to recover in nothing but its id.
const CERTAIN: f32 = 0.97;

/// The maximum length of the texts in [`TargetTraits`]. Longer texts are compared by their
/// beginnings.
pub(crate) const MAX_TEXT_CHARS: usize = 80;

/// The way an element was recovered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HealMethod {
    /// By the developer's identifier.
    Identifier,
    /// By role and name.
    Name,
    /// By its label, or by the name that is computed for it.
    Label,
    /// By its role, siblings and named container.
    Neighbourhood,
    /// By its position in the tree.
    Structure,
    /// By its position on the screen.
    Position,
}

impl HealMethod {
    /// Returns the stable name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Identifier => "identifier",
            Self::Name => "name",
            Self::Label => "label",
            Self::Neighbourhood => "neighbourhood",
            Self::Structure => "structure",
            Self::Position => "position",
        }
    }
}

/// An element that was recovered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HealedMatch {
    /// The position in the snapshot.
    pub index: Index,
    /// The way it was recovered.
    pub by: HealMethod,
    /// The confidence from 0 to 1.
    pub confidence: f32,
}

impl HealedMatch {
    /// Returns `true` if the confidence is high enough to use the element.
    pub fn is_reliable(&self) -> bool {
        self.confidence >= MIN_CONFIDENCE
    }
}

/// The known traits of the element to recover. Unknown traits are empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct TargetTraits {
    /// The roles it may have.
    pub(crate) roles: Vec<Role>,
    /// The name.
    pub(crate) name: String,
    /// The identifier.
    pub(crate) identifier: String,
    /// The folded text of its label, or of the name that is computed for it.
    pub(crate) label: String,
    /// The top-level window.
    pub(crate) window: Option<NodeId>,
    /// The named ancestors, nearest first.
    pub(crate) above: Vec<NamedAncestor>,
    /// The steps from the root to the element.
    pub(crate) route: Vec<RouteStep>,
    /// The names of the siblings before and after it.
    pub(crate) before: String,
    pub(crate) after: String,
    /// The position on the screen.
    pub(crate) bounds: Option<Rect>,
}

/// An ancestor with a name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NamedAncestor {
    pub(crate) roles: Vec<Role>,
    pub(crate) name: String,
}

/// A step to the nth child, counted among children with these roles or among all.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RouteStep {
    pub(crate) roles: Option<Vec<Role>>,
    pub(crate) number: usize,
}

/// Returns the element that fits the traits best. The first method with a reliable result wins.
pub(crate) fn heal(traits: &TargetTraits, snapshot: &Snapshot) -> Option<HealedMatch> {
    let search = HealSearch::new(traits, snapshot);
    let strategies: [fn(&HealSearch<'_>) -> Option<HealedMatch>; 6] = [
        |search| search.identifier(),
        |search| search.name(),
        |search| search.label(),
        |search| search.neighbourhood(),
        |search| search.structure(),
        |search| search.position(),
    ];
    let mut best: Option<HealedMatch> = None;
    for strategy in strategies {
        let Some(found) = strategy(&search) else { continue };
        if found.is_reliable() {
            return Some(found);
        }
        if best.is_none_or(|best| best.confidence < found.confidence) {
            best = Some(found);
        }
    }
    best
}

/// Returns the element that is certainly the one to recover: its window still exists, and its role,
/// name, containers, neighbours and place in the tree are the same. The app only gave it another id.
pub(crate) fn certain_successor(traits: &TargetTraits, snapshot: &Snapshot) -> Option<HealedMatch> {
    let search = HealSearch::new(traits, snapshot);
    let found = search.name().filter(|found| search.is_certain(*found))?;
    Some(HealedMatch { confidence: CERTAIN, ..found })
}

struct HealSearch<'a> {
    traits: &'a TargetTraits,
    snapshot: &'a Snapshot,
    same_role: Vec<Index>,
}

impl<'a> HealSearch<'a> {
    fn new(traits: &'a TargetTraits, snapshot: &'a Snapshot) -> Self {
        let same_role = snapshot
            .iter()
            .filter(|(at, node)| *at != Index::ROOT && traits.roles.contains(&node.role))
            .map(|(at, _)| at)
            .collect();
        Self { traits, snapshot, same_role }
    }

    fn named(&self, at: Index) -> bool {
        clip(&self.snapshot.node(at).name, MAX_TEXT_CHARS) == self.traits.name
    }

    /// Returns `true` if an element differs from the one to recover in nothing but its id. A name
    /// alone is not enough: when one of two rows is removed, the other has the only button with that
    /// name. Another window with the same content, such as the next question of an app, is about
    /// something else.
    fn is_certain(&self, found: HealedMatch) -> bool {
        let window = window_id(self.snapshot, found.index);
        let neighbours = neighbours(self.snapshot, found.index);
        let has_neighbour = !neighbours.0.is_empty() || !neighbours.1.is_empty();
        !self.traits.name.is_empty()
            && self.named(found.index)
            && window.is_some()
            && window == self.traits.window.as_ref()
            && has_neighbour
            && neighbours == (self.traits.before.clone(), self.traits.after.clone())
            && !self.traits.above.is_empty()
            && self.agreement(found.index) >= 1.0
            && self.structure().is_some_and(|at| at.index == found.index)
    }

    fn identifier(&self) -> Option<HealedMatch> {
        let wanted = &self.traits.identifier;
        if wanted.is_empty() {
            return None;
        }
        let has = |at: &Index| self.snapshot.node(*at).identifier == *wanted;
        let by = HealMethod::Identifier;
        let same: Vec<_> = self.same_role.iter().copied().filter(has).collect();
        if let [index] = same[..] {
            let confidence = if self.named(index) { 0.99 } else { 0.95 };
            return Some(HealedMatch { index, by, confidence });
        }
        if let Some(index) = only(same.iter().copied().filter(|at| self.named(*at))) {
            return Some(HealedMatch { index, by, confidence: 0.9 });
        }
        let any = self.snapshot.iter().map(|(at, _)| at).filter(has);
        only(any).map(|index| HealedMatch { index, by, confidence: 0.75 })
    }

    fn name(&self) -> Option<HealedMatch> {
        if self.traits.name.is_empty() {
            return None;
        }
        let same = self.same_role.iter().copied().filter(|at| self.named(*at));
        let (index, agreement) = self.best(same, |at| Some(self.agreement(at)))?;
        Some(HealedMatch { index, by: HealMethod::Name, confidence: 0.6 + 0.3 * agreement })
    }

    fn label(&self) -> Option<HealedMatch> {
        if self.traits.label.is_empty() {
            return None;
        }
        let called = |at: &Index| {
            label::other_names(self.snapshot, *at)
                .any(|name| label_trait(name.text) == self.traits.label)
        };
        let same = self.same_role.iter().copied().filter(called);
        let (index, agreement) = self.best(same, |at| Some(self.agreement(at)))?;
        Some(HealedMatch { index, by: HealMethod::Label, confidence: 0.6 + 0.25 * agreement })
    }

    fn neighbourhood(&self) -> Option<HealedMatch> {
        let nearest = self.traits.above.first();
        let known = usize::from(!self.traits.before.is_empty())
            + usize::from(!self.traits.after.is_empty())
            + usize::from(nearest.is_some());
        if known < 2 {
            return None;
        }
        let score = |at: Index| {
            let (before, after) = neighbours(self.snapshot, at);
            let same = |was: &str, now: &str| usize::from(!was.is_empty() && was == now);
            let around = nearest.is_some_and(|above| {
                named_above(self.snapshot, at).next().is_some_and(|up| above.is(self.snapshot, up))
            });
            let matching = same(&self.traits.before, &before)
                + same(&self.traits.after, &after)
                + usize::from(around);
            (matching >= 2).then(|| {
                let factor = self.name_similarity_factor(at);
                (0.35 + 0.5 * matching as f32 / known as f32) * factor
            })
        };
        let (index, confidence) = self.best(self.same_role.iter().copied(), score)?;
        Some(HealedMatch { index, by: HealMethod::Neighbourhood, confidence })
    }

    fn structure(&self) -> Option<HealedMatch> {
        let mut current = Index::ROOT;
        for step in &self.traits.route {
            let counts = |child: &Index| {
                let role = self.snapshot.node(*child).role;
                step.roles.as_ref().is_none_or(|roles| roles.contains(&role))
            };
            current = self.snapshot.children(current).filter(counts).nth(step.number)?;
        }
        let fits =
            current != Index::ROOT && self.traits.roles.contains(&self.snapshot.node(current).role);
        fits.then(|| {
            let confidence = 0.6 * self.name_similarity_factor(current);
            HealedMatch { index: current, by: HealMethod::Structure, confidence }
        })
    }

    fn position(&self) -> Option<HealedMatch> {
        let was = self.traits.bounds.filter(|bounds| !bounds.is_empty())?;
        let score = |at: Index| {
            let now = self.snapshot.node(at).bounds.filter(|bounds| !bounds.is_empty())?;
            let ((x, y), (was_x, was_y)) = (now.center(), was.center());
            let distance = x.abs_diff(was_x).max(y.abs_diff(was_y));
            let same_size =
                now.width.abs_diff(was.width) <= 2 && now.height.abs_diff(was.height) <= 2;
            let nearness = 1.0 - distance as f32 / 40.0;
            let base = if same_size { 0.55 } else { 0.4 };
            (distance < 40).then_some(base * nearness * self.name_similarity_factor(at))
        };
        let (index, confidence) = self.best(self.same_role.iter().copied(), score)?;
        Some(HealedMatch { index, by: HealMethod::Position, confidence })
    }

    /// Returns the share of the known named ancestors that are still there, from 0 to 1.
    fn agreement(&self, at: Index) -> f32 {
        let known = &self.traits.above;
        if known.is_empty() {
            return 1.0;
        }
        let around: Vec<_> = named_above(self.snapshot, at).collect();
        let present =
            known.iter().filter(|above| around.iter().any(|up| above.is(self.snapshot, *up)));
        present.count() as f32 / known.len() as f32
    }

    /// Returns a factor that is below 1 if the name changed.
    fn name_similarity_factor(&self, at: Index) -> f32 {
        let (was, now) = (fold(&self.traits.name), fold(&self.snapshot.node(at).name));
        match (was.is_empty(), now.is_empty()) {
            (true, true) => 1.0,
            (true, false) | (false, true) => 0.8,
            (false, false) => 0.7 + 0.3 * similarity(&was, &now),
        }
    }

    /// Returns the element with the highest score, or `None` if two elements share it.
    fn best(
        &self,
        of: impl Iterator<Item = Index>,
        score: impl Fn(Index) -> Option<f32>,
    ) -> Option<(Index, f32)> {
        let mut best: Option<(Index, f32)> = None;
        let mut shared = false;
        for at in of {
            let Some(score) = score(at) else { continue };
            match best {
                Some((_, high)) if score < high => {}
                Some((_, high)) if score == high => shared = true,
                Some(_) | None => (best, shared) = (Some((at, score)), false),
            }
        }
        best.filter(|_| !shared)
    }
}

impl NamedAncestor {
    /// Returns `true` if an element is this ancestor. Window titles contain document names, so a
    /// similar name is enough.
    fn is(&self, snapshot: &Snapshot, at: Index) -> bool {
        let node = snapshot.node(at);
        self.roles.contains(&node.role)
            && similarity(&fold(&self.name), &fold(&clip(&node.name, MAX_TEXT_CHARS))) >= 0.9
    }
}

/// Returns the id of the top-level window that contains an element.
pub(crate) fn window_id(snapshot: &Snapshot, at: Index) -> Option<&NodeId> {
    window_index(snapshot, at).map(|window| &snapshot.node(window).id)
}

/// Folds and shortens the text of a label for [`TargetTraits`].
pub(crate) fn label_trait(text: &str) -> String {
    clip(&fold_label(text), MAX_TEXT_CHARS)
}

/// Iterates over the named ancestors of an element except the root, nearest first.
pub(crate) fn named_above(snapshot: &Snapshot, at: Index) -> impl Iterator<Item = Index> {
    let around = snapshot.ancestors(at).filter(|up| *up != Index::ROOT);
    around.filter(|up| !snapshot.node(*up).name.is_empty())
}

/// Returns the names of the siblings directly before and after an element.
pub(crate) fn neighbours(snapshot: &Snapshot, at: Index) -> (String, String) {
    let Some(parent) = snapshot.parent(at) else { return Default::default() };
    let mut before = None;
    let mut siblings = snapshot.children(parent);
    for sibling in siblings.by_ref() {
        if sibling == at {
            break;
        }
        before = Some(sibling);
    }
    let name = |at: Option<Index>| at.map(|at| clip(&snapshot.node(at).name, MAX_TEXT_CHARS));
    (name(before).unwrap_or_default(), name(siblings.next()).unwrap_or_default())
}

fn only(mut all: impl Iterator<Item = Index>) -> Option<Index> {
    all.next().filter(|_| all.next().is_none())
}
