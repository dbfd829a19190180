//! What is put on the clipboard is there, in every form, and only there.

use std::time::Duration;

use super::{AppUse, Check, Outcome, Part, Scene, ensure, eventually, soon};
use crate::{Error, Item, Mark, Selection, form};

const MOMENT: Duration = Duration::from_millis(300);
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "what_was_copied_is_read_in_every_form",
        covers: &["Clipboard::write", "Clipboard::read", "Clipboard::look", "Clipboard::desktop"],
        needs: &[Part::Clipboard],
        app: AppUse::Shared,
        run: forms,
    },
    Check {
        name: "a_secret_is_marked_as_one",
        covers: &["Clipboard::write", "Clipboard::look"],
        needs: &[Part::Clipboard],
        app: AppUse::Shared,
        run: concealed,
    },
    Check {
        name: "a_cleared_clipboard_holds_nothing",
        covers: &["Clipboard::clear", "Clipboard::look", "Clipboard::read"],
        needs: &[Part::Clipboard],
        app: AppUse::Shared,
        run: cleared,
    },
    Check {
        name: "a_change_of_the_clipboard_is_reported",
        covers: &["Clipboard::watch", "Changes::next"],
        needs: &[Part::Clipboard],
        app: AppUse::Shared,
        run: watched,
    },
    Check {
        name: "what_was_selected_is_a_clipboard_of_its_own",
        covers: &["Clipboard::write", "Clipboard::read"],
        needs: &[Part::Clipboard, Part::Primary],
        app: AppUse::Shared,
        run: primary,
    },
    Check {
        name: "a_clipboard_the_desktop_lacks_is_unsupported",
        covers: &["Clipboard::look", "Clipboard::write"],
        needs: &[Part::Clipboard],
        app: AppUse::Shared,
        run: no_primary,
    },
];

/// The smallest picture there is: one pixel.
const PNG: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0,
    1, 0, 0, 0, 1, 8, 2, 0, 0, 0, 0x90, 0x77, 0x53, 0xde, 0, 0, 0, 12, b'I', b'D', b'A', b'T', 8,
    0xd7, 0x63, 0xf8, 0xcf, 0xc0, 0, 0, 3, 1, 1, 0, 0x18, 0xdd, 0x8d, 0xb0, 0, 0, 0, 0, b'I', b'E',
    b'N', b'D', 0xae, 0x42, 0x60, 0x82,
];

fn text(words: &str) -> Vec<Item> {
    vec![Item { form: form::TEXT.to_owned(), data: words.as_bytes().to_vec() }]
}

fn forms(scene: &Scene<'_>) -> Outcome {
    let clipboard = scene.clipboard()?;
    let at = Selection::Clipboard;
    ensure!(!clipboard.desktop().is_empty(), "the desktop of the clipboard has no name");
    ensure!(clipboard.desktop() == clipboard.desktop(), "the desktop's name changes");
    let long = "0123456789".repeat(30_000);
    let sets: [&[(&str, &[u8])]; 4] = [
        &[
            (form::TEXT, "Grüße ✓ 日本 🙂\nzweite Zeile".as_bytes()),
            (form::HTML, "<b>Grüße</b> ✓".as_bytes()),
            (form::RTF, br"{\rtf1\ansi plain}"),
        ],
        &[(form::FILES, b"file:///usr/bin/env\r\nfile:///usr/share/a%20b\r\n")],
        &[(form::URL, b"https://example.org/a?b=c\nA title"), (form::PNG, PNG)],
        &[(form::TEXT, long.as_bytes())],
    ];
    for items in sets {
        let put = items
            .iter()
            .map(|(form, data)| Item { form: (*form).to_owned(), data: data.to_vec() })
            .collect();
        clipboard.write(at, put, Mark::Open, soon())?;
        let contents = clipboard.look(at, soon())?;
        for (form, data) in items {
            ensure!(contents.forms.iter().any(|one| one == form), "no {form}: {contents:?}");
            let read = clipboard.read(at, form, soon())?.unwrap_or_default();
            // Lists of files end their lines in either way.
            let same = |a: &[u8], b: &[u8]| {
                let lines = |bytes: &[u8]| -> Vec<String> {
                    String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
                };
                if *form == form::FILES { lines(a) == lines(b) } else { a == b }
            };
            let said = String::from_utf8_lossy(&read);
            let head: String = said.chars().take(60).collect();
            ensure!(
                same(&read, data),
                "{form}: {} bytes were put, {} are read: {head:?}",
                data.len(),
                read.len()
            );
        }
        let other = clipboard.read(at, "application/x-no-such-form", soon())?;
        ensure!(other.is_none(), "it comes in a form nobody gave it");
    }
    Ok(())
}

fn concealed(scene: &Scene<'_>) -> Outcome {
    let clipboard = scene.clipboard()?;
    for (mark, secret) in [(Mark::Concealed, true), (Mark::Open, false)] {
        clipboard.write(Selection::Clipboard, text("hush"), mark, soon())?;
        let contents = clipboard.look(Selection::Clipboard, soon())?;
        ensure!(contents.concealed == secret, "{mark:?} is {contents:?}");
    }
    Ok(())
}

fn cleared(scene: &Scene<'_>) -> Outcome {
    let clipboard = scene.clipboard()?;
    clipboard.write(Selection::Clipboard, text("soon gone"), Mark::Open, soon())?;
    clipboard.clear(Selection::Clipboard, soon())?;
    eventually(|| {
        let contents = clipboard.look(Selection::Clipboard, soon())?;
        Ok((!contents.forms.is_empty()).then(|| format!("{contents:?} is there")))
    })?;
    let read = clipboard.read(Selection::Clipboard, form::TEXT, soon())?;
    ensure!(read.is_none(), "{} bytes are read from nothing", read.map_or(0, |data| data.len()));
    Ok(())
}

fn watched(scene: &Scene<'_>) -> Outcome {
    let clipboard = scene.clipboard()?;
    let mut changes = clipboard.watch(Selection::Clipboard, soon())?;
    // What happened just before may still be on its way.
    while changes.next(MOMENT)? {}
    clipboard.write(Selection::Clipboard, text("news"), Mark::Open, soon())?;
    ensure!(changes.next(PATIENCE)?, "the clipboard changed, and nobody was told");
    Ok(())
}

fn primary(scene: &Scene<'_>) -> Outcome {
    let clipboard = scene.clipboard()?;
    clipboard.write(Selection::Clipboard, text("copied"), Mark::Open, soon())?;
    clipboard.write(Selection::Primary, text("selected"), Mark::Open, soon())?;
    for (at, wanted) in [(Selection::Primary, "selected"), (Selection::Clipboard, "copied")] {
        let read = clipboard.read(at, form::TEXT, soon())?.unwrap_or_default();
        ensure!(read == wanted.as_bytes(), "{at:?} holds {:?}", String::from_utf8_lossy(&read));
    }
    Ok(())
}

fn no_primary(scene: &Scene<'_>) -> Outcome {
    let clipboard = scene.clipboard()?;
    let look = clipboard.look(Selection::Primary, soon());
    if !scene.declared.absent.contains(&Part::Primary) {
        look?;
        return Ok(());
    }
    let write = clipboard.write(Selection::Primary, text("nowhere"), Mark::Open, soon());
    for refused in [look.map(drop), write] {
        ensure!(matches!(refused, Err(Error::Unsupported { .. })), "it came to {refused:?}");
    }
    Ok(())
}
