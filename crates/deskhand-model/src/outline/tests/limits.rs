//! Token budgets, and outlines of extreme trees.

use std::time::{Duration, Instant};

use super::{apps, outline, outline_with};
use crate::{
    Index, Role, Snapshot, State,
    outline::{Outline, OutlineOptions, estimate_tokens},
    testing::{TreeBuilder, index_ref},
};

/// The number of tokens in the vocabulary of a real model.
pub(super) fn tokens(text: &str) -> usize {
    use std::sync::LazyLock;
    static BPE: LazyLock<tiktoken_rs::CoreBPE> =
        LazyLock::new(|| tiktoken_rs::o200k_base().unwrap());
    BPE.encode_ordinary(text).len()
}

fn all() -> Vec<(&'static str, Snapshot)> {
    vec![
        ("editor", apps::editor().0.snapshot()),
        ("calculator", apps::calculator().snapshot()),
        ("web page", apps::web_page().snapshot()),
        ("table", apps::table().0.snapshot()),
        ("settings", apps::settings().snapshot()),
    ]
}

#[test]
fn the_estimate_is_close_and_seldom_low() {
    for (name, snapshot) in all() {
        for max_tokens in [Some(300), Some(1000), Some(4000)] {
            let text = outline_with(
                &snapshot,
                &OutlineOptions { max_tokens, ..OutlineOptions::default() },
            );
            let (real, guess) = (tokens(&text) as f64, estimate_tokens(&text) as f64);
            let ratio = guess / real;
            assert!((0.97..=1.15).contains(&ratio), "{name} {max_tokens:?}: {ratio:.3}\n{text}");
        }
    }
}

#[test]
fn other_languages_are_estimated_high() {
    for text in [
        "button \"Сохранить файл\" e12 disabled\n",
        "button \"保存文件\" e12\n menu \"编辑\" e13 (9 items)\n",
        "button \"Größe ändern\" e12\n textbox \"Übergröße\" e14\n",
        "menuitem \"파일 저장\" e3\n menuitem \"편집\" e4\n",
        "button \"حفظ الملف\" e5\n",
        "link \"ファイルを保存する\" e7\n",
        "button \"🚀 Launch\" e5\n",
    ] {
        let (real, guess) = (tokens(text), estimate_tokens(text));
        assert!(guess + 1 >= real && guess <= real * 2, "{text}: {guess} for {real}");
    }
}

#[test]
fn the_budget_holds_at_every_size() {
    for (name, snapshot) in all() {
        for most in [100, 200, 400, 700, 1000, 2500] {
            let options = OutlineOptions { max_tokens: Some(most), ..OutlineOptions::default() };
            let text = outline_with(&snapshot, &options);
            assert!(tokens(&text) <= most, "{name}: {} over {most}\n{text}", tokens(&text));
        }
    }
}

#[test]
fn a_large_page_shows_its_window_and_counts_omitted_elements() {
    let snapshot = apps::web_page().snapshot();
    let text = outline(&snapshot);
    for part in
        ["window \"Shop - Browser\"", "button \"Reload\"", "textbox \"Address\"", "link \"Offer"]
    {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    assert!(text.contains("more elements in e7"), "{text}");
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("… ") && last.contains(" of "), "{last}");
    assert!(tokens(&text) > 600, "the budget is not used up: {}", tokens(&text));
}

#[test]
fn omitted_elements_are_mentioned() {
    for (name, snapshot) in all() {
        let everything = OutlineOptions { max_tokens: None, ..OutlineOptions::default() };
        let full = Outline::new(&snapshot, Index::ROOT, &everything, &mut index_ref);
        assert_eq!(full.omitted(), 0, "{name}");
        let some = OutlineOptions { max_tokens: Some(250), ..OutlineOptions::default() };
        let part = Outline::new(&snapshot, Index::ROOT, &some, &mut index_ref);
        assert!(part.lines().len() <= full.lines().len() + 40, "{name}");
        let said = part.to_string().contains("not shown");
        assert_eq!(said, part.omitted() > 0, "{name}");
    }
}

#[test]
fn a_modal_dialog_is_shown_before_the_windows_behind_it() {
    let mut builder = apps::web_page();
    let dialog = builder.add(0, Role::Dialog, "Delete?");
    builder.set(dialog, State::Modal);
    builder.add(dialog, Role::Label, "This cannot be undone.");
    builder.add(dialog, Role::Button, "Cancel");
    builder.add(dialog, Role::Button, "Delete");
    let options = OutlineOptions { max_tokens: Some(200), ..OutlineOptions::default() };
    let text = outline_with(&builder.snapshot(), &options);
    assert!(text.contains("button \"Delete\""), "{text}");
    assert!(text.contains("This cannot be undone."), "{text}");
    assert!(text.contains("window \"Shop - Browser\""), "{text}");
}

#[test]
fn depth_limits_the_levels_and_deeper_elements_are_counted() {
    let snapshot = apps::editor().0.snapshot();
    let text =
        outline_with(&snapshot, &OutlineOptions { depth: Some(1), ..OutlineOptions::default() });
    assert!(text.contains(" menubar e3 (5 items)"), "{text}");
    assert!(!text.contains("button"), "{text}");
}

#[test]
fn hundreds_of_windows_do_not_break_the_budget() {
    let mut builder = TreeBuilder::new();
    for nth in 0..500 {
        let window = builder.add(0, Role::Window, &format!("Window number {nth}"));
        builder.add(window, Role::Button, "Close");
    }
    let text = outline(&builder.snapshot());
    assert!(tokens(&text) <= 1000, "{}", tokens(&text));
    assert!(text.contains("more windows"), "{text}");
}

#[test]
fn a_tree_of_ten_thousand_levels_stays_within_the_budget() {
    let mut builder = TreeBuilder::new();
    let mut at = 0;
    for nth in 0..10_000 {
        at = builder.add(at, if nth % 2 == 0 { Role::ListItem } else { Role::Article }, "x");
    }
    let text = outline(&builder.snapshot());
    assert!(tokens(&text) <= 1000 && text.contains("not shown"), "{text}");
}

#[test]
fn megabyte_names_and_control_characters_are_cheap_and_safe() {
    let mut builder = TreeBuilder::new();
    let window = builder.add(0, Role::Window, &"W\u{202e}".repeat(1 << 19));
    for _ in 0..50 {
        builder.add(window, Role::Button, &"\u{1b}]0;x\u{7}".repeat(200_000));
        builder.add(window, Role::Label, &"long words ".repeat(100_000));
    }
    let snapshot = builder.snapshot();
    let start = Instant::now();
    let text = outline(&snapshot);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert!(text.contains("…(1,048,576 chars)"), "{}", &text[..400]);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'));
}

#[test]
fn empty_trees_and_every_role_alone_have_an_outline() {
    let nothing = Snapshot::assemble(crate::testing::app(), Vec::new(), &[]);
    assert!(outline(&nothing).starts_with("sample (pid 1) 0 elements"));
    for role in Role::ALL {
        let mut builder = TreeBuilder::new();
        let one = builder.add(0, *role, "");
        builder.add(one, *role, "inner");
        for max_tokens in [None, Some(0), Some(1000)] {
            for include_invisible in [false, true] {
                let options = OutlineOptions { max_tokens, include_invisible, depth: None };
                assert!(!outline_with(&builder.snapshot(), &options).is_empty());
            }
        }
    }
}

#[test]
fn refs_are_requested_only_for_shown_elements() {
    let snapshot = apps::web_page().snapshot();
    let mut asked = std::collections::HashSet::new();
    let mut refs = |_: &Snapshot, at: Index| {
        asked.insert(at);
        format!("e{}", at.get())
    };
    let outline = Outline::new(&snapshot, Index::ROOT, &OutlineOptions::default(), &mut refs);
    assert!(asked.len() <= outline.lines().len(), "{} of {}", asked.len(), outline.lines().len());
}
