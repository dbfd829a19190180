//! Target for `security.toml`.

use deskhand_engine::AppRules;
use deskhand_model::Explain;

use crate::Target;

/// Parsing is deterministic, and an added line at the top does not make a valid file invalid or an
/// invalid file valid.
pub(crate) const TARGET: Target = Target {
    name: "security_toml",
    run,
    words: &[
        "[apps]",
        "allowed",
        "denied",
        "write_blocked",
        "default_write_blocked",
        " = ",
        "[\"",
        "\"]",
        "'''",
        "\"\"\"",
        "*",
        "**/",
        "[!a]",
        "{a,b}",
        "\\",
        "true",
        "false",
        "#",
        "\n",
        "[[apps]]",
        "apps.denied",
        "/usr/bin/",
        ".desktop",
        "1979-05-27",
        "inf",
    ],
    rounds: 3_000,
};

fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let read = |text: &str| AppRules::parse(text, "security.toml");
    let moved = read(&format!("\n{text}"));
    match read(text) {
        Ok(rules) => {
            let again = read(text).map(|again| format!("{again:?}"));
            assert_eq!(again.ok(), Some(format!("{rules:?}")));
            // A byte order mark is only valid at the start of a file.
            assert!(moved.is_ok() || text.starts_with('\u{feff}'));
            let more = |name: &str| vec![name.to_owned()];
            assert!(rules.with_entries(more("kcalc"), more("mousepad"), Vec::new()).is_ok());
        }
        Err(error) => {
            assert_eq!(error.code(), "invalid_rules");
            assert!(error.hint().is_some());
            assert!(error.to_string().starts_with("security.toml:"), "{error}");
            assert!(moved.is_err(), "{error}");
        }
    }
}
