//! What can be wrong with rules about apps.

use deskhand_model::Explain;

use crate::Spot;

/// Why rules about apps cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// The file is no TOML.
    #[error("{file}:{spot}: {why}")]
    Syntax {
        /// Which file.
        file: String,
        /// Where.
        spot: Spot,
        /// What is wrong there.
        why: String,
    },
    /// It says something nobody knows.
    #[error("{file}:{spot}: there is no `{key}`")]
    Unknown {
        /// Which file.
        file: String,
        /// Where.
        spot: Spot,
        /// What it says.
        key: String,
        /// What may be meant.
        known: Vec<&'static str>,
    },
    /// A value is of another kind.
    #[error("{file}:{spot}: `{key}` is no {wanted}")]
    Kind {
        /// Which file.
        file: String,
        /// Where.
        spot: Spot,
        /// Which value.
        key: String,
        /// What it should be.
        wanted: &'static str,
    },
    /// An entry of a list means no app.
    #[error("{place}: {entry:?} is no app: {why}")]
    Entry {
        /// Which file and where, or which setting.
        place: String,
        /// What it says.
        entry: String,
        /// What is wrong with it.
        why: String,
    },
}

impl Explain for RulesError {
    fn code(&self) -> &'static str {
        "invalid_rules"
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Syntax { .. } => "mend the file: it is written in TOML".to_owned(),
            Self::Unknown { known, .. } => format!("known: {}", known.join(", ")),
            Self::Kind { wanted, .. } => format!("write a {wanted} there"),
            Self::Entry { .. } => "an app is a name, a desktop-file id, the whole path of its \
                                   program, or a glob of these"
                .to_owned(),
        })
    }
}
