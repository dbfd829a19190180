//! The names other servers' tools get here: fit for every client, and no two alike.

use std::collections::HashSet;

use sha2::{Digest, Sha256};

/// Clients lose a whole server over one longer name.
const LONGEST: usize = 64;
/// A longer prefix leaves too little for the tool.
const LONGEST_PREFIX: usize = 24;

/// Whether a prefix can stand in the name of a tool.
pub(crate) fn is_fit(prefix: &str) -> bool {
    !prefix.is_empty() && prefix.len() <= LONGEST_PREFIX && prefix.chars().all(is_allowed)
}

/// The prefix a server has when nobody gave it one.
pub(crate) fn prefix(server: &str) -> String {
    let fit = fitting(server);
    if fit.len() <= LONGEST_PREFIX { fit } else { marked(&fit, server, LONGEST_PREFIX) }
}

/// The name of a tool here; `taken` learns it.
pub(crate) fn of(prefix: &str, server: &str, tool: &str, taken: &mut HashSet<String>) -> String {
    let plain = match (prefix, fitting(tool)) {
        ("", tool) => tool,
        (prefix, tool) => format!("{prefix}_{tool}"),
    };
    let whole = format!("{server}\n{tool}");
    let mut name = match plain.len() {
        1..=LONGEST if !taken.contains(&plain) => plain,
        _ => marked(&plain, &whole, LONGEST),
    };
    let mut turn = 2;
    while !taken.insert(name.clone()) {
        name = marked(&name, &format!("{whole}\n{turn}"), LONGEST);
        turn += 1;
    }
    name
}

/// A text with everything that is not allowed in names replaced.
fn fitting(text: &str) -> String {
    text.chars().map(|letter| if is_allowed(letter) { letter } else { '_' }).collect()
}

/// A name cut short, with a mark that is the same every time.
fn marked(name: &str, of: &str, longest: usize) -> String {
    let mark = mark(of);
    let room = longest - mark.len() - 1;
    format!("{}_{mark}", name.get(..room).unwrap_or(name))
}

/// Eight letters that stand for a text.
pub(crate) fn mark(of: &str) -> String {
    let digest = Sha256::digest(of.as_bytes());
    digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

fn is_allowed(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(pairs: &[(&str, &str)]) -> Vec<String> {
        let mut taken = HashSet::new();
        pairs.iter().map(|(server, tool)| of(&prefix(server), server, tool, &mut taken)).collect()
    }

    #[test]
    fn equal_tools_of_two_servers_have_two_names() {
        assert_eq!(
            names(&[("jira", "search"), ("wiki", "search")]),
            ["jira_search", "wiki_search"]
        );
    }

    #[test]
    fn names_are_fit_for_every_client() {
        let long = "x".repeat(200);
        let odd = ["a b", "ä/ö", "", "\u{202e}evil", "tool.v1", &long];
        let given: Vec<_> = odd.iter().map(|tool| ("my server", *tool)).collect();
        let names = names(&given);
        for name in &names {
            assert!(name.len() <= LONGEST && name.chars().all(is_allowed), "{name}");
        }
        assert_eq!(names[0], "my_server_a_b");
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), odd.len());
    }

    #[test]
    fn names_that_fall_together_are_told_apart_the_same_way_each_time() {
        let given = [("a", "b.c"), ("a", "b c"), ("a", "b-c")];
        let first = names(&given);
        assert_eq!(first[0], "a_b_c");
        assert_ne!(first[1], first[0]);
        assert_eq!(first, names(&given));
    }

    #[test]
    fn a_server_that_repeats_a_tool_still_gets_two_names() {
        let given = [("a", "x"), ("a", "x"), ("a", "x")];
        assert_eq!(names(&given).iter().collect::<HashSet<_>>().len(), 3);
    }
}
