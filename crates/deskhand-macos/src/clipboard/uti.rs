//! Maps MIME types to uniform type identifiers (UTIs) and to older pasteboard type names.

use deskhand_platform::mime;

/// The format in which macOS apps copy pictures.
pub(super) const TIFF: &str = "image/tiff";

/// The pasteboard types that need special treatment.
pub(super) const TEXT: &str = "public.utf8-plain-text";
pub(super) const HTML: &str = "public.html";
pub(super) const FILE: &str = "public.file-url";
pub(super) const URL: &str = "public.url";
pub(super) const URL_NAME: &str = "public.url-name";

/// Marks a secret, by the convention of nspasteboard.org.
pub(super) const CONCEALED: &str = "org.nspasteboard.ConcealedType";
/// The mark that 1Password used before that convention.
const CONCEALED_1PASSWORD: &str = "com.agilebits.onepassword";
/// The bundle identifier of the app that copied, by the same convention.
pub(super) const SOURCE: &str = "org.nspasteboard.source";
/// Marks content that was copied on another device of the user.
pub(super) const REMOTE: &str = "com.apple.is-remote-clipboard";

/// The pasteboard types of each MIME type. The first one is used for writing.
const TYPES: &[(&str, &[&str])] = &[
    (
        mime::TEXT,
        &[
            TEXT,
            "NSStringPboardType",
            "public.utf16-external-plain-text",
            "public.utf16-plain-text",
            "public.plain-text",
            "public.text",
        ],
    ),
    (mime::HTML, &[HTML, "Apple HTML pasteboard type"]),
    (mime::RTF, &["public.rtf", "NeXT Rich Text Format v1.0 pasteboard type"]),
    (mime::FILES, &[FILE, "NSFilenamesPboardType"]),
    (mime::URL, &[URL, "Apple URL pasteboard type", URL_NAME]),
    (mime::PNG, &["public.png", "Apple PNG pasteboard type"]),
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

/// The MIME type of a pasteboard type, if it is in the table.
pub(super) fn known_mime_type(uti: &str) -> Option<&'static str> {
    TYPES.iter().find(|(_, utis)| utis.contains(&uti)).map(|(mime_type, _)| *mime_type)
}

/// The pasteboard types of a MIME type, the best first. Empty if it is not in the table.
pub(super) fn known_utis(mime_type: &str) -> &'static [&'static str] {
    TYPES.iter().find(|(one, _)| *one == mime_type).map_or(&[], |(_, utis)| *utis)
}

/// Returns `true` if the content is marked as a secret.
pub(super) fn is_concealed(utis: &[String]) -> bool {
    utis.iter().any(|uti| uti == CONCEALED || uti == CONCEALED_1PASSWORD)
}

/// Returns `true` if a type describes the content instead of containing it, or if it is an alias that the
/// pasteboard adds for old programs.
pub(super) fn is_metadata(uti: &str) -> bool {
    uti.starts_with("org.nspasteboard.")
        || uti.starts_with("dyn.")
        || uti.starts_with("CorePasteboardFlavorType")
        || uti.ends_with(" pasteboard type")
        || uti.ends_with("PboardType")
        || [REMOTE, CONCEALED_1PASSWORD, URL_NAME].contains(&uti)
}

/// Returns `true` if a text is a valid type identifier. Pasteboards accept nothing else.
pub(super) fn is_identifier(word: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.' || !c.is_ascii();
    word.contains('.') && word.chars().all(fits)
}

/// Converts UTF-8 or UTF-16 text to UTF-8 without a byte order mark.
pub(super) fn utf8(uti: &str, data: Vec<u8>) -> Vec<u8> {
    let wide = |rest: &[u8], read: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = rest.chunks_exact(2).map(|pair| read([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units).into_bytes()
    };
    match data.as_slice() {
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => rest.to_vec(),
        // All Macs that macOS still supports are little-endian.
        whole if uti.starts_with("public.utf16") => wide(whole, u16::from_le_bytes),
        _ => data,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mime_type_is_written_as_a_type_that_maps_back() {
        for (mime_type, utis) in TYPES {
            let first = utis[0];
            assert_eq!(known_mime_type(first), Some(*mime_type), "{first}");
            assert!(is_identifier(first) && !is_metadata(first), "{first}");
        }
        let mut all: Vec<_> = TYPES.iter().flat_map(|(_, utis)| utis.iter()).collect();
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count, "a type belongs to one MIME type only");
    }

    #[test]
    fn the_mime_types_of_the_platform_crate_have_types() {
        assert_eq!(known_utis("text/plain")[0], "public.utf8-plain-text");
        assert_eq!(known_utis("text/html")[0], "public.html");
        assert_eq!(known_utis("text/rtf")[0], "public.rtf");
        assert_eq!(known_utis("text/uri-list")[0], "public.file-url");
        assert_eq!(known_utis("text/x-moz-url")[0], "public.url");
        assert_eq!(known_utis("image/png")[0], "public.png");
        assert!(known_utis("application/x-own").is_empty());
        assert_eq!(known_mime_type("NeXT TIFF v4.0 pasteboard type"), Some("image/tiff"));
        assert_eq!(known_mime_type("com.example.own"), None);
    }

    #[test]
    fn metadata_is_not_content() {
        for uti in ["org.nspasteboard.AutoGeneratedType", "dyn.ah62d4rv4gu8y", "public.url-name"] {
            assert!(is_metadata(uti), "{uti}");
        }
        assert!(!is_metadata("com.apple.webarchive"));
        assert!(is_concealed(&["com.agilebits.onepassword".to_owned()]));
        assert!(!is_concealed(&["public.png".to_owned()]));
        assert!(is_identifier("com.example.a-b"));
        assert!(!is_identifier("text/plain") && !is_identifier("word"));
    }

    #[test]
    fn text_is_converted_to_utf_8() {
        let converted =
            |uti: &str, data: &[u8]| String::from_utf8(utf8(uti, data.to_vec())).unwrap();
        assert_eq!(converted("public.html", "\u{feff}<b>ä".as_bytes()), "<b>ä");
        assert_eq!(converted("public.html", b"\xff\xfe<\0b\0"), "<b");
        assert_eq!(converted("public.utf16-external-plain-text", b"\xfe\xff\0a\0b"), "ab");
        assert_eq!(converted("public.utf16-plain-text", b"a\0b\0"), "ab");
        assert_eq!(converted(TEXT, b"plain"), "plain");
    }
}
