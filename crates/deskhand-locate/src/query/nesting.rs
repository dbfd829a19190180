//! Nested names such as `File > Save As`: each part lies inside the one before it.

/// The separators between the parts.
const SEPARATORS: [&str; 7] = ["->", ">", "→", "⟶", "›", "▸", "»"];

/// Returns the parts of a nested name, outermost first; `None` if the text is not one.
pub(super) fn parse(text: &str) -> Option<Vec<String>> {
    let mut parts = vec![text];
    for separator in SEPARATORS {
        parts = parts.into_iter().flat_map(|part| part.split(separator)).collect();
    }
    let parts: Vec<&str> = parts.into_iter().map(str::trim).collect();
    let is_nested = parts.len() > 1 && parts.iter().all(|part| !part.is_empty());
    is_nested.then(|| parts.into_iter().map(unquoted).collect())
}

fn unquoted(part: &str) -> String {
    super::terms::unquoted(part).unwrap_or_else(|| part.to_owned())
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn parts_are_separated_by_arrows() {
        for text in ["File > Save As", "File>Save As", "File → Save As", "File -> \"Save As\""] {
            assert_eq!(parse(text).unwrap(), ["File", "Save As"], "{text}");
        }
        assert_eq!(parse("Edit › Find ▸ Next").unwrap(), ["Edit", "Find", "Next"]);
        for text in ["Save", ">", "Next >", "> Next", ">>", "a > > b"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
