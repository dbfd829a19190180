//! Text in all scripts arrives unchanged: typed with real key events under three layouts, and
//! inserted in the background.
//!
//! The oracle is the saved file or the value of the page.
#![allow(clippy::unwrap_used, reason = "tests")]

mod browsers;
mod editors;

use harness::actions::answer::Answer;
use harness::tasks::Agent;
use harness::{Outcome, TestDesktop};

/// Accents, Greek, Cyrillic, CJK, emoji with joiners and skin tones, right-to-left scripts, symbols
/// that the US layout lacks, tabs and line breaks.
///
/// Lines start with a capital letter and no tab, because word processors capitalize and editors
/// indent automatically.
const TEXT: &str = "Ærøskøbing naïve façade ŝœ Ωμέγα\n\
    Привет, мир!\t世界 日本語 한국어\n\
    Smile 😀 👍🏽 👨‍👩‍👧 end\n\
    עברית שלום مرحبا بالعالم\n\
    Signs {}[]|\\~@#$%^&*+=<>/?;:_` € § ±\n\
    Last\tline";

const LAYOUTS: [&str; 3] = ["us", "de", "ru"];

/// Sets the keyboard layout of the desktop.
fn set_layout(stage: &TestDesktop, name: &str) {
    Outcome::of(stage.command("setxkbmap").arg(name)).expect_ok();
}

/// Types the text under each layout in focus mode, then inserts it in the background.
///
/// Each run replaces the previous text and has a different first line. `check` receives the
/// expected text.
fn check_all_input_methods(stage: &TestDesktop, agent: &Agent, into: &str, check: impl Fn(&str)) {
    for name in LAYOUTS {
        set_layout(stage, name);
        let text = format!("Layout {name}\n{TEXT}");
        let words = ["type", &text, "--clear", "--into", into, "--mode", "focus"];
        let outcome = agent.call(&words);
        // Firefox reports a U+FEFF after each emoji that is not in the page, so `partial` is
        // accepted.
        let answer = Answer::from_outcome(&outcome);
        assert!(matches!(answer.word(), "confirmed" | "partial"), "{outcome}");
        check(&text);
    }
    let text = format!("Background\n{TEXT}");
    let outcome = agent.call(&["type", &text, "--clear", "--into", into]);
    let answer = Answer::from_outcome(&outcome);
    assert!(matches!(answer.word(), "confirmed" | "partial"), "{outcome}");
    check(&text);
}
