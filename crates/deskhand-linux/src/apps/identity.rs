//! What a process is: the file it runs, the script it interprets, what leads there, and what it
//! calls itself.

use std::{
    fs,
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    path::{Path, PathBuf},
    sync::Arc,
};

use deskhand_platform::{FileOf, Identities, Identity, Process, Remembered, Sure};

use super::{
    exec,
    installed::{self, Installed},
    process::{self, Stat},
    script::INTERPRETERS,
};

/// Knows the programs of this machine.
#[derive(Default)]
pub(crate) struct LocalIdentities {
    known: Remembered<Mark>,
    installed: Installed,
}

/// What changes when a process comes to run something else, or to call itself something else.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mark {
    started: u64,
    /// Where its stack begins: each program that is run gets another place.
    stack: u64,
    link: PathBuf,
    name: Vec<u8>,
    arguments: Vec<u8>,
}

impl Mark {
    fn of(pid: u32) -> Option<Self> {
        let line = fs::read(format!("/proc/{pid}/stat")).ok()?;
        let stat = Stat::parse(&line).filter(|stat| stat.runs)?;
        let name = line.split(|byte| *byte == b'(').skip(1).collect::<Vec<_>>().join(&b'(');
        let end = name.iter().rposition(|byte| *byte == b')')?;
        Some(Self {
            started: stat.started,
            stack: stat.stack,
            // A process of somebody else does not tell, nor does one that keeps its memory to itself.
            link: fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default(),
            name: name.get(..end)?.to_vec(),
            arguments: fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default(),
        })
    }

    fn words(&self) -> Vec<String> {
        let words = self.arguments.split(|byte| *byte == 0).filter(|word| !word.is_empty());
        words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
    }
}

impl Identities for LocalIdentities {
    fn of(&self, pid: u32) -> Option<Arc<Identity>> {
        if pid == 0 {
            return None;
        }
        let mark = Mark::of(pid)?;
        Some(self.known.or_find(pid, mark, |mark| self.identify(pid, mark)))
    }

    fn of_command(&self, words: &[String]) -> Identity {
        let mut identity = Identity::default();
        let at = exec::program_at(words).unwrap_or(0);
        let words = words.get(at..).unwrap_or_default();
        let Some(word) = words.first() else { return identity };
        identity.claims.extend(installed::base(Path::new(word)).map(str::to_owned));
        if let Some(program) = installed::program_of(Path::new(word)) {
            identity.files.push(FileOf::now(&program, Sure::Yes));
            let folder = std::env::current_dir().ok();
            let name = base(&program).unwrap_or_default();
            for (script, sure) in INTERPRETERS.scripts(&name, words, folder.as_deref()) {
                identity.files.push(FileOf::now(&script, sure));
            }
        }
        identity.key = key(&identity.files);
        self.add_names(&mut identity);
        identity
    }

    fn ancestors(&self) -> Vec<Process> {
        let mut all = Vec::new();
        let mut at = std::process::id();
        while let Some(stat) = Stat::read(at) {
            let parent = stat.parent;
            // The first process of the machine started everybody.
            if parent <= 1 || all.iter().any(|one: &Process| one.pid == parent) {
                break;
            }
            let Some(started) = process::started(parent) else { break };
            all.push(Process { pid: parent, started });
            at = parent;
        }
        all
    }

    fn file(&self, word: &Path) -> Option<FileOf> {
        installed::program_of(word).map(|path| FileOf::now(&path, Sure::Yes))
    }
}

impl LocalIdentities {
    fn identify(&self, pid: u32, mark: &Mark) -> Identity {
        let process = Some(Process { pid, started: mark.started });
        let hidden = mark.link.as_os_str().is_empty();
        let mut identity = Identity { process, hidden, ..Identity::default() };
        let words = mark.words();
        let own_name = String::from_utf8_lossy(&mark.name).into_owned();
        if hidden {
            identity.files.extend(said(&own_name, &words));
        } else {
            identity.files.push(program(pid, &mark.link));
            let folder = fs::read_link(format!("/proc/{pid}/cwd")).ok();
            let name = base(&mark.link).unwrap_or_default();
            for (script, sure) in INTERPRETERS.scripts(&name, &words, folder.as_deref()) {
                identity.files.push(FileOf::now(&script, sure));
            }
        }
        let claims = &mut identity.claims;
        claims.push(own_name);
        claims.extend(words.first().and_then(|word| base(Path::new(word))));
        claims.extend(launched_as(pid));
        claims.extend(flatpak(pid));
        identity.key = key(&identity.files);
        self.add_names(&mut identity);
        identity
    }

    /// Adds what leads to its files.
    fn add_names(&self, identity: &mut Identity) {
        let index = self.installed.index();
        for file in &identity.files {
            let path = Path::new(&file.path);
            identity.claims.extend(base(path));
            for known in index.leading_to(path) {
                let surely = known.installed && file.sure && file.installed;
                let to = if surely { &mut identity.names } else { &mut identity.claims };
                to.extend(known.names);
            }
        }
        for list in [&mut identity.names, &mut identity.claims] {
            list.sort();
            list.dedup();
        }
    }
}

fn base(path: &Path) -> Option<String> {
    installed::base(path).map(str::to_owned)
}

/// What tells a program of these files from every other one.
fn key(files: &[FileOf]) -> Option<String> {
    let name = base(Path::new(&files.first()?.path)).unwrap_or_default();
    INTERPRETERS.key(&name, files)
}

/// The files a process says it runs, by its name and its command line, where the system does not
/// tell. Some write their whole command line into one word.
fn said(name: &str, words: &[String]) -> Vec<FileOf> {
    let first = words.first().map(String::as_str).unwrap_or_default();
    let start = first.split_whitespace().next().unwrap_or_default();
    let mut files: Vec<FileOf> = Vec::new();
    let mut add = |path: &Path| {
        let file = FileOf::now(path, Sure::No);
        if !files.contains(&file) {
            files.push(file);
        }
    };
    for word in [name, start, first].into_iter().filter(|word| !word.is_empty()) {
        let program = installed::program_of(Path::new(word));
        program.iter().for_each(|path| add(path));
        let known = program.as_deref().and_then(base).or_else(|| base(Path::new(word)));
        for (script, _) in INTERPRETERS.scripts(&known.unwrap_or_default(), words, None) {
            add(&script);
        }
    }
    files
}

/// The file a process runs. In a container the same path may be another file, and one that was
/// replaced is gone: both are only said to be it.
fn program(pid: u32, link: &Path) -> FileOf {
    let bytes = link.as_os_str().as_bytes();
    let kept = bytes.strip_suffix(b" (deleted)").unwrap_or(bytes);
    let path = Path::new(std::ffi::OsStr::from_bytes(kept));
    let runs = fs::metadata(format!("/proc/{pid}/exe")).ok().map(|meta| (meta.dev(), meta.ino()));
    let there = fs::metadata(link).ok().map(|meta| (meta.dev(), meta.ino()));
    let sure = if runs.is_some() && runs == there { Sure::Yes } else { Sure::No };
    FileOf { number: runs, ..FileOf::now(path, sure) }
}

/// The desktop file its launcher says it came from.
fn launched_as(pid: u32) -> Option<String> {
    let file = process::variable(pid, "GIO_LAUNCHED_DESKTOP_FILE")?;
    let meant: u32 = process::variable(pid, "GIO_LAUNCHED_DESKTOP_FILE_PID")?.parse().ok()?;
    let name = base(Path::new(&file)).filter(|_| meant == pid)?;
    Some(name.strip_suffix(".desktop").unwrap_or(&name).to_owned())
}

/// The id of an app in a Flatpak sandbox.
fn flatpak(pid: u32) -> Option<String> {
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
            // It may have ended by itself.
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    /// What a process is, as soon as it runs its program: the kernel hands over arguments last.
    fn settled(known: &LocalIdentities, child: &Running, program: &str) -> Arc<Identity> {
        let end = std::time::Instant::now() + std::time::Duration::from_secs(10);
        loop {
            let told = !process::arguments(child.0.id()).is_empty();
            let identity = known.of(child.0.id()).unwrap();
            if told && identity.files.iter().any(|file| file.path == program) {
                return identity;
            }
            assert!(std::time::Instant::now() < end, "{identity:?}");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    #[test]
    fn a_program_is_its_file_whatever_it_is_called() {
        use std::os::unix::process::CommandExt;
        let known = LocalIdentities::default();
        let real = fs::canonicalize("/usr/bin/sleep").unwrap().display().to_string();
        let place = tempfile::tempdir().unwrap();
        let link = place.path().join("innocent");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let child = Running(Command::new(&link).arg0("mousepad").arg("1000").spawn().unwrap());
        let identity = settled(&known, &child, &real);
        assert!(identity.files[0].sure && identity.files[0].installed, "{identity:?}");
        assert!(identity.names.contains(&"sleep".to_owned()), "{identity:?}");
        assert!(!identity.names.contains(&"mousepad".to_owned()), "{identity:?}");
        assert!(identity.claims.contains(&"mousepad".to_owned()), "{identity:?}");
        assert_eq!(identity.key.as_deref(), Some(real.as_str()));
    }

    #[test]
    fn a_process_that_runs_something_else_is_something_else() {
        let known = LocalIdentities::default();
        let place = tempfile::tempdir().unwrap();
        let sign = place.path().join("go");
        let script = format!(
            "while [ ! -e {0} ]; do /bin/sleep 0.01; done; exec /usr/bin/sleep 1000",
            sign.display()
        );
        let child = Running(Command::new("/bin/sh").args(["-c", &script]).spawn().unwrap());
        let shell = fs::canonicalize("/bin/sh").unwrap().display().to_string();
        let before = settled(&known, &child, &shell);
        fs::write(&sign, "").unwrap();
        let real = fs::canonicalize("/usr/bin/sleep").unwrap().display().to_string();
        let after = settled(&known, &child, &real);
        assert_eq!(before.process, after.process, "number and start stay the same");
        assert!(!after.files.iter().any(|file| file.path == shell), "{after:?}");
    }

    #[test]
    fn a_copy_is_another_file_and_a_file_that_is_gone_is_not_sure() {
        let known = LocalIdentities::default();
        let place = tempfile::tempdir().unwrap();
        let copy = place.path().join("ls");
        // A file this process has open for writing, or a child that was forked meanwhile, cannot be run.
        let copied =
            Command::new("cp").arg("--dereference").arg("/usr/bin/sleep").arg(&copy).status();
        assert!(copied.unwrap().success());
        let child = Running(Command::new(&copy).arg("1000").spawn().unwrap());
        let path = copy.display().to_string();
        let identity = settled(&known, &child, &path);
        assert!(identity.files[0].sure && !identity.files[0].installed, "{identity:?}");
        assert!(identity.names.is_empty(), "its name is no proof: {identity:?}");
        fs::remove_file(&copy).unwrap();
        let other = LocalIdentities::default();
        let identity = settled(&other, &child, &path);
        assert!(!identity.files[0].sure, "{identity:?}");
    }

    #[test]
    fn an_interpreter_is_also_its_script() {
        let known = LocalIdentities::default();
        let place = tempfile::tempdir().unwrap();
        let script = place.path().join("job.py");
        fs::write(&script, "import time\ntime.sleep(1000)\n").unwrap();
        let path = fs::canonicalize(&script).unwrap().display().to_string();
        let child = Running(Command::new("/usr/bin/python3").arg(&script).spawn().unwrap());
        let identity = settled(&known, &child, &path);
        assert_eq!(identity.key.as_deref(), Some(path.as_str()));
        assert_eq!(identity.called(), Some("job.py"));
        let said = "-cimport time;time.sleep(1000)";
        let forged = Command::new("/usr/bin/python3").arg(said).arg(&script).spawn().unwrap();
        let identity = settled(&known, &Running(forged), &path);
        let file = identity.files.iter().find(|file| file.path == path).unwrap();
        assert!(!file.sure, "it runs something else: {identity:?}");
        assert_eq!(identity.key, None, "what it runs is not known");
        let module = Command::new("/usr/bin/python3").args(["-m", "pdb", &path]).spawn().unwrap();
        let identity = settled(&known, &Running(module), &path);
        assert_eq!(identity.key, None, "one interpreter is not another");
    }

    #[test]
    fn what_a_hidden_process_says_it_runs_is_never_sure() {
        let words = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let real = |path: &str| fs::canonicalize(path).unwrap().display().to_string();
        let place = tempfile::tempdir().unwrap();
        let script = place.path().join("job.py");
        fs::write(&script, "").unwrap();
        let job = script.display().to_string();
        for (name, line, path) in [
            ("sleep", words(&[]), real("/usr/bin/sleep")),
            ("x", words(&["/usr/bin/sleep", "1"]), real("/usr/bin/sleep")),
            ("x", words(&["/usr/bin/sleep --now --then"]), real("/usr/bin/sleep")),
            ("x", words(&["python3", &job]), real(&job)),
        ] {
            let files = said(name, &line);
            assert!(files.iter().any(|file| file.path == path), "{name} {line:?}: {files:?}");
            assert!(files.iter().all(|file| !file.sure), "{files:?}");
            assert_eq!(key(&files), None);
        }
        assert!(said("no such program", &words(&["nor this"])).is_empty());
    }

    #[test]
    fn a_command_is_what_it_would_run() {
        let known = LocalIdentities::default();
        let words = ["env", "A=b", "sleep", "5"].map(str::to_owned);
        let identity = known.of_command(&words);
        assert_eq!(identity.called(), Some("sleep"));
        assert!(known.of_command(&[]).files.is_empty());
        let own = known.ancestors();
        assert_eq!(own[0].pid, std::os::unix::process::parent_id());
    }
}
