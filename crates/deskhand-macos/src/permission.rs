//! Privacy permissions of macOS, and the program that the user has to allow.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use deskhand_model::{Advice, Step};
use deskhand_platform::{Deadline, Error, Permission, Permissions, Result};

use crate::blocking::run_with_deadline;

/// The callee in timeout errors.
const SETTINGS: &str = "the system's privacy settings";

/// Upper limit of parent processes that are checked for the responsible app.
const MAX_ANCESTORS: usize = 32;

/// A permission that macOS grants to each program separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PrivacyRight {
    /// Access to the accessibility trees of other apps, and sending input.
    Accessibility,
    /// Access to the pixels and titles of other apps' windows.
    ScreenRecording,
}

impl PrivacyRight {
    const ALL: [Self; 2] = [Self::Accessibility, Self::ScreenRecording];

    /// The English name in System Settings.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Accessibility => "Accessibility",
            Self::ScreenRecording => "Screen Recording",
        }
    }

    /// The URL of its pane in System Settings.
    fn settings_url(self) -> &'static str {
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
            Self::ScreenRecording => "screenshots of other apps' windows",
        }
    }

    /// Instructions for the user.
    fn advice(self, program: &str) -> Advice {
        let settings = "System Settings > Privacy & Security";
        let advice = Advice::from(match self {
            Self::Accessibility => format!(
                "allow {program} in {settings} > Accessibility; add it with + if it is not listed; "
            ),
            // A running program keeps the permission it had at its start.
            Self::ScreenRecording => format!(
                "allow {program} in {settings} > Screen & System Audio Recording (Screen Recording before \
                 macOS 15), then quit it and start it again; "
            ),
        });
        advice.step(Step::OpenPermissionSettings)
    }

    /// The error of a call that needs this permission.
    pub(crate) fn missing_error(self, program: &str) -> Error {
        Error::PermissionDenied { permission: self.name().to_owned(), program: program.to_owned() }
    }
}

/// The names of an app, from its bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BundleNames {
    pub(crate) name: Option<String>,
    /// The bundle identifier, such as `com.apple.Terminal`.
    pub(crate) id: Option<String>,
}

/// The system calls for permissions.
pub(crate) trait PermissionApi: Send + Sync {
    /// Returns `true` if this process has the permission.
    fn is_granted(&self, right: PrivacyRight) -> bool;

    /// Makes macOS list the program in its settings, and ask the user if it was not asked before.
    fn request(&self, right: PrivacyRight);

    /// The process whose permissions count for `pid`, or `None` if macOS does not report it.
    fn responsible_pid(&self, pid: u32) -> Option<u32>;

    /// The parent process.
    fn parent_pid(&self, pid: u32) -> Option<u32>;

    /// The path of a process's executable.
    fn executable(&self, pid: u32) -> Option<PathBuf>;

    /// The names in an app's bundle.
    fn bundle_names(&self, folder: &Path) -> Option<BundleNames>;

    /// Opens a URL. Returns `false` if no app handles it.
    fn open_url(&self, url: &str) -> bool;
}

/// The permissions of this process.
pub(crate) struct MacPermissions<S> {
    system: Arc<S>,
    /// The pid of this process.
    pid: u32,
}

impl<S: PermissionApi + 'static> MacPermissions<S> {
    pub(crate) fn new(system: S, pid: u32) -> Self {
        Self { system: Arc::new(system), pid }
    }
}

impl<S: PermissionApi + 'static> Permissions for MacPermissions<S> {
    fn list(&self, deadline: Deadline) -> Result<Vec<Permission>> {
        let (system, pid) = (Arc::clone(&self.system), self.pid);
        run_with_deadline(deadline, SETTINGS, move || {
            let program = program_to_allow(&*system, pid);
            let permission = |right: PrivacyRight| Permission {
                name: right.name().to_owned(),
                granted: system.is_granted(right),
                needed_for: right.needed_for().to_owned(),
                program: program.clone(),
                instructions: right.advice(&program),
            };
            Ok(PrivacyRight::ALL.into_iter().map(permission).collect())
        })
    }

    fn open_settings(&self, name: &str, deadline: Deadline) -> Result<()> {
        let what = format!("opening the settings for {name}");
        let Some(right) = PrivacyRight::ALL.into_iter().find(|right| right.name() == name) else {
            return Err(Error::Unsupported { what, why: "no permission has this name".to_owned() });
        };
        let system = Arc::clone(&self.system);
        run_with_deadline(deadline, SETTINGS, move || {
            // After the request the program is in the list that the user sees.
            system.request(right);
            if system.open_url(right.settings_url()) {
                return Ok(());
            }
            Err(Error::Unsupported { what, why: "System Settings could not be opened".to_owned() })
        })
    }
}

/// The program that the user has to allow: the app that started this process, else the program itself.
pub(crate) fn program_to_allow(system: &impl PermissionApi, pid: u32) -> String {
    let responsible = system.responsible_pid(pid).and_then(|one| system.executable(one));
    if let Some(program) = responsible {
        return describe_program(system, &program);
    }
    // Without a report from macOS, the nearest ancestor that is an app is responsible.
    let parents =
        std::iter::successors(Some(pid), |&one| system.parent_pid(one).filter(|&up| up > 1));
    let programs = parents.take(MAX_ANCESTORS).filter_map(|one| system.executable(one));
    let in_app = programs.into_iter().find(|program| enclosing_app(program).is_some());
    match in_app.or_else(|| system.executable(pid)) {
        Some(program) => describe_program(system, &program),
        None => "the program that started deskhand".to_owned(),
    }
}

/// The name, bundle identifier and path of a program for the user.
fn describe_program(system: &impl PermissionApi, program: &Path) -> String {
    let Some(folder) = enclosing_app(program) else { return program.display().to_string() };
    let names = system.bundle_names(folder).unwrap_or(BundleNames { name: None, id: None });
    let stem = || folder.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = names.name.filter(|name| !name.is_empty()).unwrap_or_else(stem);
    match names.id {
        Some(id) => format!("{name} ({id}, {})", folder.display()),
        None => format!("{name} ({})", folder.display()),
    }
}

/// The bundle of the app that a program belongs to. A helper app in another app's frameworks belongs to that
/// app.
fn enclosing_app(program: &Path) -> Option<&Path> {
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
    use std::{collections::HashMap, time::Duration};

    use parking_lot::Mutex;

    use super::*;

    /// A terminal (pid 10) that runs a shell (20) that runs this program (30).
    #[derive(Default)]
    struct FakePermissions {
        reports_responsible: bool,
        granted: Vec<PrivacyRight>,
        programs: HashMap<u32, &'static str>,
        opens_urls: bool,
        /// The requested permissions and opened URLs.
        log: Arc<Mutex<Vec<String>>>,
    }

    const TERMINAL: &str = "/System/Applications/Utilities/Terminal.app/Contents/MacOS/Terminal";

    fn fake() -> FakePermissions {
        let programs = [(10, TERMINAL), (20, "/bin/zsh"), (30, "/opt/homebrew/bin/deskhand")];
        FakePermissions {
            programs: programs.into(),
            opens_urls: true,
            ..FakePermissions::default()
        }
    }

    impl PermissionApi for FakePermissions {
        fn is_granted(&self, right: PrivacyRight) -> bool {
            self.granted.contains(&right)
        }

        fn request(&self, right: PrivacyRight) {
            self.log.lock().push(right.name().to_owned());
        }

        fn responsible_pid(&self, _: u32) -> Option<u32> {
            self.reports_responsible.then_some(10)
        }

        fn parent_pid(&self, pid: u32) -> Option<u32> {
            [(30, 20), (20, 10), (10, 1)].into_iter().find(|(one, _)| *one == pid).map(|it| it.1)
        }

        fn executable(&self, pid: u32) -> Option<PathBuf> {
            self.programs.get(&pid).map(PathBuf::from)
        }

        fn bundle_names(&self, folder: &Path) -> Option<BundleNames> {
            folder.ends_with("Terminal.app").then(|| BundleNames {
                name: Some("Terminal".to_owned()),
                id: Some("com.apple.Terminal".to_owned()),
            })
        }

        fn open_url(&self, url: &str) -> bool {
            self.log.lock().push(url.to_owned());
            self.opens_urls
        }
    }

    fn test_deadline() -> Deadline {
        Deadline::after(Duration::from_secs(10))
    }

    const DESCRIPTION: &str =
        "Terminal (com.apple.Terminal, /System/Applications/Utilities/Terminal.app)";

    #[test]
    fn both_permissions_are_listed_with_the_program_to_allow() {
        let system = FakePermissions { granted: vec![PrivacyRight::Accessibility], ..fake() };
        let all = MacPermissions::new(system, 30).list(test_deadline()).unwrap();
        let listed: Vec<_> = all.iter().map(|one| (one.name.as_str(), one.granted)).collect();
        assert_eq!(listed, [("Accessibility", true), ("Screen Recording", false)]);
        let names_program = all.iter().all(|one| {
            one.program == DESCRIPTION && format!("{:?}", one.instructions).contains(DESCRIPTION)
        });
        assert!(names_program, "{all:?}");
        assert!(format!("{:?}", all[1].instructions).contains("start it again"));
        assert!(!all[0].needed_for.is_empty());
    }

    #[test]
    fn the_responsible_process_or_the_nearest_ancestor_app_is_named() {
        let reported = FakePermissions {
            reports_responsible: true,
            programs: [(10, "/usr/libexec/sshd-session"), (30, "/opt/deskhand")].into(),
            ..FakePermissions::default()
        };
        assert_eq!(program_to_allow(&reported, 30), "/usr/libexec/sshd-session");
        assert_eq!(program_to_allow(&fake(), 30), DESCRIPTION);
        let alone = FakePermissions {
            programs: [(30, "/opt/deskhand")].into(),
            ..FakePermissions::default()
        };
        assert_eq!(program_to_allow(&alone, 30), "/opt/deskhand");
        let unknown = program_to_allow(&FakePermissions::default(), 30);
        assert_eq!(unknown, "the program that started deskhand");
    }

    #[test]
    fn a_helper_belongs_to_its_app() {
        let folder = |path: &'static str| enclosing_app(Path::new(path)).and_then(Path::to_str);
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
        let unnamed =
            describe_program(&fake(), Path::new("/Applications/Warp.app/Contents/MacOS/stable"));
        assert_eq!(unnamed, "Warp (/Applications/Warp.app)");
    }

    #[test]
    fn the_settings_pane_is_opened_after_the_program_is_listed() {
        let system = fake();
        let log = Arc::clone(&system.log);
        let permissions = MacPermissions::new(system, 30);
        permissions.open_settings("Screen Recording", test_deadline()).unwrap();
        permissions.open_settings("Accessibility", test_deadline()).unwrap();
        let pane = "x-apple.systempreferences:com.apple.preference.security?Privacy_";
        let expected = [
            "Screen Recording".to_owned(),
            format!("{pane}ScreenCapture"),
            "Accessibility".to_owned(),
            format!("{pane}Accessibility"),
        ];
        assert_eq!(*log.lock(), expected);
        let unknown = permissions.open_settings("Camera", test_deadline());
        assert!(matches!(unknown, Err(Error::Unsupported { .. })), "{unknown:?}");
        let failing = MacPermissions::new(FakePermissions { opens_urls: false, ..fake() }, 30);
        let refused = failing.open_settings("Accessibility", test_deadline());
        assert!(matches!(refused, Err(Error::Unsupported { .. })), "{refused:?}");
    }

    #[test]
    fn the_error_names_the_missing_permission() {
        let error = PrivacyRight::ScreenRecording.missing_error("Terminal");
        let expected = Error::PermissionDenied {
            permission: "Screen Recording".to_owned(),
            program: "Terminal".to_owned(),
        };
        assert_eq!(error, expected);
    }
}
