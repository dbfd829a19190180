//! Reads the platform traits and their methods from the source files.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A method of a trait.
pub(crate) struct Method {
    /// The trait it belongs to.
    pub(crate) of: String,
    /// First sentence of the trait's documentation.
    pub(crate) about_trait: String,
    /// Name of the method.
    pub(crate) name: String,
    /// First sentence of the method's documentation.
    pub(crate) about: String,
}

/// All methods of the public traits in file order, without the traits of the conformance suite.
pub(crate) fn methods(folder: &Path) -> Vec<Method> {
    let mut all = Vec::new();
    for file in sources(folder) {
        if !file.components().any(|part| part.as_os_str() == "conformance") {
            all.extend(methods_in(&fs::read_to_string(&file).unwrap()));
        }
    }
    assert!(
        all.len() > 50,
        "found only {} methods: has the format of the trait declarations changed?",
        all.len()
    );
    all
}

fn methods_in(text: &str) -> Vec<Method> {
    let mut methods = Vec::new();
    let mut about = String::new();
    let mut current_trait: Option<(String, String)> = None;
    for line in text.lines() {
        let code = line.trim();
        if let Some(doc_line) = code.strip_prefix("///") {
            about = format!("{about} {}", doc_line.trim());
            continue;
        }
        if line.starts_with('}') {
            current_trait = None;
        } else if let Some(rest) = line.strip_prefix("pub trait ") {
            current_trait = Some((identifier(rest), first_sentence(&about)));
        } else if let (Some((of, about_trait)), Some(rest)) =
            (&current_trait, line.strip_prefix("    fn "))
        {
            methods.push(Method {
                of: of.clone(),
                about_trait: about_trait.clone(),
                name: identifier(rest),
                about: first_sentence(&about),
            });
        }
        about.clear();
    }
    methods
}

fn identifier(text: &str) -> String {
    text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
}

fn first_sentence(text: &str) -> String {
    let text = text.trim();
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    text[..end].replace('|', "\\|")
}

/// All source files below a folder, sorted, without test files.
pub(crate) fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let is_test = path.file_stem().is_some_and(|identifier| identifier == "tests");
            if path.is_dir() && !is_test {
                pending.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") && !is_test {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
