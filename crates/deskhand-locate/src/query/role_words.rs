//! Role words in plain text, such as `the OK button` or `Search field`.

use deskhand_model::Role;

/// A name and the roles that the words around it state.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RoleAndName {
    pub(crate) name: String,
    /// The stated roles; empty if the text states none.
    pub(crate) roles: &'static [Role],
    /// `true` if the text begins with an article, as descriptions do.
    pub(crate) has_article: bool,
}

const ARTICLES: [&str; 3] = ["the", "a", "an"];

const BUTTONS: &[Role] = &[
    Role::Button,
    Role::ToggleButton,
    Role::MenuButton,
    Role::RadioButton,
    Role::Link,
    Role::Icon,
    Role::Image,
];
const FIELDS: &[Role] = &[
    Role::Entry,
    Role::Text,
    Role::Password,
    Role::SpinButton,
    Role::ComboBox,
    Role::Autocomplete,
    Role::EditBar,
    Role::DateEditor,
];
const BOXES: &[Role] = &[
    Role::CheckBox,
    Role::ComboBox,
    Role::ListBox,
    Role::List,
    Role::Entry,
    Role::Text,
    Role::SpinButton,
];
const CHECK_BOXES: &[Role] =
    &[Role::CheckBox, Role::Switch, Role::ToggleButton, Role::CheckMenuItem];
const CHOICES: &[Role] = &[Role::ComboBox, Role::ListBox, Role::MenuButton];
const MENU_ITEMS: &[Role] = &[Role::MenuItem, Role::CheckMenuItem, Role::RadioMenuItem, Role::Menu];
const MENUS: &[Role] = &[Role::Menu, Role::MenuItem, Role::MenuButton, Role::PopupMenu];
const ITEMS: &[Role] = &[
    Role::MenuItem,
    Role::CheckMenuItem,
    Role::RadioMenuItem,
    Role::ListItem,
    Role::TreeItem,
    Role::TableRow,
    Role::Cell,
    Role::Icon,
];
const LISTS: &[Role] = &[Role::List, Role::ListBox, Role::Table, Role::Tree, Role::TreeTable];
const ROWS: &[Role] = &[Role::TableRow, Role::ListItem, Role::TreeItem, Role::Cell];
const HEADERS: &[Role] = &[Role::ColumnHeader, Role::TableColumnHeader];
const RADIOS: &[Role] = &[Role::RadioButton, Role::RadioMenuItem, Role::ListItem];
const SLIDERS: &[Role] = &[Role::Slider, Role::Dial];
const WINDOWS: &[Role] =
    &[Role::Window, Role::Dialog, Role::Alert, Role::FileChooser, Role::FontChooser];

/// The roles of every window that is a dialog.
pub(crate) const DIALOGS: &[Role] =
    &[Role::Dialog, Role::Alert, Role::FileChooser, Role::FontChooser, Role::ColorChooser];

/// Role words with the roles that people mean by them. Longer phrases come first.
const WORDS: &[(&str, &[Role])] = &[
    ("check menu item", MENU_ITEMS),
    ("drop down list", CHOICES),
    ("menu item", MENU_ITEMS),
    ("menu entry", MENU_ITEMS),
    ("menu option", MENU_ITEMS),
    ("menu button", BUTTONS),
    ("push button", BUTTONS),
    ("toggle button", BUTTONS),
    ("radio button", RADIOS),
    ("toolbar button", BUTTONS),
    ("check box", CHECK_BOXES),
    ("combo box", CHOICES),
    ("drop down", CHOICES),
    ("text field", FIELDS),
    ("input field", FIELDS),
    ("text box", FIELDS),
    ("text entry", FIELDS),
    ("text area", FIELDS),
    ("spin button", FIELDS),
    ("spin box", FIELDS),
    ("list item", ITEMS),
    ("tree item", ITEMS),
    ("list box", LISTS),
    ("column header", HEADERS),
    ("dialog box", DIALOGS),
    ("button", BUTTONS),
    ("field", FIELDS),
    ("input", FIELDS),
    ("entry", FIELDS),
    ("textbox", FIELDS),
    ("box", BOXES),
    ("checkbox", CHECK_BOXES),
    ("switch", CHECK_BOXES),
    ("toggle", CHECK_BOXES),
    ("combobox", CHOICES),
    ("dropdown", CHOICES),
    ("slider", SLIDERS),
    ("tab", &[Role::Tab]),
    ("link", &[Role::Link]),
    ("menuitem", MENU_ITEMS),
    ("menu", MENUS),
    ("item", ITEMS),
    ("icon", BUTTONS),
    ("option", RADIOS),
    ("list", LISTS),
    ("table", LISTS),
    ("tree", LISTS),
    ("row", ROWS),
    ("cell", ROWS),
    ("column", HEADERS),
    ("dialog", DIALOGS),
    ("window", WINDOWS),
];

/// Separates the name from the article and the role words around it. Returns `None` if the text has
/// neither, or nothing else.
pub(crate) fn split(text: &str) -> Option<RoleAndName> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let lowercase: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let start = usize::from(words.len() > 1 && ARTICLES.contains(&lowercase[0].as_str()));
    let (words, lowercase) = (&words[start..], &lowercase[start..]);
    let whole = lowercase.join(" ");
    if WORDS.iter().any(|(phrase, _)| *phrase == whole) {
        return None;
    }
    let found = WORDS.iter().find_map(|(phrase, roles)| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        let left = words.len().checked_sub(phrase.len()).filter(|left| *left > 0)?;
        let equals = |part: &[String]| part.iter().zip(&phrase).all(|(a, b)| a == b);
        if equals(&lowercase[left..]) {
            Some((&words[..left], *roles))
        } else if equals(&lowercase[..phrase.len()]) {
            Some((&words[phrase.len()..], *roles))
        } else {
            None
        }
    });
    let (name, roles) = match found {
        Some(found) => found,
        None if start > 0 => (words, &[][..]),
        None => return None,
    };
    Some(RoleAndName { name: name.join(" "), roles, has_article: start > 0 })
}

/// Returns the roles of a role word that means more than one role, such as `dialog` or `field`.
pub(crate) fn group(word: &str) -> Option<&'static [Role]> {
    match word.trim().to_lowercase().as_str() {
        "dialog" => Some(DIALOGS),
        "field" | "input" => Some(FIELDS),
        "dropdown" => Some(CHOICES),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name_of(text: &str) -> Option<(String, Option<Role>)> {
        split(text).map(|split| (split.name, split.roles.first().copied()))
    }

    #[test]
    fn articles_and_role_words_are_separated_from_the_name() {
        let named = |name: &str, role| Some((name.to_owned(), role));
        assert_eq!(name_of("the OK button"), named("OK", Some(Role::Button)));
        assert_eq!(name_of("Search field"), named("Search", Some(Role::Entry)));
        assert_eq!(name_of("Save As menu item"), named("Save As", Some(Role::MenuItem)));
        assert_eq!(name_of("the File menu"), named("File", Some(Role::Menu)));
        assert_eq!(name_of("tab General"), named("General", Some(Role::Tab)));
        assert_eq!(name_of("the Close"), named("Close", None));
    }

    #[test]
    fn a_text_without_a_name_or_without_role_words_is_left_alone() {
        for text in ["Save", "the", "button", "menu item", "Tabs", ""] {
            assert_eq!(name_of(text), None, "{text}");
        }
    }
}
