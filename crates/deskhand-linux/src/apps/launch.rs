//! Starts programs that outlive this one, and knows how they ended.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use deskhand_platform::{Children, Fate, Process, Program, Result};

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

/// The programs that were started here.
#[derive(Default)]
pub(crate) struct Launched(Children);

impl Launched {
    /// Programs are started without some variables.
    pub(crate) fn without(secrets: Vec<String>) -> Self {
        Self(Children::without(secrets))
    }

    /// Starts a program and remembers it.
    pub(crate) fn start(&self, program: &Program, arguments: &[String]) -> Result<Process> {
        let started = |pid| process::started(pid).unwrap_or(0);
        self.0.start(&program.name, command(program, arguments), started)
    }

    /// What became of a process; `None` when it was not started here.
    pub(crate) fn fate(&self, process: &Process) -> Option<Fate> {
        self.0.fate(process)
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
