//! The clipboard returns written content in every format.

use super::{
    AppUse, Capability, CheckResult, ConformanceCheck, Fixture, call_deadline, ensure, eventually,
    timing::{CLIPBOARD_CHANGE_TIMEOUT, CLIPBOARD_QUIET_PERIOD},
};
use crate::{ClipboardItem, Error, Selection, Sensitivity, mime};

pub(super) const CHECKS: &[ConformanceCheck] = &[
    ConformanceCheck {
        name: "written_content_can_be_read_in_every_format",
        covers: &[
            "Clipboard::write",
            "Clipboard::read",
            "Clipboard::contents",
            "Clipboard::desktop_id",
        ],
        requires: &[Capability::Clipboard],
        app: AppUse::Shared,
        run: formats,
    },
    ConformanceCheck {
        name: "a_secret_is_marked_as_concealed",
        covers: &["Clipboard::write", "Clipboard::contents"],
        requires: &[Capability::Clipboard],
        app: AppUse::Shared,
        run: concealed,
    },
    ConformanceCheck {
        name: "a_cleared_clipboard_is_empty",
        covers: &["Clipboard::clear", "Clipboard::contents", "Clipboard::read"],
        requires: &[Capability::Clipboard],
        app: AppUse::Shared,
        run: cleared,
    },
    ConformanceCheck {
        name: "a_clipboard_change_is_reported",
        covers: &["Clipboard::watch", "ClipboardChanges::next"],
        requires: &[Capability::Clipboard],
        app: AppUse::Shared,
        run: watched,
    },
    ConformanceCheck {
        name: "the_primary_selection_is_a_separate_clipboard",
        covers: &["Clipboard::write", "Clipboard::read"],
        requires: &[Capability::Clipboard, Capability::Primary],
        app: AppUse::Shared,
        run: primary,
    },
    ConformanceCheck {
        name: "a_missing_clipboard_is_unsupported",
        covers: &["Clipboard::contents", "Clipboard::write"],
        requires: &[Capability::Clipboard],
        app: AppUse::Shared,
        run: no_primary,
    },
];

/// An image of one pixel.
const PNG: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0,
    1, 0, 0, 0, 1, 8, 2, 0, 0, 0, 0x90, 0x77, 0x53, 0xde, 0, 0, 0, 12, b'I', b'D', b'A', b'T', 8,
    0xd7, 0x63, 0xf8, 0xcf, 0xc0, 0, 0, 3, 1, 1, 0, 0x18, 0xdd, 0x8d, 0xb0, 0, 0, 0, 0, b'I', b'E',
    b'N', b'D', 0xae, 0x42, 0x60, 0x82,
];

fn text(words: &str) -> Vec<ClipboardItem> {
    vec![ClipboardItem { mime_type: mime::TEXT.to_owned(), data: words.as_bytes().to_vec() }]
}

fn formats(fixture: &Fixture<'_>) -> CheckResult {
    let clipboard = fixture.clipboard()?;
    let at = Selection::Clipboard;
    ensure!(!clipboard.desktop_id().is_empty(), "the desktop id is empty");
    ensure!(
        clipboard.desktop_id() == clipboard.desktop_id(),
        "the desktop id changes between calls"
    );
    let long = "0123456789".repeat(30_000);
    let sets: [&[(&str, &[u8])]; 4] = [
        &[
            (mime::TEXT, "Grüße ✓ 日本 🙂\nzweite Zeile".as_bytes()),
            (mime::HTML, "<b>Grüße</b> ✓".as_bytes()),
            (mime::RTF, br"{\rtf1\ansi plain}"),
        ],
        &[(mime::FILES, b"file:///usr/bin/env\r\nfile:///usr/share/a%20b\r\n")],
        &[(mime::URL, b"https://example.org/a?b=c\nA title"), (mime::PNG, PNG)],
        &[(mime::TEXT, long.as_bytes())],
    ];
    for items in sets {
        let written = items
            .iter()
            .map(|(mime_type, data)| ClipboardItem {
                mime_type: (*mime_type).to_owned(),
                data: data.to_vec(),
            })
            .collect();
        clipboard.write(at, written, Sensitivity::Normal, call_deadline())?;
        let contents = clipboard.contents(at, call_deadline())?;
        for (mime_type, data) in items {
            ensure!(
                contents.mime_types.iter().any(|one| one == mime_type),
                "no {mime_type}: {contents:?}"
            );
            let read = clipboard.read(at, mime_type, call_deadline())?.unwrap_or_default();
            // The line breaks of a file list may be LF or CRLF.
            let same = |a: &[u8], b: &[u8]| {
                let lines = |bytes: &[u8]| -> Vec<String> {
                    String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
                };
                if *mime_type == mime::FILES { lines(a) == lines(b) } else { a == b }
            };
            let content = String::from_utf8_lossy(&read);
            let head: String = content.chars().take(60).collect();
            ensure!(
                same(&read, data),
                "{mime_type}: wrote {} bytes, read {}: {head:?}",
                data.len(),
                read.len()
            );
        }
        let other = clipboard.read(at, "application/x-no-such-form", call_deadline())?;
        ensure!(other.is_none(), "it can be read in a format that was not written");
    }
    Ok(())
}

fn concealed(fixture: &Fixture<'_>) -> CheckResult {
    let clipboard = fixture.clipboard()?;
    for (sensitivity, concealed) in [(Sensitivity::Concealed, true), (Sensitivity::Normal, false)] {
        clipboard.write(Selection::Clipboard, text("hush"), sensitivity, call_deadline())?;
        let contents = clipboard.contents(Selection::Clipboard, call_deadline())?;
        ensure!(
            contents.concealed == concealed,
            "expected content written as {sensitivity:?}, got {contents:?}"
        );
    }
    Ok(())
}

fn cleared(fixture: &Fixture<'_>) -> CheckResult {
    let clipboard = fixture.clipboard()?;
    clipboard.write(
        Selection::Clipboard,
        text("soon gone"),
        Sensitivity::Normal,
        call_deadline(),
    )?;
    clipboard.clear(Selection::Clipboard, call_deadline())?;
    eventually(|| {
        let contents = clipboard.contents(Selection::Clipboard, call_deadline())?;
        Ok((!contents.mime_types.is_empty())
            .then(|| format!("the clipboard still contains {contents:?}")))
    })?;
    let read = clipboard.read(Selection::Clipboard, mime::TEXT, call_deadline())?;
    ensure!(
        read.is_none(),
        "{} bytes were read from an empty clipboard",
        read.map_or(0, |data| data.len())
    );
    Ok(())
}

fn watched(fixture: &Fixture<'_>) -> CheckResult {
    let clipboard = fixture.clipboard()?;
    let mut changes = clipboard.watch(Selection::Clipboard, call_deadline())?;
    // Earlier changes may still be reported.
    while changes.next(CLIPBOARD_QUIET_PERIOD)? {}
    clipboard.write(Selection::Clipboard, text("news"), Sensitivity::Normal, call_deadline())?;
    ensure!(
        changes.next(CLIPBOARD_CHANGE_TIMEOUT)?,
        "the clipboard changed, but no change was reported"
    );
    Ok(())
}

fn primary(fixture: &Fixture<'_>) -> CheckResult {
    let clipboard = fixture.clipboard()?;
    clipboard.write(Selection::Clipboard, text("copied"), Sensitivity::Normal, call_deadline())?;
    clipboard.write(Selection::Primary, text("selected"), Sensitivity::Normal, call_deadline())?;
    for (at, expected) in [(Selection::Primary, "selected"), (Selection::Clipboard, "copied")] {
        let read = clipboard.read(at, mime::TEXT, call_deadline())?.unwrap_or_default();
        ensure!(
            read == expected.as_bytes(),
            "{at:?} contains {:?}",
            String::from_utf8_lossy(&read)
        );
    }
    Ok(())
}

fn no_primary(fixture: &Fixture<'_>) -> CheckResult {
    let clipboard = fixture.clipboard()?;
    let contents = clipboard.contents(Selection::Primary, call_deadline());
    if !fixture.environment.absent.contains(&Capability::Primary) {
        contents?;
        return Ok(());
    }
    let write =
        clipboard.write(Selection::Primary, text("nowhere"), Sensitivity::Normal, call_deadline());
    for refused in [contents.map(drop), write] {
        ensure!(
            matches!(refused, Err(Error::Unsupported { .. })),
            "expected `Unsupported` for the missing clipboard, got {refused:?}"
        );
    }
    Ok(())
}
