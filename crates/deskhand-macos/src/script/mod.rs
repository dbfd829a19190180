//! The scripting dictionaries of apps: the commands and classes for AppleScript and JavaScript for Automation.
//! Scripts themselves run in the sandbox like every command.

mod sdef;

use std::{path::Path, sync::Arc};

use deskhand_platform::{Deadline, Dictionaries, Dictionary, Error, Result};

use crate::blocking::run_with_deadline;

/// The system calls for scripting dictionaries.
pub(crate) trait ScriptingApi: Send + Sync {
    /// The scripting support that an app declares, or `None` if there is no app at this path.
    fn declared_support(&self, app: &Path) -> Option<ScriptSupport>;

    /// The scripting definition of an app with its includes, or the error code of the system.
    fn definition(&self, app: &Path) -> std::result::Result<Vec<u8>, i32>;
}

/// The scripting support that an app declares in its bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScriptSupport {
    Declared,
    NotDeclared,
}

/// Reads the dictionaries of apps.
pub(crate) struct MacDictionaries<S>(Arc<S>);

impl<S: ScriptingApi + 'static> MacDictionaries<S> {
    pub(crate) fn new(system: S) -> Self {
        Self(Arc::new(system))
    }
}

impl<S: ScriptingApi + 'static> Dictionaries for MacDictionaries<S> {
    fn read(&self, app: &Path, deadline: Deadline) -> Result<Option<Dictionary>> {
        let what = format!("the dictionary of {}", app.display());
        let (system, app) = (Arc::clone(&self.0), app.to_owned());
        run_with_deadline(deadline, &what.clone(), move || {
            let support = system
                .declared_support(&app)
                .ok_or_else(|| Error::Gone { what: format!("the app {}", app.display()) })?;
            match (system.definition(&app), support) {
                (Ok(bytes), _) => match sdef::parse(&bytes) {
                    Ok(dictionary) => Ok(Some(dictionary)),
                    Err(why) => Err(Error::Unexpected { what, why }),
                },
                (Err(_), ScriptSupport::NotDeclared) => Ok(None),
                (Err(code), ScriptSupport::Declared) => {
                    Err(Error::Unexpected { what, why: format!("macOS error {code}") })
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    struct FakeScripting;

    impl ScriptingApi for FakeScripting {
        fn declared_support(&self, app: &Path) -> Option<ScriptSupport> {
            match app.to_str()? {
                "/Notes.app" | "/Broken.app" | "/Torn.app" => Some(ScriptSupport::Declared),
                "/Silent.app" => Some(ScriptSupport::NotDeclared),
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
    fn an_app_has_a_dictionary_or_none_or_an_unreadable_one() {
        let read = |app: &str| {
            MacDictionaries::new(FakeScripting)
                .read(Path::new(app), Deadline::after(Duration::from_secs(10)))
        };
        assert_eq!(read("/Notes.app").unwrap().unwrap().title, "Jotter Terminology");
        assert_eq!(read("/Silent.app"), Ok(None));
        assert!(matches!(read("/Gone.app"), Err(Error::Gone { .. })));
        for app in ["/Broken.app", "/Torn.app"] {
            assert!(matches!(read(app), Err(Error::Unexpected { .. })), "{app}");
        }
    }
}
