//! What can stop the bench.

use std::path::Path;

/// The result of a part of the bench.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Why the bench cannot go on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A file cannot be written or a program cannot be started.
    #[error("{what}: {why}")]
    System { what: String, why: std::io::Error },
    /// A desktop cannot be started or ended.
    #[error("the private desktop: {0}")]
    Desktop(#[from] deskhand_linux::private::Error),
    /// The app cannot be read.
    #[error("the app: {0}")]
    Look(#[from] deskhand_platform::Error),
    /// The query cannot be answered.
    #[error("the query: {0}")]
    Query(#[from] deskhand_locate::Error),
    /// No app with that process id is on the desktop.
    #[error("no app of process {0} is on this desktop")]
    NoApp(u32),
    /// An app does not show what is to be acted on, or nobody could act on it.
    #[error("no figures: {0}")]
    NoElement(&'static str),
    /// A server does not answer as it should.
    #[error("the server: {0}")]
    Server(String),
    /// Figures do not have the shape they should have.
    #[error("figures: {0}")]
    Figures(#[from] serde_json::Error),
}

impl Error {
    /// A failure of the system while something was done.
    pub(crate) fn system(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |why| Self::System { what, why }
    }
}

/// Writes a file and makes its folder where there is none.
pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    let failed = || Error::system(path.display().to_string());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed())?;
    }
    std::fs::write(path, text).map_err(failed())
}
