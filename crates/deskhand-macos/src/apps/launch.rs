//! Starts programs that outlive this one. Apps are opened by the workspace, in the background. Other programs are
//! child processes, whose exit status is known.

use std::{
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Command, Stdio},
};

use deskhand_platform::{
    ChildProcesses, Error, LaunchableProgram, ProcessId, ProcessStatus, Result,
};

/// A request to open an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AppLaunch {
    pub(crate) app: PathBuf,
    pub(crate) arguments: Vec<String>,
    /// The documents to open. A sandboxed app can read only documents that are passed this way.
    pub(crate) documents: Vec<Document>,
}

/// A document to open in an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Document {
    File(PathBuf),
    Url(String),
}

/// The failure to open an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OpenError {
    /// The workspace refused for this reason.
    Refused(String),
    /// The workspace has not answered yet. The app may still start.
    Timeout,
}

/// Plans the launch of an app. `None` if the program is not an app.
pub(super) fn plan_app_launch(
    program: &LaunchableProgram,
    arguments: &[String],
) -> Option<AppLaunch> {
    let app =
        program.file.clone().filter(|file| file.extension().is_some_and(|end| end == "app"))?;
    let at = program.arguments_index.min(program.command.len());
    let (before, after) = program.command.split_at(at);
    let (plain, documents) = split_documents(arguments);
    let own = before.iter().skip(1).cloned();
    let arguments = own.chain(plain).chain(after.iter().cloned()).collect();
    Some(AppLaunch { app, arguments, documents })
}

/// Splits documents from other arguments. If there is an option, all arguments stay as they are, since a file may
/// be the value of the option.
fn split_documents(arguments: &[String]) -> (Vec<String>, Vec<Document>) {
    if arguments.iter().any(|word| word.starts_with('-')) {
        return (arguments.to_vec(), Vec::new());
    }
    let (mut plain, mut documents) = (Vec::new(), Vec::new());
    for word in arguments {
        match document(word) {
            Some(document) => documents.push(document),
            None => plain.push(word.clone()),
        }
    }
    (plain, documents)
}

fn document(word: &str) -> Option<Document> {
    let (scheme, _) = word.split_once(':').unwrap_or_default();
    let letters = |one: char| one.is_ascii_alphanumeric() || matches!(one, '+' | '-' | '.');
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|one: char| one.is_ascii_alphabetic())
        && scheme.chars().all(letters);
    let file = std::path::absolute(word).ok().filter(|path| !word.is_empty() && path.exists());
    match file {
        Some(file) => Some(Document::File(file)),
        None if is_scheme => Some(Document::Url(word.to_owned())),
        None => None,
    }
}

/// The child processes that were started here. Apps are not among them; the workspace gives them another
/// environment.
#[derive(Default)]
pub(super) struct StartedPrograms(ChildProcesses);

impl StartedPrograms {
    /// Hides these environment variables from the programs.
    pub(super) fn hiding_env(hidden: Vec<String>) -> Self {
        Self(ChildProcesses::without_env(hidden))
    }

    /// Starts a program. `started` returns the start time of a pid.
    pub(super) fn start(
        &self,
        program: &LaunchableProgram,
        arguments: &[String],
        started: impl FnOnce(u32) -> u64,
    ) -> Result<ProcessId> {
        let command = command(program, arguments).ok_or_else(|| Error::Unsupported {
            what: format!("starting {}", program.name),
            why: "it has no executable".to_owned(),
        })?;
        self.0.start(&program.name, command, started)
    }

    /// The status of a process, or `None` if it was not started here.
    pub(super) fn fate(&self, process: &ProcessId) -> Option<ProcessStatus> {
        self.0.status(process)
    }
}

fn command(program: &LaunchableProgram, arguments: &[String]) -> Option<Command> {
    let (before, after) =
        program.command.split_at(program.arguments_index.min(program.command.len()));
    let (first, before) = before.split_first()?;
    let mut command = Command::new(first);
    command.args(before).args(arguments).args(after);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    // In a separate process group, Ctrl-C in our terminal does not end it.
    command.process_group(0);
    if let Some(folder) = program.working_dir.as_ref().filter(|folder| folder.is_dir()) {
        command.current_dir(folder);
    }
    Some(command)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn shell(script: &str) -> LaunchableProgram {
        let command: Vec<String> = ["/bin/sh", "-c", script, "x"].map(str::to_owned).to_vec();
        LaunchableProgram {
            name: "a shell".to_owned(),
            id: None,
            file: None,
            arguments_index: command.len(),
            command,
            added_arguments: Vec::new(),
            working_dir: Some("/".into()),
            needs_terminal: false,
        }
    }

    fn wait_for_end(
        programs: &StartedPrograms,
        process: &ProcessId,
    ) -> (Option<i32>, Option<i32>, Vec<String>) {
        let start = Instant::now();
        loop {
            match programs.fate(process).unwrap() {
                ProcessStatus::Running => {}
                ProcessStatus::Exited { code, signal, last_stderr } => {
                    return (code, signal, last_stderr);
                }
            }
            assert!(start.elapsed() < Duration::from_secs(10), "it did not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn the_exit_status_includes_the_last_lines_of_stderr() {
        let programs = StartedPrograms::default();
        let script = "for i in 1 2 3 4 5 6; do echo line $i $1 $PWD >&2; done; exit 7";
        let arguments = ["for you".to_owned()];
        let process = programs.start(&shell(script), &arguments, |_| 5).unwrap();
        assert_eq!(process.started, 5);
        let (code, signal, last_stderr) = wait_for_end(&programs, &process);
        assert_eq!((code, signal, last_stderr.len()), (Some(7), None, 5));
        assert_eq!(last_stderr.first().map(String::as_str), Some("line 2 for you /"));
        assert_eq!(programs.fate(&ProcessId { started: 6, ..process }), None);
    }

    #[test]
    fn a_program_does_not_see_hidden_variables_and_has_its_own_group() {
        let script = "echo \"${PATH:-none} ${HOME:-none}\" >&2; kill -9 0";
        let programs = StartedPrograms::hiding_env(vec!["HOME".to_owned()]);
        let process = programs.start(&shell(script), &[], |_| 0).unwrap();
        let (code, signal, last_stderr) = wait_for_end(&programs, &process);
        assert_eq!((code, signal), (None, Some(9)));
        let line = last_stderr.first().unwrap();
        assert!(line.ends_with(" none") && !line.starts_with("none"), "{line}");
    }

    #[test]
    fn a_program_that_cannot_be_started_is_an_error() {
        let programs = StartedPrograms::default();
        let mut program = shell("true");
        program.command = vec!["/no/such/program".to_owned()];
        let failed = programs.start(&program, &[], |_| 0);
        assert!(matches!(failed, Err(Error::Unsupported { .. })));
        program.command.clear();
        let failed = programs.start(&program, &[], |_| 0).unwrap_err();
        assert!(failed.to_string().contains("no executable"));
    }

    #[test]
    fn documents_are_split_from_the_arguments_of_an_app() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a b.txt");
        std::fs::write(&file, "").unwrap();
        let path = file.display().to_string();
        let app = LaunchableProgram {
            file: Some("/Applications/Code.app".into()),
            command: ["/Applications/Code.app/Contents/MacOS/Code", "--flag", "--last"]
                .map(str::to_owned)
                .to_vec(),
            arguments_index: 2,
            ..shell("")
        };
        let words = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let launch = plan_app_launch(
            &app,
            &words(&[&path, "https://example.org", "mailto:a@b", "word", "a:b", ""]),
        );
        let launch = launch.unwrap();
        assert_eq!(launch.arguments, ["--flag", "word", "a:b", "", "--last"]);
        let urls = ["https://example.org", "mailto:a@b"].map(|one| Document::Url(one.into()));
        assert_eq!(launch.documents, [&[Document::File(file)], &urls[..]].concat());
        let launch = plan_app_launch(&app, &words(&["--profile", &path])).unwrap();
        assert_eq!(launch.arguments, ["--flag", "--profile", &path, "--last"]);
        assert!(launch.documents.is_empty(), "it may be the value of the option");
        assert_eq!(plan_app_launch(&shell(""), &[]), None);
    }
}
