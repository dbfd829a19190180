//! What a person must allow: the rights the system grants by program, and which program it asks about.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use deskhand_platform::{Deadline, Error, Permission, Permissions, Result};

use crate::patience::within;

/// Who is asked, in words for a timeout.
const SETTINGS: &str = "the system's privacy settings";

/// How many parents are looked at; deeper than people start programs from programs.
const ANCESTORS: usize = 32;

/// A right the system grants to programs one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Right {
    /// Trees of other apps, and input.
    Accessibility,
    /// Pixels and titles of other apps' windows.
    ScreenRecording,
}

impl Right {
    const ALL: [Self; 2] = [Self::Accessibility, Self::ScreenRecording];

    /// What the settings call it, here in English.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Accessibility => "Accessibility",
            Self::ScreenRecording => "Screen Recording",
        }
    }

    /// The address of its pane.
    fn pane(self) -> &'static str {
        match self {
            Self::Accessibility => {
                "x-apple.systempreferences:com.apple.preference.security?Privacy_Accessibility"
            }
            Self::ScreenRecording => {
                "x-apple.systempreferences:com.apple.preference.security?Privacy_ScreenCapture"
            }
        }
    }

    fn needed_for(self) -> &'static str {
        match self {
            Self::Accessibility => "reading and using apps, and for keys and clicks",
            Self::ScreenRecording => "pictures of other apps' windows",
        }
    }

    /// What the person has to do.
    fn advice(self, who: &str) -> String {
        let way = "in System Settings, Privacy & Security";
        match self {
            Self::Accessibility => format!(
                "switch {who} on {way}, Accessibility; add it with + where it is not listed. \
                 `deskhand check --open-settings` opens the pane"
            ),
            // A program that runs keeps what it was told at its start.
            Self::ScreenRecording => format!(
                "switch {who} on {way}, Screen & System Audio Recording (Screen Recording before \
                 macOS 15), then quit it and start it again. `deskhand check --open-settings` opens the pane"
            ),
        }
    }

    /// The error of a call that needs this right and has it not.
    pub(crate) fn refused(self, who: &str) -> Error {
        Error::NotAllowed { permission: self.name().to_owned(), who: who.to_owned() }
    }
}

/// An application as its folder describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bundle {
    /// Its name.
    pub(crate) name: Option<String>,
    /// Its identifier, such as `com.apple.Terminal`.
    pub(crate) id: Option<String>,
}

/// What is needed of the system to know what is allowed to whom.
pub(crate) trait Grants: Send + Sync {
    /// Whether a right is granted to this process.
    fn holds(&self, right: Right) -> bool;

    /// Has the system list the program in its settings, and ask the person where it still does.
    fn request(&self, right: Right);

    /// The process the system asks about when this one wants something; `None` when it does not tell.
    fn responsible(&self, pid: u32) -> Option<u32>;

    /// The process that started one.
    fn parent(&self, pid: u32) -> Option<u32>;

    /// The program a process runs.
    fn program(&self, pid: u32) -> Option<PathBuf>;

    /// What a folder says of the application it is.
    fn bundle(&self, folder: &Path) -> Option<Bundle>;

    /// Opens an address; whether something took it.
    fn open(&self, address: &str) -> bool;
}

/// The rights this process has and has not.
pub(crate) struct MacPermissions<G> {
    system: Arc<G>,
    /// This process.
    pid: u32,
}

impl<G: Grants + 'static> MacPermissions<G> {
    pub(crate) fn new(system: G, pid: u32) -> Self {
        Self { system: Arc::new(system), pid }
    }
}

impl<G: Grants + 'static> Permissions for MacPermissions<G> {
    fn all(&self, by: Deadline) -> Result<Vec<Permission>> {
        let (system, pid) = (Arc::clone(&self.system), self.pid);
        within(by, SETTINGS, move || {
            let who = whom_to_allow(&*system, pid);
            let one = |right: Right| Permission {
                name: right.name().to_owned(),
                granted: system.holds(right),
                needed_for: right.needed_for().to_owned(),
                who: who.clone(),
                advice: right.advice(&who),
            };
            Ok(Right::ALL.into_iter().map(one).collect())
        })
    }

    fn open_settings(&self, name: &str, by: Deadline) -> Result<()> {
        let what = format!("opening the settings for {name}");
        let Some(right) = Right::ALL.into_iter().find(|right| right.name() == name) else {
            return Err(Error::Unsupported { what, why: "no permission is called so".to_owned() });
        };
        let system = Arc::clone(&self.system);
        within(by, SETTINGS, move || {
            // Asked first, so that the program stands in the list the person is shown.
            system.request(right);
            if system.open(right.pane()) {
                return Ok(());
            }
            Err(Error::Unsupported { what, why: "the system opens no settings here".to_owned() })
        })
    }
}

/// The program a person has to allow so that this process is allowed: the app it was started from, by name
/// and place, else the program itself.
pub(crate) fn whom_to_allow(system: &impl Grants, pid: u32) -> String {
    let responsible = system.responsible(pid).and_then(|one| system.program(one));
    if let Some(program) = responsible {
        return named(system, &program);
    }
    // Not told, it is the nearest ancestor that is an app.
    let parents = std::iter::successors(Some(pid), |&one| system.parent(one).filter(|&up| up > 1));
    let programs = parents.take(ANCESTORS).filter_map(|one| system.program(one));
    let in_app = programs.into_iter().find(|program| app_of(program).is_some());
    match in_app.or_else(|| system.program(pid)) {
        Some(program) => named(system, &program),
        None => "the program deskhand was started from".to_owned(),
    }
}

fn named(system: &impl Grants, program: &Path) -> String {
    let Some(folder) = app_of(program) else { return program.display().to_string() };
    let bundle = system.bundle(folder).unwrap_or(Bundle { name: None, id: None });
    let stem = || folder.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = bundle.name.filter(|name| !name.is_empty()).unwrap_or_else(stem);
    match bundle.id {
        Some(id) => format!("{name} ({id}, {})", folder.display()),
        None => format!("{name} ({})", folder.display()),
    }
}

/// The folder of the app a program belongs to. One inside the frameworks of another only helps that one.
fn app_of(program: &Path) -> Option<&Path> {
    let is_app = |path: &&Path| path.extension().is_some_and(|it| it.eq_ignore_ascii_case("app"));
    let mut found = program.ancestors().find(is_app)?;
    while let Some(outer) = found.ancestors().skip(1).find(is_app)
        && found.starts_with(outer.join("Contents/Frameworks"))
    {
        found = outer;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use std::{collections::HashMap, sync::Mutex, time::Duration};

    use super::*;

    /// A system with a terminal (10) that runs a shell (20) that runs this program (30).
    #[derive(Default)]
    struct Recorded {
        tells_responsible: bool,
        holds: Vec<Right>,
        programs: HashMap<u32, &'static str>,
        opens: bool,
        asked: Arc<Mutex<Vec<String>>>,
    }

    const TERMINAL: &str = "/System/Applications/Utilities/Terminal.app/Contents/MacOS/Terminal";

    fn recorded() -> Recorded {
        let programs = [(10, TERMINAL), (20, "/bin/zsh"), (30, "/opt/homebrew/bin/deskhand")];
        Recorded { programs: programs.into(), opens: true, ..Recorded::default() }
    }

    impl Grants for Recorded {
        fn holds(&self, right: Right) -> bool {
            self.holds.contains(&right)
        }

        fn request(&self, right: Right) {
            self.asked.lock().unwrap().push(right.name().to_owned());
        }

        fn responsible(&self, _: u32) -> Option<u32> {
            self.tells_responsible.then_some(10)
        }

        fn parent(&self, pid: u32) -> Option<u32> {
            [(30, 20), (20, 10), (10, 1)].into_iter().find(|(one, _)| *one == pid).map(|it| it.1)
        }

        fn program(&self, pid: u32) -> Option<PathBuf> {
            self.programs.get(&pid).map(PathBuf::from)
        }

        fn bundle(&self, folder: &Path) -> Option<Bundle> {
            folder.ends_with("Terminal.app").then(|| Bundle {
                name: Some("Terminal".to_owned()),
                id: Some("com.apple.Terminal".to_owned()),
            })
        }

        fn open(&self, address: &str) -> bool {
            self.asked.lock().unwrap().push(address.to_owned());
            self.opens
        }
    }

    fn soon() -> Deadline {
        Deadline::after(Duration::from_secs(10))
    }

    const NAMED: &str =
        "Terminal (com.apple.Terminal, /System/Applications/Utilities/Terminal.app)";

    #[test]
    fn the_two_rights_are_told_apart_with_whom_to_allow() {
        let system = Recorded { holds: vec![Right::Accessibility], ..recorded() };
        let all = MacPermissions::new(system, 30).all(soon()).unwrap();
        let told: Vec<_> = all.iter().map(|one| (one.name.as_str(), one.granted)).collect();
        assert_eq!(told, [("Accessibility", true), ("Screen Recording", false)]);
        assert!(all.iter().all(|one| one.who == NAMED && one.advice.contains(NAMED)), "{all:?}");
        assert!(all[1].advice.contains("start it again"));
        assert!(!all[0].needed_for.is_empty());
    }

    #[test]
    fn who_is_responsible_is_asked_first_and_guessed_from_ancestors_otherwise() {
        let told = Recorded {
            tells_responsible: true,
            programs: [(10, "/usr/libexec/sshd-session"), (30, "/opt/deskhand")].into(),
            ..Recorded::default()
        };
        assert_eq!(whom_to_allow(&told, 30), "/usr/libexec/sshd-session");
        assert_eq!(whom_to_allow(&recorded(), 30), NAMED);
        let alone = Recorded { programs: [(30, "/opt/deskhand")].into(), ..Recorded::default() };
        assert_eq!(whom_to_allow(&alone, 30), "/opt/deskhand");
        let unknown = whom_to_allow(&Recorded::default(), 30);
        assert_eq!(unknown, "the program deskhand was started from");
    }

    #[test]
    fn a_helper_belongs_to_the_app_it_helps() {
        let folder = |path: &'static str| app_of(Path::new(path)).and_then(Path::to_str);
        assert_eq!(
            folder(
                "/Applications/Code.app/Contents/Frameworks/Code Helper.app/Contents/MacOS/Code Helper"
            ),
            Some("/Applications/Code.app")
        );
        let simulator = "/Applications/Xcode.app/Contents/Developer/Applications/Simulator.app";
        assert_eq!(
            folder(
                "/Applications/Xcode.app/Contents/Developer/Applications/Simulator.app/Contents/MacOS/Simulator"
            ),
            Some(simulator)
        );
        assert_eq!(folder("/usr/bin/ssh"), None);
        let unnamed = named(&recorded(), Path::new("/Applications/Warp.app/Contents/MacOS/stable"));
        assert_eq!(unnamed, "Warp (/Applications/Warp.app)");
    }

    #[test]
    fn the_right_pane_is_opened_after_the_program_is_listed() {
        let system = recorded();
        let asked = Arc::clone(&system.asked);
        let permissions = MacPermissions::new(system, 30);
        permissions.open_settings("Screen Recording", soon()).unwrap();
        permissions.open_settings("Accessibility", soon()).unwrap();
        let pane = "x-apple.systempreferences:com.apple.preference.security?Privacy_";
        let expected = [
            "Screen Recording".to_owned(),
            format!("{pane}ScreenCapture"),
            "Accessibility".to_owned(),
            format!("{pane}Accessibility"),
        ];
        assert_eq!(*asked.lock().unwrap(), expected);
        let unknown = permissions.open_settings("Camera", soon());
        assert!(matches!(unknown, Err(Error::Unsupported { .. })), "{unknown:?}");
        let closed = MacPermissions::new(Recorded { opens: false, ..recorded() }, 30);
        let refused = closed.open_settings("Accessibility", soon());
        assert!(matches!(refused, Err(Error::Unsupported { .. })), "{refused:?}");
    }

    #[test]
    fn a_call_without_its_right_names_it() {
        let error = Right::ScreenRecording.refused("Terminal");
        let expected = Error::NotAllowed {
            permission: "Screen Recording".to_owned(),
            who: "Terminal".to_owned(),
        };
        assert_eq!(error, expected);
    }
}
