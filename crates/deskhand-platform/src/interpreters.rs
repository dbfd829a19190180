//! Finds the script that an interpreter runs, from its command line.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use crate::{Certainty, ProgramFile};

/// The maximum number of scripts reported for one command line.
const MAX_SCRIPTS: usize = 8;

/// The way a system passes the arguments in a `#!` line to the interpreter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShebangArguments {
    /// Everything after the interpreter is one argument.
    Single,
    /// Each word is a separate argument.
    Split,
}

/// The interpreters of a system: programs that run scripts or packages.
#[derive(Debug, Clone, Copy)]
pub struct Interpreters {
    /// Their names without version numbers.
    pub names: &'static [&'static str],
    /// The way the system passes the arguments in a `#!` line.
    pub shebang: ShebangArguments,
}

impl Interpreters {
    /// Returns `true` if the program is an interpreter. Ignores version numbers in the name.
    pub fn contains(&self, name: &str) -> bool {
        let version = |rest: &str| rest.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '-');
        self.names.iter().any(|known| name.strip_prefix(known).is_some_and(version))
    }

    /// Returns the scripts in a command line, if the program is an interpreter.
    ///
    /// A script is `Verified` if the interpreter certainly runs it: it is the first argument, or it
    /// follows exactly the arguments in the `#!` line. A relative path is only `Claimed`,
    /// because the working directory may have changed since the program started.
    pub fn scripts(
        &self,
        name: &str,
        words: &[String],
        folder: Option<&Path>,
    ) -> Vec<(PathBuf, Certainty)> {
        if !self.contains(name) {
            return Vec::new();
        }
        let arguments = words.iter().enumerate().skip(1).filter(|(_, word)| !word.starts_with('-'));
        let found = arguments.filter_map(|(at, word)| {
            let path = folder.map_or_else(|| PathBuf::from(word), |folder| folder.join(word));
            let file = fs::canonicalize(path).ok().filter(|file| file.is_file())?;
            let first = at == 1
                || words.get(1..at).is_some_and(|given| given == self.shebang_arguments(&file));
            let packed =
                at == 2 && name == "java" && words.get(1).is_some_and(|word| word == "-jar");
            let is_absolute = Path::new(word).is_absolute();
            let is_certain = (first || packed) && is_absolute;
            Some((file, if is_certain { Certainty::Verified } else { Certainty::Claimed }))
        });
        found.take(MAX_SCRIPTS).collect()
    }

    /// Returns the path that identifies a program: the verified script if `name` is an interpreter,
    /// otherwise the executable, which is the first of `files`.
    pub fn program_key(&self, name: &str, files: &[ProgramFile]) -> Option<String> {
        let (program, scripts) = files.split_first()?;
        let main = if self.contains(name) {
            scripts.iter().find(|file| file.verified)
        } else {
            Some(program)
        };
        main.filter(|file| file.verified && program.verified).map(|file| file.path.clone())
    }

    /// Returns the arguments in the `#!` line of a script.
    fn shebang_arguments(&self, script: &Path) -> Vec<String> {
        let mut start = [0; 256];
        let read = fs::File::open(script).and_then(|mut file| file.read(&mut start));
        let Ok(length) = read else { return Vec::new() };
        let text = String::from_utf8_lossy(start.get(..length).unwrap_or_default()).into_owned();
        let Some(line) = text.lines().next().and_then(|line| line.strip_prefix("#!")) else {
            return Vec::new();
        };
        let Some((_, rest)) = line.trim().split_once([' ', '\t']) else { return Vec::new() };
        match self.shebang {
            ShebangArguments::Single => vec![rest.trim().to_owned()],
            ShebangArguments::Split => rest.split_whitespace().map(str::to_owned).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn interpreters(shebang: ShebangArguments) -> Interpreters {
        Interpreters { names: &["java", "lua", "node", "python", "sh"], shebang }
    }

    #[test]
    fn only_the_script_that_certainly_runs_is_verified() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path();
        let (plain, flagged) = (folder.join("plain.py"), folder.join("flagged.py"));
        fs::write(&plain, "pass\n").unwrap();
        fs::write(&flagged, "#!/usr/bin/python3 -s -P\npass\n").unwrap();
        let (plain, flagged) = (plain.display().to_string(), flagged.display().to_string());
        let verified = |shebang, words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let name = words[0].rsplit('/').next().unwrap();
            let found = interpreters(shebang).scripts(name, &words, Some(folder));
            found
                .iter()
                .map(|(_, certainty)| *certainty == Certainty::Verified)
                .collect::<Vec<bool>>()
        };
        let either = [ShebangArguments::Single, ShebangArguments::Split];
        for style in either {
            assert_eq!(verified(style, &["python3", &plain, "-x"]), [true]);
            assert_eq!(verified(style, &["python3", "-cpass", &plain]), [false]);
            assert_eq!(verified(style, &["python3", "-W", "ignore", &plain]), [false]);
            assert_eq!(verified(style, &["python3", &plain, &flagged]), [true, false]);
            assert_eq!(
                verified(style, &["python3", "plain.py"]),
                [false],
                "the working directory may have changed"
            );
            assert_eq!(verified(style, &["java", "-jar", &plain]), [true]);
            assert_eq!(verified(style, &["mousepad", &plain]), Vec::<bool>::new());
        }
        for (words, expected) in [
            (["/usr/bin/python3", "-s -P", &flagged].as_slice(), [true, false]),
            (&["/usr/bin/python3", "-s", "-P", &flagged], [false, true]),
        ] {
            assert_eq!(either.map(|style| verified(style, words) == [true]), expected, "{words:?}");
        }
    }

    #[test]
    fn version_numbers_are_ignored() {
        let known = interpreters(ShebangArguments::Single);
        for name in ["python3.11", "python3", "sh", "lua5.4"] {
            assert!(known.contains(name), "{name}");
        }
        for name in ["mousepad", "shotwell", "pythonista", "nodeserver"] {
            assert!(!known.contains(name), "{name}");
        }
    }

    #[test]
    fn an_interpreter_is_identified_by_its_script() {
        let known = interpreters(ShebangArguments::Single);
        let file = |path: &str, verified| ProgramFile {
            path: path.to_owned(),
            file_id: None,
            verified,
            admin_owned: false,
        };
        let editor = [file("/bin/edit", true)];
        assert_eq!(known.program_key("edit", &editor).as_deref(), Some("/bin/edit"));
        assert_eq!(known.program_key("python3", &[file("/bin/python3", true)]), None);
        let runs = |program, script| [file("/bin/python3", program), file("/job.py", script)];
        assert_eq!(known.program_key("python3", &runs(true, true)).as_deref(), Some("/job.py"));
        assert_eq!(known.program_key("python3", &runs(true, false)), None);
        assert_eq!(
            known.program_key("python3", &runs(false, true)),
            None,
            "the interpreter is not verified"
        );
        assert_eq!(known.program_key("edit", &[]), None);
    }
}
