//! Starts programs that outlive this one, and knows how they ended.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    os::unix::{fs::OpenOptionsExt, process::ExitStatusExt},
    path::Path,
    process::{Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, OnceLock, PoisonError, atomic::AtomicU32, atomic::Ordering},
};

use deskhand_platform::{Error, Fate, Process, Program, Result};

use super::process;

/// Gives the program a session of its own, so that no terminal ends it, and tells it which desktop
/// file it came from by the pair that launchers use. Descriptors a caller left open by mistake are
/// closed. The number of the process stays the same throughout.
const HAND_OVER: &str = "\
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
if [ -n \"$GIO_LAUNCHED_DESKTOP_FILE\" ]; then export GIO_LAUNCHED_DESKTOP_FILE_PID=$$; fi
if command -v setsid >/dev/null; then exec setsid \"$@\"; fi
exec \"$@\"";

/// Variables that keep a program from showing its tree: the address keeps Qt 6 from registering,
/// the switch keeps GTK 3 from it.
const HARMFUL: [&str; 2] = ["AT_SPI_BUS_ADDRESS", "NO_AT_BRIDGE"];

/// How much of what a program complained about is read, and how many lines are told.
const HEARD: u64 = 4096;
const LINES: usize = 5;

/// The programs that were started here.
#[derive(Default)]
pub(crate) struct Launched {
    known: Mutex<HashMap<Process, Arc<Started>>>,
    /// Variables that programs must not see.
    secrets: Vec<String>,
}

struct Started {
    ended: OnceLock<ExitStatus>,
    log: Option<File>,
}

impl Launched {
    /// Programs are started without some variables.
    pub(crate) fn without(secrets: Vec<String>) -> Self {
        Self { secrets, ..Self::default() }
    }

    /// Starts a program and remembers it.
    pub(crate) fn start(&self, program: &Program, arguments: &[String]) -> Result<Process> {
        let failed = |error: &io::Error| Error::Unsupported {
            what: format!("starting {}", program.name),
            why: error.to_string(),
        };
        // Without a place to write to, the program starts all the same.
        let log = complaints(&std::env::temp_dir()).ok();
        let mut command = command(program, arguments);
        for name in &self.secrets {
            command.env_remove(name);
        }
        match log.as_ref().and_then(|log| log.try_clone().ok()) {
            Some(log) => command.stderr(log),
            None => command.stderr(Stdio::null()),
        };
        let mut child = command.spawn().map_err(|error| failed(&error))?;
        let pid = child.id();
        let process = Process { pid, started: process::started(pid).unwrap_or(0) };
        let started = Arc::new(Started { ended: OnceLock::new(), log });
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(process, Arc::clone(&started));
        drop(known);
        // Waiting is what keeps a program that ended from staying as a zombie.
        let waiter = std::thread::Builder::new().name(format!("wait for {pid}")).spawn(move || {
            if let Ok(status) = child.wait() {
                // Nobody else sets it.
                let _set = started.ended.set(status);
            }
        });
        waiter.map(|_| process).map_err(|error| failed(&error))
    }

    /// What became of a process; `None` when it was not started here.
    pub(crate) fn fate(&self, process: &Process) -> Option<Fate> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let started = Arc::clone(known.get(process)?);
        drop(known);
        let Some(status) = started.ended.get() else { return Some(Fate::Runs) };
        let last_words = started.log.as_ref().map(last_words).unwrap_or_default();
        Some(Fate::Ended { code: status.code(), signal: status.signal(), last_words })
    }
}

fn command(program: &Program, arguments: &[String]) -> Command {
    let (before, after) = program.command.split_at(program.arguments_at.min(program.command.len()));
    let mut command = Command::new("/bin/sh");
    command.args(["-c", HAND_OVER, "sh"]).args(before);
    command.args(arguments.iter().map(|argument| {
        match &program.folder {
            // It starts elsewhere, so a file must be found from there.
            Some(_) if Path::new(argument).is_relative() && Path::new(argument).exists() => {
                std::path::absolute(argument)
                    .map_or(argument.clone(), |path| path.display().to_string())
            }
            Some(_) | None => argument.clone(),
        }
    }));
    command.args(after).stdin(Stdio::null()).stdout(Stdio::null());
    for name in HARMFUL {
        command.env_remove(name);
    }
    if std::env::var_os("GTK_A11Y").is_some_and(|way| way == "none") {
        command.env_remove("GTK_A11Y");
    }
    // Qt and Firefox show a tree only to a desktop that asks for it, or when told.
    for name in ["QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "QT_ACCESSIBILITY", "GNOME_ACCESSIBILITY"] {
        command.env(name, "1");
    }
    command.env_remove("GIO_LAUNCHED_DESKTOP_FILE_PID");
    match &program.file {
        Some(file) => command.env("GIO_LAUNCHED_DESKTOP_FILE", file),
        None => command.env_remove("GIO_LAUNCHED_DESKTOP_FILE"),
    };
    if let Some(folder) = program.folder.as_ref().filter(|folder| folder.is_dir()) {
        command.current_dir(folder);
    }
    command
}

/// A file without a name for what a program complains about. It may be written to long after this
/// program ended, which a pipe could not; it is gone when the last that holds it is.
fn complaints(folder: &Path) -> io::Result<File> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!("deskhand-open-{}-{count}", std::process::id()));
    let file = File::options().read(true).append(true).create_new(true).mode(0o600).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

fn last_words(mut log: &File) -> Vec<String> {
    let mut heard = Vec::new();
    let length = log.metadata().map(|meta| meta.len()).unwrap_or(0);
    let read = log
        .seek(SeekFrom::Start(length.saturating_sub(HEARD)))
        .and_then(|_| log.take(HEARD).read_to_end(&mut heard));
    if read.is_err() {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(&heard);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let first = lines.len().saturating_sub(LINES);
    lines.into_iter().skip(first).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn shell(script: &str) -> Program {
        let command: Vec<String> = ["/bin/sh", "-c", script, "x"].map(str::to_owned).to_vec();
        Program {
            name: "a shell".to_owned(),
            id: None,
            file: Some("/x/y.desktop".into()),
            arguments_at: command.len(),
            command,
            added: Vec::new(),
            folder: None,
            terminal: false,
        }
    }

    fn end(launched: &Launched, process: &Process) -> Fate {
        let begun = Instant::now();
        loop {
            match launched.fate(process).unwrap() {
                Fate::Runs => {}
                ended @ Fate::Ended { .. } => return ended,
            }
            assert!(begun.elapsed() < Duration::from_secs(10), "it did not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn an_end_comes_with_its_code_and_its_last_words() {
        let launched = Launched::default();
        let script = "for i in 1 2 3 4 5 6; do echo line $i $1 >&2; done; exit 7";
        let process = launched.start(&shell(script), &["for you".to_owned()]).unwrap();
        let Fate::Ended { code, signal, last_words } = end(&launched, &process) else { panic!() };
        assert_eq!((code, signal), (Some(7), None));
        assert_eq!(last_words.first().map(String::as_str), Some("line 2 for you"));
        assert_eq!(last_words.len(), 5);
    }

    #[test]
    fn a_program_does_not_see_secrets() {
        let script = "echo \"${PATH:-none} ${HOME:-none}\" >&2";
        let launched = Launched::without(vec!["HOME".to_owned()]);
        let process = launched.start(&shell(script), &[]).unwrap();
        let Fate::Ended { last_words, .. } = end(&launched, &process) else { panic!() };
        let said = last_words.first().unwrap();
        assert!(said.ends_with(" none") && !said.starts_with("none"), "{said}");
    }

    #[test]
    fn a_program_has_a_session_of_its_own_and_knows_its_desktop_file() {
        let launched = Launched::default();
        let script = "echo $$ $(cut -d' ' -f6 /proc/$$/stat) $GIO_LAUNCHED_DESKTOP_FILE_PID \
                      $GIO_LAUNCHED_DESKTOP_FILE >&2; kill -9 $$";
        let process = launched.start(&shell(script), &[]).unwrap();
        let Fate::Ended { code, signal, last_words } = end(&launched, &process) else { panic!() };
        assert_eq!((code, signal), (None, Some(9)));
        let pid = process.pid;
        assert_eq!(last_words.first().unwrap(), &format!("{pid} {pid} {pid} /x/y.desktop"));
        assert!(!Path::new(&format!("/proc/{pid}")).exists(), "it left a zombie");
    }
}
