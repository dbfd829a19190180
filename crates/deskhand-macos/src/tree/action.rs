//! Action names: macOS calls an action `AXPress`, Deskhand shows `Press`.

/// Opens an outline row. macOS has an attribute for this, Deskhand offers it as an action.
pub(crate) const EXPAND: &str = "Expand";
/// Closes an outline row.
pub(crate) const COLLAPSE: &str = "Collapse";

/// The name to show: `AXPress` becomes `Press`, a custom action keeps the name its app gives it.
pub(crate) fn display_name(name: &str) -> String {
    // AppKit formats custom actions as `Name:Mark as Read\nTarget:0x0\nSelector:(null)`.
    if let Some(own) = name.strip_prefix("Name:") {
        return own.lines().next().unwrap_or(own).trim().to_owned();
    }
    name.strip_prefix("AX").unwrap_or(name).to_owned()
}

/// Finds an action by name. Ignores case, punctuation and the prefix `AX`.
pub(crate) fn find_action<'a>(word: &str, offered: &'a [String]) -> Option<&'a String> {
    let word = word.trim();
    let same = |name: &&String| name.eq_ignore_ascii_case(word);
    offered.iter().find(same).or_else(|| {
        let normalized = normalize(word);
        offered.iter().find(|name| normalize(&display_name(name)) == normalized)
    })
}

/// A name in lower case, with letters and digits only.
fn normalize(word: &str) -> String {
    let word = word.strip_prefix("AX").unwrap_or(word);
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offers(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn display_names_have_no_prefix_and_no_selector() {
        assert_eq!(display_name("AXShowMenu"), "ShowMenu");
        assert_eq!(display_name("Name:Mark as Read\nTarget:0x0\nSelector:(null)"), "Mark as Read");
        assert_eq!(display_name("custom"), "custom");
    }

    #[test]
    fn an_action_is_found_in_any_spelling() {
        let offered = offers(&["AXPress", "AXShowMenu", "Name:Mark as Read\nTarget:0x0"]);
        for (word, found) in [
            ("press", 0),
            ("AXPress", 0),
            ("Press", 0),
            ("show menu", 1),
            ("show-menu", 1),
            ("mark as read", 2),
        ] {
            assert_eq!(find_action(word, &offered), Some(&offered[found]), "{word}");
        }
        assert_eq!(find_action("fly", &offered), None);
    }
}
