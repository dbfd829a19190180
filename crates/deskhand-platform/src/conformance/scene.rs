//! One running app on the desktop, and what checks share: patience, and looking for elements.

use std::{thread::sleep, time::Duration};

use deskhand_model::{App, Node, NodeId, Snapshot, Window};

use super::{Declared, Subject, Wanted};
use crate::{
    Arrange, Clipboard, Deadline, Desktop, Dictionaries, End, Error, Extent, Facets, Fate,
    Identities, Input, Permissions, Process, Programs, Reader, Screen, Sought, Windows,
};

/// How long an app may take until its tree is complete, on a busy machine.
const START: Duration = Duration::from_secs(60);
/// How long an effect may take to show.
const PATIENCE: Duration = Duration::from_secs(8);
/// How long one call may take.
const CALL: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(40);

/// Why a check did not pass.
#[derive(Debug, Clone)]
pub(super) enum Fault {
    Failed(String),
    NotInSubject(&'static str),
}

pub(super) type Outcome = Result<(), Fault>;

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Fails a check with what was seen, unless something holds.
macro_rules! ensure {
    ($holds:expr, $($seen:tt)+) => {
        if !$holds {
            return Err($crate::conformance::scene::Fault::Failed(format!($($seen)+)));
        }
    };
}
pub(super) use ensure;

/// A deadline for one call.
pub(super) fn soon() -> Deadline {
    Deadline::after(CALL)
}

/// Looks again until nothing is amiss; fails with what was amiss last.
pub(super) fn eventually(amiss: impl FnMut() -> Result<Option<String>, Fault>) -> Outcome {
    within(PATIENCE, amiss)
}

fn within(time: Duration, mut amiss: impl FnMut() -> Result<Option<String>, Fault>) -> Outcome {
    let end = Deadline::after(time);
    loop {
        let Some(seen) = amiss()? else { return Ok(()) };
        if end.passed() {
            return Err(Fault::Failed(seen));
        }
        sleep(PAUSE);
    }
}

/// The app under work. It ends with this.
pub(super) struct Scene<'a> {
    pub(super) desktop: &'a Desktop,
    pub(super) subject: &'a Subject,
    pub(super) declared: &'a Declared<'a>,
    pub(super) process: Process,
    pub(super) app: App,
}

impl<'a> Scene<'a> {
    /// Starts the app and waits until its tree is complete.
    pub(super) fn open(
        desktop: &'a Desktop,
        subject: &'a Subject,
        declared: &'a Declared<'a>,
    ) -> Result<Self, Fault> {
        let programs = part(desktop.programs.as_deref(), "programs")?;
        let program = match programs.find(&subject.program)? {
            Sought::One(program) => program,
            other @ (Sought::Several(_) | Sought::None { .. }) => {
                return Err(Fault::Failed(format!("`{}` is {other:?}", subject.program)));
            }
        };
        let process = programs.start(&program, &subject.arguments, soon())?;
        let app = match registered(desktop, programs, &process, &subject.program) {
            Ok(app) => app,
            Err(fault) => {
                // It did not come up, so that what is left of it may have ended.
                let _ = programs.end(&process, End::Kill);
                return Err(fault);
            }
        };
        let scene = Self { desktop, subject, declared, process, app };
        within(START, || scene.missing())?;
        scene.settle()?;
        Ok(scene)
    }

    /// Which of the elements the app should have is not there.
    fn missing(&self) -> Result<Option<String>, Fault> {
        let tree = self.look()?;
        let absent = |wanted: &&Wanted| !tree.iter().any(|(_, node)| wanted.fits(node));
        Ok(self
            .subject
            .elements
            .iter()
            .find(absent)
            .map(|wanted| format!("{wanted:?} is not there")))
    }

    /// Waits until the tree no longer grows.
    fn settle(&self) -> Outcome {
        let mut last = 0;
        eventually(|| {
            let now = self.look()?.len();
            let rests = now == last;
            last = now;
            Ok((!rests).then(|| format!("the tree still grows: {now} elements")))
        })
    }

    /// A whole look with places and texts.
    pub(super) fn look(&self) -> Result<Snapshot, Fault> {
        self.look_with(Facets::LOOK)
    }

    pub(super) fn look_with(&self, facets: Facets) -> Result<Snapshot, Fault> {
        let tree = &self.desktop.tree;
        Ok(tree.walk(&self.app, &self.app.root, &Extent::of(facets), soon())?)
    }

    /// The element a description means, with everything there is to know.
    pub(super) fn element(&self, wanted: &Wanted) -> Result<Node, Fault> {
        let tree = self.look_with(Facets::ALL)?;
        let found = tree.iter().find(|(_, node)| wanted.fits(node)).map(|(_, node)| node.clone());
        found.ok_or_else(|| Fault::Failed(format!("{wanted:?} is not in the tree")))
    }

    /// The element that takes text.
    pub(super) fn text_field(&self) -> Result<Node, Fault> {
        let wanted = self.subject.text.as_ref().ok_or(Fault::NotInSubject("text field"))?;
        self.element(wanted)
    }

    /// The text an element holds now.
    pub(super) fn text_of(&self, id: &NodeId) -> Result<String, Fault> {
        let text = self.desktop.tree.text(&self.app, id, soon())?;
        text.map(|text| text.text).ok_or_else(|| Fault::Failed(format!("{id:?} holds no text")))
    }

    /// Waits until an element holds this text, and nothing else.
    pub(super) fn awaits_text(&self, id: &NodeId, wanted: &str) -> Outcome {
        eventually(|| {
            let now = self.text_of(id)?;
            // Some editors keep a line end behind the last line whatever is put in.
            let same = now == wanted || now.strip_suffix('\n') == Some(wanted);
            Ok((!same).then(|| format!("{wanted:?} was wanted, {now:?} is there")))
        })
    }

    /// The main window of the app.
    pub(super) fn window(&self) -> Result<Window, Fault> {
        let all = self.own_windows()?;
        let titled = all.iter().find(|window| window.title.contains(&self.subject.title));
        titled.cloned().ok_or_else(|| {
            Fault::Failed(format!(
                "no window of the app is titled `{}`: {all:?}",
                self.subject.title
            ))
        })
    }

    /// Every window of the app.
    pub(super) fn own_windows(&self) -> Result<Vec<Window>, Fault> {
        let mut all = self.windows()?.list(soon())?;
        all.retain(|window| window.pid == self.app.pid);
        Ok(all)
    }

    /// Gives the keyboard to the main window, and waits until it has it.
    pub(super) fn to_front(&self) -> Result<Window, Fault> {
        let id = self.window()?.id;
        self.windows()?.arrange(id, Arrange::Focus, soon())?;
        eventually(|| {
            let now = self.window()?;
            Ok((!now.focused).then(|| format!("{now:?} does not have the keyboard")))
        })?;
        self.window()
    }

    pub(super) fn windows(&self) -> Result<&dyn Windows, Fault> {
        part(self.desktop.windows.as_deref(), "windows")
    }

    pub(super) fn screen(&self) -> Result<&dyn Screen, Fault> {
        part(self.desktop.screen.as_deref(), "screen")
    }

    pub(super) fn input(&self) -> Result<&dyn Input, Fault> {
        part(self.desktop.input.as_deref(), "input")
    }

    pub(super) fn clipboard(&self) -> Result<&dyn Clipboard, Fault> {
        part(self.desktop.clipboard.as_deref(), "clipboard")
    }

    pub(super) fn programs(&self) -> Result<&dyn Programs, Fault> {
        part(self.desktop.programs.as_deref(), "programs")
    }

    pub(super) fn identities(&self) -> Result<&dyn Identities, Fault> {
        part(self.desktop.identities.as_deref(), "identities")
    }

    pub(super) fn permissions(&self) -> Result<&dyn Permissions, Fault> {
        part(self.desktop.permissions.as_deref(), "permissions")
    }

    pub(super) fn dictionaries(&self) -> Result<&dyn Dictionaries, Fault> {
        part(self.desktop.dictionaries.as_deref(), "dictionaries")
    }

    pub(super) fn reader(&self) -> Result<&dyn Reader, Fault> {
        part(self.desktop.reader.as_deref(), "reader")
    }
}

impl Drop for Scene<'_> {
    fn drop(&mut self) {
        let Ok(programs) = self.programs() else { return };
        let own = programs.process(self.app.pid).into_iter().chain([self.process]);
        for process in own {
            // A check may have ended it already.
            let _ = programs.end(&process, End::Kill);
            let end = Deadline::after(PATIENCE);
            while programs.fate(&process) == Fate::Runs && !end.passed() {
                sleep(PAUSE);
            }
        }
    }
}

/// The app a process shows, once it has a window.
fn registered(
    desktop: &Desktop,
    programs: &dyn Programs,
    process: &Process,
    called: &str,
) -> Result<App, Fault> {
    let mut found = None;
    within(START, || {
        let apps = desktop.tree.apps(soon())?;
        let ours = |app: &&App| app.windows > 0 && programs.stems_from(app.pid, process);
        found = apps.iter().find(ours).cloned();
        let names: Vec<&str> = apps.iter().map(|app| app.name.as_str()).collect();
        Ok(found.is_none().then(|| format!("`{called}` is not among {names:?}")))
    })?;
    found.ok_or_else(|| Fault::Failed(format!("`{called}` is gone again")))
}

fn part<'a, T: ?Sized>(part: Option<&'a T>, word: &str) -> Result<&'a T, Fault> {
    part.ok_or_else(|| Fault::Failed(format!("this desktop has no `{word}`")))
}
