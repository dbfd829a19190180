//! Which script an interpreter runs, by its command line.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use crate::FileOf;

/// How many scripts of one command line are told.
const MOST: usize = 8;

/// Whether something is known, or only said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sure {
    /// It is known.
    Yes,
    /// Somebody says so.
    No,
}

/// How a system hands on what stands behind the interpreter in the first line of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstLine {
    /// All of it as one argument.
    OneWord,
    /// Each word as an argument.
    EachWord,
}

/// The programs of a system that run others written as text, or packed into a file.
#[derive(Debug, Clone, Copy)]
pub struct Interpreters {
    /// Their names, without versions.
    pub names: &'static [&'static str],
    /// How their scripts may ask for arguments.
    pub first_line: FirstLine,
}

impl Interpreters {
    /// Whether a program of this name runs scripts; versions do not count.
    pub fn has(&self, name: &str) -> bool {
        let version = |rest: &str| rest.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '-');
        self.names.iter().any(|known| name.strip_prefix(known).is_some_and(version))
    }

    /// The scripts a command line names, if the program of this name is an interpreter; sure is the one
    /// that it surely runs: the first argument, or behind those its own first line asks for. A path from
    /// a folder is not sure, as that may have been another one when the program was started.
    pub fn scripts(
        &self,
        name: &str,
        words: &[String],
        folder: Option<&Path>,
    ) -> Vec<(PathBuf, Sure)> {
        if !self.has(name) {
            return Vec::new();
        }
        let named = words.iter().enumerate().skip(1).filter(|(_, word)| !word.starts_with('-'));
        let found = named.filter_map(|(at, word)| {
            let whole = folder.map_or_else(|| PathBuf::from(word), |folder| folder.join(word));
            let file = fs::canonicalize(whole).ok().filter(|file| file.is_file())?;
            let first = at == 1 || words.get(1..at).is_some_and(|given| given == self.asked(&file));
            let packed =
                at == 2 && name == "java" && words.get(1).is_some_and(|word| word == "-jar");
            let is_whole = Path::new(word).is_absolute();
            let sure = if (first || packed) && is_whole { Sure::Yes } else { Sure::No };
            Some((file, sure))
        });
        found.take(MOST).collect()
    }

    /// What tells a program from every other one by its files, of which its own, called by this name, stands
    /// first: an interpreter is what it runs.
    pub fn key(&self, name: &str, files: &[FileOf]) -> Option<String> {
        let (program, scripts) = files.split_first()?;
        let own =
            if self.has(name) { scripts.iter().find(|file| file.sure) } else { Some(program) };
        own.filter(|file| file.sure && program.sure).map(|file| file.path.clone())
    }

    /// The arguments a script's first line wants to be run with.
    fn asked(&self, script: &Path) -> Vec<String> {
        let mut start = [0; 256];
        let read = fs::File::open(script).and_then(|mut file| file.read(&mut start));
        let Ok(length) = read else { return Vec::new() };
        let text = String::from_utf8_lossy(start.get(..length).unwrap_or_default()).into_owned();
        let Some(line) = text.lines().next().and_then(|line| line.strip_prefix("#!")) else {
            return Vec::new();
        };
        let Some((_, rest)) = line.trim().split_once([' ', '\t']) else { return Vec::new() };
        match self.first_line {
            FirstLine::OneWord => vec![rest.trim().to_owned()],
            FirstLine::EachWord => rest.split_whitespace().map(str::to_owned).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn known(first_line: FirstLine) -> Interpreters {
        Interpreters { names: &["java", "lua", "node", "python", "sh"], first_line }
    }

    #[test]
    fn only_the_script_that_surely_runs_is_sure() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path();
        let (plain, flagged) = (folder.join("plain.py"), folder.join("flagged.py"));
        fs::write(&plain, "pass\n").unwrap();
        fs::write(&flagged, "#!/usr/bin/python3 -s -P\npass\n").unwrap();
        let (plain, flagged) = (plain.display().to_string(), flagged.display().to_string());
        let sure = |first_line, words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let name = words[0].rsplit('/').next().unwrap();
            let found = known(first_line).scripts(name, &words, Some(folder));
            found.iter().map(|(_, sure)| *sure == Sure::Yes).collect::<Vec<bool>>()
        };
        let either = [FirstLine::OneWord, FirstLine::EachWord];
        for line in either {
            assert_eq!(sure(line, &["python3", &plain, "-x"]), [true]);
            assert_eq!(sure(line, &["python3", "-cpass", &plain]), [false]);
            assert_eq!(sure(line, &["python3", "-W", "ignore", &plain]), [false]);
            assert_eq!(sure(line, &["python3", &plain, &flagged]), [true, false]);
            assert_eq!(
                sure(line, &["python3", "plain.py"]),
                [false],
                "the folder may have changed"
            );
            assert_eq!(sure(line, &["java", "-jar", &plain]), [true]);
            assert_eq!(sure(line, &["mousepad", &plain]), Vec::<bool>::new());
        }
        for (words, expected) in [
            (["/usr/bin/python3", "-s -P", &flagged].as_slice(), [true, false]),
            (&["/usr/bin/python3", "-s", "-P", &flagged], [false, true]),
        ] {
            assert_eq!(either.map(|line| sure(line, words) == [true]), expected, "{words:?}");
        }
    }

    #[test]
    fn versions_of_an_interpreter_are_the_same() {
        let known = known(FirstLine::OneWord);
        for name in ["python3.11", "python3", "sh", "lua5.4"] {
            assert!(known.has(name), "{name}");
        }
        for name in ["mousepad", "shotwell", "pythonista", "nodeserver"] {
            assert!(!known.has(name), "{name}");
        }
    }

    #[test]
    fn an_interpreter_is_told_apart_by_its_script_alone() {
        let known = known(FirstLine::OneWord);
        let file = |path: &str, sure| FileOf {
            path: path.to_owned(),
            number: None,
            sure,
            installed: false,
        };
        let editor = [file("/bin/edit", true)];
        assert_eq!(known.key("edit", &editor).as_deref(), Some("/bin/edit"));
        assert_eq!(known.key("python3", &[file("/bin/python3", true)]), None);
        let runs = |program, script| [file("/bin/python3", program), file("/job.py", script)];
        assert_eq!(known.key("python3", &runs(true, true)).as_deref(), Some("/job.py"));
        assert_eq!(known.key("python3", &runs(true, false)), None);
        assert_eq!(known.key("python3", &runs(false, true)), None, "nobody knows who reads it");
        assert_eq!(known.key("edit", &[]), None);
    }
}
