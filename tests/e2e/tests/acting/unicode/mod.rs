//! Text of every script arrives byte for byte, typed on a real keyboard under three layouts and put
//! in from the background; the file, or the page's own value, is what tells.
#![allow(clippy::unwrap_used, reason = "tests")]

mod browsers;
mod editors;

use harness::actions::answer::Answer;
use harness::tasks::Agent;
use harness::{Outcome, Stage};

/// Accents, Greek, Cyrillic, CJK, emoji with joiners and skin tones, both right-to-left scripts,
/// signs of the US layout and others, tabs and line breaks. Lines begin with capital letters and no
/// tab, or word processors and editors with automatic indents would add to them.
const TEXT: &str = "Ærøskøbing naïve façade ŝœ Ωμέγα\n\
    Привет, мир!\t世界 日本語 한국어\n\
    Smile 😀 👍🏽 👨‍👩‍👧 end\n\
    עברית שלום مرحبا بالعالم\n\
    Signs {}[]|\\~@#$%^&*+=<>/?;:_` € § ±\n\
    Last\tline";

const LAYOUTS: [&str; 3] = ["us", "de", "ru"];

/// Gives the keyboard of a desktop another layout.
fn layout(stage: &Stage, name: &str) {
    Outcome::of(stage.command("setxkbmap").arg(name)).expect_ok();
}

/// Types the text by hand under each layout, then puts it in from the background; each time it
/// has another first line, takes the place of what was there, and `check` looks for all of it.
fn in_every_way(stage: &Stage, agent: &Agent, into: &str, check: impl Fn(&str)) {
    for name in LAYOUTS {
        layout(stage, name);
        let text = format!("Layout {name}\n{TEXT}");
        let words = ["type", &text, "--clear", "--into", into, "--mode", "focus"];
        let outcome = agent.call(&words);
        // Firefox tells its text with a U+FEFF after each emoji, which no page has in it.
        let answer = Answer::of(&outcome);
        assert!(matches!(answer.word(), "confirmed" | "partial"), "{outcome}");
        check(&text);
    }
    let text = format!("Background\n{TEXT}");
    let outcome = agent.call(&["type", &text, "--clear", "--into", into]);
    let answer = Answer::of(&outcome);
    assert!(matches!(answer.word(), "confirmed" | "partial"), "{outcome}");
    check(&text);
}
