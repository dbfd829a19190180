//! Actions that accessibility cannot perform, each with a fact about the toolkit. A refusal by
//! Deskhand is not a reason to be in this list.

use super::case::{Case, Feasibility, Situation};
use super::toolkit::Toolkit;

use Feasibility::{AmbientChanges, Impossible, Invisible, NeedsRealInput, Possible};
use Situation::{Focus, Minimized};
use Toolkit::{Chromium, Firefox, Gtk3, Gtk4, Qt5, Qt6, Swing};

/// Cases that need real input or have no visible effect.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    /// The toolkits concerned.
    pub toolkits: &'static [Toolkit],
    /// The situations concerned.
    pub situations: &'static [Situation],
    /// Pairs of widget and action. `*` stands for every widget or every action.
    pub cells: &'static [(&'static str, &'static str)],
    /// The best possible outcome.
    pub feasibility: Feasibility,
    /// The fact about the toolkit.
    pub fact: &'static str,
}

const ALL: &[Toolkit] = &Toolkit::ALL;
const NATIVE: &[Toolkit] = &[Gtk3, Gtk4, Qt5, Qt6, Swing];
const QT: &[Toolkit] = &[Qt5, Qt6];
const BROWSERS: &[Toolkit] = &[Chromium, Firefox];
const ANY: &[Situation] = &Situation::ALL;

/// All limits. Each was verified with pyatspi or by comparing the app's own log with its tree.
pub const LIMITS: &[Limit] = &[
    Limit {
        toolkits: NATIVE,
        situations: &[Minimized],
        cells: &[("menu", "click")],
        feasibility: NeedsRealInput,
        fact: "no toolkit shows the menu of a window that is not on the screen",
    },
    Limit {
        toolkits: &[Gtk4],
        situations: ANY,
        cells: &[("menu", "click")],
        feasibility: NeedsRealInput,
        fact: "the menus in a GTK 4.8 menu bar have no action that opens them",
    },
    Limit {
        toolkits: ALL,
        situations: &[Focus],
        cells: &[("menu item", "click"), ("check menu item", "click")],
        feasibility: NeedsRealInput,
        fact: "the pointer reaches an item only after a separate click on the menu",
    },
    Limit {
        toolkits: &[Gtk4],
        situations: ANY,
        cells: &[("check box", "*"), ("check box, labels tick", "*"), ("radio", "*")],
        feasibility: NeedsRealInput,
        fact: "GTK 4.8 gives check boxes and radio buttons no action, and its elements cannot be \
               focused through accessibility",
    },
    Limit {
        toolkits: &[Gtk4],
        situations: ANY,
        cells: &[("toggle", "set")],
        feasibility: NeedsRealInput,
        fact: "GTK 4.8 shows a toggle button that is off as a plain button (same role, states and \
               actions), and Deskhand does not press a plain button on a guess",
    },
    Limit {
        toolkits: &[Gtk4],
        situations: ANY,
        cells: &[("combo box", "*")],
        feasibility: NeedsRealInput,
        fact: "the items of a GTK 4.8 combo box are not in its tree: they have numbers and no \
               names",
    },
    Limit {
        toolkits: &[Gtk4],
        situations: ANY,
        cells: &[("long list", "scroll")],
        feasibility: NeedsRealInput,
        fact: "GTK 4.8 scroll bars have no value, and GTK 4.8 elements have no `ScrollTo`",
    },
    Limit {
        toolkits: &[Gtk4],
        situations: &[Minimized],
        cells: &[("switch", "*")],
        feasibility: NeedsRealInput,
        fact: "a switch in a minimized GTK 4.8 window accepts its action but does not change, not \
               even after the window is restored",
    },
    Limit {
        toolkits: QT,
        situations: ANY,
        cells: &[("combo box", "*"), ("combo box by number", "*"), ("editable combo", "select")],
        feasibility: NeedsRealInput,
        fact: "the items of a Qt combo box can only be selected in the open list, which does not \
               change the chosen value, and Qt elements cannot be focused without their window",
    },
    Limit {
        toolkits: QT,
        situations: ANY,
        cells: &[("page list", "click")],
        feasibility: NeedsRealInput,
        fact: "selecting a Qt item does not make it the current one, and Qt elements cannot be \
               focused without their window",
    },
    Limit {
        toolkits: QT,
        situations: ANY,
        cells: &[("tree", "*")],
        feasibility: NeedsRealInput,
        fact: "a branch of a Qt tree has no action that expands it, only one that selects it",
    },
    Limit {
        toolkits: QT,
        situations: ANY,
        cells: &[("long list", "scroll")],
        feasibility: NeedsRealInput,
        fact: "Qt views have no scroll bar in the tree and do not support `ScrollTo`",
    },
    Limit {
        toolkits: &[Swing],
        situations: ANY,
        cells: &[("long list", "scroll")],
        feasibility: NeedsRealInput,
        fact: "Swing scroll bars do not accept a value through the ATK bridge, which does not \
               support `ScrollTo`",
    },
    Limit {
        toolkits: BROWSERS,
        situations: ANY,
        cells: &[
            ("entry", "*"),
            ("entry, labels tick", "*"),
            ("password", "*"),
            ("text area", "*"),
            ("editable combo", "*"),
            ("upper-casing entry, capitals", "*"),
            ("filtering entry, digits", "*"),
        ],
        feasibility: NeedsRealInput,
        fact: "fields of web pages do not accept text through accessibility: Chromium has no \
               `EditableText`, and Firefox reports success but does nothing",
    },
    Limit {
        toolkits: BROWSERS,
        situations: &[Minimized],
        cells: &[("*", "*")],
        feasibility: Invisible,
        fact: "browsers do not update the tree of a page in a minimized window: actions work, but \
               their effect is not visible in the tree",
    },
];

impl Limit {
    fn applies(&self, toolkit: Toolkit, case: &Case, situation: Situation) -> bool {
        let same = |wanted: &str, got: &str| wanted == "*" || wanted == got;
        self.toolkits.contains(&toolkit)
            && self.situations.contains(&situation)
            && self
                .cells
                .iter()
                .any(|(widget, action)| same(widget, case.widget) && same(action, case.action))
    }
}

/// Returns the best possible outcome of a case in a toolkit and situation.
pub fn feasibility(toolkit: Toolkit, case: &Case, situation: Situation) -> Feasibility {
    let limit = LIMITS.iter().find(|limit| limit.applies(toolkit, case, situation));
    let uses_real_input = situation == Focus && case.takes_mode();
    let behind_menu = uses_real_input && case.widget.ends_with("menu item");
    // GTK 3 scroll bars accept a value through accessibility.
    let has_scroll_bar = toolkit == Gtk3 && case.action == "scroll";
    match (case.feasibility, limit) {
        (NeedsRealInput, _) if uses_real_input || has_scroll_bar => Possible,
        (Possible, Some(limit)) if behind_menu || !uses_real_input => limit.feasibility,
        (Possible | NeedsRealInput | Invisible | AmbientChanges | Impossible, _) => {
            case.feasibility
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cases::CASES;
    use super::*;

    fn case(widget: &str, action: &str) -> &'static Case {
        let fits = |case: &&Case| case.widget == widget && case.action == action;
        CASES.iter().find(fits).expect("the case is in the table")
    }

    #[test]
    fn real_input_lifts_a_limit() {
        let check = case("check box", "click");
        assert_eq!(feasibility(Gtk4, check, Situation::Background), NeedsRealInput);
        assert_eq!(feasibility(Gtk4, check, Focus), Possible);
        assert_eq!(feasibility(Gtk3, check, Situation::Background), Possible);
        assert_eq!(
            feasibility(Gtk4, case("check box", "set"), Focus),
            NeedsRealInput,
            "`set` has no focus mode"
        );
    }

    #[test]
    fn impossible_cases_stay_impossible() {
        for toolkit in Toolkit::ALL {
            for situation in Situation::ALL {
                assert_eq!(
                    feasibility(toolkit, case("disabled button", "click"), situation),
                    Impossible
                );
            }
        }
    }

    #[test]
    fn every_limit_matches_a_case() {
        for limit in LIMITS {
            let any = |toolkit: &Toolkit| {
                let applies = |case: &Case| {
                    limit.situations.iter().any(|it| limit.applies(*toolkit, case, *it))
                };
                CASES.iter().any(applies)
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
