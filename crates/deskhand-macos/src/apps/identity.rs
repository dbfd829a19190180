//! The identity of a process: its executable, its script, its bundle and the names it claims.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use deskhand_platform::{
    Certainty, Identities, Identity, IdentityCache, ProcessId, ProgramFile, is_admin_owned,
};

use super::{
    KernelApi,
    arguments::parse_arguments,
    bundle::AppBundle,
    installed::{file_name, resolve_program},
    process, script,
};

/// Identifies the processes of this machine.
pub(crate) struct MacIdentities<S> {
    system: Arc<S>,
    cache: IdentityCache<ProcessFingerprint>,
}

/// The properties of a process that change when it runs another executable or changes its name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ProcessFingerprint {
    started: u64,
    executable: Option<PathBuf>,
    name: String,
    /// The command line without the environment.
    words: Vec<String>,
}

impl<S: KernelApi> MacIdentities<S> {
    pub(crate) fn new(system: Arc<S>) -> Self {
        Self { system, cache: IdentityCache::default() }
    }

    fn fingerprint(&self, pid: u32) -> Option<ProcessFingerprint> {
        let info = self.system.process_info(pid).filter(|info| info.is_running)?;
        Some(ProcessFingerprint {
            started: info.started,
            executable: self.system.executable(pid),
            name: info.name,
            // The kernel does not report the arguments of other users' processes.
            words: parse_arguments(&self.system.raw_arguments(pid).unwrap_or_default()),
        })
    }

    fn read_identity(&self, pid: u32, fingerprint: &ProcessFingerprint) -> Identity {
        let process = Some(ProcessId { pid, started: fingerprint.started });
        let hidden = fingerprint.executable.is_none();
        let mut identity = Identity { process, hidden, ..Identity::default() };
        let words = &fingerprint.words;
        match &fingerprint.executable {
            None => identity.files.extend(claimed_files(&fingerprint.name, words)),
            Some(path) => {
                // If the file was replaced or moved, the path is only a claim.
                let sure = if path.is_file() { Certainty::Verified } else { Certainty::Claimed };
                let real = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
                identity.files.push(ProgramFile::inspect(&real, sure));
                let folder = self.system.working_dir(pid);
                let name = file_name(path).unwrap_or_default();
                for (script, sure) in script::scripts_of(&name, words, folder.as_deref()) {
                    identity.files.push(ProgramFile::inspect(&script, sure));
                }
            }
        }
        identity.claims.push(fingerprint.name.clone());
        identity.claims.extend(words.first().and_then(|word| file_name(Path::new(word))));
        add_names(identity)
    }
}

impl<S: KernelApi> Identities for MacIdentities<S> {
    fn identify(&self, pid: u32) -> Option<Arc<Identity>> {
        if pid == 0 {
            return None;
        }
        let fingerprint = self.fingerprint(pid)?;
        let identify = |fingerprint: &ProcessFingerprint| self.read_identity(pid, fingerprint);
        Some(self.cache.get_or_insert_with(pid, fingerprint, identify))
    }

    fn identify_command(&self, words: &[String]) -> Identity {
        let mut identity = Identity::default();
        let words = words.get(program_index(words)..).unwrap_or_default();
        let Some(word) = words.first() else { return identity };
        identity.claims.extend(file_name(Path::new(word)));
        if let Some(program) = resolve_program(Path::new(word)) {
            identity.files.push(ProgramFile::inspect(&program, Certainty::Verified));
            let folder = std::env::current_dir().ok();
            let name = file_name(&program).unwrap_or_default();
            for (script, sure) in script::scripts_of(&name, words, folder.as_deref()) {
                identity.files.push(ProgramFile::inspect(&script, sure));
            }
        }
        add_names(identity)
    }

    fn ancestors(&self) -> Vec<ProcessId> {
        let mut ancestors: Vec<ProcessId> = Vec::new();
        let mut pid = std::process::id();
        while let Some(info) = self.system.process_info(pid) {
            let parent = info.parent;
            // launchd (pid 1) is the ancestor of all processes.
            if parent <= 1 || ancestors.iter().any(|one| one.pid == parent) {
                break;
            }
            let Some(one) = process(&*self.system, parent) else { break };
            ancestors.push(one);
            pid = parent;
        }
        ancestors
    }

    fn resolve_file(&self, word: &Path) -> Option<ProgramFile> {
        resolve_program(word).map(|path| ProgramFile::inspect(&path, Certainty::Verified))
    }
}

/// Adds the key of an identity, and the names of its files and bundles.
fn add_names(mut identity: Identity) -> Identity {
    let program = identity.files.first().and_then(|file| file_name(Path::new(&file.path)));
    identity.key = script::key(&program.unwrap_or_default(), &identity.files);
    for file in &identity.files {
        let path = Path::new(&file.path);
        identity.claims.extend(file_name(path));
        let on_path = file_name(path).filter(|name| {
            let found = resolve_program(Path::new(name));
            found.as_deref() == Some(path)
        });
        let own = AppBundle::of_executable(path);
        // Programs of an administrator can write to `/Applications` without a password, so an app there is not
        // protected.
        let protected = own.as_ref().is_some_and(|bundle| is_admin_owned(&bundle.info_plist()));
        let bundle = own.into_iter().flat_map(|bundle| bundle.id.into_iter().chain(bundle.names));
        for (names, protected) in [
            (on_path.into_iter().collect::<Vec<String>>(), true),
            (bundle.collect::<Vec<String>>(), protected),
        ] {
            let verified = protected && file.verified && file.admin_owned;
            let target = if verified { &mut identity.names } else { &mut identity.claims };
            target.extend(names);
        }
        // A helper inside an app only claims to be the app.
        let outermost = AppBundle::outermost_around(path);
        identity.claims.extend(
            outermost.into_iter().flat_map(|bundle| bundle.id.into_iter().chain(bundle.names)),
        );
    }
    for list in [&mut identity.names, &mut identity.claims] {
        list.sort();
        list.dedup();
    }
    identity
}

/// The files that a process claims to run, if the kernel does not report its executable.
fn claimed_files(name: &str, words: &[String]) -> Vec<ProgramFile> {
    let first = words.first().map(String::as_str).unwrap_or_default();
    let mut files: Vec<ProgramFile> = Vec::new();
    let mut add = |path: &Path| {
        let file = ProgramFile::inspect(path, Certainty::Claimed);
        if !files.contains(&file) {
            files.push(file);
        }
    };
    for word in [name, first].into_iter().filter(|word| !word.is_empty()) {
        let program = resolve_program(Path::new(word));
        program.iter().for_each(|path| add(path));
        let name = program.as_deref().and_then(file_name).or_else(|| file_name(Path::new(word)));
        for (script, _) in script::scripts_of(&name.unwrap_or_default(), words, None) {
            add(&script);
        }
    }
    files
}

/// The index of the program in a command, after `env` and the variables it sets.
fn program_index(words: &[String]) -> usize {
    let is_env = |word: &String| file_name(Path::new(word)).as_deref() == Some("env");
    if !words.first().is_some_and(is_env) {
        return 0;
    }
    let sets_variable = |word: &&String| word.contains('=') && !word.starts_with('-');
    1 + words.iter().skip(1).take_while(sets_variable).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apps::{arguments::buffer, bundle::tests::app, fake_system::FakeSystem};

    fn fixture() -> (Arc<FakeSystem>, MacIdentities<FakeSystem>) {
        let system = Arc::new(FakeSystem::default());
        system.add(50, 1, 50, 7);
        (Arc::clone(&system), MacIdentities::new(system))
    }

    fn set_executable(system: &FakeSystem, executable: &Path, words: &[&str]) {
        system.change(50, |process| {
            process.executable = Some(executable.to_owned());
            process.arguments = buffer(&executable.display().to_string(), words, &["A=b"]);
        });
    }

    #[test]
    fn a_program_is_identified_by_its_file() {
        let (system, identities) = fixture();
        let real = fs::canonicalize("/usr/bin/sleep").unwrap();
        set_executable(&system, &real, &["mousepad", "1000"]);
        let identity = identities.identify(50).unwrap();
        assert_eq!(identity.process, Some(ProcessId { pid: 50, started: 7 }));
        assert!(identity.files[0].verified && identity.files[0].admin_owned && !identity.hidden);
        assert_eq!(identity.names, ["sleep"]);
        assert!(identity.claims.contains(&"mousepad".to_owned()), "{identity:?}");
        assert_eq!(identity.key.as_deref(), real.to_str());
        assert!(Arc::ptr_eq(&identity, &identities.identify(50).unwrap()), "it is cached");
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("innocent");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        set_executable(&system, &link, &["x"]);
        assert_eq!(
            identities.identify(50).unwrap().key.as_deref(),
            real.to_str(),
            "links are followed"
        );
        set_executable(&system, Path::new("/no/such/file"), &["x"]);
        let other = identities.identify(50).unwrap();
        assert!(!other.files[0].verified && other.key.is_none(), "{other:?}");
        assert_eq!((identities.identify(0), identities.identify(99)), (None, None));
    }

    #[test]
    fn an_app_in_an_unprotected_folder_only_claims_its_names() {
        let (system, identities) = fixture();
        let folder = tempfile::tempdir().unwrap();
        let outer = app(folder.path(), "Browser", "org.browser", &[]);
        let inner = app(&outer.join("Contents/Frameworks"), "Helper", "org.helper", &[]);
        let program = inner.join("Contents/MacOS/run");
        set_executable(&system, &program, &["run"]);
        let identity = identities.identify(50).unwrap();
        assert!(identity.names.is_empty(), "{identity:?}");
        for claim in ["Browser", "Helper", "org.browser", "org.helper", "p50", "run"] {
            assert!(identity.claims.contains(&claim.to_owned()), "{claim}: {identity:?}");
        }
        assert_eq!(identity.key.as_deref(), program.to_str());
    }

    #[test]
    fn an_interpreter_is_identified_by_its_script() {
        let (system, identities) = fixture();
        let folder = tempfile::tempdir().unwrap();
        let script = fs::canonicalize(folder.path()).unwrap().join("job.py");
        fs::write(&script, "pass\n").unwrap();
        let path = script.display().to_string();
        let python = folder.path().join("Python");
        fs::write(&python, "").unwrap();
        set_executable(&system, &python, &["python3", &path]);
        let identity = identities.identify(50).unwrap();
        assert_eq!(
            (identity.key.as_deref(), identity.display_name()),
            (Some(&*path), Some("job.py"))
        );
        set_executable(&system, &python, &["python3", "-cpass", &path]);
        assert_eq!(identities.identify(50).unwrap().key, None, "the code is on the command line");
        system.change(50, |process| process.working_dir = Some(folder.path().to_owned()));
        set_executable(&system, &python, &["python3", "job.py"]);
        let identity = identities.identify(50).unwrap();
        assert_eq!((identity.files.len(), identity.key.as_deref()), (2, None));
    }

    #[test]
    fn the_claims_of_a_hidden_process_are_not_verified() {
        let (system, identities) = fixture();
        let real = fs::canonicalize("/usr/bin/sleep").unwrap().display().to_string();
        system.change(50, |process| {
            process.info.name = "sleep".to_owned();
            process.arguments = buffer("", &["/usr/bin/sleep", "1"], &[]);
        });
        let identity = identities.identify(50).unwrap();
        assert!(identity.hidden && identity.key.is_none() && identity.names.is_empty());
        assert_eq!(identity.files.len(), 1);
        assert!(identity.files[0].path == real && !identity.files[0].verified, "{identity:?}");
        assert!(claimed_files("no such program", &["nor this".to_owned()]).is_empty());
    }

    #[test]
    fn a_command_is_identified_by_the_program_it_would_run() {
        let (_, identities) = fixture();
        let words = ["env", "A=b", "sleep", "5"].map(str::to_owned);
        assert_eq!(identities.identify_command(&words).display_name(), Some("sleep"));
        assert!(identities.identify_command(&[]).files.is_empty());
        let nothing = identities.identify_command(&["no-such-program-anywhere".to_owned()]);
        assert_eq!((nothing.files.len(), nothing.claims.len()), (0, 1));
        assert!(identities.resolve_file(Path::new("ls")).is_some_and(|file| file.admin_owned));
        let folder = tempfile::tempdir().unwrap();
        let script = fs::canonicalize(folder.path()).unwrap().join("job.sh");
        fs::write(&script, "").unwrap();
        let words = ["sh".to_owned(), script.display().to_string()];
        assert_eq!(identities.identify_command(&words).display_name(), Some("job.sh"));
    }

    #[test]
    fn ancestors_end_with_the_first_process() {
        let (system, identities) = fixture();
        assert!(identities.ancestors().is_empty());
        system.add(std::process::id(), 50, 50, 9);
        let nearest = ProcessId { pid: 50, started: 7 };
        assert_eq!(identities.ancestors(), [nearest]);
        system.change(50, |process| process.info.parent = 77);
        assert_eq!(identities.ancestors(), [nearest], "the parent has ended");
        system.add(77, 50, 50, 1);
        assert_eq!(identities.ancestors().len(), 2, "a cycle ends");
    }
}
