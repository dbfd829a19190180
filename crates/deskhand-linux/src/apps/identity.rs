//! Identifies a process: its executable, the script it interprets, the names that lead to them, and
//! the names it claims.

use std::{
    fs,
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    path::{Path, PathBuf},
    sync::Arc,
};

use deskhand_platform::{Certainty, Identities, Identity, IdentityCache, ProcessId, ProgramFile};

use super::{
    exec,
    installed::{self, InstalledPrograms},
    process::{self, Stat},
    script::INTERPRETERS,
};

/// Identifies the processes and programs of this machine.
#[derive(Default)]
pub(crate) struct LocalIdentities {
    cache: IdentityCache<ProcessFingerprint>,
    installed: InstalledPrograms,
}

/// The properties of a process that change when it executes another program or changes its name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ProcessFingerprint {
    started: u64,
    /// The start address of the stack, which differs for every executed program.
    stack: u64,
    link: PathBuf,
    name: Vec<u8>,
    command_line: Vec<u8>,
}

impl ProcessFingerprint {
    fn of(pid: u32) -> Option<Self> {
        let line = fs::read(format!("/proc/{pid}/stat")).ok()?;
        let stat = Stat::parse(&line).filter(|stat| stat.is_running)?;
        let name = line.split(|byte| *byte == b'(').skip(1).collect::<Vec<_>>().join(&b'(');
        let end = name.iter().rposition(|byte| *byte == b')')?;
        Some(Self {
            started: stat.started,
            stack: stat.stack,
            // Unreadable for processes of other users and for those that disabled core dumps.
            link: fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default(),
            name: name.get(..end)?.to_vec(),
            command_line: fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default(),
        })
    }

    fn arguments(&self) -> Vec<String> {
        let arguments = self.command_line.split(|byte| *byte == 0).filter(|word| !word.is_empty());
        arguments.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
    }
}

impl Identities for LocalIdentities {
    fn identify(&self, pid: u32) -> Option<Arc<Identity>> {
        if pid == 0 {
            return None;
        }
        let fingerprint = ProcessFingerprint::of(pid)?;
        Some(self.cache.get_or_insert_with(pid, fingerprint, |fingerprint| {
            self.read_identity(pid, fingerprint)
        }))
    }

    fn identify_command(&self, words: &[String]) -> Identity {
        let mut identity = Identity::default();
        let at = exec::program_index(words).unwrap_or(0);
        let words = words.get(at..).unwrap_or_default();
        let Some(word) = words.first() else { return identity };
        identity.claims.extend(installed::file_stem(Path::new(word)).map(str::to_owned));
        if let Some(program) = installed::resolve_program(Path::new(word)) {
            identity.files.push(ProgramFile::inspect(&program, Certainty::Verified));
            let folder = std::env::current_dir().ok();
            let name = file_stem(&program).unwrap_or_default();
            for (script, sure) in INTERPRETERS.scripts(&name, words, folder.as_deref()) {
                identity.files.push(ProgramFile::inspect(&script, sure));
            }
        }
        identity.key = key(&identity.files);
        self.add_names(&mut identity);
        identity
    }

    fn ancestors(&self) -> Vec<ProcessId> {
        let mut all = Vec::new();
        let mut at = std::process::id();
        while let Some(stat) = Stat::read(at) {
            let parent = stat.parent;
            // Process 1 is an ancestor of every process.
            if parent <= 1 || all.iter().any(|one: &ProcessId| one.pid == parent) {
                break;
            }
            let Some(started) = process::started(parent) else { break };
            all.push(ProcessId { pid: parent, started });
            at = parent;
        }
        all
    }

    fn resolve_file(&self, word: &Path) -> Option<ProgramFile> {
        installed::resolve_program(word)
            .map(|path| ProgramFile::inspect(&path, Certainty::Verified))
    }
}

impl LocalIdentities {
    fn read_identity(&self, pid: u32, fingerprint: &ProcessFingerprint) -> Identity {
        let process = Some(ProcessId { pid, started: fingerprint.started });
        let hidden = fingerprint.link.as_os_str().is_empty();
        let mut identity = Identity { process, hidden, ..Identity::default() };
        let arguments = fingerprint.arguments();
        let own_name = String::from_utf8_lossy(&fingerprint.name).into_owned();
        if hidden {
            identity.files.extend(claimed_files(&own_name, &arguments));
        } else {
            identity.files.push(executable_file(pid, &fingerprint.link));
            let folder = fs::read_link(format!("/proc/{pid}/cwd")).ok();
            let name = file_stem(&fingerprint.link).unwrap_or_default();
            for (script, sure) in INTERPRETERS.scripts(&name, &arguments, folder.as_deref()) {
                identity.files.push(ProgramFile::inspect(&script, sure));
            }
        }
        let claims = &mut identity.claims;
        claims.push(own_name);
        claims.extend(arguments.first().and_then(|word| file_stem(Path::new(word))));
        claims.extend(launched_desktop_file(pid));
        claims.extend(flatpak_id(pid));
        identity.key = key(&identity.files);
        self.add_names(&mut identity);
        identity
    }

    /// Adds the names that lead to the identity's files.
    fn add_names(&self, identity: &mut Identity) {
        let index = self.installed.index();
        for file in &identity.files {
            let path = Path::new(&file.path);
            identity.claims.extend(file_stem(path));
            for found in index.names_of(path) {
                let surely = found.installed && file.verified && file.admin_owned;
                let list = if surely { &mut identity.names } else { &mut identity.claims };
                list.extend(found.names);
            }
        }
        for list in [&mut identity.names, &mut identity.claims] {
            list.sort();
            list.dedup();
        }
    }
}

fn file_stem(path: &Path) -> Option<String> {
    installed::file_stem(path).map(str::to_owned)
}

/// Returns the key that distinguishes a program with these files from every other one.
fn key(files: &[ProgramFile]) -> Option<String> {
    let name = file_stem(Path::new(&files.first()?.path)).unwrap_or_default();
    INTERPRETERS.program_key(&name, files)
}

/// Returns the files that a process claims to run by its name and command line, for processes whose
/// executable is not readable. Some processes write their whole command line into one word.
fn claimed_files(name: &str, words: &[String]) -> Vec<ProgramFile> {
    let first = words.first().map(String::as_str).unwrap_or_default();
    let start = first.split_whitespace().next().unwrap_or_default();
    let mut files: Vec<ProgramFile> = Vec::new();
    let mut add = |path: &Path| {
        let file = ProgramFile::inspect(path, Certainty::Claimed);
        if !files.contains(&file) {
            files.push(file);
        }
    };
    for word in [name, start, first].into_iter().filter(|word| !word.is_empty()) {
        let program = installed::resolve_program(Path::new(word));
        program.iter().for_each(|path| add(path));
        let stem = program.as_deref().and_then(file_stem).or_else(|| file_stem(Path::new(word)));
        for (script, _) in INTERPRETERS.scripts(&stem.unwrap_or_default(), words, None) {
            add(&script);
        }
    }
    files
}

/// Returns the executable of a process. It is not certain if the same path leads to another file in
/// a container, or if the file has been replaced.
fn executable_file(pid: u32, link: &Path) -> ProgramFile {
    let bytes = link.as_os_str().as_bytes();
    let path_bytes = bytes.strip_suffix(b" (deleted)").unwrap_or(bytes);
    let path = Path::new(std::ffi::OsStr::from_bytes(path_bytes));
    let running =
        fs::metadata(format!("/proc/{pid}/exe")).ok().map(|meta| (meta.dev(), meta.ino()));
    let on_disk = fs::metadata(link).ok().map(|meta| (meta.dev(), meta.ino()));
    let sure = if running.is_some() && running == on_disk {
        Certainty::Verified
    } else {
        Certainty::Claimed
    };
    ProgramFile { file_id: running, ..ProgramFile::inspect(path, sure) }
}

/// Returns the desktop file id that the launcher passed in the environment of the process.
fn launched_desktop_file(pid: u32) -> Option<String> {
    let file = process::variable(pid, "GIO_LAUNCHED_DESKTOP_FILE")?;
    let launched_pid: u32 =
        process::variable(pid, "GIO_LAUNCHED_DESKTOP_FILE_PID")?.parse().ok()?;
    let name = file_stem(Path::new(&file)).filter(|_| launched_pid == pid)?;
    Some(name.strip_suffix(".desktop").unwrap_or(&name).to_owned())
}

/// Returns the id of an app in a Flatpak sandbox.
fn flatpak_id(pid: u32) -> Option<String> {
    let info = fs::read_to_string(format!("/proc/{pid}/root/.flatpak-info")).ok()?;
    let mut lines = info.lines().skip_while(|line| *line != "[Application]").skip(1);
    lines.find_map(|line| line.strip_prefix("name=")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use super::*;

    struct Running(Child);

    impl Drop for Running {
        fn drop(&mut self) {
            // It may have ended already.
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    /// Returns the identity of a process after it has executed its program. The kernel sets the
    /// arguments last.
    fn wait_for_program(known: &LocalIdentities, child: &Running, program: &str) -> Arc<Identity> {
        let end = std::time::Instant::now() + std::time::Duration::from_secs(10);
        loop {
            let has_arguments = !process::arguments(child.0.id()).is_empty();
            let identity = known.identify(child.0.id()).unwrap();
            if has_arguments && identity.files.iter().any(|file| file.path == program) {
                return identity;
            }
            assert!(std::time::Instant::now() < end, "{identity:?}");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    #[test]
    fn a_program_is_identified_by_its_file_not_by_its_name() {
        use std::os::unix::process::CommandExt;
        let cache = LocalIdentities::default();
        let real = fs::canonicalize("/usr/bin/sleep").unwrap().display().to_string();
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("innocent");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let child = Running(Command::new(&link).arg0("mousepad").arg("1000").spawn().unwrap());
        let identity = wait_for_program(&cache, &child, &real);
        assert!(identity.files[0].verified && identity.files[0].admin_owned, "{identity:?}");
        assert!(identity.names.contains(&"sleep".to_owned()), "{identity:?}");
        assert!(!identity.names.contains(&"mousepad".to_owned()), "{identity:?}");
        assert!(identity.claims.contains(&"mousepad".to_owned()), "{identity:?}");
        assert_eq!(identity.key.as_deref(), Some(real.as_str()));
    }

    #[test]
    fn a_process_that_executes_another_program_gets_a_new_identity() {
        let cache = LocalIdentities::default();
        let folder = tempfile::tempdir().unwrap();
        let signal = folder.path().join("go");
        let script = format!(
            "while [ ! -e {0} ]; do /bin/sleep 0.01; done; exec /usr/bin/sleep 1000",
            signal.display()
        );
        let child = Running(Command::new("/bin/sh").args(["-c", &script]).spawn().unwrap());
        let shell = fs::canonicalize("/bin/sh").unwrap().display().to_string();
        let before = wait_for_program(&cache, &child, &shell);
        fs::write(&signal, "").unwrap();
        let real = fs::canonicalize("/usr/bin/sleep").unwrap().display().to_string();
        let after = wait_for_program(&cache, &child, &real);
        assert_eq!(before.process, after.process, "process id and start time stay the same");
        assert!(!after.files.iter().any(|file| file.path == shell), "{after:?}");
    }

    #[test]
    fn a_copy_is_another_file_and_a_removed_file_is_not_certain() {
        let cache = LocalIdentities::default();
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("ls");
        // `cp` writes the file: one that this process, or a child forked in between, has open for
        // writing cannot be executed.
        let copied =
            Command::new("cp").arg("--dereference").arg("/usr/bin/sleep").arg(&copy).status();
        assert!(copied.unwrap().success());
        let child = Running(Command::new(&copy).arg("1000").spawn().unwrap());
        let path = copy.display().to_string();
        let identity = wait_for_program(&cache, &child, &path);
        assert!(identity.files[0].verified && !identity.files[0].admin_owned, "{identity:?}");
        assert!(identity.names.is_empty(), "its name proves nothing: {identity:?}");
        fs::remove_file(&copy).unwrap();
        let other = LocalIdentities::default();
        let identity = wait_for_program(&other, &child, &path);
        assert!(!identity.files[0].verified, "{identity:?}");
    }

    #[test]
    fn an_interpreter_is_identified_by_its_script() {
        let cache = LocalIdentities::default();
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("job.py");
        fs::write(&script, "import time\ntime.sleep(1000)\n").unwrap();
        let path = fs::canonicalize(&script).unwrap().display().to_string();
        let child = Running(Command::new("/usr/bin/python3").arg(&script).spawn().unwrap());
        let identity = wait_for_program(&cache, &child, &path);
        assert_eq!(identity.key.as_deref(), Some(path.as_str()));
        assert_eq!(identity.display_name(), Some("job.py"));
        let code = "-cimport time;time.sleep(1000)";
        let forged = Command::new("/usr/bin/python3").arg(code).arg(&script).spawn().unwrap();
        let identity = wait_for_program(&cache, &Running(forged), &path);
        let file = identity.files.iter().find(|file| file.path == path).unwrap();
        assert!(!file.verified, "it runs something else: {identity:?}");
        assert_eq!(identity.key, None, "it is not known what it runs");
        let module = Command::new("/usr/bin/python3").args(["-m", "pdb", &path]).spawn().unwrap();
        let identity = wait_for_program(&cache, &Running(module), &path);
        assert_eq!(identity.key, None, "an interpreter alone is not an identity");
    }

    #[test]
    fn files_that_a_hidden_process_claims_are_never_certain() {
        let words = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let real = |path: &str| fs::canonicalize(path).unwrap().display().to_string();
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("job.py");
        fs::write(&script, "").unwrap();
        let job = script.display().to_string();
        for (name, line, path) in [
            ("sleep", words(&[]), real("/usr/bin/sleep")),
            ("x", words(&["/usr/bin/sleep", "1"]), real("/usr/bin/sleep")),
            ("x", words(&["/usr/bin/sleep --now --then"]), real("/usr/bin/sleep")),
            ("x", words(&["python3", &job]), real(&job)),
        ] {
            let files = claimed_files(name, &line);
            assert!(files.iter().any(|file| file.path == path), "{name} {line:?}: {files:?}");
            assert!(files.iter().all(|file| !file.verified), "{files:?}");
            assert_eq!(key(&files), None);
        }
        assert!(claimed_files("no such program", &words(&["nor this"])).is_empty());
    }

    #[test]
    fn a_command_is_identified_by_the_program_it_would_run() {
        let cache = LocalIdentities::default();
        let words = ["env", "A=b", "sleep", "5"].map(str::to_owned);
        let identity = cache.identify_command(&words);
        assert_eq!(identity.display_name(), Some("sleep"));
        assert!(cache.identify_command(&[]).files.is_empty());
        let own = cache.ancestors();
        assert_eq!(own[0].pid, std::os::unix::process::parent_id());
    }
}
