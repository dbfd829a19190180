//! Chromium and Electron apps build no accessibility tree until a client switches it on.

use std::{thread, time::Instant};

use deskhand_model::{App, NodeId, Notice, Role, Snapshot};
use deskhand_platform::{Deadline, Result, WalkOptions};

use super::{Value, ax_api::AxApi, session::AxSession};
use crate::timing::{
    CHROMIUM_POLL_INTERVAL, CHROMIUM_TREE_TIMEOUT, MESSAGE_TIMEOUT, SWITCH_RESTORE_TIMEOUT,
};

/// The command-line flag that starts Chromium and Electron apps with accessibility on.
const CHROMIUM_FLAG: &str = "--force-renderer-accessibility";

/// The attribute that switched an app's accessibility on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessibilitySwitch {
    /// `AXManualAccessibility`, which Electron made for assistive programs.
    Manual,
    /// `AXEnhancedUserInterface`, which VoiceOver uses. While it is on, windows move slowly and may end
    /// up elsewhere, so it is used only if there is no other switch.
    Enhanced,
    /// No switch was set, so none is restored.
    None,
}

impl AccessibilitySwitch {
    fn attribute(self) -> Option<&'static str> {
        match self {
            Self::Manual => Some("AXManualAccessibility"),
            Self::Enhanced => Some("AXEnhancedUserInterface"),
            Self::None => None,
        }
    }
}

/// The state of a switch as the app reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SwitchState {
    On,
    Off,
    /// The app does not have the switch or does not report it.
    Missing,
}

impl SwitchState {
    fn from_value<E: Clone>(value: Option<&Value<E>>) -> Self {
        match value.and_then(Value::flag) {
            Some(true) => Self::On,
            Some(false) => Self::Off,
            None => Self::Missing,
        }
    }
}

/// Returns `true` if apps of this toolkit start without an accessibility tree.
fn starts_without_tree(toolkit: &str) -> bool {
    matches!(toolkit, "Electron" | "Chromium")
}

/// Chooses the switch to set.
fn choose_switch(toolkit: &str, manual: SwitchState, enhanced: SwitchState) -> AccessibilitySwitch {
    if manual == SwitchState::On || enhanced == SwitchState::On {
        return AccessibilitySwitch::None;
    }
    match toolkit {
        // Electron accepts its switch even if it does not list it (electron#38102).
        "Electron" => AccessibilitySwitch::Manual,
        "Chromium" if manual == SwitchState::Off => AccessibilitySwitch::Manual,
        "Chromium" => AccessibilitySwitch::Enhanced,
        _other => AccessibilitySwitch::None,
    }
}

impl<A: AxApi> AxSession<A> {
    /// Reads a subtree of an app. If it is the whole app, switches its accessibility on first.
    pub(crate) fn snapshot(
        &self,
        app: &App,
        from: &NodeId,
        within: &WalkOptions,
        deadline: Deadline,
    ) -> Result<Snapshot> {
        let whole = *from == app.root;
        if !whole || !starts_without_tree(&app.toolkit.name) {
            return self.walk(app, from, within, deadline);
        }
        let switched_on = self.enable_accessibility(app, deadline);
        let start = Instant::now();
        loop {
            let mut snapshot = self.walk(app, from, within, deadline)?;
            if !has_no_page(&snapshot) {
                return Ok(snapshot);
            }
            if !switched_on
                || start.elapsed() > CHROMIUM_TREE_TIMEOUT
                || deadline.remaining() < CHROMIUM_POLL_INTERVAL * 2
            {
                snapshot.add_notice(Notice::AccessibilityOff { flag: CHROMIUM_FLAG.to_owned() });
                return Ok(snapshot);
            }
            thread::sleep(CHROMIUM_POLL_INTERVAL);
        }
    }

    /// Switches an app's accessibility on, once. Returns `true` if this call did it.
    fn enable_accessibility(&self, app: &App, deadline: Deadline) -> bool {
        if self.switches.lock().contains_key(&app.id) {
            return false;
        }
        let Some(root) = self.ax.app_element(app.pid) else { return false };
        let names = ["AXManualAccessibility", "AXEnhancedUserInterface"];
        // If the app does not answer, the walk that follows reports it.
        let Ok(attributes) = self.read_attributes(&root, &names, deadline) else { return false };
        let [manual, enhanced] = names.map(|name| SwitchState::from_value(attributes.get(name)));
        let switch = choose_switch(&app.toolkit.name, manual, enhanced);
        if let Some(name) = switch.attribute() {
            // Electron up to 22 sets the switch and reports an error (electron#37465), so only the tree
            // shows the result.
            let _ = self.ax.set_attribute(
                &root,
                name,
                &Value::Flag(true),
                deadline.at_most(MESSAGE_TIMEOUT),
            );
        }
        // The lock is not held during the messages, so another thread may have set a switch too.
        let mut switches = self.switches.lock();
        let recorded = switches.entry(app.id.clone()).or_insert(switch);
        if *recorded == AccessibilitySwitch::None {
            *recorded = switch;
        }
        switch != AccessibilitySwitch::None
    }
}

impl<A: AxApi> Drop for AxSession<A> {
    /// Switches off every switch that was switched on here.
    fn drop(&mut self) {
        for (app, switch) in self.switches.lock().drain() {
            let process = super::identity::AppProcess::from_app_id(&app);
            let same = process.filter(|process| self.ax.start_time(process.pid) == process.started);
            let root = same.and_then(|process| self.ax.app_element(process.pid));
            if let (Some(root), Some(name)) = (root, switch.attribute()) {
                let deadline = Deadline::after(SWITCH_RESTORE_TIMEOUT);
                // An app that does not answer keeps its tree, which only costs it some time.
                let _ = self.ax.set_attribute(&root, name, &Value::Flag(false), deadline);
            }
        }
    }
}

/// Returns `true` if the windows contain no page and few elements. A Chromium window looks like that
/// while its accessibility is off.
fn has_no_page(snapshot: &Snapshot) -> bool {
    let count = |role: Role| snapshot.iter().filter(|(_, node)| node.role == role).count();
    let in_windows = snapshot
        .iter()
        .filter(|(_, node)| node.role.is_window())
        .map(|(at, _)| snapshot.subtree_len(at))
        .sum::<usize>();
    count(Role::Window) > 0
        && count(Role::WebDocument) == 0
        && in_windows < 15 * count(Role::Window)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_chromium_apps_are_switched_and_manual_is_preferred() {
        use SwitchState::{Missing, Off, On};
        assert_eq!(choose_switch("Electron", Missing, Missing), AccessibilitySwitch::Manual);
        assert_eq!(choose_switch("Electron", On, Missing), AccessibilitySwitch::None);
        assert_eq!(choose_switch("Chromium", Off, Off), AccessibilitySwitch::Manual);
        assert_eq!(choose_switch("Chromium", Missing, Off), AccessibilitySwitch::Enhanced);
        assert_eq!(choose_switch("Chromium", Missing, Missing), AccessibilitySwitch::Enhanced);
        assert_eq!(choose_switch("Chromium", Missing, On), AccessibilitySwitch::None);
        assert_eq!(choose_switch("AppKit", Off, Off), AccessibilitySwitch::None);
        assert!(starts_without_tree("Electron") && !starts_without_tree("Qt"));
    }

    #[test]
    fn a_switch_without_a_value_is_missing() {
        assert_eq!(SwitchState::from_value::<u32>(None), SwitchState::Missing);
        assert_eq!(SwitchState::from_value(Some(&Value::<u32>::Flag(true))), SwitchState::On);
        assert_eq!(SwitchState::from_value(Some(&Value::<u32>::Whole(0))), SwitchState::Off);
    }
}
