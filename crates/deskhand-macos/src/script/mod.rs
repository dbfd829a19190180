//! The dictionaries of apps: what AppleScript and JavaScript for Automation can tell them. Scripts
//! themselves run above the seam, in the sandbox like every command.

mod sdef;

use std::{path::Path, sync::Arc};

use deskhand_platform::{Deadline, Dictionaries, Dictionary, Error, Result};

use crate::patience::within;

/// What is needed of the system to know what an app can be told.
pub(crate) trait Definitions: Send + Sync {
    /// What the app at a path says of itself; `None` when there is no app.
    fn claim(&self, app: &Path) -> Option<Claim>;

    /// The scripting definition of the app at a path, with what it includes; else the system's error.
    fn definition(&self, app: &Path) -> std::result::Result<Vec<u8>, i32>;
}

/// What an app says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Claim {
    /// Scripts can tell it something.
    Scriptable,
    /// It says nothing about scripts.
    Silent,
}

/// The dictionaries of apps on this machine.
pub(crate) struct MacDictionaries<G>(Arc<G>);

impl<G: Definitions + 'static> MacDictionaries<G> {
    pub(crate) fn new(system: G) -> Self {
        Self(Arc::new(system))
    }
}

impl<G: Definitions + 'static> Dictionaries for MacDictionaries<G> {
    fn of(&self, app: &Path, by: Deadline) -> Result<Option<Dictionary>> {
        let what = format!("the dictionary of {}", app.display());
        let (system, app) = (Arc::clone(&self.0), app.to_owned());
        within(by, &what.clone(), move || {
            let claim = system
                .claim(&app)
                .ok_or_else(|| Error::Gone { what: format!("the app {}", app.display()) })?;
            match (system.definition(&app), claim) {
                (Ok(bytes), _) => match sdef::parse(&bytes) {
                    Ok(dictionary) => Ok(Some(dictionary)),
                    Err(why) => Err(Error::Unexpected { what, why }),
                },
                (Err(_), Claim::Silent) => Ok(None),
                (Err(code), Claim::Scriptable) => {
                    Err(Error::Unexpected { what, why: format!("the system's error {code}") })
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    struct Recorded;

    impl Definitions for Recorded {
        fn claim(&self, app: &Path) -> Option<Claim> {
            match app.to_str()? {
                "/Notes.app" | "/Broken.app" | "/Torn.app" => Some(Claim::Scriptable),
                "/Silent.app" => Some(Claim::Silent),
                _ => None,
            }
        }

        fn definition(&self, app: &Path) -> std::result::Result<Vec<u8>, i32> {
            match app.to_str() {
                Some("/Notes.app") => Ok(sdef::tests::FIXTURE.as_bytes().to_vec()),
                Some("/Torn.app") => Ok(b"<dictionary><suite".to_vec()),
                Some(_) | None => Err(-192),
            }
        }
    }

    #[test]
    fn an_app_has_a_dictionary_or_none_or_a_broken_one() {
        let of = |app: &str| {
            MacDictionaries::new(Recorded)
                .of(Path::new(app), Deadline::after(Duration::from_secs(10)))
        };
        assert_eq!(of("/Notes.app").unwrap().unwrap().title, "Jotter Terminology");
        assert_eq!(of("/Silent.app"), Ok(None));
        assert!(matches!(of("/Gone.app"), Err(Error::Gone { .. })));
        for app in ["/Broken.app", "/Torn.app"] {
            assert!(matches!(of(app), Err(Error::Unexpected { .. })), "{app}");
        }
    }
}
