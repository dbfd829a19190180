//! Starts programs that outlive this one: apps through the workspace, in the background; plain programs
//! themselves, knowing how they ended.

use std::{
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Command, Stdio},
};

use deskhand_platform::{Children, Error, Fate, Process, Program, Result};

/// What the workspace is asked to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Launch {
    /// The app.
    pub(crate) app: PathBuf,
    /// What its program is started with.
    pub(crate) arguments: Vec<String>,
    /// What it is to show: a sandboxed app may read only what it is given this way.
    pub(crate) documents: Vec<Document>,
}

/// Something an app shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Document {
    File(PathBuf),
    Address(String),
}

/// Why the workspace did not open an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotOpened {
    /// It said why.
    Refused(String),
    /// It has not answered yet; the app may still start.
    Late,
}

/// How an app is started with what a caller adds; `None` when the program is no app.
pub(super) fn plan(program: &Program, arguments: &[String]) -> Option<Launch> {
    let app =
        program.file.clone().filter(|file| file.extension().is_some_and(|end| end == "app"))?;
    let at = program.arguments_at.min(program.command.len());
    let (before, after) = program.command.split_at(at);
    let (plain, documents) = sorted(arguments);
    let own = before.iter().skip(1).cloned();
    let arguments = own.chain(plain).chain(after.iter().cloned()).collect();
    Some(Launch { app, arguments, documents })
}

/// Arguments, and documents among them. Behind an option a file may be its value, so where there is one
/// everything stays as it was given.
fn sorted(arguments: &[String]) -> (Vec<String>, Vec<Document>) {
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
        None if is_scheme => Some(Document::Address(word.to_owned())),
        None => None,
    }
}

/// The programs that were started here. Apps get no variables of ours: the workspace gives them their own.
#[derive(Default)]
pub(super) struct Launched(Children);

impl Launched {
    /// Programs are started without some variables.
    pub(super) fn without(secrets: Vec<String>) -> Self {
        Self(Children::without(secrets))
    }

    /// Starts a plain program and remembers it; `started` tells when a process started.
    pub(super) fn start(
        &self,
        program: &Program,
        arguments: &[String],
        started: impl FnOnce(u32) -> u64,
    ) -> Result<Process> {
        let command = command(program, arguments).ok_or_else(|| Error::Unsupported {
            what: format!("starting {}", program.name),
            why: "it has no program".to_owned(),
        })?;
        self.0.start(&program.name, command, started)
    }

    /// What became of a process; `None` when it was not started here.
    pub(super) fn fate(&self, process: &Process) -> Option<Fate> {
        self.0.fate(process)
    }
}

fn command(program: &Program, arguments: &[String]) -> Option<Command> {
    let (before, after) = program.command.split_at(program.arguments_at.min(program.command.len()));
    let (first, before) = before.split_first()?;
    let mut command = Command::new(first);
    command.args(before).args(arguments).args(after);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    // In a group of its own no key pressed in our terminal ends it.
    command.process_group(0);
    if let Some(folder) = program.folder.as_ref().filter(|folder| folder.is_dir()) {
        command.current_dir(folder);
    }
    Some(command)
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
            file: None,
            arguments_at: command.len(),
            command,
            added: Vec::new(),
            folder: Some("/".into()),
            terminal: false,
        }
    }

    fn end(launched: &Launched, process: &Process) -> (Option<i32>, Option<i32>, Vec<String>) {
        let begun = Instant::now();
        loop {
            match launched.fate(process).unwrap() {
                Fate::Runs => {}
                Fate::Ended { code, signal, last_words } => return (code, signal, last_words),
            }
            assert!(begun.elapsed() < Duration::from_secs(10), "it did not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn an_end_comes_with_its_code_and_its_last_words() {
        let launched = Launched::default();
        let script = "for i in 1 2 3 4 5 6; do echo line $i $1 $PWD >&2; done; exit 7";
        let given = ["for you".to_owned()];
        let process = launched.start(&shell(script), &given, |_| 5).unwrap();
        assert_eq!(process.started, 5);
        let (code, signal, last_words) = end(&launched, &process);
        assert_eq!((code, signal, last_words.len()), (Some(7), None, 5));
        assert_eq!(last_words.first().map(String::as_str), Some("line 2 for you /"));
        assert_eq!(launched.fate(&Process { started: 6, ..process }), None);
    }

    #[test]
    fn a_program_does_not_see_secrets_and_has_a_group_of_its_own() {
        let script = "echo \"${PATH:-none} ${HOME:-none}\" >&2; kill -9 0";
        let launched = Launched::without(vec!["HOME".to_owned()]);
        let process = launched.start(&shell(script), &[], |_| 0).unwrap();
        let (code, signal, last_words) = end(&launched, &process);
        assert_eq!((code, signal), (None, Some(9)));
        let said = last_words.first().unwrap();
        assert!(said.ends_with(" none") && !said.starts_with("none"), "{said}");
    }

    #[test]
    fn what_cannot_be_started_is_said() {
        let launched = Launched::default();
        let mut program = shell("true");
        program.command = vec!["/no/such/program".to_owned()];
        let failed = launched.start(&program, &[], |_| 0);
        assert!(matches!(failed, Err(Error::Unsupported { .. })));
        program.command.clear();
        assert!(
            launched.start(&program, &[], |_| 0).unwrap_err().to_string().contains("no program")
        );
    }

    #[test]
    fn an_app_gets_documents_beside_its_arguments() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("a b.txt");
        std::fs::write(&file, "").unwrap();
        let path = file.display().to_string();
        let app = Program {
            file: Some("/Applications/Code.app".into()),
            command: ["/Applications/Code.app/Contents/MacOS/Code", "--flag", "--last"]
                .map(str::to_owned)
                .to_vec(),
            arguments_at: 2,
            ..shell("")
        };
        let words = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let launch =
            plan(&app, &words(&[&path, "https://example.org", "mailto:a@b", "word", "a:b", ""]));
        let launch = launch.unwrap();
        assert_eq!(launch.arguments, ["--flag", "word", "a:b", "", "--last"]);
        let addresses =
            ["https://example.org", "mailto:a@b"].map(|one| Document::Address(one.into()));
        assert_eq!(launch.documents, [&[Document::File(file)], &addresses[..]].concat());
        let launch = plan(&app, &words(&["--profile", &path])).unwrap();
        assert_eq!(launch.arguments, ["--flag", "--profile", &path, "--last"]);
        assert!(launch.documents.is_empty(), "it may be the value of the option");
        assert_eq!(plan(&shell(""), &[]), None);
    }
}
