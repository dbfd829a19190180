//! Advice for callers of tools: what is said of commands and flags, said of tools and arguments.

/// What people read, and what programs read instead; longer ones stand before those inside them.
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
        "run `deskhand check`; `deskhand desktop run -- CMD` gives CMD a desktop of its own",
        "ax_is_accessible tells what is missing",
    ),
    (
        "try again; if it stays, run `deskhand check`",
        "try again; if it stays, ask ax_is_accessible",
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

/// The same advice for callers of tools.
pub fn for_tools(advice: &str) -> String {
    WORDS.iter().fold(advice.to_owned(), |text, (people, programs)| text.replace(people, programs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_become_arguments_and_commands_become_tools() {
        let advice = "use --mode focus: it brings the window forward";
        assert_eq!(for_tools(advice), "use mode \"focus\": it brings the window forward");
        let advice = "look what came of it: `deskhand tree` or `deskhand screenshot`";
        assert_eq!(for_tools(advice), "look what came of it: ax_get_tree or ax_screenshot");
        assert_eq!(for_tools("answer the dialog first"), "answer the dialog first");
    }
}
