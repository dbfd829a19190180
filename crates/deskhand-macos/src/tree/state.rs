//! The states of an element, from the attributes that tell them.

use deskhand_model::{Rect, Role, State, States};

use super::facts::{Facts, is_toggle};

/// What a person can see of the place an element stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sight {
    /// Whether the app or the window is out of sight as a whole.
    pub(crate) hidden: bool,
    /// Whether the app is the one in front.
    pub(crate) front: bool,
    /// Whether it is the inside of a field that holds a secret.
    pub(crate) secret: bool,
    /// The part of the screen that shows what is inside; `None` is all of it.
    pub(crate) clip: Option<Rect>,
}

impl Sight {
    /// Nothing around hides anything.
    pub(crate) const FREE: Sight = Sight { hidden: false, front: true, secret: false, clip: None };

    /// The sight of what stands inside an element that stands here.
    #[must_use]
    pub(crate) fn inside<E: Clone>(self, role: Role, facts: &Facts<E>) -> Self {
        let hidden = self.hidden
            || self.lacks_bar(role)
            || facts.flag("AXHidden") == Some(true)
            || facts.flag("AXMinimized") == Some(true);
        let bounds = facts.bounds().filter(|bounds| !bounds.is_empty());
        // Menus and pop-overs leave the windows they belong to.
        let clip = match bounds {
            Some(bounds) if role.is_window() => Some(bounds),
            Some(bounds) if clips(role) => Some(self.clip.map_or(bounds, |clip| clip.meet(bounds))),
            Some(_) | None if is_menu(role) => None,
            Some(_) | None => self.clip,
        };
        let front = self.front && facts.flag("AXFrontmost") != Some(false);
        let secret = self.secret || role == Role::Password;
        Self { hidden, front, secret, clip }
    }

    /// The sight at the right end of the menu bar, which belongs to all apps at once.
    #[must_use]
    pub(crate) fn always(self) -> Self {
        Self { front: true, ..self }
    }

    /// Whether such an element is a menu bar that another app's covers.
    fn lacks_bar(self, role: Role) -> bool {
        role == Role::MenuBar && !self.front
    }

    /// Whether an element in this place can be seen.
    fn shows(self, bounds: Option<Rect>) -> bool {
        let room = bounds.is_some_and(|bounds| {
            !bounds.is_empty() && self.clip.is_none_or(|clip| clip.overlaps(bounds))
        });
        !self.hidden && room
    }
}

fn clips(role: Role) -> bool {
    matches!(role, Role::ScrollPane | Role::WebDocument)
}

fn is_menu(role: Role) -> bool {
    matches!(role, Role::Menu | Role::PopupMenu | Role::MenuBar)
}

/// What only questions of their own tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Settable {
    /// Whether its value may be changed.
    pub(crate) value: Option<bool>,
    /// Whether it may be given the focus.
    pub(crate) focus: Option<bool>,
}

/// The states of an element.
pub(crate) fn of<E: Clone>(
    role: Role,
    facts: &Facts<E>,
    details: &Facts<E>,
    settable: Settable,
    sight: Sight,
) -> States {
    let yes = |name: &str| facts.flag(name) == Some(true);
    let mut states = States::NONE;
    let mut put = |state: State, on: bool| {
        if on {
            states = states.with(state);
        }
    };
    put(State::Enabled, facts.flag("AXEnabled") != Some(false));
    let hidden = yes("AXHidden");
    put(State::Visible, !hidden);
    let out = hidden || yes("AXMinimized") || sight.lacks_bar(role);
    let whole = role == Role::Application && !sight.hidden;
    put(State::Showing, !out && (whole || sight.shows(facts.bounds())));
    put(State::Focused, yes("AXFocused") && role != Role::Application);
    put(State::Focusable, settable.focus == Some(true) || (yes("AXFocused") && role.is_control()));
    put(State::Selected, yes("AXSelected"));
    put(State::Selectable, facts.flag("AXSelected").is_some() && is_item(role));
    // Each app has a main window, and one app is in front.
    put(
        State::Active,
        if role == Role::Application { yes("AXFrontmost") } else { yes("AXMain") && sight.front },
    );
    for (attribute, state) in [
        ("AXMinimized", State::Minimized),
        ("AXModal", State::Modal),
        ("AXElementBusy", State::Busy),
        ("AXRequired", State::Required),
        ("AXVisited", State::Visited),
        ("AXIsMultiSelectable", State::MultiSelectable),
    ] {
        put(state, yes(attribute));
    }
    let invalid = facts.text("AXInvalid");
    put(State::Invalid, yes("AXInvalid") || !(invalid.is_empty() || invalid == "false"));
    // A menu of choices opens from these, and they do not always say so.
    let opens = matches!(facts.ax_role(), "AXPopUpButton" | "AXMenuButton");
    put(State::HasPopup, yes("AXHasPopup") || opens);
    put(State::Horizontal, facts.text("AXOrientation") == "AXHorizontalOrientation");
    put(State::Vertical, facts.text("AXOrientation") == "AXVerticalOrientation");
    put(State::MultiLine, role == Role::Text);
    put(State::Editable, settable.value == Some(true));
    put(State::ReadOnly, settable.value == Some(false));
    let value = details.number("AXValue");
    states = toggled(states, role, value, facts);
    folded(states, facts, value)
}

/// Whether such an element stands among others to be chosen.
fn is_item(role: Role) -> bool {
    matches!(
        role,
        Role::Cell
            | Role::TableRow
            | Role::TreeItem
            | Role::ListItem
            | Role::Tab
            | Role::Icon
            | Role::Image
            | Role::Group
            | Role::Label
            | Role::MenuItem
    )
}

fn toggled<E: Clone>(states: States, role: Role, value: Option<f64>, facts: &Facts<E>) -> States {
    let on = value.is_some_and(|value| value == 1.0);
    let with =
        |states: States, state: State, on: bool| if on { states.with(state) } else { states };
    if role == Role::Tab {
        return with(states.with(State::Selectable), State::Selected, on);
    }
    if role == Role::CheckMenuItem {
        return with(states.with(State::Checkable), State::Checked, facts.is_marked());
    }
    // A triangle is opened and closed, which is another state.
    if !is_toggle(role) || facts.ax_role() == "AXDisclosureTriangle" {
        return states;
    }
    let mixed = value.is_some_and(|value| value == 2.0);
    let pressed = on && role == Role::ToggleButton;
    let states = with(states.with(State::Checkable), State::Checked, on);
    with(with(states, State::Mixed, mixed), State::Pressed, pressed)
}

/// What opens and closes: by its own word, or a triangle by its value. A row that is closed may have
/// nothing in it; only the triangle in it tells.
fn folded<E: Clone>(states: States, facts: &Facts<E>, value: Option<f64>) -> States {
    let triangle = facts.ax_role() == "AXDisclosureTriangle";
    let open = match (facts.flag("AXExpanded"), facts.flag("AXDisclosing")) {
        (Some(open), _) => Some(open),
        (None, Some(true)) => Some(true),
        (None, Some(false) | None) if triangle => value.map(|value| value != 0.0),
        (None, Some(false) | None) => None,
    };
    match open {
        Some(true) => states.with(State::Expandable).with(State::Expanded),
        Some(false) => states.with(State::Expandable).with(State::Collapsed),
        None => states,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Value;

    fn facts(pairs: &[(&'static str, Value<u32>)]) -> Facts<u32> {
        let (names, values) = pairs.iter().cloned().unzip();
        Facts::new(names, values)
    }

    fn states(
        role: Role,
        about: &[(&'static str, Value<u32>)],
        details: &[(&'static str, Value<u32>)],
    ) -> States {
        of(role, &facts(about), &facts(details), Settable::default(), Sight::FREE)
    }

    #[test]
    fn a_checkbox_is_off_on_or_between() {
        let at = |value| states(Role::CheckBox, &[], &[("AXValue", Value::Whole(value))]);
        assert!(!at(0).has(State::Checked) && at(0).has(State::Checkable));
        assert!(at(1).has(State::Checked) && !at(1).has(State::Mixed));
        assert!(at(2).has(State::Mixed) && !at(2).has(State::Checked));
    }

    #[test]
    fn the_tab_in_front_is_selected_not_checked() {
        let tab = states(Role::Tab, &[], &[("AXValue", Value::Flag(true))]);
        assert!(tab.has(State::Selected) && !tab.has(State::Checked));
    }

    #[test]
    fn every_attribute_that_tells_a_state_is_read() {
        let yes = || Value::Flag(true);
        let all = states(
            Role::Window,
            &[
                ("AXEnabled", yes()),
                ("AXFocused", yes()),
                ("AXSelected", yes()),
                ("AXMain", yes()),
                ("AXModal", yes()),
                ("AXElementBusy", yes()),
                ("AXRequired", yes()),
                ("AXVisited", yes()),
                ("AXHasPopup", yes()),
                ("AXExpanded", yes()),
                ("AXIsMultiSelectable", yes()),
                ("AXInvalid", Value::Text("spelling".to_owned())),
                ("AXOrientation", Value::Text("AXVerticalOrientation".to_owned())),
            ],
            &[],
        );
        for state in [
            State::Enabled,
            State::Visible,
            State::Focused,
            State::Selected,
            State::Active,
            State::Modal,
            State::Busy,
            State::Required,
            State::Visited,
            State::HasPopup,
            State::Expanded,
            State::MultiSelectable,
            State::Invalid,
            State::Vertical,
        ] {
            assert!(all.has(state), "{state:?}");
        }
        assert!(!all.has(State::Minimized) && !all.has(State::Collapsed));
    }

    #[test]
    fn what_says_nothing_is_enabled_and_what_says_no_is_not() {
        assert!(states(Role::Label, &[], &[]).has(State::Enabled));
        let off = [("AXEnabled", Value::Flag(false))];
        assert!(!states(Role::Button, &off, &[]).has(State::Enabled));
    }

    #[test]
    fn what_lies_outside_of_its_scroll_area_does_not_show() {
        let window = facts(&[("AXFrame", Value::Rect(0.0, 0.0, 500.0, 500.0))]);
        let area = facts(&[("AXFrame", Value::Rect(0.0, 100.0, 500.0, 200.0))]);
        let sight = Sight::FREE.inside(Role::Window, &window).inside(Role::ScrollPane, &area);
        let row = |y: f64| facts(&[("AXFrame", Value::Rect(0.0, y, 400.0, 20.0))]);
        let shows = |y: f64| {
            let none = facts(&[]);
            of(Role::TableRow, &row(y), &none, Settable::default(), sight).has(State::Showing)
        };
        assert!(shows(150.0));
        assert!(!shows(320.0) && !shows(-50.0));
    }

    #[test]
    fn nothing_in_a_minimized_window_shows_though_it_is_visible() {
        let window = facts(&[
            ("AXMinimized", Value::Flag(true)),
            ("AXFrame", Value::Rect(0.0, 0.0, 9.0, 9.0)),
        ]);
        let sight = Sight::FREE.inside(Role::Window, &window);
        let inside = facts(&[("AXFrame", Value::Rect(1.0, 1.0, 2.0, 2.0))]);
        let none = facts(&[]);
        let button = of(Role::Button, &inside, &none, Settable::default(), sight);
        assert!(button.has(State::Visible) && !button.has(State::Showing));
        let itself = of(Role::Window, &window, &none, Settable::default(), Sight::FREE);
        assert!(itself.has(State::Minimized) && !itself.has(State::Showing));
    }

    #[test]
    fn the_main_window_of_an_app_behind_others_is_not_active() {
        let main = facts(&[("AXMain", Value::Flag(true))]);
        let behind = facts(&[("AXFrontmost", Value::Flag(false))]);
        let none = facts(&[]);
        let sight = Sight::FREE.inside(Role::Application, &behind);
        let window = of(Role::Window, &main, &none, Settable::default(), sight);
        assert!(!window.has(State::Active));
    }

    #[test]
    fn only_the_app_in_front_shows_its_menu_bar() {
        let bar = facts(&[("AXFrame", Value::Rect(0.0, 0.0, 900.0, 24.0))]);
        let shows = |sight| {
            let none = facts(&[]);
            let itself = of(Role::MenuBar, &bar, &none, Settable::default(), sight);
            (itself.has(State::Showing), !sight.inside(Role::MenuBar, &bar).hidden)
        };
        let behind = Sight { front: false, ..Sight::FREE };
        assert_eq!(shows(Sight::FREE), (true, true));
        assert_eq!(shows(behind), (false, false));
        assert_eq!(shows(behind.always()), (true, true));
    }

    #[test]
    fn a_closed_menus_items_have_no_room_and_do_not_show() {
        let item = [("AXFrame", Value::Rect(0.0, 900.0, 0.0, 0.0))];
        let item = states(Role::MenuItem, &item, &[]);
        assert!(item.has(State::Visible) && !item.has(State::Showing));
    }

    #[test]
    fn an_open_menu_is_not_cut_off_by_its_window() {
        let window = facts(&[("AXFrame", Value::Rect(0.0, 0.0, 50.0, 50.0))]);
        let menu = facts(&[("AXFrame", Value::Rect(60.0, 0.0, 50.0, 50.0))]);
        let sight = Sight::FREE.inside(Role::Window, &window).inside(Role::PopupMenu, &menu);
        assert_eq!(sight.clip, None);
    }

    #[test]
    fn a_closed_row_does_not_claim_that_it_can_open() {
        let row = |open| states(Role::TreeItem, &[("AXDisclosing", Value::Flag(open))], &[]);
        assert!(row(true).has(State::Expanded));
        assert!(!row(false).has(State::Expandable));
        let triangle = [("AXRole", Value::Text("AXDisclosureTriangle".to_owned()))];
        let triangle = states(Role::ToggleButton, &triangle, &[("AXValue", Value::Whole(0))]);
        assert!(triangle.has(State::Collapsed) && !triangle.has(State::Checkable));
    }

    #[test]
    fn a_menu_mark_is_a_check() {
        let marked = [("AXMenuItemMarkChar", Value::Text("✓".to_owned()))];
        assert!(states(Role::CheckMenuItem, &marked, &[]).has(State::Checked));
    }

    #[test]
    fn a_field_is_editable_or_read_only_as_its_value_is() {
        let with = |value| {
            let settable = Settable { value, focus: Some(true) };
            of(Role::Text, &facts(&[]), &facts(&[]), settable, Sight::FREE)
        };
        assert!(with(Some(true)).has(State::Editable) && with(Some(true)).has(State::Focusable));
        assert!(with(Some(false)).has(State::ReadOnly) && with(None).has(State::MultiLine));
    }
}
