//! Errors of the benchmark program.

use std::path::Path;

/// The result type of the benchmark program.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// A reason why the benchmark stopped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A file cannot be written or a program cannot be started.
    #[error("{what}: {why}")]
    System { what: String, why: std::io::Error },
    /// A desktop cannot be started or stopped.
    #[error("private desktop: {0}")]
    Desktop(#[from] deskhand_linux::private::Error),
    /// The app cannot be read.
    #[error("app: {0}")]
    Look(#[from] deskhand_platform::Error),
    /// The query failed.
    #[error("query: {0}")]
    Query(#[from] deskhand_locate::Error),
    /// No app with that process id is on the desktop.
    #[error("no app with process id {0} on this desktop")]
    NoApp(u32),
    /// An element to act on was not found, or no figures were produced.
    #[error("no figures for {0}")]
    NoElement(&'static str),
    /// A server sent an unexpected response.
    #[error("server: {0}")]
    Server(String),
    /// The figures cannot be parsed.
    #[error("figures: {0}")]
    Figures(#[from] serde_json::Error),
}

impl Error {
    /// Returns a converter that adds the failed file or program to an I/O error.
    pub(crate) fn system(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |why| Self::System { what, why }
    }
}

/// Writes a file and creates its folder if needed.
pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    let failed = || Error::system(path.display().to_string());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed())?;
    }
    std::fs::write(path, text).map_err(failed())
}
