//! Maps media types to the target names that X11 programs use for them.

use std::rc::Rc;

use deskhand_platform::{ClipboardItem, Sensitivity, mime};

use super::{compound, text};

/// The target with which password managers mark a secret, and its value.
pub(super) const PASSWORD_MANAGER_HINT: &str = "x-kde-passwordManagerHint";
pub(super) const SECRET: &[u8] = b"secret";
/// The same mark from macOS, set by apps that run on both systems.
pub(super) const CONCEALED: &str = "org.nspasteboard.ConcealedType";

/// Text targets that name their encoding.
const UTF8_STRING: &str = "UTF8_STRING";
const PLAIN_UTF8: &str = "text/plain;charset=utf-8";
/// Files as file managers copy them. The first line says if they are to be copied or moved.
const GNOME_FILES: &str = "x-special/gnome-copied-files";
const NETSCAPE_URL: &str = "_NETSCAPE_URL";

/// The targets of each media type that has several, the most faithful first.
const TARGETS: &[(&str, &[&str])] = &[
    (
        mime::TEXT,
        &[UTF8_STRING, PLAIN_UTF8, "COMPOUND_TEXT", "TEXT", "STRING", mime::TEXT, "text/unicode"],
    ),
    (mime::RTF, &[mime::RTF, "application/rtf", "text/richtext"]),
    (mime::FILES, &[mime::FILES, GNOME_FILES]),
    (mime::URL, &[mime::URL, NETSCAPE_URL]),
];

/// Returns the media types of a list of targets, in its order.
pub(super) fn from_targets<'a>(targets: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut forms: Vec<String> = Vec::new();
    for target in targets {
        let known =
            TARGETS.iter().find(|(_, names)| names.iter().any(|name| is_same_target(name, target)));
        let form = match known {
            Some((form, _)) => form,
            None if target.contains('/') => target,
            // All other targets are protocol messages between programs: TARGETS, TIMESTAMP, DELETE,
            // …
            None => continue,
        };
        if !forms.iter().any(|one| one == form) {
            forms.push(form.to_owned());
        }
    }
    forms
}

/// Returns the most faithful available target for a media type.
pub(super) fn best_target<'a, T>(
    form: &str,
    available: &'a [(T, String)],
) -> Option<&'a (T, String)> {
    let find = |wanted: &str| available.iter().find(|(_, name)| is_same_target(wanted, name));
    let names = TARGETS.iter().find(|(one, _)| *one == form).map(|(_, names)| *names);
    names.unwrap_or_default().iter().copied().find_map(find).or_else(|| find(form))
}

/// Compares target names. Media types and charsets are case-insensitive.
fn is_same_target(one: &str, other: &str) -> bool {
    one == other || (one.contains('/') && one.eq_ignore_ascii_case(other))
}

/// Converts the data of a target to the encoding that callers expect.
pub(super) fn decode(form: &str, target: &str, type_name: &str, data: Vec<u8>) -> Vec<u8> {
    match form {
        mime::TEXT => {
            let mut text =
                text::decode(if target == "TEXT" { type_name } else { target }, type_name, &data);
            // C programs include the terminating zero of their strings.
            if text.ends_with('\0') {
                text.pop();
            }
            text.into_bytes()
        }
        mime::HTML | mime::URL => text::decode_unicode(&data).into_bytes(),
        mime::FILES if target == GNOME_FILES => {
            let lines = text::decode_unicode(&data);
            let uris = lines.lines().filter(|line| !matches!(*line, "copy" | "cut" | ""));
            uris.map(|uri| format!("{uri}\r\n")).collect::<String>().into_bytes()
        }
        mime::FILES => text::decode_unicode(&data).into_bytes(),
        _ => data,
    }
}

/// One offered target.
pub(super) struct TargetOffer {
    /// The target's name.
    pub(super) target: String,
    /// The type of the data.
    pub(super) type_name: String,
    /// The data.
    pub(super) data: Rc<[u8]>,
}

/// Returns all targets that items are offered as. The first offer of a target counts.
pub(super) fn offers(items: Vec<ClipboardItem>, mark: Sensitivity) -> Vec<TargetOffer> {
    let mut all: Vec<TargetOffer> = Vec::new();
    let mut offer = |target: &str, type_name: &str, data: &Rc<[u8]>| {
        if !all.iter().any(|one| one.target == target) {
            all.push(TargetOffer {
                target: target.into(),
                type_name: type_name.into(),
                data: Rc::clone(data),
            });
        }
    };
    // A link is also offered as a list of one URI, but only if there are no files.
    let (links, others): (Vec<_>, Vec<_>) =
        items.into_iter().partition(|item| item.mime_type == mime::URL);
    for ClipboardItem { mime_type, data } in others.into_iter().chain(links) {
        let data: Rc<[u8]> = data.into();
        match mime_type.as_str() {
            mime::TEXT => {
                for name in [UTF8_STRING, PLAIN_UTF8, mime::TEXT] {
                    offer(name, name, &data);
                }
                let text = String::from_utf8_lossy(&data);
                let compound: Rc<[u8]> = compound::encode(&text).into();
                if let Some(latin) = text::encode_latin1(&text) {
                    let latin: Rc<[u8]> = latin.into();
                    offer("STRING", "STRING", &latin);
                    offer("TEXT", "STRING", &latin);
                } else {
                    offer("TEXT", "COMPOUND_TEXT", &compound);
                }
                offer("COMPOUND_TEXT", "COMPOUND_TEXT", &compound);
            }
            mime::RTF => {
                for name in [mime::RTF, "application/rtf", "text/richtext"] {
                    offer(name, name, &data);
                }
            }
            mime::FILES => {
                let list = String::from_utf8_lossy(&data);
                let uris: Vec<&str> = list.lines().filter(|line| !line.is_empty()).collect();
                offer(mime::FILES, mime::FILES, &data);
                let copied = format!("copy\n{}", uris.join("\n"));
                offer(GNOME_FILES, GNOME_FILES, &copied.into_bytes().into());
            }
            mime::URL => {
                let link = String::from_utf8_lossy(&data);
                let address = link.lines().next().unwrap_or_default();
                offer(mime::URL, mime::URL, &text::encode_utf16(&link).into());
                offer(NETSCAPE_URL, NETSCAPE_URL, &data);
                offer(mime::FILES, mime::FILES, &format!("{address}\r\n").into_bytes().into());
            }
            other => offer(other, other, &data),
        }
    }
    match mark {
        Sensitivity::Normal => {}
        Sensitivity::Concealed => {
            offer(PASSWORD_MANAGER_HINT, PASSWORD_MANAGER_HINT, &SECRET.into());
            offer(CONCEALED, CONCEALED, &[][..].into());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(form: &str, data: &str) -> ClipboardItem {
        ClipboardItem { mime_type: form.to_owned(), data: data.as_bytes().to_vec() }
    }

    fn names(offers: &[TargetOffer]) -> Vec<&str> {
        offers.iter().map(|offer| offer.target.as_str()).collect()
    }

    #[test]
    fn different_names_of_one_media_type_are_merged() {
        let targets = ["TIMESTAMP", "TARGETS", "STRING", "text/html", "text/plain;charset=UTF-8"];
        let forms = from_targets(targets.into_iter().chain(["application/rtf", "x-special/foo"]));
        assert_eq!(forms, ["text/plain", "text/html", "text/rtf", "x-special/foo"]);
    }

    #[test]
    fn the_most_faithful_target_is_chosen() {
        let available: Vec<_> = ["STRING", "COMPOUND_TEXT", "text/html", "image/bmp"]
            .into_iter()
            .map(|name| ((), name.to_owned()))
            .collect();
        let chosen = |form| best_target(form, &available).map(|(_, name)| name.as_str());
        assert_eq!(chosen("text/plain"), Some("COMPOUND_TEXT"));
        assert_eq!(chosen("image/bmp"), Some("image/bmp"));
        assert_eq!(chosen("image/png"), None);
    }

    #[test]
    fn text_that_latin_1_cannot_encode_is_not_offered_as_latin_1() {
        let western = offers(vec![item("text/plain", "Grün")], Sensitivity::Normal);
        assert!(names(&western).contains(&"STRING"));
        let emoji = offers(vec![item("text/plain", "🙂")], Sensitivity::Normal);
        assert!(!names(&emoji).contains(&"STRING") && names(&emoji).contains(&"COMPOUND_TEXT"));
    }

    #[test]
    fn a_link_is_a_list_of_one_uri_unless_there_are_files() {
        let link = || item("text/x-moz-url", "https://example.org/");
        let alone = offers(vec![link()], Sensitivity::Normal);
        let list = alone.iter().find(|offer| offer.target == "text/uri-list").unwrap();
        assert_eq!(*list.data, *b"https://example.org/\r\n");
        let both =
            offers(vec![link(), item("text/uri-list", "file:///a\r\n")], Sensitivity::Normal);
        let list = both.iter().find(|offer| offer.target == "text/uri-list").unwrap();
        assert_eq!(*list.data, *b"file:///a\r\n");
        let copied = both.iter().find(|offer| offer.target == GNOME_FILES).unwrap();
        assert_eq!(*copied.data, *b"copy\nfile:///a");
    }

    #[test]
    fn the_action_word_of_copied_files_is_removed() {
        let list =
            decode(mime::FILES, GNOME_FILES, GNOME_FILES, b"cut\nfile:///a\nfile:///b".into());
        assert_eq!(list, b"file:///a\r\nfile:///b\r\n");
    }

    #[test]
    fn a_secret_carries_both_marks() {
        let secret = offers(vec![item("text/plain", "x")], Sensitivity::Concealed);
        assert!(
            names(&secret).contains(&PASSWORD_MANAGER_HINT) && names(&secret).contains(&CONCEALED)
        );
    }
}
