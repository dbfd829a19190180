//! The tools by name.

use deskhand_tools::Entry;

/// Every tool there is, in the order people meet them.
pub struct Catalogue(Vec<Entry>);

impl Catalogue {
    /// All tools.
    pub fn all() -> Self {
        Self(deskhand_tools::all())
    }

    /// The tool of a name.
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.0.iter().find(|entry| entry.spec.name == name)
    }

    /// The tools that are commands.
    pub fn commands(&self) -> impl Iterator<Item = &Entry> {
        self.iter().filter(|entry| !entry.spec.command.is_empty())
    }

    /// The tools that are offered to programs, sorted by name.
    pub fn offered(&self) -> Vec<&Entry> {
        let mut all: Vec<&Entry> = self.iter().filter(|entry| entry.offer.is_some()).collect();
        all.sort_by_key(|entry| entry.spec.name);
        all
    }

    /// The tools, one after the other.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_tools_share_a_name_and_every_schema_stands_alone() {
        let all = Catalogue::all();
        let mut names: Vec<_> = all.iter().map(|entry| entry.spec.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        for entry in all.iter() {
            let schema = (entry.arguments)();
            assert_eq!(schema["type"], "object", "{}", entry.spec.name);
            assert!(!schema.to_string().contains("$ref"), "{}: {schema}", entry.spec.name);
        }
    }
}
