//! Target for the sanitizing of app text.

use deskhand_model::clean::clean;

use crate::Target;

/// Sanitizing is idempotent and removes every terminal control sequence.
pub(crate) const TARGET: Target = Target {
    name: "text",
    run,
    words: &[
        "\u{1b}[",
        "\u{1b}]0;",
        "\u{7}",
        "\u{1b}\\",
        "\u{9b}",
        "\u{90}",
        "\u{200d}",
        "\u{200c}",
        "\u{fe0f}",
        "\u{fe00}",
        "\u{e0100}",
        "\u{e0041}",
        "\u{e007f}",
        "\u{202a}",
        "\u{2066}",
        "\u{2069}",
        "\u{3164}",
        "\u{115f}",
        "\u{2063}",
        "\u{1f3f4}",
        "\u{1f469}",
        "\u{915}\u{94d}",
        "m",
        "K",
    ],
    rounds: 20_000,
};

fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let once = clean(&text, &mut |_| {}).into_owned();
    let mut again = Vec::new();
    let twice = clean(&once, &mut |flag| again.push(flag)).into_owned();
    assert_eq!(once, twice, "sanitized text changes no more: {again:?}");
    assert!(again.is_empty(), "nothing is removed from sanitized text: {again:?} in {once:?}");
    assert!(!once.contains(['\u{1b}', '\u{9b}', '\0']), "{once:?}");
}
