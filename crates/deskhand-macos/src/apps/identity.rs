//! What a process is: the file it runs, the script it interprets, the bundle it belongs to, and what it
//! calls itself.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use deskhand_platform::{FileOf, Identities, Identity, Process, Remembered, Sure, is_installed};

use super::{
    Kernel, arguments,
    bundle::Bundle,
    installed::{base, program_of},
    process, script,
};

/// Knows the programs of this machine.
pub(crate) struct MacIdentities<G> {
    kernel: Arc<G>,
    known: Remembered<Mark>,
}

/// What changes when a process comes to run something else, or to call itself something else.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mark {
    started: u64,
    program: Option<PathBuf>,
    name: String,
    /// Its command line, without the environment the kernel hands out along with it.
    words: Vec<String>,
}

impl<G: Kernel> MacIdentities<G> {
    /// Those a kernel tells of.
    pub(crate) fn new(kernel: Arc<G>) -> Self {
        Self { kernel, known: Remembered::default() }
    }

    fn mark(&self, pid: u32) -> Option<Mark> {
        let facts = self.kernel.facts(pid).filter(|facts| facts.runs)?;
        Some(Mark {
            started: facts.started,
            program: self.kernel.program(pid),
            name: facts.name,
            // Those of other users are not told.
            words: arguments::words(&self.kernel.arguments(pid).unwrap_or_default()),
        })
    }

    fn identify(&self, pid: u32, mark: &Mark) -> Identity {
        let process = Some(Process { pid, started: mark.started });
        let hidden = mark.program.is_none();
        let mut identity = Identity { process, hidden, ..Identity::default() };
        let words = &mark.words;
        match &mark.program {
            None => identity.files.extend(said(&mark.name, words)),
            Some(path) => {
                // A file that was replaced or moved away is only said to be it.
                let sure = if path.is_file() { Sure::Yes } else { Sure::No };
                let real = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
                identity.files.push(FileOf::now(&real, sure));
                let folder = self.kernel.folder(pid);
                let name = base(path).unwrap_or_default();
                for (script, sure) in script::of(&name, words, folder.as_deref()) {
                    identity.files.push(FileOf::now(&script, sure));
                }
            }
        }
        identity.claims.push(mark.name.clone());
        identity.claims.extend(words.first().and_then(|word| base(Path::new(word))));
        complete(identity)
    }
}

impl<G: Kernel> Identities for MacIdentities<G> {
    fn of(&self, pid: u32) -> Option<Arc<Identity>> {
        if pid == 0 {
            return None;
        }
        let mark = self.mark(pid)?;
        Some(self.known.or_find(pid, mark, |mark| self.identify(pid, mark)))
    }

    fn of_command(&self, words: &[String]) -> Identity {
        let mut identity = Identity::default();
        let words = words.get(program_at(words)..).unwrap_or_default();
        let Some(word) = words.first() else { return identity };
        identity.claims.extend(base(Path::new(word)));
        if let Some(program) = program_of(Path::new(word)) {
            identity.files.push(FileOf::now(&program, Sure::Yes));
            let folder = std::env::current_dir().ok();
            let name = base(&program).unwrap_or_default();
            for (script, sure) in script::of(&name, words, folder.as_deref()) {
                identity.files.push(FileOf::now(&script, sure));
            }
        }
        complete(identity)
    }

    fn ancestors(&self) -> Vec<Process> {
        let mut all: Vec<Process> = Vec::new();
        let mut at = std::process::id();
        while let Some(facts) = self.kernel.facts(at) {
            let parent = facts.parent;
            // The first process of the machine started everybody.
            if parent <= 1 || all.iter().any(|one| one.pid == parent) {
                break;
            }
            let Some(one) = process(&*self.kernel, parent) else { break };
            all.push(one);
            at = parent;
        }
        all
    }

    fn file(&self, word: &Path) -> Option<FileOf> {
        program_of(word).map(|path| FileOf::now(&path, Sure::Yes))
    }
}

/// Adds its key, and what leads to its files.
fn complete(mut identity: Identity) -> Identity {
    let program = identity.files.first().and_then(|file| base(Path::new(&file.path)));
    identity.key = script::key(&program.unwrap_or_default(), &identity.files);
    for file in &identity.files {
        let path = Path::new(&file.path);
        identity.claims.extend(base(path));
        let name = base(path).filter(|name| {
            let meant = program_of(Path::new(name));
            meant.as_deref() == Some(path)
        });
        let own = Bundle::around(path);
        // The folder `/Applications` is open to every program of an administrator, who is not asked for a
        // password there: what lies in it is not installed.
        let kept = own.as_ref().is_some_and(|bundle| is_installed(&bundle.info()));
        let bundle = own.into_iter().flat_map(|bundle| bundle.id.into_iter().chain(bundle.names));
        for (names, kept) in [
            (name.into_iter().collect::<Vec<String>>(), true),
            (bundle.collect::<Vec<String>>(), kept),
        ] {
            let surely = kept && file.sure && file.installed;
            let to = if surely { &mut identity.names } else { &mut identity.claims };
            to.extend(names);
        }
        // What lies within an app is a part of it, but not it.
        let whole = Bundle::outermost(path);
        identity
            .claims
            .extend(whole.into_iter().flat_map(|bundle| bundle.id.into_iter().chain(bundle.names)));
    }
    for list in [&mut identity.names, &mut identity.claims] {
        list.sort();
        list.dedup();
    }
    identity
}

/// The files a process says it runs, by its name and its command line, where the system does not tell.
fn said(name: &str, words: &[String]) -> Vec<FileOf> {
    let first = words.first().map(String::as_str).unwrap_or_default();
    let mut files: Vec<FileOf> = Vec::new();
    let mut add = |path: &Path| {
        let file = FileOf::now(path, Sure::No);
        if !files.contains(&file) {
            files.push(file);
        }
    };
    for word in [name, first].into_iter().filter(|word| !word.is_empty()) {
        let program = program_of(Path::new(word));
        program.iter().for_each(|path| add(path));
        let known = program.as_deref().and_then(base).or_else(|| base(Path::new(word)));
        for (script, _) in script::of(&known.unwrap_or_default(), words, None) {
            add(&script);
        }
    }
    files
}

/// Where the program stands in a command: behind `env` and the variables it sets.
fn program_at(words: &[String]) -> usize {
    let is_env = |word: &String| base(Path::new(word)).as_deref() == Some("env");
    if !words.first().is_some_and(is_env) {
        return 0;
    }
    let sets = |word: &&String| word.contains('=') && !word.starts_with('-');
    1 + words.iter().skip(1).take_while(sets).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apps::{arguments::buffer, bundle::tests::app, recorded::Recorded};

    fn scene() -> (Arc<Recorded>, MacIdentities<Recorded>) {
        let system = Arc::new(Recorded::default());
        system.add(50, 1, 50, 7);
        (Arc::clone(&system), MacIdentities::new(system))
    }

    fn runs(system: &Recorded, program: &Path, words: &[&str]) {
        system.change(50, |entry| {
            entry.program = Some(program.to_owned());
            entry.arguments = buffer(&program.display().to_string(), words, &["A=b"]);
        });
    }

    #[test]
    fn a_program_is_its_file_whatever_it_is_called() {
        let (system, known) = scene();
        let real = fs::canonicalize("/usr/bin/sleep").unwrap();
        runs(&system, &real, &["mousepad", "1000"]);
        let identity = known.of(50).unwrap();
        assert_eq!(identity.process, Some(Process { pid: 50, started: 7 }));
        assert!(identity.files[0].sure && identity.files[0].installed && !identity.hidden);
        assert_eq!(identity.names, ["sleep"]);
        assert!(identity.claims.contains(&"mousepad".to_owned()), "{identity:?}");
        assert_eq!(identity.key.as_deref(), real.to_str());
        assert!(Arc::ptr_eq(&identity, &known.of(50).unwrap()), "remembered");
        let place = tempfile::tempdir().unwrap();
        let link = place.path().join("innocent");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        runs(&system, &link, &["x"]);
        assert_eq!(known.of(50).unwrap().key.as_deref(), real.to_str(), "links are followed");
        runs(&system, Path::new("/no/such/file"), &["x"]);
        let other = known.of(50).unwrap();
        assert!(!other.files[0].sure && other.key.is_none(), "{other:?}");
        assert_eq!((known.of(0), known.of(99)), (None, None));
    }

    #[test]
    fn an_app_anybody_can_have_put_there_only_claims_its_names() {
        let (system, known) = scene();
        let place = tempfile::tempdir().unwrap();
        let outer = app(place.path(), "Browser", "org.browser", &[]);
        let inner = app(&outer.join("Contents/Frameworks"), "Helper", "org.helper", &[]);
        let program = inner.join("Contents/MacOS/run");
        runs(&system, &program, &["run"]);
        let identity = known.of(50).unwrap();
        assert!(identity.names.is_empty(), "{identity:?}");
        for claim in ["Browser", "Helper", "org.browser", "org.helper", "p50", "run"] {
            assert!(identity.claims.contains(&claim.to_owned()), "{claim}: {identity:?}");
        }
        assert_eq!(identity.key.as_deref(), program.to_str());
    }

    #[test]
    fn an_interpreter_is_also_its_script() {
        let (system, known) = scene();
        let place = tempfile::tempdir().unwrap();
        let script = fs::canonicalize(place.path()).unwrap().join("job.py");
        fs::write(&script, "pass\n").unwrap();
        let path = script.display().to_string();
        let python = place.path().join("Python");
        fs::write(&python, "").unwrap();
        runs(&system, &python, &["python3", &path]);
        let identity = known.of(50).unwrap();
        assert_eq!((identity.key.as_deref(), identity.called()), (Some(&*path), Some("job.py")));
        runs(&system, &python, &["python3", "-cpass", &path]);
        assert_eq!(known.of(50).unwrap().key, None, "what it runs is not known");
        system.change(50, |entry| entry.folder = Some(place.path().to_owned()));
        runs(&system, &python, &["python3", "job.py"]);
        let identity = known.of(50).unwrap();
        assert_eq!((identity.files.len(), identity.key.as_deref()), (2, None));
    }

    #[test]
    fn what_a_hidden_process_says_it_runs_is_never_sure() {
        let (system, known) = scene();
        let real = fs::canonicalize("/usr/bin/sleep").unwrap().display().to_string();
        system.change(50, |entry| {
            entry.facts.name = "sleep".to_owned();
            entry.arguments = buffer("", &["/usr/bin/sleep", "1"], &[]);
        });
        let identity = known.of(50).unwrap();
        assert!(identity.hidden && identity.key.is_none() && identity.names.is_empty());
        assert_eq!(identity.files.len(), 1);
        assert!(identity.files[0].path == real && !identity.files[0].sure, "{identity:?}");
        assert!(said("no such program", &["nor this".to_owned()]).is_empty());
    }

    #[test]
    fn a_command_is_what_it_would_run() {
        let (_, known) = scene();
        let words = ["env", "A=b", "sleep", "5"].map(str::to_owned);
        assert_eq!(known.of_command(&words).called(), Some("sleep"));
        assert!(known.of_command(&[]).files.is_empty());
        let nothing = known.of_command(&["no-such-program-anywhere".to_owned()]);
        assert_eq!((nothing.files.len(), nothing.claims.len()), (0, 1));
        assert!(known.file(Path::new("ls")).is_some_and(|file| file.installed));
        let place = tempfile::tempdir().unwrap();
        let script = fs::canonicalize(place.path()).unwrap().join("job.sh");
        fs::write(&script, "").unwrap();
        let words = ["sh".to_owned(), script.display().to_string()];
        assert_eq!(known.of_command(&words).called(), Some("job.sh"));
    }

    #[test]
    fn ancestors_end_with_the_first_process() {
        let (system, known) = scene();
        assert!(known.ancestors().is_empty());
        system.add(std::process::id(), 50, 50, 9);
        let nearest = Process { pid: 50, started: 7 };
        assert_eq!(known.ancestors(), [nearest]);
        system.change(50, |entry| entry.facts.parent = 77);
        assert_eq!(known.ancestors(), [nearest], "a parent that is gone");
        system.add(77, 50, 50, 1);
        assert_eq!(known.ancestors().len(), 2, "no circle");
    }
}
