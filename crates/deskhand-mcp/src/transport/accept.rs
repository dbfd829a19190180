//! Content negotiation: the `Accept` and `Content-Type` headers.

use axum::http::{
    HeaderMap,
    header::{ACCEPT, CONTENT_TYPE},
};

/// The media type of JSON.
pub(super) const JSON: &str = "application/json";

/// The media type of server-sent events.
pub(super) const EVENT_STREAM: &str = "text/event-stream";

/// Returns `true` if the client accepts a media type. Without an `Accept` header it accepts all.
pub(super) fn accepts(headers: &HeaderMap, wanted: &str) -> bool {
    let mut values = headers.get_all(ACCEPT).iter().peekable();
    if values.peek().is_none() {
        return true;
    }
    let ranges = values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    // The most specific range wins: `text/event-stream;q=0` overrides `*/*`.
    let best = ranges
        .filter_map(|range| match_range(range, wanted))
        .max_by_key(|(specificity, _)| *specificity);
    best.is_some_and(|(_, accepted)| accepted)
}

/// The form of the response to a POST.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResponseForm {
    /// A JSON document or an event stream.
    Any,
    /// One JSON document.
    Json,
    /// An event stream.
    Stream,
}

impl ResponseForm {
    /// Returns the form that a client accepts. Without an `Accept` header it gets JSON: clients that
    /// read event streams say so.
    pub(super) fn accepted(headers: &HeaderMap) -> Option<Self> {
        if !headers.contains_key(ACCEPT) {
            return Some(Self::Json);
        }
        match (accepts(headers, JSON), accepts(headers, EVENT_STREAM)) {
            (true, true) => Some(Self::Any),
            (true, false) => Some(Self::Json),
            (false, true) => Some(Self::Stream),
            (false, false) => None,
        }
    }
}

/// Returns `true` if the body is JSON.
pub(super) fn sends_json(headers: &HeaderMap) -> bool {
    let values = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    values.is_some_and(|values| media_type(values).eq_ignore_ascii_case(JSON))
}

/// Returns how specific a range is for a media type, and whether it accepts it.
fn match_range(range: &str, wanted: &str) -> Option<(u8, bool)> {
    let name = media_type(range).to_ascii_lowercase();
    let specificity = if name == wanted {
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
    Some((specificity, !refused))
}

fn media_type(text: &str) -> &str {
    text.split(';').next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn accepting(values: &str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT, HeaderValue::from_str(values).unwrap())])
    }

    #[test]
    fn a_range_accepts_its_media_types() {
        assert!(accepts(&HeaderMap::new(), EVENT_STREAM));
        for values in ["text/event-stream", "*/*", "text/*;q=0.5", "a/b, Text/Event-Stream; q=1"] {
            assert!(accepts(&accepting(values), EVENT_STREAM), "{values}");
        }
        for values in ["", "application/json", "text/event-stream;q=0, */*", "text/html", "text"] {
            assert!(!accepts(&accepting(values), EVENT_STREAM), "{values}");
        }
    }

    #[test]
    fn the_form_of_a_response_follows_the_header() {
        for (values, form) in [
            ("application/json, text/event-stream", Some(ResponseForm::Any)),
            ("*/*", Some(ResponseForm::Any)),
            ("application/json", Some(ResponseForm::Json)),
            ("application/*;q=0.5", Some(ResponseForm::Json)),
            ("text/event-stream", Some(ResponseForm::Stream)),
            ("text/html", None),
            ("", None),
        ] {
            assert_eq!(ResponseForm::accepted(&accepting(values)), form, "{values}");
        }
        assert_eq!(ResponseForm::accepted(&HeaderMap::new()), Some(ResponseForm::Json));
    }

    #[test]
    fn a_charset_does_not_matter_for_json() {
        let of = |values| HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(values))]);
        assert!(sends_json(&of("application/json")));
        assert!(sends_json(&of("Application/JSON; charset=utf-8")));
        assert!(!sends_json(&of("text/plain")) && !sends_json(&HeaderMap::new()));
    }
}
