//! The tag that identifies the processes of one container even after they left its session and their parents:
//! the profile of a container allows a Mach service with a unique name. The kernel reports what the profile of
//! a process allows, and no process can leave its profile. Without a profile, an environment variable serves as
//! the tag.

use std::ffi::CString;

/// The environment variable of the programs of a container.
const TAG_VARIABLE: &str = "DESKHAND_CONTAINER";

/// The prefix of the service names. No process offers such a service.
const SERVICE_PREFIX: &str = "deskhand.container.";

/// The suffix of a service name that only an unrestricted profile allows.
const UNUSED: &str = "nobody";

/// The tag of one container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ContainerTag {
    text: String,
    created_at: u64,
}

/// Answers of the kernel about the profile of a process: 0 allowed, 1 denied, -1 unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProfileAnswers {
    /// May the process do everything? True without a profile.
    pub(crate) everything: i32,
    /// May it look up the service of the container?
    pub(crate) own: i32,
    /// May it look up the unused service?
    pub(crate) unused: i32,
}

impl ContainerTag {
    /// Creates a tag from the id of the creating process, seconds since 1970, and the number of the container.
    pub(crate) fn new(process: u32, created_at: u64, number: u64) -> Self {
        Self { text: format!("{process}-{created_at}-{number}"), created_at }
    }

    /// Parses a tag that [`ContainerTag::text`] returned.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let created_at = text.split('-').nth(1)?.parse().ok()?;
        Some(Self { text: text.to_owned(), created_at })
    }

    /// The text form of the tag.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Creation time in seconds since 1970. Processes that started earlier are not in the container.
    pub(crate) fn created_at(&self) -> u64 {
        self.created_at
    }

    /// The environment variable and its value.
    pub(crate) fn variable(&self) -> (&'static str, &str) {
        (TAG_VARIABLE, &self.text)
    }

    /// The service that the profile allows.
    pub(crate) fn service(&self) -> String {
        format!("{SERVICE_PREFIX}{}", self.text)
    }

    /// The services to ask about: its own and the unused one. `None` if a name contains a NUL byte.
    pub(crate) fn services(&self) -> Option<(CString, CString)> {
        let unused = CString::new(format!("{SERVICE_PREFIX}{UNUSED}")).ok()?;
        Some((CString::new(self.service()).ok()?, unused))
    }

    /// Returns `true` if a process is confined by the profile of this container. Processes without a profile
    /// and processes the kernel does not report on are not.
    pub(crate) fn is_confined(profile_answers: ProfileAnswers) -> bool {
        profile_answers == ProfileAnswers { everything: 1, own: 0, unused: 1 }
    }

    /// Returns `true` if the result of `KERN_PROCARGS2` contains the variable of this container. The format is
    /// a count followed by NUL-terminated strings. For Apple's own programs it contains no variables.
    pub(crate) fn is_in_arguments(&self, arguments: &[u8]) -> bool {
        let variable = format!("{TAG_VARIABLE}={}", self.text);
        let mut texts = arguments.get(4..).unwrap_or_default().split(|byte| *byte == 0);
        texts.any(|text| text == variable.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tag_survives_a_round_trip() {
        let tag = ContainerTag::new(7, 1_790_000_000, 3);
        assert_eq!((tag.text(), tag.created_at()), ("7-1790000000-3", 1_790_000_000));
        assert_eq!(ContainerTag::parse(tag.text()), Some(tag.clone()));
        assert_eq!((ContainerTag::parse("7"), ContainerTag::parse("7-x-1")), (None, None));
        assert_ne!(tag.service(), ContainerTag::new(7, 1_790_000_000, 30).service());
        let (own, unused) = tag.services().unwrap();
        assert_eq!(own.to_str(), Ok(&*tag.service()));
        assert_ne!(own, unused);
    }

    #[test]
    fn only_processes_with_the_profile_of_the_container_are_confined() {
        let profile_answers = |everything, own, unused| ProfileAnswers { everything, own, unused };
        assert!(ContainerTag::is_confined(profile_answers(1, 0, 1)));
        for other in [
            // No profile.
            profile_answers(0, 0, 0),
            // A profile that allows all services.
            profile_answers(1, 0, 0),
            // The profile of another container.
            profile_answers(1, 1, 1),
            // A process that has ended, or that belongs to another user.
            profile_answers(-1, -1, -1),
            profile_answers(1, -1, 1),
            profile_answers(1, 0, -1),
        ] {
            assert!(!ContainerTag::is_confined(other), "{other:?}");
        }
    }

    #[test]
    fn variable_is_matched_as_a_whole() {
        let tag = ContainerTag::new(7, 1, 1);
        let (name, value) = tag.variable();
        let arguments = format!("\u{1}\0\0\0/bin/sh\0\0\0sh\0HOME=/t\0{name}={value}\0");
        assert!(tag.is_in_arguments(arguments.as_bytes()));
        assert!(
            !ContainerTag::new(7, 1, 11).is_in_arguments(arguments.as_bytes())
                && !tag.is_in_arguments(b"\x01")
        );
    }
}
