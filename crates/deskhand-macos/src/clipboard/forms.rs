//! Media types and the names macOS has for them: uniform type identifiers, and older ones.

use deskhand_platform::form;

/// The form programs of this system copy pictures in.
pub(super) const TIFF: &str = "image/tiff";

/// The types of pasteboards that more is done with than handing them on.
pub(super) const TEXT: &str = "public.utf8-plain-text";
pub(super) const HTML: &str = "public.html";
pub(super) const FILE: &str = "public.file-url";
pub(super) const URL: &str = "public.url";
pub(super) const URL_NAME: &str = "public.url-name";

/// What a password manager marks a secret with, by the agreement of nspasteboard.org, and what one of them
/// used before it.
pub(super) const CONCEALED: &str = "org.nspasteboard.ConcealedType";
const CONCEALED_ONCE: &str = "com.agilebits.onepassword";
/// The bundle identifier of the app something was copied in, by the same agreement.
pub(super) const SOURCE: &str = "org.nspasteboard.source";
/// Says that something was copied on another device of the same person.
pub(super) const REMOTE: &str = "com.apple.is-remote-clipboard";

/// The types of each form, the one that is written first.
const TYPES: &[(&str, &[&str])] = &[
    (
        form::TEXT,
        &[
            TEXT,
            "NSStringPboardType",
            "public.utf16-external-plain-text",
            "public.utf16-plain-text",
            "public.plain-text",
            "public.text",
        ],
    ),
    (form::HTML, &[HTML, "Apple HTML pasteboard type"]),
    (form::RTF, &["public.rtf", "NeXT Rich Text Format v1.0 pasteboard type"]),
    (form::FILES, &[FILE, "NSFilenamesPboardType"]),
    (form::URL, &[URL, "Apple URL pasteboard type", URL_NAME]),
    (form::PNG, &["public.png", "Apple PNG pasteboard type"]),
    (TIFF, &["public.tiff", "NeXT TIFF v4.0 pasteboard type"]),
    ("image/jpeg", &["public.jpeg"]),
    ("image/gif", &["com.compuserve.gif"]),
    ("image/bmp", &["com.microsoft.bmp"]),
    ("image/webp", &["org.webmproject.webp"]),
    ("image/heic", &["public.heic"]),
    ("image/svg+xml", &["public.svg-image"]),
    ("application/pdf", &["com.adobe.pdf", "Apple PDF pasteboard type"]),
    ("application/json", &["public.json"]),
    ("application/xml", &["public.xml"]),
    ("text/csv", &["public.comma-separated-values-text"]),
    (
        "text/tab-separated-values",
        &["public.utf8-tab-separated-values-text", "NSTabularTextPboardType"],
    ),
    ("text/vcard", &["public.vcard"]),
    ("text/calendar", &["com.apple.ical.ics"]),
    ("application/rtfd", &["com.apple.flat-rtfd", "NeXT RTFD pasteboard type"]),
    ("application/x-webarchive", &["com.apple.webarchive", "Apple Web Archive pasteboard type"]),
];

/// The form a type stands for, where that is known without asking.
pub(super) fn known_form(kind: &str) -> Option<&'static str> {
    TYPES.iter().find(|(_, kinds)| kinds.contains(&kind)).map(|(form, _)| *form)
}

/// The types a form can be read as, the best first; none when it is not in the table.
pub(super) fn known_types(form: &str) -> &'static [&'static str] {
    TYPES.iter().find(|(one, _)| *one == form).map_or(&[], |(_, kinds)| *kinds)
}

/// Whether what is there was marked as a secret.
pub(super) fn is_concealed(kinds: &[String]) -> bool {
    kinds.iter().any(|kind| kind == CONCEALED || kind == CONCEALED_ONCE)
}

/// Whether a type says something about what was copied and is not a form of it; or is a second spelling of
/// one, which the pasteboard makes up for old programs.
pub(super) fn is_talk(kind: &str) -> bool {
    kind.starts_with("org.nspasteboard.")
        || kind.starts_with("dyn.")
        || kind.starts_with("CorePasteboardFlavorType")
        || kind.ends_with(" pasteboard type")
        || kind.ends_with("PboardType")
        || [REMOTE, CONCEALED_ONCE, URL_NAME].contains(&kind)
}

/// Whether a word can name a type: pasteboards take nothing else.
pub(super) fn is_identifier(word: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.' || !c.is_ascii();
    word.contains('.') && word.chars().all(fits)
}

/// Text that is written in eight or sixteen bits, as UTF-8.
pub(super) fn utf8(kind: &str, data: Vec<u8>) -> Vec<u8> {
    let wide = |rest: &[u8], read: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = rest.chunks_exact(2).map(|pair| read([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units).into_bytes()
    };
    match data.as_slice() {
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => rest.to_vec(),
        // Every Mac of today has the little end first.
        whole if kind.starts_with("public.utf16") => wide(whole, u16::from_le_bytes),
        _ => data,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_written_as_a_type_that_means_it() {
        for (form, kinds) in TYPES {
            let first = kinds[0];
            assert_eq!(known_form(first), Some(*form), "{first}");
            assert!(is_identifier(first) && !is_talk(first), "{first}");
        }
        let mut all: Vec<_> = TYPES.iter().flat_map(|(_, kinds)| kinds.iter()).collect();
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count, "no type stands for two forms");
    }

    #[test]
    fn the_forms_of_the_seam_have_their_types() {
        assert_eq!(known_types("text/plain")[0], "public.utf8-plain-text");
        assert_eq!(known_types("text/html")[0], "public.html");
        assert_eq!(known_types("text/rtf")[0], "public.rtf");
        assert_eq!(known_types("text/uri-list")[0], "public.file-url");
        assert_eq!(known_types("text/x-moz-url")[0], "public.url");
        assert_eq!(known_types("image/png")[0], "public.png");
        assert!(known_types("application/x-own").is_empty());
        assert_eq!(known_form("NeXT TIFF v4.0 pasteboard type"), Some("image/tiff"));
        assert_eq!(known_form("com.example.own"), None);
    }

    #[test]
    fn talk_is_told_from_content() {
        for talk in ["org.nspasteboard.AutoGeneratedType", "dyn.ah62d4rv4gu8y", "public.url-name"] {
            assert!(is_talk(talk), "{talk}");
        }
        assert!(!is_talk("com.apple.webarchive"));
        assert!(is_concealed(&["com.agilebits.onepassword".to_owned()]));
        assert!(!is_concealed(&["public.png".to_owned()]));
        assert!(is_identifier("com.example.a-b"));
        assert!(!is_identifier("text/plain") && !is_identifier("word"));
    }

    #[test]
    fn text_becomes_utf_8() {
        let narrow =
            |kind: &str, data: &[u8]| String::from_utf8(utf8(kind, data.to_vec())).unwrap();
        assert_eq!(narrow("public.html", "\u{feff}<b>ä".as_bytes()), "<b>ä");
        assert_eq!(narrow("public.html", b"\xff\xfe<\0b\0"), "<b");
        assert_eq!(narrow("public.utf16-external-plain-text", b"\xfe\xff\0a\0b"), "ab");
        assert_eq!(narrow("public.utf16-plain-text", b"a\0b\0"), "ab");
        assert_eq!(narrow(TEXT, b"plain"), "plain");
    }
}
