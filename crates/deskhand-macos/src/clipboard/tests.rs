//! The clipboard on a fake pasteboard.

use std::{
    sync::atomic::{AtomicIsize, Ordering},
    time::Duration,
};

use parking_lot::Mutex;

use super::*;

/// A pasteboard in memory.
#[derive(Default)]
struct FakePasteboard {
    items: Mutex<Vec<PasteboardItem>>,
    count: AtomicIsize,
    /// The change count increases with every read, as if an app copied all the time.
    always_changing: bool,
    denied: bool,
    rejects: bool,
    scope: Mutex<Option<PasteboardScope>>,
}

impl PasteboardApi for FakePasteboard {
    fn change_count(&self) -> isize {
        self.count.fetch_add(isize::from(self.always_changing), Ordering::SeqCst)
    }

    fn item_types(&self) -> Vec<Vec<String>> {
        let items = self.items.lock();
        items.iter().map(|item| item.iter().map(|(uti, _)| uti.clone()).collect()).collect()
    }

    fn data(&self, item: usize, uti: &str) -> Option<Vec<u8>> {
        if self.denied {
            return None;
        }
        let items = self.items.lock();
        items.get(item)?.iter().find(|(one, _)| one == uti).map(|(_, data)| data.clone())
    }

    fn replace(&self, items: Vec<PasteboardItem>, scope: PasteboardScope) -> bool {
        *self.items.lock() = if self.rejects { Vec::new() } else { items };
        *self.scope.lock() = Some(scope);
        self.count.fetch_add(1, Ordering::SeqCst);
        !self.rejects
    }

    fn clear(&self) {
        self.items.lock().clear();
        self.count.fetch_add(1, Ordering::SeqCst);
    }

    fn read_access(&self) -> ReadAccess {
        if self.denied { ReadAccess::Denied } else { ReadAccess::Allowed }
    }

    fn mime_type_of(&self, uti: &str) -> Option<String> {
        match uti {
            "public.mp3" => Some("audio/mpeg".to_owned()),
            "dyn.ah62d4rv4gq8" => Some("application/x-own".to_owned()),
            _ => None,
        }
    }

    fn uti_of(&self, mime_type: &str) -> Option<String> {
        match mime_type {
            "audio/mpeg" => Some("public.mp3".to_owned()),
            "application/x-own" => Some("dyn.ah62d4rv4gq8".to_owned()),
            _ => None,
        }
    }

    fn to_png(&self, picture: &[u8]) -> Option<Vec<u8>> {
        picture.starts_with(b"MM").then(|| b"converted".to_vec())
    }

    fn file_path_url(&self, url: &str) -> Option<String> {
        (url == "file:///.file/id=6571367.2").then(|| "file:///Users/me/b%20c.txt".to_owned())
    }
}

const AT: Selection = Selection::Clipboard;

fn test_deadline() -> Deadline {
    Deadline::after(Duration::from_secs(5))
}

fn item(form: &str, data: &str) -> ClipboardItem {
    ClipboardItem { mime_type: form.to_owned(), data: data.as_bytes().to_vec() }
}

fn with_items(items: &[&[(&str, &str)]]) -> MacClipboard<FakePasteboard> {
    let pasteboard_item = |item: &&[(&str, &str)]| {
        item.iter().map(|(uti, data)| ((*uti).to_owned(), data.as_bytes().to_vec())).collect()
    };
    let items = Mutex::new(items.iter().map(pasteboard_item).collect());
    MacClipboard::new(Arc::new(FakePasteboard { items, ..FakePasteboard::default() }))
}

fn text(clipboard: &MacClipboard<FakePasteboard>, form: &str) -> Option<String> {
    clipboard.read(AT, form, test_deadline()).unwrap().map(|data| String::from_utf8(data).unwrap())
}

#[test]
fn every_mime_type_that_is_written_reads_back() {
    let clipboard = with_items(&[]);
    let items = vec![
        item("text/html", "<b>a</b>"),
        item("text/rtf", "{\\rtf1 a}"),
        item("image/png", "png"),
        item("image/tiff", "tiff"),
        item("text/uri-list", "file:///a\r\nfile:///b%20c\r\n"),
        item("text/x-moz-url", "https://example.org/\nAn example"),
        item("text/plain", "a ä"),
        item("audio/mpeg", "noise"),
        item("application/x-own", "own"),
        item("com.example.raw", "raw"),
    ];
    clipboard.write(AT, items.clone(), Sensitivity::Normal, test_deadline()).unwrap();
    for one in &items {
        let back = clipboard.read(AT, &one.mime_type, test_deadline()).unwrap();
        assert_eq!(back.as_deref(), Some(one.data.as_slice()), "{}", one.mime_type);
    }
    let forms = clipboard.contents(AT, test_deadline()).unwrap().mime_types;
    let expected =
        ["text/html", "text/rtf", "image/png", "image/tiff", "text/uri-list", "text/plain"];
    assert_eq!(forms[..6], expected);
    assert_eq!(
        forms[6..],
        ["audio/mpeg", "application/x-own", "com.example.raw", "text/x-moz-url"]
    );
    assert_eq!(*clipboard.board.scope.lock(), Some(PasteboardScope::AllDevices));
}

#[test]
fn each_file_is_a_separate_item() {
    let clipboard = with_items(&[]);
    let list = "# two files\r\nfile:///a\r\n\r\nfile:///b\r\n";
    let items = vec![item("text/uri-list", list), item("text/plain", "a b")];
    clipboard.write(AT, items, Sensitivity::Normal, test_deadline()).unwrap();
    let types = clipboard.board.item_types();
    assert_eq!(types, [vec!["public.file-url", "public.utf8-plain-text"], vec!["public.file-url"]]);
}

#[test]
fn file_numbers_of_the_finder_become_paths() {
    let clipboard = with_items(&[
        &[("public.file-url", "file:///Users/me/a.txt"), ("public.utf8-plain-text", "a.txt")],
        &[("public.file-url", "file:///.file/id=6571367.2"), ("public.utf8-plain-text", "b c.txt")],
        &[("public.file-url", "file:///.file/id=9.9")],
    ]);
    let list = "file:///Users/me/a.txt\r\nfile:///Users/me/b%20c.txt\r\nfile:///.file/id=9.9\r\n";
    assert_eq!(text(&clipboard, "text/uri-list").as_deref(), Some(list));
    assert_eq!(text(&clipboard, "text/plain").as_deref(), Some("a.txt\nb c.txt"));
}

#[test]
fn several_links_are_a_list() {
    let one: &[(&str, &str)] = &[("public.url", "https://a.org/"), ("public.url-name", "A")];
    let two: &[(&str, &str)] = &[("public.url", "https://b.org/")];
    let both = with_items(&[one, two]);
    assert_eq!(
        both.contents(AT, test_deadline()).unwrap().mime_types,
        ["text/x-moz-url", "text/uri-list"]
    );
    let list = text(&both, "text/uri-list");
    assert_eq!(list.as_deref(), Some("https://a.org/\r\nhttps://b.org/\r\n"));
    assert_eq!(text(&both, "text/x-moz-url").as_deref(), Some("https://a.org/\nA"));
    let single = with_items(&[two]);
    assert_eq!(single.contents(AT, test_deadline()).unwrap().mime_types, ["text/x-moz-url"]);
    assert_eq!(text(&single, "text/x-moz-url").as_deref(), Some("https://b.org/"));
    assert_eq!(text(&single, "image/png"), None);
    assert_eq!(text(&single, "application/none"), None);
}

#[test]
fn old_type_names_and_encodings_are_read() {
    let wide = "a\0\u{e4}\0";
    let clipboard = with_items(&[&[
        ("NeXT Rich Text Format v1.0 pasteboard type", "{\\rtf1}"),
        ("public.utf16-plain-text", wide),
        ("dyn.ah62", "?"),
        ("CorePasteboardFlavorType 0x75743136", "?"),
    ]]);
    assert_eq!(
        clipboard.contents(AT, test_deadline()).unwrap().mime_types,
        ["text/rtf", "text/plain"]
    );
    assert_eq!(text(&clipboard, "text/rtf").as_deref(), Some("{\\rtf1}"));
    assert!(text(&clipboard, "text/plain").unwrap().starts_with('a'));
    let page = with_items(&[&[("public.html", "\u{feff}<p>")]]);
    assert_eq!(text(&page, "text/html").as_deref(), Some("<p>"));
}

#[test]
fn a_picture_is_always_available_as_png() {
    let tiff = with_items(&[&[("public.tiff", "MM*")]]);
    assert_eq!(tiff.contents(AT, test_deadline()).unwrap().mime_types, ["image/tiff", "image/png"]);
    assert_eq!(text(&tiff, "image/png").as_deref(), Some("converted"));
    assert_eq!(text(&tiff, "image/tiff").as_deref(), Some("MM*"));
    let both = with_items(&[&[("public.png", "own"), ("public.tiff", "MM*")]]);
    assert_eq!(both.contents(AT, test_deadline()).unwrap().mime_types, ["image/png", "image/tiff"]);
    assert_eq!(text(&both, "image/png").as_deref(), Some("own"));
    assert_eq!(text(&with_items(&[&[("public.tiff", "?")]]), "image/png"), None);
}

#[test]
fn a_secret_is_marked_and_stays_on_this_mac() {
    let clipboard = with_items(&[]);
    assert!(!clipboard.contents(AT, test_deadline()).unwrap().concealed);
    clipboard
        .write(AT, vec![item("text/plain", "s3cret")], Sensitivity::Concealed, test_deadline())
        .unwrap();
    let contents = clipboard.contents(AT, test_deadline()).unwrap();
    assert!(contents.concealed);
    assert_eq!(contents.mime_types, ["text/plain"]);
    assert_eq!(*clipboard.board.scope.lock(), Some(PasteboardScope::ThisMac));
    let old = with_items(&[&[("public.utf8-plain-text", "x"), ("com.agilebits.onepassword", "")]]);
    assert!(old.contents(AT, test_deadline()).unwrap().concealed);
}

#[test]
fn the_source_is_reported_if_it_is_known() {
    let from = |uti: &str, data: &str| {
        with_items(&[&[("public.utf8-plain-text", "x"), (uti, data)]])
            .contents(AT, test_deadline())
            .unwrap()
            .source
    };
    assert_eq!(
        from("org.nspasteboard.source", "com.apple.Safari").as_deref(),
        Some("com.apple.Safari")
    );
    assert_eq!(from("com.apple.is-remote-clipboard", "").as_deref(), Some("another device"));
    assert_eq!(from("public.png", ""), None);
}

#[test]
fn clearing_removes_everything() {
    let clipboard = with_items(&[&[("public.utf8-plain-text", "x")]]);
    clipboard.clear(AT, test_deadline()).unwrap();
    assert_eq!(clipboard.contents(AT, test_deadline()).unwrap(), ClipboardContents::default());
    assert_eq!(text(&clipboard, "text/plain"), None);
    assert_eq!(clipboard.desktop_id(), "general");
}

#[test]
fn there_is_no_primary_selection() {
    let clipboard = with_items(&[&[("public.utf8-plain-text", "x")]]);
    let at = Selection::Primary;
    assert!(matches!(clipboard.contents(at, test_deadline()), Err(Error::Unsupported { .. })));
    assert!(matches!(
        clipboard.read(at, "text/plain", test_deadline()),
        Err(Error::Unsupported { .. })
    ));
    let written =
        clipboard.write(at, vec![item("text/plain", "y")], Sensitivity::Normal, test_deadline());
    assert!(matches!(written, Err(Error::Unsupported { .. })));
    assert!(matches!(clipboard.clear(at, test_deadline()), Err(Error::Unsupported { .. })));
    assert!(matches!(clipboard.watch(at, test_deadline()), Err(Error::Unsupported { .. })));
    assert_eq!(text(&clipboard, "text/plain").as_deref(), Some("x"));
}

#[test]
fn an_invalid_mime_type_is_rejected_before_anything_is_written() {
    let clipboard = with_items(&[&[("public.utf8-plain-text", "x")]]);
    let written =
        clipboard.write(AT, vec![item("a/b c", "y")], Sensitivity::Normal, test_deadline());
    assert!(matches!(written, Err(Error::Unsupported { .. })));
    assert_eq!(text(&clipboard, "text/plain").as_deref(), Some("x"));
}

#[test]
fn a_rejected_write_is_an_error() {
    let full =
        MacClipboard::new(Arc::new(FakePasteboard { rejects: true, ..FakePasteboard::default() }));
    let written =
        full.write(AT, vec![item("text/plain", "y")], Sensitivity::Normal, test_deadline());
    assert!(matches!(written, Err(Error::Unexpected { .. })));
}

#[test]
fn a_denied_read_is_an_error_and_not_an_empty_clipboard() {
    let items = Mutex::new(vec![vec![("public.utf8-plain-text".to_owned(), b"x".to_vec())]]);
    let board = Arc::new(FakePasteboard { items, denied: true, ..FakePasteboard::default() });
    let clipboard = MacClipboard::new(board);
    assert_eq!(clipboard.contents(AT, test_deadline()).unwrap().mime_types, ["text/plain"]);
    let Err(Error::Unsupported { why, .. }) = clipboard.read(AT, "text/plain", test_deadline())
    else {
        panic!("the read succeeded")
    };
    assert!(why.contains("Paste from Other Apps"), "{why}");
    assert_eq!(clipboard.read(AT, "text/html", test_deadline()), Ok(None));
}

#[test]
fn a_clipboard_that_keeps_changing_is_not_read_partially() {
    let board = FakePasteboard { always_changing: true, ..FakePasteboard::default() };
    let clipboard = MacClipboard::new(Arc::new(board));
    assert!(matches!(clipboard.contents(AT, test_deadline()), Err(Error::Gone { .. })));
}

#[test]
fn changes_are_detected() {
    let clipboard = with_items(&[]);
    let mut changes = clipboard.watch(AT, test_deadline()).unwrap();
    assert_eq!(changes.next(Duration::from_millis(1)), Ok(false));
    clipboard
        .write(AT, vec![item("text/plain", "y")], Sensitivity::Normal, test_deadline())
        .unwrap();
    assert_eq!(changes.next(Duration::from_millis(1)), Ok(true));
    assert_eq!(changes.next(Duration::from_millis(60)), Ok(false));
    clipboard.clear(AT, test_deadline()).unwrap();
    assert_eq!(changes.next(Duration::from_secs(1)), Ok(true));
}
