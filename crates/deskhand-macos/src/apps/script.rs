//! Which script an interpreter runs.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::installed::Sure;

/// Programs that run others written as text, or packed into a file. Python's own is called `Python`.
const INTERPRETERS: [&str; 25] = [
    "bash",
    "bun",
    "dash",
    "deno",
    "dotnet",
    "electron",
    "expect",
    "fish",
    "java",
    "ksh",
    "lua",
    "mono",
    "mono-sgen",
    "node",
    "osascript",
    "perl",
    "php",
    "pypy",
    "python",
    "ruby",
    "sh",
    "swift",
    "tclsh",
    "wish",
    "zsh",
];

/// How many scripts of one command line are told.
const MOST: usize = 8;

/// Whether a program of this name runs scripts; versions do not count.
pub(super) fn interprets(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let version = |rest: &str| rest.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '-');
    INTERPRETERS.iter().any(|known| name.strip_prefix(known).is_some_and(version))
}

/// The scripts a command line names, if the program of this name is an interpreter; sure is the one that
/// it surely runs: the first argument, or behind those its own first line asks for. A path from a folder
/// is not sure, as that may have been another one when the program was started.
pub(super) fn of(name: &str, words: &[String], folder: Option<&Path>) -> Vec<(PathBuf, Sure)> {
    if !interprets(name) {
        return Vec::new();
    }
    let named = words.iter().enumerate().skip(1).filter(|(_, word)| !word.starts_with('-'));
    let found = named.filter_map(|(at, word)| {
        let whole = folder.map_or_else(|| PathBuf::from(word), |folder| folder.join(word));
        let file = fs::canonicalize(whole).ok().filter(|file| file.is_file())?;
        let first = at == 1 || words.get(1..at).is_some_and(|given| given == asked(&file));
        let packed = at == 2 && name == "java" && words.get(1).is_some_and(|word| word == "-jar");
        let is_whole = Path::new(word).is_absolute();
        let sure = if (first || packed) && is_whole { Sure::Yes } else { Sure::No };
        Some((file, sure))
    });
    found.take(MOST).collect()
}

/// The arguments a script's first line wants to be run with: macOS hands them on word by word.
fn asked(script: &Path) -> Vec<String> {
    let mut start = [0; 256];
    let read =
        fs::File::open(script).and_then(|mut file| std::io::Read::read(&mut file, &mut start));
    let Ok(length) = read else { return Vec::new() };
    let text = String::from_utf8_lossy(start.get(..length).unwrap_or_default()).into_owned();
    let Some(line) = text.lines().next().and_then(|line| line.strip_prefix("#!")) else {
        return Vec::new();
    };
    line.split_whitespace().skip(1).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sure(words: &[&str], folder: &Path) -> Vec<bool> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let name = words[0].rsplit('/').next().unwrap();
        of(name, &words, Some(folder)).iter().map(|(_, sure)| *sure == Sure::Yes).collect()
    }

    #[test]
    fn only_the_script_that_surely_runs_is_sure() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path();
        let (plain, flagged) = (folder.join("plain.py"), folder.join("flagged.py"));
        fs::write(&plain, "pass\n").unwrap();
        fs::write(&flagged, "#!/usr/bin/python3 -s -P\npass\n").unwrap();
        let (plain, flagged) = (plain.display().to_string(), flagged.display().to_string());
        assert_eq!(sure(&["python3", &plain, "-x"], folder), [true]);
        assert_eq!(sure(&["/usr/bin/python3", "-s", "-P", &flagged], folder), [true]);
        assert_eq!(sure(&["python3", "-cpass", &plain], folder), [false]);
        assert_eq!(sure(&["python3", &plain, &flagged], folder), [true, false]);
        assert_eq!(sure(&["python3", "plain.py"], folder), [false], "the folder may have changed");
        assert_eq!(sure(&["java", "-jar", &plain], folder), [true]);
        assert_eq!(sure(&["TextEdit", &plain], folder), Vec::<bool>::new());
    }

    #[test]
    fn versions_of_an_interpreter_are_the_same() {
        for name in ["python3.12", "Python", "sh", "osascript", "ruby", "swift"] {
            assert!(interprets(name), "{name}");
        }
        for name in ["TextEdit", "Shortcuts", "pythonista", "SwiftUI"] {
            assert!(!interprets(name), "{name}");
        }
    }
}
