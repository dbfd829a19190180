//! Advice for MCP clients: replaces CLI commands and flags by tools and arguments.

/// CLI phrases and their MCP replacements. Longer phrases stand before their substrings.
const WORDS: &[(&str, &str)] = &[
    ("`deskhand window restore` and look again", "ax_click with mode \"focus\" and look again"),
    ("`deskhand set` or `deskhand select`", "ax_set_value"),
    ("`deskhand tree` or `deskhand screenshot`", "ax_get_tree or ax_screenshot"),
    (
        "use --mode focus with `deskhand click` or `deskhand type`",
        "use ax_click or ax_type with mode \"focus\"",
    ),
    ("open it with `deskhand click`", "open it with ax_click"),
    ("`deskhand open NAME` starts a program", "a person must start a program"),
    (
        "leave it out, or send it as a key: `deskhand key`",
        "leave it out, or send it with ax_key_press",
    ),
    (
        "run `deskhand check`: it tells what is missing, and what to do",
        "ax_is_accessible tells what is missing",
    ),
    (
        "try again; if it stays, run `deskhand check`",
        "try again; if it stays, ask ax_is_accessible",
    ),
    (
        ": `deskhand check --open-settings` opens the place",
        " in the system's settings; ax_is_accessible tells whether they did",
    ),
    ("or give it longer with --timeout", "or wait with ax_wait_idle"),
    ("or wait longer with --timeout", "or wait with ax_wait_idle"),
    ("or longer with --timeout", "or wait with ax_wait_idle"),
    (
        "watch another app with --app, or look at it with `deskhand tree` instead",
        "look at it with ax_get_tree",
    ),
    (
        "look again: `deskhand apps` lists what runs now",
        "look again: ax_list_apps lists what runs now",
    ),
    ("`deskhand attributes REF`", "ax_get_attributes"),
    ("`deskhand clipboard read` tells", "ax_clipboard tells"),
    ("see `deskhand display list`", "take a screenshot of the whole screen first"),
    ("pass --app with one of", "pass app with one of"),
    ("by its id, or narrow with --title", "by its pid"),
    ("--mode focus", "mode \"focus\""),
    ("--mode background", "mode \"background\""),
    ("`deskhand screenshot`", "ax_screenshot"),
    ("`deskhand tree`", "ax_get_tree"),
];

/// Rewrites advice for MCP clients.
pub fn for_tools(advice: &str) -> String {
    WORDS.iter().fold(advice.to_owned(), |text, (people, programs)| text.replace(people, programs))
}

#[cfg(test)]
mod tests {
    use deskhand_model::Explain;
    use deskhand_platform::Error as Below;

    use super::*;
    use crate::{Error, verbs::Condition};

    #[test]
    fn flags_become_arguments_and_commands_become_tools() {
        let advice = "use --mode focus: it brings the window forward";
        assert_eq!(for_tools(advice), "use mode \"focus\": it brings the window forward");
        let advice = "look what came of it: `deskhand tree` or `deskhand screenshot`";
        assert_eq!(for_tools(advice), "look what came of it: ax_get_tree or ax_screenshot");
        assert_eq!(for_tools("answer the dialog first"), "answer the dialog first");
    }

    #[test]
    fn no_advice_on_what_these_tools_meet_speaks_of_commands() {
        let word = || "it".to_owned();
        let conditions = [
            Condition::Visible,
            Condition::Enabled,
            Condition::Editable,
            Condition::Stable,
            Condition::Uncovered,
            Condition::Unblocked,
            Condition::Focused,
        ];
        let not_ready =
            |condition| Error::NotReady { query: word(), condition, last_state: word() };
        let below = [
            Below::NoAccessibility { why: word() },
            Below::NoDisplay { why: word() },
            Below::Timeout { what: word() },
            Below::Gone { what: word() },
            Below::Disconnected { what: word(), why: word() },
            Below::TooLarge { what: word() },
            Below::Unsupported { what: word(), why: word() },
            Below::ScreenLocked { by: word() },
            Below::PermissionDenied { permission: word(), program: word() },
            Below::AppBlocked { app: word() },
            Below::WriteBlocked { app: word() },
            Below::Halted { reason: None },
            Below::Unexpected { what: word(), why: word() },
        ];
        let others = [
            Error::BadArguments { tool: "ax_click", why: word() },
            Error::NoApp { wanted: word(), running: vec![word()] },
            Error::NoTree { wanted: word(), window: word() },
            Error::AmbiguousApp { wanted: word(), matching: Vec::new() },
            Error::AppRequired { running: vec![word()] },
            Error::NoWindow { wanted: word(), windows: Vec::new() },
            Error::NoWindow { wanted: word(), windows: vec![word()] },
            Error::AmbiguousWindow { wanted: word(), matching: vec![word()] },
            Error::MissingCapability { part: "screen" },
            Error::OutOfBounds { x: 0.0, y: 0.0, displays: vec![word()] },
            Error::NoKey { wanted: word(), near: Vec::new() },
            Error::ClipboardEmpty,
            Error::ClipboardSecret,
        ];
        let ready = conditions.into_iter().map(not_ready);
        for error in ready.chain(below.into_iter().map(Error::Platform)).chain(others) {
            let told = for_tools(&error.hint().unwrap_or_default());
            assert!(!told.contains("deskhand ") && !told.contains("--"), "{error:?}: {told}");
        }
    }
}
