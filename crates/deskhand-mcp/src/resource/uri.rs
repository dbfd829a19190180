//! The URIs of resources.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The scheme of resource URIs.
pub(crate) const SCHEME: &str = "deskhand://";

/// An alias of the scheme: that of axterminator, whose clients find the same resources here.
const ALIAS: &str = "axterminator://";

/// Characters that are not percent-encoded in a path segment.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The URI of a resource.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Uri {
    /// Status of the server and the desktop.
    Status,
    /// The running apps.
    Apps,
    /// The clipboard content.
    Clipboard,
    /// A resource of one app.
    App {
        /// The app's name, alias or pid.
        name: String,
        /// The part of the app.
        view: AppView,
    },
    /// A result that was too large for its reply.
    Result(String),
}

/// A resource of an app.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum AppView {
    /// All elements, from an optional cursor on.
    Tree(Option<String>),
    /// The elements of one window, from an optional cursor on.
    Window(u32, Option<String>),
    /// A screenshot.
    Screenshot,
    /// A summary.
    State,
    /// The latest events.
    Events,
}

impl Uri {
    /// Parses a URI. Returns `None` if no resource has this form.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix(SCHEME).or_else(|| text.strip_prefix(ALIAS))?;
        let (path, query) = rest.split_once('?').map_or((rest, None), |(a, b)| (a, Some(b)));
        let cursor = match query {
            None => None,
            Some(query) => Some(decoded(query.strip_prefix("cursor=")?)?),
        };
        let parts: Vec<&str> = path.split('/').collect();
        let app = |name: &str, view: AppView| {
            let name = decoded(name).filter(|name| !name.is_empty())?;
            Some(Self::App { name, view })
        };
        match (&parts[..], cursor) {
            (["system", "status"], None) => Some(Self::Status),
            (["apps"], None) => Some(Self::Apps),
            (["clipboard"], None) => Some(Self::Clipboard),
            (["app", name, "tree"], cursor) => app(name, AppView::Tree(cursor)),
            (["app", name, "window", index, "tree"], cursor) => {
                app(name, AppView::Window(index.parse().ok()?, cursor))
            }
            (["app", name, "screenshot"], None) => app(name, AppView::Screenshot),
            (["app", name, "state"], None) => app(name, AppView::State),
            (["app", name, "events"], None) => app(name, AppView::Events),
            (["result", id], None) if !id.is_empty() => Some(Self::Result((*id).to_owned())),
            (_, _) => None,
        }
    }
}

fn decoded(part: &str) -> Option<String> {
    percent_decode_str(part).decode_utf8().ok().map(|text| text.into_owned())
}

impl fmt::Display for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(SCHEME)?;
        match self {
            Self::Status => f.write_str("system/status"),
            Self::Apps => f.write_str("apps"),
            Self::Clipboard => f.write_str("clipboard"),
            Self::Result(id) => write!(f, "result/{id}"),
            Self::App { name, view } => {
                write!(f, "app/{}/", utf8_percent_encode(name, PLAIN))?;
                let cursor = match view {
                    AppView::Tree(cursor) => {
                        f.write_str("tree")?;
                        cursor
                    }
                    AppView::Window(index, cursor) => {
                        write!(f, "window/{index}/tree")?;
                        cursor
                    }
                    AppView::Screenshot => return f.write_str("screenshot"),
                    AppView::State => return f.write_str("state"),
                    AppView::Events => return f.write_str("events"),
                };
                match cursor {
                    Some(cursor) => write!(f, "?cursor={}", utf8_percent_encode(cursor, PLAIN)),
                    None => Ok(()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_parsed_as_they_are_printed() {
        let app = |view: AppView| Uri::App { name: "Text Editor/ä".to_owned(), view };
        for (uri, text) in [
            (Uri::Status, "system/status"),
            (Uri::Apps, "apps"),
            (Uri::Clipboard, "clipboard"),
            (Uri::Result("a1".to_owned()), "result/a1"),
            (app(AppView::Tree(None)), "app/Text%20Editor%2F%C3%A4/tree"),
            (
                app(AppView::Tree(Some("e7".to_owned()))),
                "app/Text%20Editor%2F%C3%A4/tree?cursor=e7",
            ),
            (app(AppView::Window(2, None)), "app/Text%20Editor%2F%C3%A4/window/2/tree"),
            (app(AppView::Screenshot), "app/Text%20Editor%2F%C3%A4/screenshot"),
            (app(AppView::State), "app/Text%20Editor%2F%C3%A4/state"),
            (app(AppView::Events), "app/Text%20Editor%2F%C3%A4/events"),
        ] {
            assert_eq!(uri.to_string(), format!("{SCHEME}{text}"));
            assert_eq!(Uri::parse(&format!("{SCHEME}{text}")), Some(uri.clone()));
            assert_eq!(Uri::parse(&format!("{ALIAS}{text}")), Some(uri));
        }
    }

    #[test]
    fn unknown_uris_are_refused() {
        for text in [
            "",
            "deskhand://",
            "http://apps",
            "deskhand://apps/",
            "deskhand://apps?cursor=e1",
            "deskhand://app//tree",
            "deskhand://app/a/tree/more",
            "deskhand://app/a/window/-1/tree",
            "deskhand://app/a/window/x/tree",
            "deskhand://app/a/tree?page=2",
            "deskhand://app/%ff/tree",
            "deskhand://result/",
        ] {
            assert_eq!(Uri::parse(text), None, "{text}");
        }
    }
}
