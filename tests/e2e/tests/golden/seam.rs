//! The traits of the seam and their methods, read from the sources that declare them.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// One method of a trait.
pub(crate) struct Method {
    /// The trait it belongs to.
    pub(crate) of: String,
    /// What the trait is for.
    pub(crate) about_trait: String,
    /// Its name.
    pub(crate) name: String,
    /// The first sentence about it.
    pub(crate) about: String,
}

/// The methods of every public trait, in the order of the files; the suite's own traits are no part of it.
pub(crate) fn methods(folder: &Path) -> Vec<Method> {
    let mut all = Vec::new();
    for file in sources(folder) {
        if !file.components().any(|part| part.as_os_str() == "conformance") {
            all.extend(of_file(&fs::read_to_string(&file).unwrap()));
        }
    }
    assert!(
        all.len() > 50,
        "the seam has only {} methods: are its traits written otherwise?",
        all.len()
    );
    all
}

fn of_file(text: &str) -> Vec<Method> {
    let mut methods = Vec::new();
    let mut about = String::new();
    let mut inside: Option<(String, String)> = None;
    for line in text.lines() {
        let code = line.trim();
        if let Some(words) = code.strip_prefix("///") {
            about = format!("{about} {}", words.trim());
            continue;
        }
        if line.starts_with('}') {
            inside = None;
        } else if let Some(rest) = line.strip_prefix("pub trait ") {
            inside = Some((name(rest), first_sentence(&about)));
        } else if let (Some((of, about_trait)), Some(rest)) =
            (&inside, line.strip_prefix("    fn "))
        {
            methods.push(Method {
                of: of.clone(),
                about_trait: about_trait.clone(),
                name: name(rest),
                about: first_sentence(&about),
            });
        }
        about.clear();
    }
    methods
}

fn name(text: &str) -> String {
    text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
}

fn first_sentence(text: &str) -> String {
    let text = text.trim();
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    text[..end].replace('|', "\\|")
}

/// Every source file below a folder, sorted; files of tests are left out.
pub(crate) fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let is_test = path.file_stem().is_some_and(|name| name == "tests");
            if path.is_dir() && !is_test {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") && !is_test {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
