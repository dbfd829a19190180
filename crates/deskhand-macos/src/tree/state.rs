//! The states of an element, derived from its attributes.

use deskhand_model::{Rect, Role, State, States};

use super::attribute_set::{AttributeSet, is_toggle};

/// The visibility that elements inherit from their ancestors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Visibility {
    /// The whole app or window is hidden.
    pub(crate) hidden: bool,
    /// The app is the frontmost one.
    pub(crate) frontmost: bool,
    /// An ancestor is a password field.
    pub(crate) secret: bool,
    /// The part of the screen in which children are visible, or `None` if nothing clips them.
    pub(crate) clip: Option<Rect>,
}

impl Visibility {
    /// No ancestor hides anything.
    pub(crate) const UNRESTRICTED: Visibility =
        Visibility { hidden: false, frontmost: true, secret: false, clip: None };

    /// The visibility inside an element.
    #[must_use]
    pub(crate) fn inside<E: Clone>(self, role: Role, attributes: &AttributeSet<E>) -> Self {
        let hidden = self.hidden
            || self.is_hidden_menu_bar(role)
            || attributes.flag("AXHidden") == Some(true)
            || attributes.flag("AXMinimized") == Some(true);
        let bounds = attributes.bounds().filter(|bounds| !bounds.is_empty());
        // Menus and popovers extend beyond their windows.
        let clip = match bounds {
            Some(bounds) if role.is_window() => Some(bounds),
            Some(bounds) if clips(role) => {
                Some(self.clip.map_or(bounds, |clip| clip.clipped_to(bounds)))
            }
            Some(_) | None if is_menu(role) => None,
            Some(_) | None => self.clip,
        };
        let frontmost = self.frontmost && attributes.flag("AXFrontmost") != Some(false);
        let secret = self.secret || role == Role::Password;
        Self { hidden, frontmost, secret, clip }
    }

    /// The visibility of status items, which macOS shows for all apps at once.
    #[must_use]
    pub(crate) fn in_extras_menu_bar(self) -> Self {
        Self { frontmost: true, ..self }
    }

    /// Returns `true` for a menu bar that another app's menu bar replaces.
    fn is_hidden_menu_bar(self, role: Role) -> bool {
        role == Role::MenuBar && !self.frontmost
    }

    /// Returns `true` if an element with these bounds is visible.
    fn shows(self, bounds: Option<Rect>) -> bool {
        let in_clip = bounds.is_some_and(|bounds| {
            !bounds.is_empty() && self.clip.is_none_or(|clip| clip.overlaps(bounds))
        });
        !self.hidden && in_clip
    }
}

fn clips(role: Role) -> bool {
    matches!(role, Role::ScrollPane | Role::WebDocument)
}

fn is_menu(role: Role) -> bool {
    matches!(role, Role::Menu | Role::PopupMenu | Role::MenuBar)
}

/// The settable attributes of an element. `None` if it was not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Settable {
    pub(crate) value: Option<bool>,
    pub(crate) focus: Option<bool>,
}

/// Derives the states of an element.
pub(crate) fn derive<E: Clone>(
    role: Role,
    attributes: &AttributeSet<E>,
    details: &AttributeSet<E>,
    settable: Settable,
    visibility: Visibility,
) -> States {
    let yes = |name: &str| attributes.flag(name) == Some(true);
    let mut states = States::NONE;
    let mut put = |state: State, on: bool| {
        if on {
            states = states.with(state);
        }
    };
    put(State::Enabled, attributes.flag("AXEnabled") != Some(false));
    let hidden = yes("AXHidden");
    put(State::Visible, !hidden);
    let out_of_view = hidden || yes("AXMinimized") || visibility.is_hidden_menu_bar(role);
    let shown_app = role == Role::Application && !visibility.hidden;
    put(State::Showing, !out_of_view && (shown_app || visibility.shows(attributes.bounds())));
    put(State::Focused, yes("AXFocused") && role != Role::Application);
    put(State::Focusable, settable.focus == Some(true) || (yes("AXFocused") && role.is_control()));
    put(State::Selected, yes("AXSelected"));
    put(State::Selectable, attributes.flag("AXSelected").is_some() && is_selectable_item(role));
    // Each app has a main window, but only the frontmost app's is active.
    put(
        State::Active,
        if role == Role::Application {
            yes("AXFrontmost")
        } else {
            yes("AXMain") && visibility.frontmost
        },
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
    let invalid = attributes.text("AXInvalid");
    put(State::Invalid, yes("AXInvalid") || !(invalid.is_empty() || invalid == "false"));
    // These open a menu, and do not always report it.
    let opens = matches!(attributes.ax_role(), "AXPopUpButton" | "AXMenuButton");
    put(State::HasPopup, yes("AXHasPopup") || opens);
    put(State::Horizontal, attributes.text("AXOrientation") == "AXHorizontalOrientation");
    put(State::Vertical, attributes.text("AXOrientation") == "AXVerticalOrientation");
    put(State::MultiLine, role == Role::Text);
    put(State::Editable, settable.value == Some(true));
    put(State::ReadOnly, settable.value == Some(false));
    let value = details.number("AXValue");
    states = with_toggle_states(states, role, value, attributes);
    with_disclosure_states(states, attributes, value)
}

/// Returns `true` if such an element can be an item of a selection.
fn is_selectable_item(role: Role) -> bool {
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

fn with_toggle_states<E: Clone>(
    states: States,
    role: Role,
    value: Option<f64>,
    attributes: &AttributeSet<E>,
) -> States {
    let on = value.is_some_and(|value| value == 1.0);
    let with =
        |states: States, state: State, on: bool| if on { states.with(state) } else { states };
    if role == Role::Tab {
        return with(states.with(State::Selectable), State::Selected, on);
    }
    if role == Role::CheckMenuItem {
        return with(states.with(State::Checkable), State::Checked, attributes.is_marked());
    }
    // The value of a disclosure triangle means expanded, not checked.
    if !is_toggle(role) || attributes.ax_role() == "AXDisclosureTriangle" {
        return states;
    }
    let mixed = value.is_some_and(|value| value == 2.0);
    let pressed = on && role == Role::ToggleButton;
    let states = with(states.with(State::Checkable), State::Checked, on);
    with(with(states, State::Mixed, mixed), State::Pressed, pressed)
}

/// Adds the expanded and collapsed states, from attributes or from the value of a triangle. A collapsed row
/// may have no children; it is expandable only if it contains a triangle.
fn with_disclosure_states<E: Clone>(
    states: States,
    attributes: &AttributeSet<E>,
    value: Option<f64>,
) -> States {
    let triangle = attributes.ax_role() == "AXDisclosureTriangle";
    let open = match (attributes.flag("AXExpanded"), attributes.flag("AXDisclosing")) {
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

    fn attributes(pairs: &[(&'static str, Value<u32>)]) -> AttributeSet<u32> {
        let (names, values) = pairs.iter().cloned().unzip();
        AttributeSet::new(names, values)
    }

    fn states(
        role: Role,
        basics: &[(&'static str, Value<u32>)],
        details: &[(&'static str, Value<u32>)],
    ) -> States {
        derive(
            role,
            &attributes(basics),
            &attributes(details),
            Settable::default(),
            Visibility::UNRESTRICTED,
        )
    }

    #[test]
    fn a_checkbox_is_off_on_or_mixed() {
        let at = |value| states(Role::CheckBox, &[], &[("AXValue", Value::Whole(value))]);
        assert!(!at(0).has(State::Checked) && at(0).has(State::Checkable));
        assert!(at(1).has(State::Checked) && !at(1).has(State::Mixed));
        assert!(at(2).has(State::Mixed) && !at(2).has(State::Checked));
    }

    #[test]
    fn the_current_tab_is_selected_not_checked() {
        let tab = states(Role::Tab, &[], &[("AXValue", Value::Flag(true))]);
        assert!(tab.has(State::Selected) && !tab.has(State::Checked));
    }

    #[test]
    fn every_state_attribute_is_read() {
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
    fn an_element_without_the_attribute_is_enabled() {
        assert!(states(Role::Label, &[], &[]).has(State::Enabled));
        let off = [("AXEnabled", Value::Flag(false))];
        assert!(!states(Role::Button, &off, &[]).has(State::Enabled));
    }

    #[test]
    fn an_element_outside_its_scroll_area_does_not_show() {
        let window = attributes(&[("AXFrame", Value::Rect(0.0, 0.0, 500.0, 500.0))]);
        let area = attributes(&[("AXFrame", Value::Rect(0.0, 100.0, 500.0, 200.0))]);
        let visibility =
            Visibility::UNRESTRICTED.inside(Role::Window, &window).inside(Role::ScrollPane, &area);
        let row = |y: f64| attributes(&[("AXFrame", Value::Rect(0.0, y, 400.0, 20.0))]);
        let shows = |y: f64| {
            let none = attributes(&[]);
            derive(Role::TableRow, &row(y), &none, Settable::default(), visibility)
                .has(State::Showing)
        };
        assert!(shows(150.0));
        assert!(!shows(320.0) && !shows(-50.0));
    }

    #[test]
    fn elements_in_a_minimized_window_do_not_show_but_are_visible() {
        let window = attributes(&[
            ("AXMinimized", Value::Flag(true)),
            ("AXFrame", Value::Rect(0.0, 0.0, 9.0, 9.0)),
        ]);
        let visibility = Visibility::UNRESTRICTED.inside(Role::Window, &window);
        let inside = attributes(&[("AXFrame", Value::Rect(1.0, 1.0, 2.0, 2.0))]);
        let none = attributes(&[]);
        let button = derive(Role::Button, &inside, &none, Settable::default(), visibility);
        assert!(button.has(State::Visible) && !button.has(State::Showing));
        let itself =
            derive(Role::Window, &window, &none, Settable::default(), Visibility::UNRESTRICTED);
        assert!(itself.has(State::Minimized) && !itself.has(State::Showing));
    }

    #[test]
    fn the_main_window_of_a_background_app_is_not_active() {
        let main = attributes(&[("AXMain", Value::Flag(true))]);
        let behind = attributes(&[("AXFrontmost", Value::Flag(false))]);
        let none = attributes(&[]);
        let visibility = Visibility::UNRESTRICTED.inside(Role::Application, &behind);
        let window = derive(Role::Window, &main, &none, Settable::default(), visibility);
        assert!(!window.has(State::Active));
    }

    #[test]
    fn only_the_frontmost_app_shows_its_menu_bar() {
        let bar = attributes(&[("AXFrame", Value::Rect(0.0, 0.0, 900.0, 24.0))]);
        let shows = |visibility| {
            let none = attributes(&[]);
            let itself = derive(Role::MenuBar, &bar, &none, Settable::default(), visibility);
            (itself.has(State::Showing), !visibility.inside(Role::MenuBar, &bar).hidden)
        };
        let behind = Visibility { frontmost: false, ..Visibility::UNRESTRICTED };
        assert_eq!(shows(Visibility::UNRESTRICTED), (true, true));
        assert_eq!(shows(behind), (false, false));
        assert_eq!(shows(behind.in_extras_menu_bar()), (true, true));
    }

    #[test]
    fn items_of_a_closed_menu_are_empty_and_do_not_show() {
        let item = [("AXFrame", Value::Rect(0.0, 900.0, 0.0, 0.0))];
        let item = states(Role::MenuItem, &item, &[]);
        assert!(item.has(State::Visible) && !item.has(State::Showing));
    }

    #[test]
    fn an_open_menu_is_not_clipped_by_its_window() {
        let window = attributes(&[("AXFrame", Value::Rect(0.0, 0.0, 50.0, 50.0))]);
        let menu = attributes(&[("AXFrame", Value::Rect(60.0, 0.0, 50.0, 50.0))]);
        let visibility =
            Visibility::UNRESTRICTED.inside(Role::Window, &window).inside(Role::PopupMenu, &menu);
        assert_eq!(visibility.clip, None);
    }

    #[test]
    fn a_collapsed_row_without_triangle_is_not_expandable() {
        let row = |open| states(Role::TreeItem, &[("AXDisclosing", Value::Flag(open))], &[]);
        assert!(row(true).has(State::Expanded));
        assert!(!row(false).has(State::Expandable));
        let triangle = [("AXRole", Value::Text("AXDisclosureTriangle".to_owned()))];
        let triangle = states(Role::ToggleButton, &triangle, &[("AXValue", Value::Whole(0))]);
        assert!(triangle.has(State::Collapsed) && !triangle.has(State::Checkable));
    }

    #[test]
    fn a_menu_item_with_a_mark_is_checked() {
        let marked = [("AXMenuItemMarkChar", Value::Text("✓".to_owned()))];
        assert!(states(Role::CheckMenuItem, &marked, &[]).has(State::Checked));
    }

    #[test]
    fn a_field_is_editable_or_read_only_as_its_value_is_settable() {
        let with = |value| {
            let settable = Settable { value, focus: Some(true) };
            derive(
                Role::Text,
                &attributes(&[]),
                &attributes(&[]),
                settable,
                Visibility::UNRESTRICTED,
            )
        };
        assert!(with(Some(true)).has(State::Editable) && with(Some(true)).has(State::Focusable));
        assert!(with(Some(false)).has(State::ReadOnly) && with(None).has(State::MultiLine));
    }
}
