//! What cannot be done through accessibility, and the fact behind each: no opinion of ours, and no
//! refusal of ours, is a reason to be in here.

use super::cell::{Case, Reach, Situation};
use super::toolkit::Toolkit;

use Reach::{Hand, Never, Noisy, Open, Silent};
use Situation::{Focus, Minimized};
use Toolkit::{Chromium, Firefox, Gtk3, Gtk4, Qt5, Qt6, Swing};

/// Cells that need a real hand, or leave no trace.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    /// In these toolkits.
    pub toolkits: &'static [Toolkit],
    /// In these situations.
    pub situations: &'static [Situation],
    /// Widgets, each with an action or `*` for all of them.
    pub cells: &'static [(&'static str, &'static str)],
    /// How far they get.
    pub reach: Reach,
    /// Why.
    pub fact: &'static str,
}

const ALL: &[Toolkit] = &Toolkit::ALL;
const NATIVE: &[Toolkit] = &[Gtk3, Gtk4, Qt5, Qt6, Swing];
const QT: &[Toolkit] = &[Qt5, Qt6];
const WEB: &[Toolkit] = &[Chromium, Firefox];
const ANY: &[Situation] = &Situation::ALL;

/// Every limit. Behind each is what pyatspi got, or what the app's own log said against its tree.
pub const LIMITS: &[Limit] = &[
    Limit {
        toolkits: NATIVE,
        situations: &[Minimized],
        cells: &[("menu", "click")],
        reach: Hand,
        fact: "no toolkit shows a menu of a window that is not on the screen",
    },
    Limit {
        toolkits: &[Gtk4],
        situations: ANY,
        cells: &[("menu", "click")],
        reach: Hand,
        fact: "the menus in a GTK 4.8 menu bar have no action that opens them",
    },
    Limit {
        toolkits: ALL,
        situations: &[Focus],
        cells: &[("menu item", "click"), ("check menu item", "click")],
        reach: Hand,
        fact: "the pointer reaches an item only after a click of its own on the menu",
    },
    Limit {
        toolkits: &[Gtk4],
        situations: ANY,
        cells: &[("check box", "*"), ("check box, labels tick", "*"), ("radio", "*")],
        reach: Hand,
        fact: "GTK 4.8 gives check boxes and radio buttons no action, and its elements take no focus \
               from outside",
    },
    Limit {
        toolkits: &[Gtk4],
        situations: ANY,
        cells: &[("toggle", "set")],
        reach: Hand,
        fact: "GTK 4.8 shows a toggle that is off as a plain button (same role, states and actions), \
               and plain buttons are not pressed on a guess",
    },
    Limit {
        toolkits: &[Gtk4],
        situations: ANY,
        cells: &[("combo box", "*")],
        reach: Hand,
        fact: "the choices of a GTK 4.8 combo box are not in its tree: they have numbers and no names",
    },
    Limit {
        toolkits: &[Gtk4],
        situations: ANY,
        cells: &[("long list", "scroll")],
        reach: Hand,
        fact: "scroll bars of GTK 4.8 have no value, and its elements no `ScrollTo`",
    },
    Limit {
        toolkits: &[Gtk4],
        situations: &[Minimized],
        cells: &[("switch", "*")],
        reach: Hand,
        fact: "a switch of a minimized GTK 4.8 window takes its action and does not turn, not even \
               when the window is back",
    },
    Limit {
        toolkits: QT,
        situations: ANY,
        cells: &[("combo box", "*"), ("combo box by number", "*"), ("editable combo", "select")],
        reach: Hand,
        fact: "the items of a Qt combo box can be marked only in the list that drops down, which \
               leaves the choice as it was, and its elements take no focus without their window",
    },
    Limit {
        toolkits: QT,
        situations: ANY,
        cells: &[("tree", "*")],
        reach: Hand,
        fact: "a branch of a Qt tree has no action that opens it, only one that selects it",
    },
    Limit {
        toolkits: QT,
        situations: ANY,
        cells: &[("long list", "scroll")],
        reach: Hand,
        fact: "the views of Qt show no scroll bar in the tree, and know no `ScrollTo`",
    },
    Limit {
        toolkits: &[Swing],
        situations: ANY,
        cells: &[("long list", "scroll")],
        reach: Hand,
        fact: "scroll bars of Swing take no value through its ATK bridge, which knows no `ScrollTo`",
    },
    Limit {
        toolkits: WEB,
        situations: ANY,
        cells: &[
            ("entry", "*"),
            ("entry, labels tick", "*"),
            ("password", "*"),
            ("text area", "*"),
            ("editable combo", "*"),
        ],
        reach: Hand,
        fact: "fields of web pages take no text through accessibility: Chromium has no \
               `EditableText`, Firefox's says yes and does nothing",
    },
    Limit {
        toolkits: WEB,
        situations: &[Minimized],
        cells: &[("*", "*")],
        reach: Silent,
        fact: "browsers do not keep the tree of a page in a minimized window up to date: things \
               happen, and nobody can see them there",
    },
];

impl Limit {
    fn holds(&self, toolkit: Toolkit, case: &Case, situation: Situation) -> bool {
        let same = |wanted: &str, got: &str| wanted == "*" || wanted == got;
        self.toolkits.contains(&toolkit)
            && self.situations.contains(&situation)
            && self
                .cells
                .iter()
                .any(|(widget, action)| same(widget, case.widget) && same(action, case.action))
    }
}

/// How far a case can get in a toolkit and a situation.
pub fn reach(toolkit: Toolkit, case: &Case, situation: Situation) -> Reach {
    let limit = LIMITS.iter().find(|limit| limit.holds(toolkit, case, situation));
    let is_by_hand = situation == Focus && case.takes_mode();
    let behind_menu = is_by_hand && case.widget.ends_with("menu item");
    // Its scroll bars take a value.
    let has_bar = toolkit == Gtk3 && case.action == "scroll";
    match (case.reach, limit) {
        (Hand, _) if is_by_hand || has_bar => Open,
        (Open, Some(limit)) if behind_menu || !is_by_hand => limit.reach,
        (Open | Hand | Silent | Noisy | Never, _) => case.reach,
    }
}

#[cfg(test)]
mod tests {
    use super::super::cases::CASES;
    use super::*;

    fn of(widget: &str, action: &str) -> &'static Case {
        let fits = |case: &&Case| case.widget == widget && case.action == action;
        CASES.iter().find(fits).expect("it is in the table")
    }

    #[test]
    fn a_real_hand_does_what_accessibility_cannot() {
        let check = of("check box", "click");
        assert_eq!(reach(Gtk4, check, Situation::Background), Hand);
        assert_eq!(reach(Gtk4, check, Focus), Open);
        assert_eq!(reach(Gtk3, check, Situation::Background), Open);
        assert_eq!(reach(Gtk4, of("check box", "set"), Focus), Hand, "`set` has no real hand");
    }

    #[test]
    fn no_limit_lifts_what_can_never_happen() {
        for toolkit in Toolkit::ALL {
            for situation in Situation::ALL {
                assert_eq!(reach(toolkit, of("disabled button", "click"), situation), Never);
            }
        }
    }

    #[test]
    fn every_limit_is_about_cells_there_are() {
        for limit in LIMITS {
            let any = |toolkit: &Toolkit| {
                let holds = |case: &Case| {
                    limit.situations.iter().any(|it| limit.holds(*toolkit, case, *it))
                };
                CASES.iter().any(holds)
            };
            assert!(limit.toolkits.iter().all(any), "{limit:?}");
            for (widget, action) in limit.cells.iter().filter(|(widget, _)| *widget != "*") {
                let named = |case: &Case| {
                    case.widget == *widget && (*action == "*" || case.action == *action)
                };
                assert!(CASES.iter().any(named), "{widget}, {action}");
            }
        }
    }
}
