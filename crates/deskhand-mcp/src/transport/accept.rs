//! Content negotiation: the `Accept` and `Content-Type` headers.

use axum::http::{
    HeaderMap,
    header::{ACCEPT, CONTENT_TYPE},
};

/// The media type of JSON.
pub(super) const JSON: &str = "application/json";

/// The media type of server-sent events.
pub(super) const EVENTS: &str = "text/event-stream";

/// Returns `true` if the client accepts a media type. Without an `Accept` header it accepts all.
pub(super) fn accepts(headers: &HeaderMap, wanted: &str) -> bool {
    let mut said = headers.get_all(ACCEPT).iter().peekable();
    if said.peek().is_none() {
        return true;
    }
    let ranges = said.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    // The most specific range wins: `text/event-stream;q=0` overrides `*/*`.
    let best =
        ranges.filter_map(|range| weighed(range, wanted)).max_by_key(|(telling, _)| *telling);
    best.is_some_and(|(_, taken)| taken)
}

/// Returns `true` if the body is JSON.
pub(super) fn sends_json(headers: &HeaderMap) -> bool {
    let said = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    said.is_some_and(|said| media(said).eq_ignore_ascii_case(JSON))
}

/// Returns how specific a range is for a media type, and whether it accepts it.
fn weighed(range: &str, wanted: &str) -> Option<(u8, bool)> {
    let name = media(range).to_ascii_lowercase();
    let telling = if name == wanted {
        2
    } else if name == "*/*" {
        0
    } else {
        let kind = name.strip_suffix("/*")?;
        if wanted.split('/').next() != Some(kind) {
            return None;
        }
        1
    };
    let weight = range.split(';').skip(1).find_map(|it| it.trim().strip_prefix("q="));
    let refused = weight.and_then(|weight| weight.trim().parse::<f32>().ok()) == Some(0.0);
    Some((telling, !refused))
}

fn media(text: &str) -> &str {
    text.split(';').next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn accepting(said: &str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT, HeaderValue::from_str(said).unwrap())])
    }

    #[test]
    fn a_range_accepts_its_media_types() {
        assert!(accepts(&HeaderMap::new(), EVENTS));
        for said in ["text/event-stream", "*/*", "text/*;q=0.5", "a/b, Text/Event-Stream; q=1"] {
            assert!(accepts(&accepting(said), EVENTS), "{said}");
        }
        for said in ["", "application/json", "text/event-stream;q=0, */*", "text/html", "text"] {
            assert!(!accepts(&accepting(said), EVENTS), "{said}");
        }
    }

    #[test]
    fn a_charset_does_not_matter_for_json() {
        let of = |said| HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(said))]);
        assert!(sends_json(&of("application/json")));
        assert!(sends_json(&of("Application/JSON; charset=utf-8")));
        assert!(!sends_json(&of("text/plain")) && !sends_json(&HeaderMap::new()));
    }
}
