//! Finds again what a ref or a path named, after the app changed. Each strategy says how sure it
//! is; what is below the threshold is told but not used, because acting on the wrong element costs
//! more than a question.
//!
//! | strategy | confidence | why |
//! |---|---|---|
//! | identifier | 0.95, 0.99 with the same name, 0.75 in another role | a programmer's name rarely moves |
//! | name | 0.60 to 0.90 by how much of the surroundings agrees | an `OK` in another dialog is another `OK` |
//! | label | 0.60 to 0.85 likewise | the same for what a label names |
//! | neighbourhood | 0.85 when all of it agrees, else at most 0.68; less the more the name differs | the next row moves up when one goes |
//! | structure | at most 0.60 | the same place in the tree is often taken by another |
//! | position | at most 0.55 | dialogs open where others closed |

use deskhand_model::{Index, Rect, Role, Snapshot};

use crate::{
    label,
    text::{clip, fold, similarity},
};

/// How sure healing must be before its element is used.
pub const MIN_CONFIDENCE: f32 = 0.7;

/// How long the texts that traits keep are; longer ones are compared by their beginnings.
pub(crate) const MAX_TEXT_CHARS: usize = 80;

/// How an element was found again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HealMethod {
    /// HealMethod the identifier its programmer gave it.
    Identifier,
    /// HealMethod role and name.
    Name,
    /// HealMethod the label that names it.
    Label,
    /// HealMethod role and what stands around it.
    Neighbourhood,
    /// HealMethod its place in the tree.
    Structure,
    /// HealMethod its place on the screen.
    Position,
}

impl HealMethod {
    /// The stable word for it.
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

/// An element that was found again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HealedMatch {
    /// Where it stands.
    pub index: Index,
    /// How it was found.
    pub by: HealMethod,
    /// How sure that is, from 0 to 1.
    pub confidence: f32,
}

impl HealedMatch {
    /// Whether it is sure enough to be used.
    pub fn is_reliable(&self) -> bool {
        self.confidence >= MIN_CONFIDENCE
    }
}

/// What is known of an element that is looked for; what is unknown is empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct TargetTraits {
    /// The roles it may have.
    pub(crate) roles: Vec<Role>,
    /// Its name.
    pub(crate) name: String,
    /// Its identifier.
    pub(crate) identifier: String,
    /// The folded text of its label.
    pub(crate) label: String,
    /// The named elements around it, the nearest first.
    pub(crate) above: Vec<NamedAncestor>,
    /// The way down from the root.
    pub(crate) route: Vec<RouteStep>,
    /// The name of the sibling before it, and after it.
    pub(crate) before: String,
    pub(crate) after: String,
    /// Where it was on the screen.
    pub(crate) bounds: Option<Rect>,
}

/// A named element around another.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NamedAncestor {
    pub(crate) roles: Vec<Role>,
    pub(crate) name: String,
}

/// One step down: the nth child, counted among those of these roles or among all.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RouteStep {
    pub(crate) roles: Option<Vec<Role>>,
    pub(crate) number: usize,
}

/// The element the traits fit best; strategies are asked in order and the first sure one wins.
pub(crate) fn heal(traits: &TargetTraits, snapshot: &Snapshot) -> Option<HealedMatch> {
    let alike: Vec<Index> = snapshot
        .iter()
        .filter(|(at, node)| *at != Index::ROOT && traits.roles.contains(&node.role))
        .map(|(at, _)| at)
        .collect();
    let search = HealSearch { traits, snapshot, alike };
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

struct HealSearch<'a> {
    traits: &'a TargetTraits,
    snapshot: &'a Snapshot,
    alike: Vec<Index>,
}

impl HealSearch<'_> {
    fn named(&self, at: Index) -> bool {
        clip(&self.snapshot.node(at).name, MAX_TEXT_CHARS) == self.traits.name
    }

    fn identifier(&self) -> Option<HealedMatch> {
        let wanted = &self.traits.identifier;
        if wanted.is_empty() {
            return None;
        }
        let has = |at: &Index| self.snapshot.node(*at).identifier == *wanted;
        let by = HealMethod::Identifier;
        let same: Vec<_> = self.alike.iter().copied().filter(has).collect();
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
        let same = self.alike.iter().copied().filter(|at| self.named(*at));
        let (index, agreement) = self.best(same, |at| Some(self.agreement(at)))?;
        Some(HealedMatch { index, by: HealMethod::Name, confidence: 0.6 + 0.3 * agreement })
    }

    fn label(&self) -> Option<HealedMatch> {
        if self.traits.label.is_empty() {
            return None;
        }
        let pairs = label::pairs(self.snapshot);
        let labelled = pairs.iter().filter(|(label, control)| {
            self.alike.binary_search(control).is_ok()
                && crate::text::fold_label(&self.snapshot.node(*label).name) == self.traits.label
        });
        let mut same: Vec<_> = labelled.map(|(_, control)| *control).collect();
        same.dedup();
        let (index, agreement) = self.best(same.into_iter(), |at| Some(self.agreement(at)))?;
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
            let met = same(&self.traits.before, &before)
                + same(&self.traits.after, &after)
                + usize::from(around);
            (met >= 2).then(|| {
                let kept = self.name_similarity_factor(at);
                (0.35 + 0.5 * met as f32 / known as f32) * kept
            })
        };
        let (index, confidence) = self.best(self.alike.iter().copied(), score)?;
        Some(HealedMatch { index, by: HealMethod::Neighbourhood, confidence })
    }

    fn structure(&self) -> Option<HealedMatch> {
        let mut here = Index::ROOT;
        for turn in &self.traits.route {
            let counts = |child: &Index| {
                let role = self.snapshot.node(*child).role;
                turn.roles.as_ref().is_none_or(|roles| roles.contains(&role))
            };
            here = self.snapshot.children(here).filter(counts).nth(turn.number)?;
        }
        let fits =
            here != Index::ROOT && self.traits.roles.contains(&self.snapshot.node(here).role);
        fits.then(|| {
            let confidence = 0.6 * self.name_similarity_factor(here);
            HealedMatch { index: here, by: HealMethod::Structure, confidence }
        })
    }

    fn position(&self) -> Option<HealedMatch> {
        let was = self.traits.bounds.filter(|bounds| !bounds.is_empty())?;
        let score = |at: Index| {
            let now = self.snapshot.node(at).bounds.filter(|bounds| !bounds.is_empty())?;
            let ((x, y), (was_x, was_y)) = (now.center(), was.center());
            let far = x.abs_diff(was_x).max(y.abs_diff(was_y));
            let same_size =
                now.width.abs_diff(was.width) <= 2 && now.height.abs_diff(was.height) <= 2;
            let near = 1.0 - far as f32 / 40.0;
            let base = if same_size { 0.55 } else { 0.4 };
            (far < 40).then_some(base * near * self.name_similarity_factor(at))
        };
        let (index, confidence) = self.best(self.alike.iter().copied(), score)?;
        Some(HealedMatch { index, by: HealMethod::Position, confidence })
    }

    /// How much of what was named around the element is still there, from 0 to 1.
    fn agreement(&self, at: Index) -> f32 {
        let known = &self.traits.above;
        if known.is_empty() {
            return 1.0;
        }
        let around: Vec<_> = named_above(self.snapshot, at).collect();
        let kept =
            known.iter().filter(|above| around.iter().any(|up| above.is(self.snapshot, *up)));
        kept.count() as f32 / known.len() as f32
    }

    /// A factor below 1 when the element's name is not the one that was known.
    fn name_similarity_factor(&self, at: Index) -> f32 {
        let (was, now) = (fold(&self.traits.name), fold(&self.snapshot.node(at).name));
        match (was.is_empty(), now.is_empty()) {
            (true, true) => 1.0,
            (true, false) | (false, true) => 0.8,
            (false, false) => 0.7 + 0.3 * similarity(&was, &now),
        }
    }

    /// The one with the highest score; `None` when two share it.
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
    /// Whether an element is this one; window titles carry document names, so nearly is enough.
    fn is(&self, snapshot: &Snapshot, at: Index) -> bool {
        let node = snapshot.node(at);
        self.roles.contains(&node.role)
            && similarity(&fold(&self.name), &fold(&clip(&node.name, MAX_TEXT_CHARS))) >= 0.9
    }
}

/// The named elements around one, the nearest first, without the root.
pub(crate) fn named_above(snapshot: &Snapshot, at: Index) -> impl Iterator<Item = Index> {
    let around = snapshot.ancestors(at).filter(|up| *up != Index::ROOT);
    around.filter(|up| !snapshot.node(*up).name.is_empty())
}

/// The names of the siblings right before and right after an element.
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
