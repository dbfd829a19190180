//! Tests of the limits of the clipboard history.

use std::{os::unix::fs::PermissionsExt, path::Path};

use super::*;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn history(&self) -> History {
        History { file: self.0.path().join("clipboard-test.jsonl") }
    }
}

fn item(form: &str, data: &[u8]) -> ClipboardItem {
    ClipboardItem { mime_type: form.to_owned(), data: data.to_vec() }
}

fn add(history: &History, items: &[ClipboardItem]) {
    history.add(HistorySource::Watched, ClipboardSelection::Clipboard, None, items).unwrap();
}

#[test]
fn the_newest_entry_is_first_and_the_oldest_is_dropped() {
    let folder = Folder::new();
    let history = folder.history();
    for n in 0..60 {
        add(&history, &[item("text/plain", format!("copy {n}").as_bytes())]);
    }
    let entries = history.entries().unwrap();
    assert_eq!(entries.len(), MAX_ENTRIES);
    assert_eq!(entries[0].text.as_deref(), Some("copy 59"));
    assert_eq!(entries[49].text.as_deref(), Some("copy 10"));
    assert_eq!(entries[0].number, 60);
}

#[test]
fn the_same_content_is_one_entry() {
    let folder = Folder::new();
    let history = folder.history();
    add(&history, &[item("text/plain", b"a")]);
    add(&history, &[item("text/plain", b"a"), item("text/html", b"<b>a</b>")]);
    assert_eq!(history.entries().unwrap()[0].html.as_deref(), Some("<b>a</b>"));
    add(&history, &[item("text/html", b"<b>a</b>")]);
    add(&history, &[item("text/plain", b"a")]);
    add(&history, &[item("text/plain", b"b")]);
    add(&history, &[item("text/plain", b"a")]);
    assert_eq!(history.entries().unwrap().len(), 3);
}

#[test]
fn files_are_private_and_images_are_deleted_with_their_entry() {
    let folder = Folder::new();
    let history = folder.history();
    add(&history, &[item("image/png", &[1; 100])]);
    let picture = PathBuf::from(history.entries().unwrap()[0].picture.clone().unwrap());
    for path in [&picture, &history.file, &history.file.with_extension("lock")] {
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600, "{path:?}");
    }
    for n in 0..MAX_ENTRIES {
        add(&history, &[item("text/plain", &[n as u8])]);
    }
    assert!(!picture.exists());
}

#[test]
fn text_and_image_sizes_are_limited() {
    let folder = Folder::new();
    let history = folder.history();
    add(&history, &[item("text/plain", "ä".repeat(MAX_TEXT_BYTES).as_bytes())]);
    assert!(history.entries().unwrap()[0].text.as_ref().unwrap().len() <= MAX_TEXT_BYTES);
    for n in 0..6 {
        add(&history, &[item("image/png", &vec![n; 7 << 20])]);
    }
    let kept = history.entries().unwrap().into_iter().filter(|one| one.picture.is_some()).count();
    assert_eq!(kept, 4);
    add(&history, &[item("image/png", &vec![0; MAX_IMAGE_BYTES + 1])]);
    assert_eq!(history.entries().unwrap()[0].picture, None);
}

#[test]
fn clearing_removes_entries_and_images() {
    let folder = Folder::new();
    let history = folder.history();
    add(&history, &[item("image/png", &[1; 100])]);
    let picture = history.entries().unwrap()[0].picture.clone().unwrap();
    history.clear().unwrap();
    assert!(history.entries().unwrap().is_empty() && !Path::new(&picture).exists());
}

#[test]
fn only_useful_formats_are_kept_besides_text() {
    let forms = ["text/plain", "text/html", "image/png", "image/bmp", "application/x-own"];
    let forms = forms.map(str::to_owned);
    assert_eq!(
        formats_to_keep(&forms).collect::<Vec<_>>(),
        ["text/plain", "text/html", "image/png"]
    );
    let only = ["image/bmp".to_owned()];
    assert_eq!(formats_to_keep(&only).count(), 1);
}
