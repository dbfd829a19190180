//! What is asked of every element, and what the answers mean.

use deskhand_model::{Rect, Role, secret};

use super::{
    Fault, Value,
    role::{self, in_place},
    value::placed,
};

/// What every look asks of every element, in one message. Its value is not among it: what a password
/// field holds is never asked for, and the text of an editor may be a book.
pub(crate) const BASICS: &[&str] = &[
    "AXRole",
    "AXSubrole",
    "AXTitle",
    "AXDescription",
    "AXHelp",
    "AXPlaceholderValue",
    "AXTitleUIElement",
    "AXEnabled",
    "AXFocused",
    "AXSelected",
    "AXExpanded",
    "AXDisclosing",
    "AXHidden",
    "AXMinimized",
    "AXMain",
    "AXModal",
    "AXFrontmost",
    "AXElementBusy",
    "AXRequired",
    "AXInvalid",
    "AXVisited",
    "AXHasPopup",
    "AXOrientation",
    "AXMenuItemMarkChar",
    "AXIsMultiSelectable",
    "AXDefaultButton",
    "AXFrame",
    "AXPosition",
    "AXSize",
    "AXIdentifier",
    "AXDOMIdentifier",
];

/// What is asked beside it when the relations of elements are wanted.
pub(crate) const RELATIONS: &[&str] = &[
    "AXServesAsTitleForUIElements",
    "AXLinkedUIElements",
    "AXDisclosedByRow",
    "AXDescribedBy",
    "AXErrorMessageElements",
    "AXDetailsElements",
    "AXOwns",
];

/// The answers to one message about an element.
#[derive(Debug)]
pub(crate) struct Facts<E> {
    names: Vec<&'static str>,
    values: Vec<Value<E>>,
}

impl<E: Clone> Facts<E> {
    /// The answers to these names, in their order.
    pub(crate) fn new(names: Vec<&'static str>, values: Vec<Value<E>>) -> Self {
        Self { names, values }
    }

    /// The fault that stands in the place of every value, when there is one.
    pub(crate) fn common_fault(&self) -> Option<Fault> {
        let fault = |value: &Value<E>| {
            if let Value::Fault(fault) = value { Some(*fault) } else { None }
        };
        let first = self.values.first().and_then(fault)?;
        self.values.iter().all(|value| fault(value) == Some(first)).then_some(first)
    }

    /// The value of an attribute; `None` when it has none.
    pub(crate) fn get(&self, name: &str) -> Option<&Value<E>> {
        let at = self.names.iter().position(|one| *one == name)?;
        self.values.get(at).filter(|value| !matches!(value, Value::Fault(_)))
    }

    /// The text of an attribute; empty when it has none.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.get(name).and_then(Value::text).map(str::trim).unwrap_or_default()
    }

    /// What a yes-or-no attribute says.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        self.get(name).and_then(Value::flag)
    }

    /// The number an attribute holds.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.get(name).and_then(Value::number)
    }

    /// The elements an attribute points at.
    pub(crate) fn elements(&self, name: &str) -> Vec<E> {
        self.get(name).map(Value::elements).unwrap_or_default()
    }

    /// Where the element is.
    pub(crate) fn bounds(&self) -> Option<Rect> {
        if let Some(frame) = self.get("AXFrame").and_then(Value::rect) {
            return Some(frame);
        }
        let (Some(Value::Point(x, y)), Some(Value::Size(width, height))) =
            (self.get("AXPosition"), self.get("AXSize"))
        else {
            return None;
        };
        placed((*x, *y), (*width, *height))
    }

    /// The role of the system.
    pub(crate) fn ax_role(&self) -> &str {
        self.text("AXRole")
    }

    /// Our role, within an element of another.
    pub(crate) fn role(&self, around: Role) -> Role {
        let role = role::from_ax(self.ax_role(), self.text("AXSubrole"));
        let blank = self.flag("AXEnabled") == Some(false) && self.name().is_empty();
        in_place(role, around, self.is_marked(), blank)
    }

    /// Whether a menu shows a mark before the item.
    pub(crate) fn is_marked(&self) -> bool {
        !self.text("AXMenuItemMarkChar").is_empty()
    }

    /// What it is called, as far as it says so itself.
    pub(crate) fn name(&self) -> String {
        let title = self.text("AXTitle");
        if title.is_empty() { self.text("AXDescription").to_owned() } else { title.to_owned() }
    }

    /// The longer explanation: the help, or what of its other texts is not its name.
    pub(crate) fn description(&self, name: &str) -> String {
        let told = ["AXHelp", "AXDescription", "AXPlaceholderValue"];
        let other = told.iter().map(|attribute| self.text(attribute));
        other.filter(|text| !text.is_empty()).find(|text| *text != name).unwrap_or("").to_owned()
    }

    /// The name its programmer gave it.
    pub(crate) fn identifier(&self) -> String {
        let own = self.text("AXIdentifier");
        let id = if own.is_empty() { self.text("AXDOMIdentifier") } else { own };
        id.to_owned()
    }

    /// Whether a field of one line tells by its names that it takes a secret.
    pub(crate) fn is_called_secret(&self, name: &str) -> bool {
        let told =
            ["AXTitle", "AXDescription", "AXPlaceholderValue", "AXIdentifier", "AXDOMIdentifier"];
        secret::is_called_secret(name)
            || told.iter().any(|attribute| secret::is_called_secret(self.text(attribute)))
    }
}

/// Whether secrets are typed into such an element.
pub(crate) fn is_line(role: Role) -> bool {
    matches!(role, Role::Entry | Role::Password)
}

/// Whether an element of this role is turned on and off by its value.
pub(crate) fn is_toggle(role: Role) -> bool {
    matches!(
        role,
        Role::CheckBox | Role::RadioButton | Role::Switch | Role::ToggleButton | Role::Tab
    )
}

/// What else must be asked of an element of this role to tell its state and its value.
pub(crate) fn details(role: Role) -> &'static [&'static str] {
    let plain = matches!(
        role,
        Role::Label
            | Role::StaticText
            | Role::Entry
            | Role::ComboBox
            | Role::DateEditor
            | Role::ColorChooser
            | Role::Cell
    );
    if plain || is_toggle(role) {
        &["AXValue"]
    } else if role == Role::Text {
        &["AXNumberOfCharacters"]
    } else if role.is_ranged() || role == Role::Timer {
        &["AXValue", "AXMinValue", "AXMaxValue", "AXValueIncrement"]
    } else {
        &[]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(pairs: &[(&'static str, Value<u32>)]) -> Facts<u32> {
        let (names, values) = pairs.iter().cloned().unzip();
        Facts::new(names, values)
    }

    fn text(text: &str) -> Value<u32> {
        Value::Text(text.to_owned())
    }

    #[test]
    fn a_picture_without_a_title_is_called_by_its_description() {
        let button = facts(&[("AXTitle", text("")), ("AXDescription", text("Close"))]);
        assert_eq!(button.name(), "Close");
        assert_eq!(button.description("Close"), "");
        let titled = facts(&[("AXTitle", text("OK")), ("AXHelp", text("Saves it"))]);
        assert_eq!((titled.name(), titled.description("OK")), ("OK".into(), "Saves it".into()));
    }

    #[test]
    fn a_place_comes_from_the_frame_or_from_corner_and_size() {
        let frame = facts(&[("AXFrame", Value::Rect(1.4, 2.0, 30.0, 40.0))]);
        assert_eq!(frame.bounds(), Some(Rect::new(1, 2, 30, 40)));
        let corner =
            facts(&[("AXPosition", Value::Point(5.0, 6.0)), ("AXSize", Value::Size(7.0, 8.0))]);
        assert_eq!(corner.bounds(), Some(Rect::new(5, 6, 7, 8)));
        let broken = facts(&[("AXFrame", Value::Rect(f64::NAN, 0.0, 1.0, 1.0))]);
        assert_eq!(broken.bounds(), None);
    }

    #[test]
    fn a_fault_in_the_place_of_a_value_is_no_value() {
        let bare = facts(&[("AXTitle", Value::Fault(Fault::NoValue))]);
        assert!(bare.get("AXTitle").is_none() && bare.name().is_empty());
        assert_eq!(bare.flag("AXEnabled"), None);
    }

    #[test]
    fn an_element_that_answers_every_question_with_one_fault_has_that_fault() {
        let fault = |fault| ("AXRole", Value::Fault(fault));
        let gone = facts(&[fault(Fault::InvalidElement), fault(Fault::InvalidElement)]);
        assert_eq!(gone.common_fault(), Some(Fault::InvalidElement));
        let mixed = facts(&[fault(Fault::InvalidElement), fault(Fault::NoValue)]);
        assert_eq!(mixed.common_fault(), None);
        assert_eq!(facts(&[("AXTitle", text(""))]).common_fault(), None);
    }

    #[test]
    fn a_field_that_asks_for_a_password_by_its_placeholder_is_a_secret() {
        let field = facts(&[("AXPlaceholderValue", text("Password"))]);
        assert!(field.is_called_secret(""));
        assert!(!facts(&[("AXTitle", text("Name"))]).is_called_secret("Name"));
    }

    #[test]
    fn of_a_password_field_nothing_more_is_asked() {
        assert!(details(Role::Password).is_empty());
        assert!(details(Role::Slider).contains(&"AXMaxValue"));
        assert!(!details(Role::Text).contains(&"AXValue"));
    }

    #[test]
    fn the_identifier_of_a_page_serves_where_the_app_has_none() {
        let page = facts(&[("AXIdentifier", text("")), ("AXDOMIdentifier", text("submit"))]);
        assert_eq!(page.identifier(), "submit");
    }
}
