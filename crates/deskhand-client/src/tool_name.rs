//! Names for the tools of other servers: valid for every MCP client, and unique.

use std::collections::HashSet;

use sha2::{Digest, Sha256};

/// The maximum length of a name. Some clients reject a whole server because of one longer name.
const MAX_LENGTH: usize = 64;
/// The maximum length of a prefix, so that enough is left for the tool's name.
const MAX_PREFIX_LENGTH: usize = 24;

/// Returns `true` if a prefix is valid.
pub(crate) fn is_valid_prefix(prefix: &str) -> bool {
    !prefix.is_empty() && prefix.len() <= MAX_PREFIX_LENGTH && prefix.chars().all(is_allowed)
}

/// Returns the prefix of a server that has none in its configuration.
pub(crate) fn default_prefix(server: &str) -> String {
    let name = replace_invalid(server);
    if name.len() <= MAX_PREFIX_LENGTH { name } else { shorten(&name, server, MAX_PREFIX_LENGTH) }
}

/// Returns a unique name for a tool, and adds it to `taken`.
pub(crate) fn unique(
    prefix: &str,
    server: &str,
    tool: &str,
    taken: &mut HashSet<String>,
) -> String {
    let full = match (prefix, replace_invalid(tool)) {
        ("", tool) => tool,
        (prefix, tool) => format!("{prefix}_{tool}"),
    };
    let identity = format!("{server}\n{tool}");
    let mut name = match full.len() {
        1..=MAX_LENGTH if !taken.contains(&full) => full,
        _ => shorten(&full, &identity, MAX_LENGTH),
    };
    let mut number = 2;
    while !taken.insert(name.clone()) {
        name = shorten(&name, &format!("{identity}\n{number}"), MAX_LENGTH);
        number += 1;
    }
    name
}

/// Replaces every character that is not allowed in names by `_`.
fn replace_invalid(text: &str) -> String {
    text.chars().map(|c| if is_allowed(c) { c } else { '_' }).collect()
}

/// Cuts a name and appends a hash of `identity`.
fn shorten(name: &str, identity: &str, max: usize) -> String {
    let hash = short_hash(identity);
    let length = max - hash.len() - 1;
    format!("{}_{hash}", name.get(..length).unwrap_or(name))
}

/// Returns eight hexadecimal digits of the SHA-256 hash of a text.
pub(crate) fn short_hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(pairs: &[(&str, &str)]) -> Vec<String> {
        let mut taken = HashSet::new();
        pairs
            .iter()
            .map(|(server, tool)| unique(&default_prefix(server), server, tool, &mut taken))
            .collect()
    }

    #[test]
    fn the_same_tool_of_two_servers_has_two_names() {
        assert_eq!(
            names(&[("jira", "search"), ("wiki", "search")]),
            ["jira_search", "wiki_search"]
        );
    }

    #[test]
    fn names_are_valid_for_every_client() {
        let long = "x".repeat(200);
        let odd = ["a b", "ä/ö", "", "\u{202e}evil", "tool.v1", &long];
        let given: Vec<_> = odd.iter().map(|tool| ("my server", *tool)).collect();
        let names = names(&given);
        for name in &names {
            assert!(name.len() <= MAX_LENGTH && name.chars().all(is_allowed), "{name}");
        }
        assert_eq!(names[0], "my_server_a_b");
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), odd.len());
    }

    #[test]
    fn colliding_names_are_unique_and_stable() {
        let given = [("a", "b.c"), ("a", "b c"), ("a", "b-c")];
        let first = names(&given);
        assert_eq!(first[0], "a_b_c");
        assert_ne!(first[1], first[0]);
        assert_eq!(first, names(&given));
    }

    #[test]
    fn a_repeated_tool_gets_unique_names() {
        let given = [("a", "x"), ("a", "x"), ("a", "x")];
        assert_eq!(names(&given).iter().collect::<HashSet<_>>().len(), 3);
    }
}
