//! The rules by which a caller names an app or a program.

use deskhand_model::App;

use crate::{Error, Result, error::Instance, programs::RunningProgram};

/// A rule by which a name matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameRule {
    /// The process id.
    Pid,
    /// One of the names.
    Name,
    /// One of the names in any case, or the file name of the executable.
    AnyCase,
    /// A part of the main name.
    Part,
}

/// The rules that accept only complete names, from strict to tolerant.
const COMPLETE: &[NameRule] = &[NameRule::Pid, NameRule::Name, NameRule::AnyCase];

/// Something that a caller names.
pub(crate) trait Named {
    /// Returns the name and pid for messages.
    fn instance(&self) -> Instance;

    /// Returns the complete names that lead to it. The first one is its main name.
    fn names(&self) -> Vec<&str>;

    /// Returns the path of its executable.
    fn executable(&self) -> Option<&str>;
}

impl Named for App {
    fn instance(&self) -> Instance {
        Instance::of(self)
    }

    fn names(&self) -> Vec<&str> {
        [self.name.as_str()].into_iter().chain(self.bundle_id.as_deref()).collect()
    }

    fn executable(&self) -> Option<&str> {
        self.executable.as_deref()
    }
}

impl Named for RunningProgram {
    fn instance(&self) -> Instance {
        Instance { name: self.name.clone(), pid: self.pid }
    }

    fn names(&self) -> Vec<&str> {
        let classes = self.windows.iter().map(|window| window.class.as_str());
        [self.name.as_str()].into_iter().chain(classes).collect()
    }

    fn executable(&self) -> Option<&str> {
        None
    }
}

/// Returns the only one with this complete name or pid.
pub(crate) fn find_by_name<'a, T: Named>(all: &'a [T], wanted: &str) -> Result<Option<&'a T>> {
    for rule in COMPLETE {
        let found = find_by_rule(all, wanted, *rule)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Returns the only one whose main name contains this text.
pub(crate) fn find_by_part<'a, T: Named>(all: &'a [T], wanted: &str) -> Result<Option<&'a T>> {
    find_by_rule(all, wanted, NameRule::Part)
}

fn find_by_rule<'a, T: Named>(all: &'a [T], wanted: &str, rule: NameRule) -> Result<Option<&'a T>> {
    let matching: Vec<&T> = all.iter().filter(|one| matches(*one, wanted, rule)).collect();
    match matching.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        several => Err(Error::AmbiguousApp {
            wanted: wanted.to_owned(),
            matching: several.iter().map(|one| one.instance()).collect(),
        }),
    }
}

fn matches(one: &impl Named, wanted: &str, rule: NameRule) -> bool {
    let same = |text: &str| text.eq_ignore_ascii_case(wanted);
    match rule {
        NameRule::Pid => wanted.parse() == Ok(one.instance().pid),
        NameRule::Name => one.names().contains(&wanted),
        NameRule::AnyCase => {
            let is_file = |path: &str| path == wanted || path.rsplit('/').next().is_some_and(same);
            one.names().into_iter().any(same) || one.executable().is_some_and(is_file)
        }
        NameRule::Part => {
            let main_name = one.instance().name.to_lowercase();
            !wanted.is_empty() && main_name.contains(&wanted.to_lowercase())
        }
    }
}

/// Returns the program with this name, or with a part of it.
pub(crate) fn find_program(
    all: Vec<RunningProgram>,
    wanted: &str,
) -> Result<Option<RunningProgram>> {
    let found = match find_by_name(&all, wanted)? {
        Some(program) => Some(program),
        None => find_by_part(&all, wanted)?,
    };
    let pid = found.map(|program| program.pid);
    Ok(all.into_iter().find(|program| Some(program.pid) == pid))
}
