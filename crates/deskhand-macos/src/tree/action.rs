//! The names of actions: what the system calls them, and what they are called above the seam.

/// What opens and closes a row of an outline: an attribute there, an action to everybody else.
pub(crate) const EXPAND: &str = "Expand";
/// The same, to close it.
pub(crate) const COLLAPSE: &str = "Collapse";

/// An action's name as it is shown: `AXPress` is `Press`, and an action of the app's own is what
/// its app calls it.
pub(crate) fn shown(name: &str) -> String {
    // AppKit writes its custom actions as `Name:Mark as Read\nTarget:0x0\nSelector:(null)`.
    if let Some(own) = name.strip_prefix("Name:") {
        return own.lines().next().unwrap_or(own).trim().to_owned();
    }
    name.strip_prefix("AX").unwrap_or(name).to_owned()
}

/// The action of an element that a word means, in any case, with `AX` before it or not.
pub(crate) fn meant<'a>(word: &str, offered: &'a [String]) -> Option<&'a String> {
    let word = word.trim();
    let same = |name: &&String| name.eq_ignore_ascii_case(word);
    offered.iter().find(same).or_else(|| {
        let plain = plain(word);
        offered.iter().find(|name| self::plain(&shown(name)) == plain)
    })
}

/// A name without the differences people make in spelling it.
fn plain(word: &str) -> String {
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
    fn names_lose_what_only_the_system_needs() {
        assert_eq!(shown("AXShowMenu"), "ShowMenu");
        assert_eq!(shown("Name:Mark as Read\nTarget:0x0\nSelector:(null)"), "Mark as Read");
        assert_eq!(shown("custom"), "custom");
    }

    #[test]
    fn a_word_in_any_spelling_finds_its_action() {
        let offered = offers(&["AXPress", "AXShowMenu", "Name:Mark as Read\nTarget:0x0"]);
        for (word, found) in [
            ("press", 0),
            ("AXPress", 0),
            ("Press", 0),
            ("show menu", 1),
            ("show-menu", 1),
            ("mark as read", 2),
        ] {
            assert_eq!(meant(word, &offered), Some(&offered[found]), "{word}");
        }
        assert_eq!(meant("fly", &offered), None);
    }
}
