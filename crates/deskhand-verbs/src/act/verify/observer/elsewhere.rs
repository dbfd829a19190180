//! Finds effects of an action in the rest of the app.

use std::{collections::HashSet, time::Duration};

use deskhand_model::{Event, NodeId, Role, Snapshot};

use super::{
    super::{expectation::Expectation, side_effects},
    Observation, Observer,
};
use crate::{
    act::timing,
    effect::{ActionEffect, Evidence, EvidenceKind},
};

impl Observer<'_> {
    /// Returns `true` if something besides the target changed. Numbers alone do not count, because
    /// statistics update themselves. The other buttons of an exclusive group do not count either:
    /// one of them is switched off together with the target, also if the app does not react.
    pub(crate) fn has_reaction(&self, after: &Snapshot) -> bool {
        let before = &self.target.tree.snapshot;
        let role = self.target.node.role;
        let mut target = HashSet::from([self.id.clone()]);
        if matches!(role, Role::RadioButton | Role::ToggleButton | Role::CheckBox) {
            let group = before.ancestors(self.target.index).take(1);
            let members = group.flat_map(|up| before.children(up)).map(|at| before.node(at));
            target.extend(members.filter(|node| node.role == role).map(|node| node.id.clone()));
        }
        self.windows.opened_or_closed().is_some()
            || side_effects::differences(before, after, &target)
                .iter()
                .any(|evidence| !evidence.is_selection() && !evidence.is_counter())
    }

    /// Returns evidence from events that only the action can have caused: those of an element that
    /// was quiet for a long time before. An event of the target itself proves nothing: toolkits
    /// report that an element is armed or selected even if it does nothing.
    pub(super) fn event_evidence(&self, expectation: &Expectation) -> Option<(NodeId, Evidence)> {
        let (listener, position) = (self.listener.as_ref()?, self.position?);
        let events = listener.events_since(position);
        if self.is_stale() {
            return None;
        }
        let is_quiet = |event: &&Event| {
            side_effects::is_effect_elsewhere(event)
                && event.node.as_ref() != Some(&self.id)
                && event.node.as_ref().is_some_and(|node| {
                    listener.quiet_time_before(position, node, &self.id) >= timing::QUIET_PERIOD
                })
        };
        let quiet: Vec<NodeId> =
            events.iter().filter(is_quiet).filter_map(|event| event.node.clone()).take(8).collect();
        if quiet.is_empty() {
            return None;
        }
        side_effects::read_changes(self.cx, &self.target.app, &self.target.tree.snapshot, &quiet)
            .filter(|(_, evidence)| expectation.accepts_evidence(evidence))
            .filter(|(node, evidence)| {
                // Statistics and transfers count at intervals of a few seconds.
                let quiet = listener.quiet_time_before(position, node, &self.id);
                !evidence.is_counter() || quiet >= timing::COUNTER_QUIET_PERIOD
            })
    }

    /// Returns changes elsewhere in the app that do not repeat by themselves. `elapsed` is the time
    /// since the action.
    pub(super) fn side_effects_elsewhere(
        &self,
        expectation: &Expectation,
        elapsed: Duration,
    ) -> Option<Observation> {
        // A cached snapshot misses unreported changes, and a browser updates a minimized window
        // only now and then. Both would be mistaken for effects.
        if self.target.from_cache || self.is_stale() {
            return None;
        }
        let before = &self.target.tree.snapshot;
        let after = self.read_tree()?;
        if side_effects::differences(before, &after, &HashSet::new()).is_empty() {
            return None;
        }
        std::thread::sleep(timing::CONTROL_DELAY);
        let later = self.read_tree()?;
        let later = later.with_ids_from(&after);
        let mut self_updating: HashSet<NodeId> = side_effects::changed_elements(&after, &later);
        if expectation.is_exact() {
            // The list of a closed combo box may show another selection than the box itself.
            let parts = before.subtree(self.target.index).map(|at| before.node(at).id.clone());
            self_updating.extend(parts);
        }
        if let (Some(listener), Some(position)) = (&self.listener, self.position) {
            // A busy page may show the same time in two reads, although its clock runs.
            self_updating.extend(listener.self_updating(
                position,
                timing::QUIET_PERIOD,
                side_effects::is_self_update,
            ));
        }
        let mut evidence = side_effects::differences(before, &after, &self_updating);
        evidence.retain(|one| expectation.accepts_evidence(one));
        if evidence.iter().all(|one| one.kind == EvidenceKind::Elements) && !evidence.is_empty() {
            // A busy page redraws its clock late, after a whole second.
            std::thread::sleep(timing::SECOND_CONTROL_DELAY);
            let last = self.read_tree()?.with_ids_from(&after);
            self_updating.extend(side_effects::changed_elements(&after, &last));
            evidence = side_effects::differences(before, &after, &self_updating);
            evidence.retain(|one| expectation.accepts_evidence(one));
        }
        if elapsed > self.prompt_time() && evidence.iter().all(Evidence::is_counter) {
            // Counters of transfers and statistics change once per second.
            std::thread::sleep(timing::QUIET_PERIOD);
            let last = self.read_tree()?.with_ids_from(&after);
            self_updating.extend(side_effects::changed_elements(&after, &last));
            evidence = side_effects::differences(before, &after, &self_updating);
            evidence.retain(|one| expectation.accepts_evidence(one));
        }
        if evidence.is_empty() {
            return None;
        }
        evidence.truncate(4);
        let changed = side_effects::changed_elements(before, &after).into_iter();
        let changed_nodes = changed.filter(|id| !self_updating.contains(id)).collect();
        Some(Observation {
            verdict: ActionEffect::Confirmed,
            evidence,
            after: Some(later),
            settled: true,
            reverted: false,
            changed_nodes,
        })
    }

    /// Returns the time within which a changed number is taken for an effect.
    fn prompt_time(&self) -> Duration {
        let toolkit = &self.target.app.toolkit;
        let is_gtk4 = toolkit.name == "GTK" && !toolkit.version.starts_with(['2', '3']);
        let press = if is_gtk4 { timing::GTK4_PRESS_TIME } else { Duration::ZERO };
        timing::PROMPT_EFFECT + press
    }
}
