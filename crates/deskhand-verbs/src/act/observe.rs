//! Looks at an app before and after an action, and says what came of it. What the app replied
//! counts for nothing here but how long to wait.

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use deskhand_model::{Event, EventKind, Node, NodeId, Role, Snapshot, State};
use deskhand_platform::{Deadline, Error as PlatformError, Extent, Facets, Reply, Text};

use super::{
    by_hand,
    front::Front,
    goal::{Goal, Moment, Standing},
    heard::{Ear, Mark},
    pick, recent, reveal, signs,
    target::{SEEN, Target},
};
use crate::{
    Context,
    effect::{Evidence, Sign, Verdict},
};

/// How long an effect may take to show.
const PATIENCE: Duration = Duration::from_millis(900);

/// How long an app may go on changing what it was asked to change.
const LONGEST: Duration = Duration::from_secs(6);

/// The same, when the app says it did nothing.
const DECLINED: Duration = Duration::from_millis(250);

/// When the whole app is looked at again, counted from the action.
const LOOKS: &[u64] = &[60, 250, 550, 880];

/// How long after a change elsewhere the app is looked at once more: what goes on changing by then
/// changes on its own.
const CONTROL: Duration = Duration::from_millis(70);

/// The same where elements only came or went.
const ONCE_MORE: Duration = Duration::from_millis(200);

/// An element that kept quiet for so long before an action does not change on its own.
const QUIET: Duration = Duration::from_millis(1_100);

/// How long one look at the element may take.
pub(super) const GLANCE: Duration = Duration::from_millis(250);

/// A look that takes longer than this is not repeated to tell what changed.
const TOO_LONG: Duration = Duration::from_millis(1_000);

/// How long an app may go on doing what an action began before it is looked at.
const HELD: Duration = Duration::from_millis(200);

/// An app that reports nothing for so long is done.
const CALM: Duration = Duration::from_millis(5);

/// The same for an app that has just let go of a button and does what it is for.
const LET_GO: Duration = Duration::from_millis(25);

/// How an app was before an action.
pub(super) struct Observer<'a> {
    cx: &'a Context<'a>,
    target: &'a Target,
    id: NodeId,
    what: String,
    before: Moment,
    windows: Front<'a>,
    ear: Option<Arc<Ear>>,
    mark: Option<Mark>,
}

/// What came of an action.
#[derive(Debug)]
pub(super) struct Seen {
    pub verdict: Verdict,
    pub evidence: Vec<Evidence>,
    /// The app afterwards, when it was looked at.
    pub after: Option<Snapshot>,
    /// The elements that show it.
    answered: Vec<NodeId>,
}

impl Seen {
    fn new(verdict: Verdict, evidence: Vec<Evidence>) -> Self {
        Self { verdict, evidence, after: None, answered: Vec::new() }
    }
}

/// One look at the element.
enum Glance {
    Here(Box<Moment>),
    Gone,
    AppGone,
    Silent,
}

impl<'a> Observer<'a> {
    /// Notes how things are now.
    pub(super) fn begin(
        cx: &'a Context<'a>,
        target: &'a Target,
        goal: &Goal,
        ear: Option<Arc<Ear>>,
    ) -> Self {
        let id = target.node.id.clone();
        let mark = ear.as_ref().map(|ear| ear.mark());
        let mut observer = Self {
            cx,
            target,
            id,
            what: target.label(),
            before: Moment { node: target.node.clone(), text: None, choice: None, in_view: false },
            windows: Front::now(cx.desktop.windows.as_deref(), target.app.pid),
            mark,
            ear,
        };
        observer.before.text = observer.text(goal).unwrap_or_default();
        let keeps = pick::keeps_choice(&target.node);
        observer.before.choice = keeps.then(|| observer.choice()).flatten();
        observer.before.in_view = observer.in_view(goal, &target.node);
        observer
    }

    /// How the element was before.
    pub(super) fn before(&self) -> &Moment {
        &self.before
    }

    /// Whether what the tree tells may be old: browsers do not keep the pages of a minimized window up
    /// to date.
    pub(super) fn is_stale(&self) -> bool {
        by_hand::sleeps_minimized(&self.target.app) && self.windows.all_minimized()
    }

    /// Starts the clock: what comes now comes after the action.
    pub(super) fn sent(&mut self) {
        self.mark = self.ear.as_ref().map(|ear| ear.mark());
    }

    /// Watches until the goal is reached, or nothing more is to be expected.
    pub(super) fn watch(&self, goal: &Goal, reply: Reply) -> Seen {
        let patience = match reply {
            Reply::Declined => DECLINED,
            Reply::Accepted | Reply::Unanswered => PATIENCE,
        };
        let begun = Instant::now();
        let mut last_change = begun;
        let mut astray: Option<Evidence> = None;
        // What an app too busy to answer has done is not known.
        let mut silent = true;
        let mut looks = LOOKS.iter().map(|ms| Duration::from_millis(*ms)).peekable();
        let mut pause = Duration::from_millis(2);
        loop {
            let mark = self.ear.as_ref().map(|ear| ear.mark());
            let glance = self.glance(goal);
            silent &= matches!(glance, Glance::Silent);
            match glance {
                Glance::Here(now) => match goal.standing(&self.before, &now, &self.what) {
                    Standing::Reached(evidence) => return self.reached(evidence),
                    Standing::Astray(evidence) => {
                        // Long texts come in piece by piece.
                        if astray.as_ref() != Some(&evidence) {
                            last_change = Instant::now();
                        }
                        astray = Some(evidence);
                    }
                    Standing::NotYet => {}
                },
                Glance::Gone => {
                    let evidence = Evidence::of(Sign::Elements, format!("{} is gone", self.what));
                    if !goal.is_exact() {
                        return self.reached(evidence);
                    }
                    astray = Some(evidence);
                }
                Glance::AppGone => return self.app_gone(goal),
                Glance::Silent => {}
            }
            if let Some(evidence) = self.windows.news() {
                if !goal.is_exact() {
                    return self.reached(evidence);
                }
                astray.get_or_insert(evidence);
            }
            if !goal.is_exact() {
                if let Some((answered, evidence)) = self.heard(goal) {
                    return Seen { answered: vec![answered], ..self.reached(evidence) };
                }
                let due = looks.next_if(|at| begun.elapsed() >= *at).is_some();
                if due && let Some(seen) = self.changes_elsewhere(goal) {
                    return seen;
                }
            }
            if self.cx.stop.asked() {
                return Seen::new(Verdict::Unverified, Vec::new());
            }
            let is_over = !silent && last_change.elapsed() >= patience;
            if is_over || begun.elapsed() >= LONGEST {
                break;
            }
            self.wait(mark, pause);
            pause = (pause * 2).min(Duration::from_millis(40));
        }
        if self.target.recalled
            && !goal.is_exact()
            && let Some(ear) = &self.ear
        {
            recent::distrust(ear);
        }
        if silent {
            return Seen::new(Verdict::Unverified, Vec::new());
        }
        match (astray, goal.is_exact(), reply) {
            (Some(evidence), ..) => Seen::new(Verdict::Partial, vec![evidence]),
            (None, true, Reply::Accepted | Reply::Declined) | (None, false, Reply::Declined) => {
                Seen::new(Verdict::NoEffect, Vec::new())
            }
            (None, true, Reply::Unanswered)
            | (None, false, Reply::Accepted | Reply::Unanswered) => {
                Seen::new(Verdict::Unverified, Vec::new())
            }
        }
    }

    /// How the element stands to the goal now, given how it was some time before.
    pub(super) fn since(&self, goal: &Goal, before: &Moment) -> Standing {
        match self.glance(goal) {
            Glance::Here(now) => goal.standing(before, &now, &self.what),
            Glance::Gone | Glance::AppGone | Glance::Silent => Standing::NotYet,
        }
    }

    /// What the app's windows were before.
    pub(super) fn windows(&self) -> &Front<'a> {
        &self.windows
    }

    /// What a look afterwards tells of an element nothing else was seen of. A page that is slow to
    /// come takes its button with it only then.
    pub(super) fn gone_by(&self, after: &Snapshot) -> Option<Evidence> {
        lacks(after, &self.id)
            .then(|| Evidence::of(Sign::Elements, format!("{} is gone", self.what)))
    }

    /// Waits until the app is done with what it does, so that a look shows all of it.
    pub(super) fn settle(&self) {
        let begun = Instant::now();
        // Qt 5 holds a button down for 100 ms before it does what the button is for.
        let holds =
            self.before.node.role == Role::Button && !self.before.node.states.has(State::Pressed);
        let mut calm = CALM;
        while holds && begun.elapsed() < HELD {
            match self.glance(&Goal::Happens) {
                Glance::Here(now) if now.node.states.has(State::Pressed) => {
                    calm = LET_GO;
                    std::thread::sleep(Duration::from_millis(10));
                }
                Glance::Here(_) | Glance::Gone | Glance::AppGone | Glance::Silent => break,
            }
        }
        let Some(ear) = &self.ear else { return };
        while begun.elapsed() < HELD + LET_GO {
            let mark = ear.mark();
            ear.wait(mark, calm);
            if ear.since(mark).is_empty() {
                return;
            }
        }
    }

    /// Remembers what an action changed: the next time that is a sign at once.
    pub(super) fn remember(&self, seen: &Seen) {
        if let (Some(ear), Some(mark)) = (&self.ear, self.mark)
            && seen.verdict == Verdict::Confirmed
        {
            ear.worked(&self.id, seen.answered.clone(), mark);
        }
    }

    /// The app after an action that was seen to work: what it reported, or all of it.
    pub(super) fn outcome(&self) -> Option<Snapshot> {
        let (target, facets) = (self.target, self.target.look.facets);
        let Some(ear) = &self.ear else { return self.look() };
        if target.recalled
            && let Some(after) = recent::recall(self.cx, &target.app, ear, facets)
        {
            return Some(after);
        }
        let mark = ear.mark();
        let after = self.look()?;
        if let Some(since) = target.since
            && !target.recalled
        {
            recent::learn(ear, &target.look.snapshot, &after, since);
        }
        recent::keep(ear, after.clone(), facets, mark);
        Some(after)
    }

    /// The whole app as it is now; `None` when that would take too long.
    pub(super) fn look(&self) -> Option<Snapshot> {
        if self.target.look_takes > TOO_LONG {
            return None;
        }
        let by = Deadline::after(TOO_LONG * 2);
        let app = &self.target.app;
        // A look that fails leaves the changes untold, which the answer shows.
        let within = Extent::of(self.target.look.facets);
        let after = self.cx.desktop.tree.walk(app, &app.root, &within, by).ok()?;
        Some(after.known_from(&self.target.look.snapshot))
    }

    fn reached(&self, evidence: Evidence) -> Seen {
        Seen::new(Verdict::Confirmed, vec![evidence])
    }

    fn app_gone(&self, goal: &Goal) -> Seen {
        let evidence = Evidence::of(Sign::Process, format!("{} ended", self.target.app.name));
        let verdict = if goal.is_exact() { Verdict::Partial } else { Verdict::Confirmed };
        Seen::new(verdict, vec![evidence])
    }

    fn wait(&self, mark: Option<Mark>, pause: Duration) {
        match (&self.ear, mark) {
            (Some(ear), Some(mark)) => ear.wait(mark, pause),
            (Some(_) | None, _) => std::thread::sleep(pause),
        }
    }

    /// The text of the element, where the goal needs it; one without text is judged by its value.
    fn text(&self, goal: &Goal) -> deskhand_platform::Result<Option<Text>> {
        if !goal.needs_text() {
            return Ok(None);
        }
        let by = Deadline::after(GLANCE * 4);
        self.cx.desktop.tree.text(&self.target.app, &self.id, by)
    }

    fn glance(&self, goal: &Goal) -> Glance {
        let by = Deadline::after(GLANCE);
        let ids = std::slice::from_ref(&self.id);
        // Where it is matters only when that is the goal, and costs as much as all the rest.
        let what = Facets { bounds: *goal == Goal::InView, hidden: true, ..SEEN };
        match self.cx.desktop.tree.read(&self.target.app, ids, what, by) {
            Ok(mut nodes) => match nodes.pop().flatten() {
                Some(mut node) => {
                    if node.name.is_empty() {
                        node.name.clone_from(&self.before.node.name);
                    }
                    let choice = self.before.choice.as_ref().and_then(|_| self.choice());
                    let in_view = self.in_view(goal, &node);
                    let Ok(text) = self.text(goal) else { return Glance::Silent };
                    Glance::Here(Box::new(Moment { node, text, choice, in_view }))
                }
                None => Glance::Gone,
            },
            Err(PlatformError::Gone { .. } | PlatformError::Broken { .. }) => {
                if self.app_runs() {
                    Glance::Gone
                } else {
                    Glance::AppGone
                }
            }
            Err(_) => Glance::Silent,
        }
    }

    /// What the element shows as its choice now.
    fn choice(&self) -> Option<String> {
        pick::shown(self.cx, &self.target.app, &self.id, Deadline::after(GLANCE))
    }

    fn in_view(&self, goal: &Goal, node: &Node) -> bool {
        *goal == Goal::InView
            && reveal::is_in_view(self.cx, self.target, node, Deadline::after(GLANCE))
    }

    fn app_runs(&self) -> bool {
        let apps = self.cx.desktop.tree.apps(Deadline::after(GLANCE));
        // A list that does not come says nothing of the app.
        apps.map_or(true, |apps| apps.iter().any(|app| app.id == self.target.app.id))
    }

    /// What the app reported since that can only come from the action: something about the element
    /// itself, or about one that had kept quiet for long.
    fn heard(&self, goal: &Goal) -> Option<(NodeId, Evidence)> {
        let (ear, mark) = (self.ear.as_ref()?, self.mark?);
        let events = ear.since(mark);
        let own = events
            .iter()
            .filter(|event| goal.hears(event))
            .find(|event| event.node.as_ref() == Some(&self.id) && signs::counts(event));
        if let Some(event) = own {
            let words = format!("{} reported {}", self.what, described(event));
            return Some((self.id.clone(), Evidence::of(Sign::Event, words)));
        }
        if self.is_stale() {
            return None;
        }
        let calm = |event: &&Event| {
            signs::counts_elsewhere(event)
                && event
                    .node
                    .as_ref()
                    .is_some_and(|node| ear.quiet_before(mark, node, &self.id) >= QUIET)
        };
        let calm: Vec<NodeId> =
            events.iter().filter(calm).filter_map(|event| event.node.clone()).take(8).collect();
        if calm.is_empty() {
            return None;
        }
        signs::read(self.cx, &self.target.app, &self.target.look.snapshot, &calm)
            .filter(|(_, evidence)| goal.takes(evidence))
    }

    /// What is different elsewhere in the app, and does not go on changing on its own.
    fn changes_elsewhere(&self, goal: &Goal) -> Option<Seen> {
        // What changed in silence since an earlier look would be taken for an effect, and so would
        // what a browser changes once in a while in a window that is minimized.
        if self.target.recalled || self.is_stale() {
            return None;
        }
        let before = &self.target.look.snapshot;
        let after = self.look()?;
        if signs::between(before, &after, &HashSet::new()).is_empty() {
            return None;
        }
        std::thread::sleep(CONTROL);
        let later = self.look()?;
        let later = later.known_from(&after);
        let mut restless: HashSet<NodeId> = signs::changed(&after, &later);
        if let (Some(ear), Some(mark)) = (&self.ear, self.mark) {
            // A page that is late with its clock seems to stand still from one look to the next.
            restless.extend(ear.stirring(mark, QUIET, signs::is_stirring));
        }
        let mut evidence = signs::between(before, &after, &restless);
        evidence.retain(|one| goal.takes(one));
        if evidence.iter().all(|one| one.sign == Sign::Elements) && !evidence.is_empty() {
            // A busy page shows its clock late, and then a whole second at once.
            std::thread::sleep(ONCE_MORE);
            let last = self.look()?.known_from(&after);
            restless.extend(signs::changed(&after, &last));
            evidence = signs::between(before, &after, &restless);
            evidence.retain(|one| goal.takes(one));
        }
        if evidence.is_empty() {
            return None;
        }
        evidence.truncate(4);
        let changed = signs::changed(before, &after).into_iter();
        let answered = changed.filter(|id| !restless.contains(id)).collect();
        Some(Seen { verdict: Verdict::Confirmed, evidence, after: Some(later), answered })
    }
}

/// Whether a look that left nothing out is without the element.
fn lacks(after: &Snapshot, id: &NodeId) -> bool {
    after.cuts().next().is_none() && after.position(id).is_none()
}

fn described(event: &Event) -> String {
    if !matches!(event.kind, EventKind::StateChanged | EventKind::FocusChanged) {
        return event.kind.word().replace('_', " ");
    }
    let not = if event.on { "" } else { "not " };
    let detail = if event.detail.is_empty() { "focused" } else { &event.detail };
    format!("{not}{detail}")
}

#[cfg(test)]
mod tests {
    use deskhand_model::{Cut, Node, Role};

    use super::*;
    use crate::testing::app;

    #[test]
    fn an_element_is_gone_only_from_a_look_that_left_nothing_out() {
        let look = |cut: Option<Cut>| {
            let mut page = Node::new(NodeId::new("page"), Role::WebDocument);
            page.cut = cut;
            Snapshot::assemble(app("page"), vec![page], &[Vec::new()])
        };
        assert!(lacks(&look(None), &NodeId::new("button")));
        assert!(!lacks(&look(None), &NodeId::new("page")));
        assert!(!lacks(&look(Some(Cut::Deadline)), &NodeId::new("button")));
    }
}
