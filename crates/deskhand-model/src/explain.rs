//! The contract every error of the workspace keeps: what went wrong, and what to do next.

/// An error that can be shown to a person or a model.
pub trait Explain: std::error::Error {
    /// A stable word for the situation, such as `no_match`; programs branch on it.
    fn code(&self) -> &'static str;

    /// What the reader can do next, when there is something to do.
    fn hint(&self) -> Option<String>;
}
