//! Apps that build no tree before somebody asks for it: Chromium and what is made of it.

use std::{
    thread,
    time::{Duration, Instant},
};

use deskhand_model::{App, NodeId, Notice, Role, Snapshot};
use deskhand_platform::{Deadline, Extent, Result};

use super::{
    Value,
    room::{MESSAGE, Room, lock},
    system::Ax,
};

/// What Chromium and Electron want to hear at their start.
const CHROMIUM_FLAG: &str = "--force-renderer-accessibility";
/// How long a page may take to appear after accessibility was switched on.
const WAKING: Duration = Duration::from_millis(2_000);
/// How often it is looked for meanwhile.
const AGAIN: Duration = Duration::from_millis(150);

/// How an app's accessibility was switched on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Woken {
    /// By the switch Electron made for programs like this one.
    Manual,
    /// By the one VoiceOver uses. While it is on, windows move slowly and may end up elsewhere, so
    /// it is only used where there is no other.
    Enhanced,
    /// It was not; nothing is put back.
    No,
}

impl Woken {
    fn attribute(self) -> Option<&'static str> {
        match self {
            Self::Manual => Some("AXManualAccessibility"),
            Self::Enhanced => Some("AXEnhancedUserInterface"),
            Self::No => None,
        }
    }
}

/// What an app says of one of its switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Switch {
    On,
    Off,
    /// It has none, or does not tell.
    Missing,
}

impl Switch {
    fn of<E: Clone>(value: Option<&Value<E>>) -> Self {
        match value.and_then(Value::flag) {
            Some(true) => Self::On,
            Some(false) => Self::Off,
            None => Self::Missing,
        }
    }
}

/// Whether such an app may sleep.
fn sleeps(toolkit: &str) -> bool {
    matches!(toolkit, "Electron" | "Chromium")
}

/// Which switch to turn.
fn choice(toolkit: &str, manual: Switch, enhanced: Switch) -> Woken {
    if manual == Switch::On || enhanced == Switch::On {
        return Woken::No;
    }
    match toolkit {
        // Electron takes its switch also where it does not list it (electron#38102).
        "Electron" => Woken::Manual,
        "Chromium" if manual == Switch::Off => Woken::Manual,
        "Chromium" => Woken::Enhanced,
        _other => Woken::No,
    }
}

impl<G: Ax> Room<G> {
    /// Looks at a part of an app, or at all of it; one that sleeps is woken first.
    pub(crate) fn look(
        &self,
        app: &App,
        from: &NodeId,
        within: &Extent,
        by: Deadline,
    ) -> Result<Snapshot> {
        let whole = *from == app.root;
        if !whole || !sleeps(&app.toolkit.name) {
            return self.walk(app, from, within, by);
        }
        let fresh = self.wake(app, by);
        let start = Instant::now();
        loop {
            let mut snapshot = self.walk(app, from, within, by)?;
            if !looks_switched_off(&snapshot) {
                return Ok(snapshot);
            }
            if !fresh || start.elapsed() > WAKING || by.left() < AGAIN * 2 {
                snapshot.remark(Notice::AccessibilityOff { flag: CHROMIUM_FLAG.to_owned() });
                return Ok(snapshot);
            }
            thread::sleep(AGAIN);
        }
    }

    /// Switches the accessibility of an app on, once; says whether that was now.
    fn wake(&self, app: &App, by: Deadline) -> bool {
        if lock(&self.woken).contains_key(&app.id) {
            return false;
        }
        let Some(root) = self.ax.application(app.pid) else { return false };
        let switches = ["AXManualAccessibility", "AXEnhancedUserInterface"];
        // An app that does not answer tells so when it is looked at.
        let Ok(told) = self.facts(&root, &switches, by) else { return false };
        let [manual, enhanced] = switches.map(|name| Switch::of(told.get(name)));
        let how = choice(&app.toolkit.name, manual, enhanced);
        if let Some(name) = how.attribute() {
            // Electron up to 22 does what it is told and answers that it cannot (electron#37465), so
            // only the tree tells whether it worked.
            let _told_by_the_tree =
                self.ax.set(&root, name, &Value::Flag(true), by.or_after(MESSAGE));
        }
        // Nobody waits for a switch another is turning; whoever turned one has it put back.
        let mut woken = lock(&self.woken);
        let noted = woken.entry(app.id.clone()).or_insert(how);
        if *noted == Woken::No {
            *noted = how;
        }
        how != Woken::No
    }
}

impl<G: Ax> Drop for Room<G> {
    /// Puts back every switch that was turned from here.
    fn drop(&mut self) {
        const LAST: Duration = Duration::from_millis(200);
        for (app, how) in lock(&self.woken).drain() {
            let host = super::identity::Host::of_app(&app);
            let same = host.filter(|host| self.ax.started(host.pid) == host.started);
            let root = same.and_then(|host| self.ax.application(host.pid));
            if let (Some(root), Some(name)) = (root, how.attribute()) {
                // An app that does not answer now keeps its tree, which costs it some time only.
                let _kept = self.ax.set(&root, name, &Value::Flag(false), Deadline::after(LAST));
            }
        }
    }
}

/// A Chromium window has a title bar's worth of elements and no page while its accessibility is
/// off.
fn looks_switched_off(snapshot: &Snapshot) -> bool {
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
    fn only_what_sleeps_is_woken_and_by_the_gentlest_switch() {
        use Switch::{Missing, Off, On};
        assert_eq!(choice("Electron", Missing, Missing), Woken::Manual);
        assert_eq!(choice("Electron", On, Missing), Woken::No);
        assert_eq!(choice("Chromium", Off, Off), Woken::Manual);
        assert_eq!(choice("Chromium", Missing, Off), Woken::Enhanced);
        assert_eq!(choice("Chromium", Missing, Missing), Woken::Enhanced);
        assert_eq!(choice("Chromium", Missing, On), Woken::No);
        assert_eq!(choice("AppKit", Off, Off), Woken::No);
        assert!(sleeps("Electron") && !sleeps("Qt"));
    }

    #[test]
    fn a_switch_without_a_value_is_missing() {
        assert_eq!(Switch::of::<u32>(None), Switch::Missing);
        assert_eq!(Switch::of(Some(&Value::<u32>::Flag(true))), Switch::On);
        assert_eq!(Switch::of(Some(&Value::<u32>::Whole(0))), Switch::Off);
    }
}
