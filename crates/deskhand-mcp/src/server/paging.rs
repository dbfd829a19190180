//! Pagination of lists. A cursor is valid only for the list it was made from: if the list has
//! changed, the cursor is refused instead of skipping or repeating items.

use std::hash::{DefaultHasher, Hash, Hasher};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use rmcp::model::{ErrorData, PaginatedRequestParams};

/// One page of a list.
#[derive(Debug)]
pub(crate) struct ListPage<T> {
    /// The items of the page.
    pub(crate) items: Vec<T>,
    /// The cursor of the next page, if there is one.
    pub(crate) next: Option<String>,
}

/// Returns the requested page. `key` identifies an item: two lists are the same if their keys are.
pub(crate) fn paginate<T>(
    items: Vec<T>,
    asked: Option<PaginatedRequestParams>,
    size: usize,
    key: impl Fn(&T) -> String,
) -> Result<ListPage<T>, ErrorData> {
    let mut hasher = DefaultHasher::new();
    for item in &items {
        key(item).hash(&mut hasher);
    }
    let digest = hasher.finish();
    let start = match asked.and_then(|asked| asked.cursor) {
        None => 0,
        Some(cursor) => {
            let (list, start) =
                decode_cursor(&cursor).ok_or_else(|| invalid_cursor("cursor: invalid"))?;
            if list != digest || start >= items.len() {
                return Err(invalid_cursor(
                    "cursor: the list has changed; start again without a cursor",
                ));
            }
            start
        }
    };
    let end = items.len().min(start + size);
    let next = (end < items.len()).then(|| encode_cursor(digest, end));
    let items = items.into_iter().skip(start).take(size).collect();
    Ok(ListPage { items, next })
}

fn invalid_cursor(why: &'static str) -> ErrorData {
    ErrorData::invalid_params(why, None)
}

fn encode_cursor(digest: u64, offset: usize) -> String {
    URL_SAFE_NO_PAD.encode(format!("{digest:x}.{offset}"))
}

fn decode_cursor(cursor: &str) -> Option<(u64, usize)> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    let (digest, offset) = text.split_once('.')?;
    Some((u64::from_str_radix(digest, 16).ok()?, offset.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(cursor: &str) -> Option<PaginatedRequestParams> {
        Some(PaginatedRequestParams::default().with_cursor(Some(cursor.to_owned())))
    }

    fn numbers(count: u32, cursor: Option<&str>) -> Result<ListPage<u32>, ErrorData> {
        paginate((0..count).collect(), cursor.and_then(asked), 3, ToString::to_string)
    }

    #[test]
    fn pages_follow_one_another_and_end() {
        let mut seen = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let page = numbers(7, cursor.as_deref()).unwrap();
            assert!(page.items.len() <= 3);
            seen.extend(page.items);
            match page.next {
                Some(next) => cursor = Some(next),
                None => break,
            }
        }
        assert_eq!(seen, (0..7).collect::<Vec<_>>());
        assert!(numbers(3, None).unwrap().next.is_none());
        assert!(numbers(0, None).unwrap().items.is_empty());
    }

    #[test]
    fn a_stale_or_foreign_cursor_is_refused() {
        let next = numbers(7, None).unwrap().next.unwrap();
        assert_eq!(numbers(8, Some(&next)).unwrap_err().code.0, -32602);
        for foreign in ["", "x", "////", "YWJj", "MC45OTk"] {
            assert_eq!(numbers(7, Some(foreign)).unwrap_err().code.0, -32602, "{foreign}");
        }
    }
}
