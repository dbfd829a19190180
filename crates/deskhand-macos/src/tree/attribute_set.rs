//! The attributes that are read from every element, and their meaning.

use deskhand_model::{Rect, Role, secret};

use super::{
    AxError, Value,
    role::{self, refine_role},
    value::rounded_rect,
};

/// The attributes read from every element in one message. `AXValue` is not among them: a password is
/// never read, and the text of an editor may be long.
pub(crate) const BASIC_ATTRIBUTES: &[&str] = &[
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

/// The attributes read in addition if relations are wanted.
pub(crate) const RELATION_ATTRIBUTES: &[&str] = &[
    "AXServesAsTitleForUIElements",
    "AXLinkedUIElements",
    "AXDisclosedByRow",
    "AXDescribedBy",
    "AXErrorMessageElements",
    "AXDetailsElements",
    "AXOwns",
];

/// Attributes of one element, read in one message.
#[derive(Debug)]
pub(crate) struct AttributeSet<E> {
    names: Vec<&'static str>,
    values: Vec<Value<E>>,
}

impl<E: Clone> AttributeSet<E> {
    /// Pairs names with values in the same order.
    pub(crate) fn new(names: Vec<&'static str>, values: Vec<Value<E>>) -> Self {
        Self { names, values }
    }

    /// The error that stands in place of every value, if there is one.
    pub(crate) fn common_error(&self) -> Option<AxError> {
        let error = |value: &Value<E>| {
            if let Value::Error(error) = value { Some(*error) } else { None }
        };
        let first = self.values.first().and_then(error)?;
        self.values.iter().all(|value| error(value) == Some(first)).then_some(first)
    }

    /// The value of an attribute, or `None` if it has none.
    pub(crate) fn get(&self, name: &str) -> Option<&Value<E>> {
        let at = self.names.iter().position(|one| *one == name)?;
        self.values.get(at).filter(|value| !matches!(value, Value::Error(_)))
    }

    /// The trimmed text of an attribute, empty if it has none.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.get(name).and_then(Value::text).map(str::trim).unwrap_or_default()
    }

    /// The value of a boolean attribute.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        self.get(name).and_then(Value::flag)
    }

    /// The value of a numeric attribute.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.get(name).and_then(Value::number)
    }

    /// The elements in an attribute.
    pub(crate) fn elements(&self, name: &str) -> Vec<E> {
        self.get(name).map(Value::elements).unwrap_or_default()
    }

    /// The bounds on the screen.
    pub(crate) fn bounds(&self) -> Option<Rect> {
        if let Some(frame) = self.get("AXFrame").and_then(Value::rect) {
            return Some(frame);
        }
        let (Some(Value::Point(x, y)), Some(Value::Size(width, height))) =
            (self.get("AXPosition"), self.get("AXSize"))
        else {
            return None;
        };
        rounded_rect((*x, *y), (*width, *height))
    }

    /// The `AXRole`.
    pub(crate) fn ax_role(&self) -> &str {
        self.text("AXRole")
    }

    /// The Deskhand role, given the role of the parent.
    pub(crate) fn role(&self, parent_role: Role) -> Role {
        let role = role::from_ax(self.ax_role(), self.text("AXSubrole"));
        let blank = self.flag("AXEnabled") == Some(false) && self.own_name().is_empty();
        refine_role(role, parent_role, self.is_marked(), blank)
    }

    /// Returns `true` for a menu item with a check mark.
    pub(crate) fn is_marked(&self) -> bool {
        !self.text("AXMenuItemMarkChar").is_empty()
    }

    /// The name from its own attributes, without a label element.
    pub(crate) fn own_name(&self) -> String {
        let title = self.text("AXTitle");
        if title.is_empty() { self.text("AXDescription").to_owned() } else { title.to_owned() }
    }

    /// The help text, or another text that differs from the name.
    pub(crate) fn description(&self, name: &str) -> String {
        let texts = ["AXHelp", "AXDescription", "AXPlaceholderValue"];
        let other = texts.iter().map(|attribute| self.text(attribute));
        other.filter(|text| !text.is_empty()).find(|text| *text != name).unwrap_or("").to_owned()
    }

    /// The identifier that the app's developer gave it.
    pub(crate) fn identifier(&self) -> String {
        let own = self.text("AXIdentifier");
        let id = if own.is_empty() { self.text("AXDOMIdentifier") } else { own };
        id.to_owned()
    }

    /// Returns `true` if one of its names, such as "Password", says that its content is secret.
    pub(crate) fn has_secret_name(&self, name: &str) -> bool {
        let names =
            ["AXTitle", "AXDescription", "AXPlaceholderValue", "AXIdentifier", "AXDOMIdentifier"];
        secret::is_secret_name(name)
            || names.iter().any(|attribute| secret::is_secret_name(self.text(attribute)))
    }
}

/// Returns `true` for text fields with one line, into which passwords are typed.
pub(crate) fn is_single_line_field(role: Role) -> bool {
    matches!(role, Role::Entry | Role::Password)
}

/// Returns `true` if the value of such an element is on or off.
pub(crate) fn is_toggle(role: Role) -> bool {
    matches!(
        role,
        Role::CheckBox | Role::RadioButton | Role::Switch | Role::ToggleButton | Role::Tab
    )
}

/// The attributes to read in addition to the basic ones, for the value and state of this role.
pub(crate) fn extra_attributes(role: Role) -> &'static [&'static str] {
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

    fn attributes(pairs: &[(&'static str, Value<u32>)]) -> AttributeSet<u32> {
        let (names, values) = pairs.iter().cloned().unzip();
        AttributeSet::new(names, values)
    }

    fn text(text: &str) -> Value<u32> {
        Value::Text(text.to_owned())
    }

    #[test]
    fn the_description_is_the_name_of_an_element_without_title() {
        let button = attributes(&[("AXTitle", text("")), ("AXDescription", text("Close"))]);
        assert_eq!(button.own_name(), "Close");
        assert_eq!(button.description("Close"), "");
        let titled = attributes(&[("AXTitle", text("OK")), ("AXHelp", text("Saves it"))]);
        assert_eq!((titled.own_name(), titled.description("OK")), ("OK".into(), "Saves it".into()));
    }

    #[test]
    fn bounds_come_from_the_frame_or_from_position_and_size() {
        let frame = attributes(&[("AXFrame", Value::Rect(1.4, 2.0, 30.0, 40.0))]);
        assert_eq!(frame.bounds(), Some(Rect::new(1, 2, 30, 40)));
        let corner = attributes(&[
            ("AXPosition", Value::Point(5.0, 6.0)),
            ("AXSize", Value::Size(7.0, 8.0)),
        ]);
        assert_eq!(corner.bounds(), Some(Rect::new(5, 6, 7, 8)));
        let broken = attributes(&[("AXFrame", Value::Rect(f64::NAN, 0.0, 1.0, 1.0))]);
        assert_eq!(broken.bounds(), None);
    }

    #[test]
    fn an_error_in_place_of_a_value_is_no_value() {
        let bare = attributes(&[("AXTitle", Value::Error(AxError::NoValue))]);
        assert!(bare.get("AXTitle").is_none() && bare.own_name().is_empty());
        assert_eq!(bare.flag("AXEnabled"), None);
    }

    #[test]
    fn an_element_with_the_same_error_for_every_attribute_has_that_error() {
        let error = |error| ("AXRole", Value::Error(error));
        let gone = attributes(&[error(AxError::InvalidElement), error(AxError::InvalidElement)]);
        assert_eq!(gone.common_error(), Some(AxError::InvalidElement));
        let mixed = attributes(&[error(AxError::InvalidElement), error(AxError::NoValue)]);
        assert_eq!(mixed.common_error(), None);
        assert_eq!(attributes(&[("AXTitle", text(""))]).common_error(), None);
    }

    #[test]
    fn a_field_with_a_password_placeholder_has_a_secret_name() {
        let field = attributes(&[("AXPlaceholderValue", text("Password"))]);
        assert!(field.has_secret_name(""));
        assert!(!attributes(&[("AXTitle", text("Name"))]).has_secret_name("Name"));
    }

    #[test]
    fn the_value_of_a_password_field_is_not_read() {
        assert!(extra_attributes(Role::Password).is_empty());
        assert!(extra_attributes(Role::Slider).contains(&"AXMaxValue"));
        assert!(!extra_attributes(Role::Text).contains(&"AXValue"));
    }

    #[test]
    fn the_dom_identifier_is_used_without_an_ax_identifier() {
        let page = attributes(&[("AXIdentifier", text("")), ("AXDOMIdentifier", text("submit"))]);
        assert_eq!(page.identifier(), "submit");
    }
}
