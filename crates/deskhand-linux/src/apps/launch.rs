//! Starts programs that outlive this process, and reports how they ended.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use deskhand_platform::{ChildProcesses, LaunchableProgram, ProcessId, ProcessStatus, Result};

use super::{process, web_engine};
use crate::session_env::SessionEnv;

/// Gives the program its own session, so that closing a terminal does not end it, and passes its
/// desktop file in the variables that launchers use. Closes descriptors that a caller left open by
/// mistake. The process id stays the same.
const LAUNCH_SCRIPT: &str = "\
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
if [ -n \"$GIO_LAUNCHED_DESKTOP_FILE\" ]; then export GIO_LAUNCHED_DESKTOP_FILE_PID=$$; fi
if command -v setsid >/dev/null; then exec setsid \"$@\"; fi
exec \"$@\"";

/// Variables that prevent a program from exposing its tree: the address prevents Qt 6 from
/// registering, the switch GTK 3.
const REMOVED_VARIABLES: [&str; 2] = ["AT_SPI_BUS_ADDRESS", "NO_AT_BRIDGE"];

/// The variable with the flags of web pages in Qt programs.
const QT_WEB_ENGINE_VAR: &str = "QTWEBENGINE_CHROMIUM_FLAGS";

/// Returns the flags of web pages in Qt programs, with the one that exposes their elements.
fn qt_web_engine_flags(current: Option<String>) -> String {
    let current = current.unwrap_or_default();
    if current.split_whitespace().any(|flag| flag == web_engine::EXPOSE_PAGES_FLAG) {
        return current;
    }
    format!("{current} {}", web_engine::EXPOSE_PAGES_FLAG).trim_start().to_owned()
}

/// The programs started by this process.
#[derive(Default)]
pub(crate) struct LaunchedPrograms {
    children: ChildProcesses,
    env: SessionEnv,
}

impl LaunchedPrograms {
    /// Creates an empty set. Programs started through it run in a session and do not inherit
    /// `hidden_variables`.
    pub(crate) fn new(env: SessionEnv, hidden_variables: Vec<String>) -> Self {
        Self { children: ChildProcesses::without_env(hidden_variables), env }
    }

    /// Starts a program and remembers it.
    pub(crate) fn start(
        &self,
        program: &LaunchableProgram,
        arguments: &[String],
    ) -> Result<ProcessId> {
        let started = |pid| process::started(pid).unwrap_or(0);
        self.children.start(&program.name, command(&self.env, program, arguments), started)
    }

    /// Returns the state of a process, or `None` if this process did not start it.
    pub(crate) fn fate(&self, process: &ProcessId) -> Option<ProcessStatus> {
        self.children.status(process)
    }
}

fn command(env: &SessionEnv, program: &LaunchableProgram, arguments: &[String]) -> Command {
    let (before, after) =
        program.command.split_at(program.arguments_index.min(program.command.len()));
    let mut command = Command::new("/bin/sh");
    env.apply(&mut command);
    command.args(["-c", LAUNCH_SCRIPT, "sh"]).args(before);
    command.args(arguments.iter().map(|argument| {
        match &program.working_dir {
            // The program starts in another folder, so a relative file name must become absolute.
            Some(_) if Path::new(argument).is_relative() && Path::new(argument).exists() => {
                std::path::absolute(argument)
                    .map_or(argument.clone(), |path| path.display().to_string())
            }
            Some(_) | None => argument.clone(),
        }
    }));
    command.args(after).stdin(Stdio::null()).stdout(Stdio::null());
    for name in REMOVED_VARIABLES {
        command.env_remove(name);
    }
    if env.var("GTK_A11Y").is_some_and(|value| value == "none") {
        command.env_remove("GTK_A11Y");
    }
    // Qt and Firefox expose a tree only if the desktop enables accessibility or these variables are
    // set.
    for name in ["QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "QT_ACCESSIBILITY", "GNOME_ACCESSIBILITY"] {
        command.env(name, "1");
    }
    // Flags that are not UTF-8 are no flags of the engine.
    let flags = env.var(QT_WEB_ENGINE_VAR).and_then(|flags| flags.into_string().ok());
    command.env(QT_WEB_ENGINE_VAR, qt_web_engine_flags(flags));
    command.env_remove("GIO_LAUNCHED_DESKTOP_FILE_PID");
    match &program.file {
        Some(file) => command.env("GIO_LAUNCHED_DESKTOP_FILE", file),
        None => command.env_remove("GIO_LAUNCHED_DESKTOP_FILE"),
    };
    if let Some(folder) = program.working_dir.as_ref().filter(|folder| folder.is_dir()) {
        command.current_dir(folder);
    }
    command
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn web_pages_in_qt_programs_keep_the_flags_of_the_user() {
        let flag = web_engine::EXPOSE_PAGES_FLAG;
        assert_eq!(qt_web_engine_flags(None), flag);
        assert_eq!(qt_web_engine_flags(Some("--x".to_owned())), format!("--x {flag}"));
        let both = format!("{flag} --x");
        assert_eq!(qt_web_engine_flags(Some(both.clone())), both);
    }

    fn shell(script: &str) -> LaunchableProgram {
        let command: Vec<String> = ["/bin/sh", "-c", script, "x"].map(str::to_owned).to_vec();
        LaunchableProgram {
            name: "a shell".to_owned(),
            id: None,
            file: Some("/x/y.desktop".into()),
            arguments_index: command.len(),
            command,
            added_arguments: Vec::new(),
            working_dir: None,
            needs_terminal: false,
        }
    }

    fn end(launched: &LaunchedPrograms, process: &ProcessId) -> ProcessStatus {
        let begun = Instant::now();
        loop {
            match launched.fate(process).unwrap() {
                ProcessStatus::Running => {}
                ended @ ProcessStatus::Exited { .. } => return ended,
            }
            assert!(begun.elapsed() < Duration::from_secs(10), "it did not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn an_ended_program_reports_its_code_and_last_output() {
        let launched = LaunchedPrograms::default();
        let script = "for i in 1 2 3 4 5 6; do echo line $i $1 >&2; done; exit 7";
        let process = launched.start(&shell(script), &["for you".to_owned()]).unwrap();
        let ProcessStatus::Exited { code, signal, last_stderr } = end(&launched, &process) else {
            panic!()
        };
        assert_eq!((code, signal), (Some(7), None));
        assert_eq!(last_stderr.first().map(String::as_str), Some("line 2 for you"));
        assert_eq!(last_stderr.len(), 5);
    }

    #[test]
    fn hidden_variables_are_not_inherited() {
        let script = "echo \"${PATH:-none} ${HOME:-none}\" >&2";
        let launched = LaunchedPrograms::new(SessionEnv::of_process(), vec!["HOME".to_owned()]);
        let process = launched.start(&shell(script), &[]).unwrap();
        let ProcessStatus::Exited { last_stderr, .. } = end(&launched, &process) else { panic!() };
        let line = last_stderr.first().unwrap();
        assert!(line.ends_with(" none") && !line.starts_with("none"), "{line}");
    }

    #[test]
    fn a_program_has_its_own_session_and_knows_its_desktop_file() {
        let launched = LaunchedPrograms::default();
        let script = "echo $$ $(cut -d' ' -f6 /proc/$$/stat) $GIO_LAUNCHED_DESKTOP_FILE_PID \
                      $GIO_LAUNCHED_DESKTOP_FILE >&2; kill -9 $$";
        let process = launched.start(&shell(script), &[]).unwrap();
        let ProcessStatus::Exited { code, signal, last_stderr } = end(&launched, &process) else {
            panic!()
        };
        assert_eq!((code, signal), (None, Some(9)));
        let pid = process.pid;
        assert_eq!(last_stderr.first().unwrap(), &format!("{pid} {pid} {pid} /x/y.desktop"));
        assert!(!Path::new(&format!("/proc/{pid}")).exists(), "it remained as a zombie");
    }
}
