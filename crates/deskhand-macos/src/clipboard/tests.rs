//! The room on a recorded pasteboard.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicIsize, Ordering},
    },
    time::Duration,
};

use super::*;

/// A pasteboard in memory.
#[derive(Default)]
struct Recorded {
    items: Mutex<Vec<Laid>>,
    count: AtomicIsize,
    /// Counts on by itself each time it is asked, as if somebody copied without end.
    restless: bool,
    denied: bool,
    full: bool,
    reach: Mutex<Option<Reach>>,
}

impl Board for Recorded {
    fn count(&self) -> isize {
        self.count.fetch_add(isize::from(self.restless), Ordering::SeqCst)
    }

    fn kinds(&self) -> Vec<Vec<String>> {
        let items = self.items.lock().unwrap();
        items.iter().map(|item| item.iter().map(|(kind, _)| kind.clone()).collect()).collect()
    }

    fn data(&self, item: usize, kind: &str) -> Option<Vec<u8>> {
        if self.denied {
            return None;
        }
        let items = self.items.lock().unwrap();
        items.get(item)?.iter().find(|(one, _)| one == kind).map(|(_, data)| data.clone())
    }

    fn replace(&self, items: Vec<Laid>, reach: Reach) -> bool {
        *self.items.lock().unwrap() = if self.full { Vec::new() } else { items };
        *self.reach.lock().unwrap() = Some(reach);
        self.count.fetch_add(1, Ordering::SeqCst);
        !self.full
    }

    fn clear(&self) {
        self.items.lock().unwrap().clear();
        self.count.fetch_add(1, Ordering::SeqCst);
    }

    fn leave(&self) -> Leave {
        if self.denied { Leave::Denied } else { Leave::Given }
    }

    fn media_of(&self, kind: &str) -> Option<String> {
        match kind {
            "public.mp3" => Some("audio/mpeg".to_owned()),
            "dyn.ah62d4rv4gq8" => Some("application/x-own".to_owned()),
            _ => None,
        }
    }

    fn type_of(&self, media: &str) -> Option<String> {
        match media {
            "audio/mpeg" => Some("public.mp3".to_owned()),
            "application/x-own" => Some("dyn.ah62d4rv4gq8".to_owned()),
            _ => None,
        }
    }

    fn png_of(&self, picture: &[u8]) -> Option<Vec<u8>> {
        picture.starts_with(b"MM").then(|| b"made".to_vec())
    }

    fn by_path(&self, address: &str) -> Option<String> {
        (address == "file:///.file/id=6571367.2").then(|| "file:///Users/me/b%20c.txt".to_owned())
    }
}

const AT: Selection = Selection::Clipboard;

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(5))
}

fn item(form: &str, data: &str) -> Item {
    Item { form: form.to_owned(), data: data.as_bytes().to_vec() }
}

fn holding(items: &[&[(&str, &str)]]) -> MacClipboard<Recorded> {
    let laid = |item: &&[(&str, &str)]| {
        item.iter().map(|(kind, data)| ((*kind).to_owned(), data.as_bytes().to_vec())).collect()
    };
    let items = Mutex::new(items.iter().map(laid).collect());
    MacClipboard::new(Arc::new(Recorded { items, ..Recorded::default() }))
}

fn text(clipboard: &MacClipboard<Recorded>, form: &str) -> Option<String> {
    clipboard.read(AT, form, soon()).unwrap().map(|data| String::from_utf8(data).unwrap())
}

#[test]
fn what_is_written_in_each_form_reads_back() {
    let clipboard = holding(&[]);
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
    clipboard.write(AT, items.clone(), Mark::Open, soon()).unwrap();
    for one in &items {
        let back = clipboard.read(AT, &one.form, soon()).unwrap();
        assert_eq!(back.as_deref(), Some(one.data.as_slice()), "{}", one.form);
    }
    let forms = clipboard.look(AT, soon()).unwrap().forms;
    let wanted =
        ["text/html", "text/rtf", "image/png", "image/tiff", "text/uri-list", "text/plain"];
    assert_eq!(forms[..6], wanted);
    assert_eq!(
        forms[6..],
        ["audio/mpeg", "application/x-own", "com.example.raw", "text/x-moz-url"]
    );
    assert_eq!(*clipboard.board.reach.lock().unwrap(), Some(Reach::Devices));
}

#[test]
fn each_file_is_an_item_of_its_own() {
    let clipboard = holding(&[]);
    let list = "# two files\r\nfile:///a\r\n\r\nfile:///b\r\n";
    let items = vec![item("text/uri-list", list), item("text/plain", "a b")];
    clipboard.write(AT, items, Mark::Open, soon()).unwrap();
    let kinds = clipboard.board.kinds();
    assert_eq!(kinds, [vec!["public.file-url", "public.utf8-plain-text"], vec!["public.file-url"]]);
}

#[test]
fn files_the_finder_copied_have_their_paths() {
    let clipboard = holding(&[
        &[("public.file-url", "file:///Users/me/a.txt"), ("public.utf8-plain-text", "a.txt")],
        &[("public.file-url", "file:///.file/id=6571367.2"), ("public.utf8-plain-text", "b c.txt")],
        &[("public.file-url", "file:///.file/id=9.9")],
    ]);
    let list = "file:///Users/me/a.txt\r\nfile:///Users/me/b%20c.txt\r\nfile:///.file/id=9.9\r\n";
    assert_eq!(text(&clipboard, "text/uri-list").as_deref(), Some(list));
    assert_eq!(text(&clipboard, "text/plain").as_deref(), Some("a.txt\nb c.txt"));
}

#[test]
fn several_links_are_a_list_and_one_is_a_link() {
    let one: &[(&str, &str)] = &[("public.url", "https://a.org/"), ("public.url-name", "A")];
    let two: &[(&str, &str)] = &[("public.url", "https://b.org/")];
    let both = holding(&[one, two]);
    assert_eq!(both.look(AT, soon()).unwrap().forms, ["text/x-moz-url", "text/uri-list"]);
    let list = text(&both, "text/uri-list");
    assert_eq!(list.as_deref(), Some("https://a.org/\r\nhttps://b.org/\r\n"));
    assert_eq!(text(&both, "text/x-moz-url").as_deref(), Some("https://a.org/\nA"));
    let single = holding(&[two]);
    assert_eq!(single.look(AT, soon()).unwrap().forms, ["text/x-moz-url"]);
    assert_eq!(text(&single, "text/x-moz-url").as_deref(), Some("https://b.org/"));
    assert_eq!(text(&single, "image/png"), None);
    assert_eq!(text(&single, "application/none"), None);
}

#[test]
fn old_names_and_encodings_are_read() {
    let wide = "a\0\u{e4}\0";
    let clipboard = holding(&[&[
        ("NeXT Rich Text Format v1.0 pasteboard type", "{\\rtf1}"),
        ("public.utf16-plain-text", wide),
        ("dyn.ah62", "?"),
        ("CorePasteboardFlavorType 0x75743136", "?"),
    ]]);
    assert_eq!(clipboard.look(AT, soon()).unwrap().forms, ["text/rtf", "text/plain"]);
    assert_eq!(text(&clipboard, "text/rtf").as_deref(), Some("{\\rtf1}"));
    assert!(text(&clipboard, "text/plain").unwrap().starts_with('a'));
    let page = holding(&[&[("public.html", "\u{feff}<p>")]]);
    assert_eq!(text(&page, "text/html").as_deref(), Some("<p>"));
}

#[test]
fn a_picture_is_a_png_whatever_its_program_copied() {
    let tiff = holding(&[&[("public.tiff", "MM*")]]);
    assert_eq!(tiff.look(AT, soon()).unwrap().forms, ["image/tiff", "image/png"]);
    assert_eq!(text(&tiff, "image/png").as_deref(), Some("made"));
    assert_eq!(text(&tiff, "image/tiff").as_deref(), Some("MM*"));
    let both = holding(&[&[("public.png", "own"), ("public.tiff", "MM*")]]);
    assert_eq!(both.look(AT, soon()).unwrap().forms, ["image/png", "image/tiff"]);
    assert_eq!(text(&both, "image/png").as_deref(), Some("own"));
    assert_eq!(text(&holding(&[&[("public.tiff", "?")]]), "image/png"), None);
}

#[test]
fn a_secret_is_marked_and_stays_on_this_machine() {
    let clipboard = holding(&[]);
    assert!(!clipboard.look(AT, soon()).unwrap().concealed);
    clipboard.write(AT, vec![item("text/plain", "s3cret")], Mark::Concealed, soon()).unwrap();
    let contents = clipboard.look(AT, soon()).unwrap();
    assert!(contents.concealed);
    assert_eq!(contents.forms, ["text/plain"]);
    assert_eq!(*clipboard.board.reach.lock().unwrap(), Some(Reach::Here));
    let old = holding(&[&[("public.utf8-plain-text", "x"), ("com.agilebits.onepassword", "")]]);
    assert!(old.look(AT, soon()).unwrap().concealed);
}

#[test]
fn where_it_comes_from_is_told_where_it_is_known() {
    let from = |kind: &str, data: &str| {
        holding(&[&[("public.utf8-plain-text", "x"), (kind, data)]]).look(AT, soon()).unwrap().from
    };
    assert_eq!(
        from("org.nspasteboard.source", "com.apple.Safari").as_deref(),
        Some("com.apple.Safari")
    );
    assert_eq!(from("com.apple.is-remote-clipboard", "").as_deref(), Some("another device"));
    assert_eq!(from("public.png", ""), None);
}

#[test]
fn nothing_is_there_after_clearing() {
    let clipboard = holding(&[&[("public.utf8-plain-text", "x")]]);
    clipboard.clear(AT, soon()).unwrap();
    assert_eq!(clipboard.look(AT, soon()).unwrap(), Contents::default());
    assert_eq!(text(&clipboard, "text/plain"), None);
    assert_eq!(clipboard.desktop(), "general");
}

#[test]
fn there_is_no_primary_selection() {
    let clipboard = holding(&[&[("public.utf8-plain-text", "x")]]);
    let at = Selection::Primary;
    assert!(matches!(clipboard.look(at, soon()), Err(Error::Unsupported { .. })));
    assert!(matches!(clipboard.read(at, "text/plain", soon()), Err(Error::Unsupported { .. })));
    let written = clipboard.write(at, vec![item("text/plain", "y")], Mark::Open, soon());
    assert!(matches!(written, Err(Error::Unsupported { .. })));
    assert!(matches!(clipboard.clear(at, soon()), Err(Error::Unsupported { .. })));
    assert!(matches!(clipboard.watch(at, soon()), Err(Error::Unsupported { .. })));
    assert_eq!(text(&clipboard, "text/plain").as_deref(), Some("x"));
}

#[test]
fn a_form_without_a_name_is_refused_before_anything_is_sent() {
    let clipboard = holding(&[&[("public.utf8-plain-text", "x")]]);
    let written = clipboard.write(AT, vec![item("a/b c", "y")], Mark::Open, soon());
    assert!(matches!(written, Err(Error::Unsupported { .. })));
    assert_eq!(text(&clipboard, "text/plain").as_deref(), Some("x"));
}

#[test]
fn what_the_pasteboard_does_not_take_is_told() {
    let full = MacClipboard::new(Arc::new(Recorded { full: true, ..Recorded::default() }));
    let written = full.write(AT, vec![item("text/plain", "y")], Mark::Open, soon());
    assert!(matches!(written, Err(Error::Unexpected { .. })));
}

#[test]
fn a_person_who_said_no_is_named_and_not_an_empty_clipboard() {
    let items = Mutex::new(vec![vec![("public.utf8-plain-text".to_owned(), b"x".to_vec())]]);
    let board = Arc::new(Recorded { items, denied: true, ..Recorded::default() });
    let clipboard = MacClipboard::new(board);
    assert_eq!(clipboard.look(AT, soon()).unwrap().forms, ["text/plain"]);
    let Err(Error::Unsupported { why, .. }) = clipboard.read(AT, "text/plain", soon()) else {
        panic!("it was read")
    };
    assert!(why.contains("Paste from Other Apps"), "{why}");
    assert_eq!(clipboard.read(AT, "text/html", soon()), Ok(None));
}

#[test]
fn one_that_changes_all_the_time_is_not_read_half() {
    let clipboard = MacClipboard::new(Arc::new(Recorded { restless: true, ..Recorded::default() }));
    assert!(matches!(clipboard.look(AT, soon()), Err(Error::Gone { .. })));
}

#[test]
fn changes_are_counted() {
    let clipboard = holding(&[]);
    let mut changes = clipboard.watch(AT, soon()).unwrap();
    assert_eq!(changes.next(Duration::from_millis(1)), Ok(false));
    clipboard.write(AT, vec![item("text/plain", "y")], Mark::Open, soon()).unwrap();
    assert_eq!(changes.next(Duration::from_millis(1)), Ok(true));
    assert_eq!(changes.next(Duration::from_millis(60)), Ok(false));
    clipboard.clear(AT, soon()).unwrap();
    assert_eq!(changes.next(Duration::from_secs(1)), Ok(true));
}
