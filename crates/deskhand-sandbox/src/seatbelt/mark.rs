//! What tells the processes of one cell from all others, whatever they leave behind: its profile allows a
//! service by a name nobody else's does. The kernel tells what the profile of a process allows, and no process
//! leaves its profile. Where none holds, a variable tells those that keep it.

use std::ffi::CString;

/// The variable the programs of a cell have.
const VARIABLE: &str = "DESKHAND_CELL";

/// The beginning of the names; no such service is offered by anybody.
const SERVICES: &str = "deskhand.cell.";

/// A name no profile allows but one that allows all.
const NOBODYS: &str = "nobody";

/// The mark of one cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    word: String,
    since: u64,
}

/// What the kernel answers about the profile of a process: 0 is yes, 1 is no, -1 that it cannot tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Answers {
    /// Whether it may do everything, as who has no profile may.
    pub(crate) everything: i32,
    /// Whether it may look for the service of the cell.
    pub(crate) own: i32,
    /// Whether it may look for the one of nobody.
    pub(crate) nobodys: i32,
}

impl Mark {
    /// The mark of a cell by the process that makes it, the time in seconds since 1970, and its number there.
    pub(crate) fn new(process: u32, since: u64, number: u64) -> Self {
        Self { word: format!("{process}-{since}-{number}"), since }
    }

    /// Reads one that was told.
    pub(crate) fn read(word: &str) -> Option<Self> {
        let since = word.split('-').nth(1)?.parse().ok()?;
        Some(Self { word: word.to_owned(), since })
    }

    /// How it is told.
    pub(crate) fn word(&self) -> &str {
        &self.word
    }

    /// When the cell was made, in seconds since 1970: who began before is not of it.
    pub(crate) fn since(&self) -> u64 {
        self.since
    }

    /// The variable of its programs, and what it holds.
    pub(crate) fn variable(&self) -> (&'static str, &str) {
        (VARIABLE, &self.word)
    }

    /// The service its profile allows.
    pub(crate) fn service(&self) -> String {
        format!("{SERVICES}{}", self.word)
    }

    /// The services to ask about: its own, and nobody's. None when its word is no name.
    pub(crate) fn services(&self) -> Option<(CString, CString)> {
        let nobodys = CString::new(format!("{SERVICES}{NOBODYS}")).ok()?;
        Some((CString::new(self.service()).ok()?, nobodys))
    }

    /// Whether a process is held by the profile of this cell. One that allows everything is not, nor one
    /// nothing is known of.
    pub(crate) fn holds(answers: Answers) -> bool {
        answers == Answers { everything: 1, own: 0, nobodys: 1 }
    }

    /// Whether what the kernel tells of a process's arguments and variables (`KERN_PROCARGS2`) has the
    /// variable of this cell: a count, then texts that end with a zero byte. Of Apple's own programs it
    /// tells no variables.
    pub(crate) fn is_among(&self, told: &[u8]) -> bool {
        let variable = format!("{VARIABLE}={}", self.word);
        let mut texts = told.get(4..).unwrap_or_default().split(|byte| *byte == 0);
        texts.any(|text| text == variable.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_as_it_is_told() {
        let mark = Mark::new(7, 1_790_000_000, 3);
        assert_eq!((mark.word(), mark.since()), ("7-1790000000-3", 1_790_000_000));
        assert_eq!(Mark::read(mark.word()), Some(mark.clone()));
        assert_eq!((Mark::read("7"), Mark::read("7-x-1")), (None, None));
        assert_ne!(mark.service(), Mark::new(7, 1_790_000_000, 30).service());
        let (own, nobodys) = mark.services().unwrap();
        assert_eq!(own.to_str(), Ok(&*mark.service()));
        assert_ne!(own, nobodys);
    }

    #[test]
    fn only_whom_the_profile_of_the_cell_holds_is_of_it() {
        let answers = |everything, own, nobodys| Answers { everything, own, nobodys };
        assert!(Mark::holds(answers(1, 0, 1)));
        for other in [
            // Without a profile.
            answers(0, 0, 0),
            // With one that allows all services.
            answers(1, 0, 0),
            // With one of another cell.
            answers(1, 1, 1),
            // Gone since, or of somebody else.
            answers(-1, -1, -1),
            answers(1, -1, 1),
            answers(1, 0, -1),
        ] {
            assert!(!Mark::holds(other), "{other:?}");
        }
    }

    #[test]
    fn a_variable_is_found_as_a_whole_word() {
        let mark = Mark::new(7, 1, 1);
        let (name, value) = mark.variable();
        let told = format!("\u{1}\0\0\0/bin/sh\0\0\0sh\0HOME=/t\0{name}={value}\0");
        assert!(mark.is_among(told.as_bytes()));
        assert!(!Mark::new(7, 1, 11).is_among(told.as_bytes()) && !mark.is_among(b"\x01"));
    }
}
