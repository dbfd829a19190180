//! Approvals that the user gave before: remembered ones, and ones the user wrote to a file for
//! unattended runs. Each approval names an app and a tool, and can expire.

mod error;
mod file;
mod manual;
mod signature;

use std::{
    path::PathBuf,
    time::{Duration, SystemTime},
};

use deskhand_platform::Identity;
use serde::{Deserialize, Serialize};

pub use self::error::Error;
use self::{file::ApprovalFile, signature::Signer};
use crate::{policy::AppPattern, timing::APPROVAL_LIFETIME};

/// Matches every app or every tool.
const ANY: &str = "*";

/// The default lifetime of a remembered approval.
pub const DEFAULT_LIFETIME: Duration = APPROVAL_LIFETIME;

/// The source of an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalSource {
    /// The user was asked and chose to remember the answer.
    Remembered,
    /// The user wrote it to the approvals file.
    #[serde(rename = "by_hand")]
    Manual,
}

/// An approval for an app and a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Approval {
    /// The app: the path of its program or script, or `*` for all apps. In a manual approval, any
    /// pattern that `security.toml` accepts.
    pub app: String,
    /// The tool, or `*` for all tools.
    pub tool: String,
    /// The time at which it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granted: Option<Timestamp>,
    /// The time at which it expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// Its source.
    #[serde(rename = "origin")]
    pub source: ApprovalSource,
}

impl Approval {
    fn covers(&self, app: Option<&Identity>, tool: &str, now: SystemTime) -> bool {
        let for_tool = self.tool == ANY || self.tool == tool;
        for_tool
            && self.is_valid(now)
            && (self.app == ANY || app.is_some_and(|app| self.matches_app(app)))
    }

    fn matches_app(&self, app: &Identity) -> bool {
        match self.source {
            ApprovalSource::Remembered => app.key.as_ref() == Some(&self.app),
            ApprovalSource::Manual => {
                AppPattern::parse(&self.app).is_ok_and(|pattern| pattern.matches(app))
            }
        }
    }

    fn is_valid(&self, now: SystemTime) -> bool {
        self.expires.is_none_or(|end| now < end.0)
    }
}

/// A point in time, serialized as RFC 3339 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(pub SystemTime);

impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        humantime::format_rfc3339_seconds(self.0).fmt(f)
    }
}

impl From<Timestamp> for String {
    fn from(timestamp: Timestamp) -> Self {
        timestamp.to_string()
    }
}

impl TryFrom<String> for Timestamp {
    type Error = humantime::TimestampError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        humantime::parse_rfc3339(&text).map(Self)
    }
}

/// Selects approvals.
#[derive(Debug, Clone, Default)]
pub struct ApprovalFilter {
    /// Only approvals for this app.
    pub app: Option<String>,
    /// Only approvals for this tool.
    pub tool: Option<String>,
}

impl ApprovalFilter {
    fn matches(&self, one: &Approval) -> bool {
        self.app.as_ref().is_none_or(|app| *app == one.app)
            && self.tool.as_ref().is_none_or(|tool| *tool == one.tool)
    }

    fn is_all(&self) -> bool {
        self.app.is_none() && self.tool.is_none()
    }
}

/// All approvals.
#[derive(Debug)]
pub struct Approvals {
    file: ApprovalFile,
    manual: Result<Vec<Approval>, Error>,
    lifetime: Duration,
}

impl Approvals {
    /// Opens the file of remembered approvals and reads the file of manual ones. The manual file is
    /// read only once, so that an agent cannot add approvals while the program runs.
    pub fn at(remembered: PathBuf, manual: &std::path::Path, lifetime: Duration) -> Self {
        let signer = Signer::at(remembered.with_extension("key"));
        let file = ApprovalFile { path: remembered, signer };
        Self { file, manual: manual::read(manual), lifetime }
    }

    /// Returns the approval for a tool and an app. If the app is unknown, only an approval for all
    /// apps matches.
    ///
    /// # Errors
    ///
    /// If a file cannot be trusted or read; it approves nothing then.
    pub fn find(
        &self,
        app: Option<&Identity>,
        tool: &str,
        now: SystemTime,
    ) -> Result<Option<Approval>, Error> {
        let all = self.list(now)?;
        Ok(all.into_iter().find(|one| one.covers(app, tool, now)))
    }

    /// Stores an approval that the user gave now.
    ///
    /// # Errors
    ///
    /// If it cannot be stored.
    pub fn remember(&self, app: &str, tool: &str, now: SystemTime) -> Result<(), Error> {
        let end = now.checked_add(self.lifetime).unwrap_or(now);
        let one = Approval {
            app: app.to_owned(),
            tool: tool.to_owned(),
            granted: Some(Timestamp(now)),
            expires: Some(Timestamp(end)),
            source: ApprovalSource::Remembered,
        };
        self.file.change(|all| {
            all.retain(|old| old.is_valid(now) && (&old.app, &old.tool) != (&one.app, &one.tool));
            all.push(one);
        })
    }

    /// Lists the approvals that are valid now, manual ones first.
    ///
    /// # Errors
    ///
    /// If a file cannot be trusted or read.
    pub fn list(&self, now: SystemTime) -> Result<Vec<Approval>, Error> {
        let mut all = self.manual.clone()?;
        all.extend(self.file.read()?);
        all.retain(|one| one.is_valid(now));
        Ok(all)
    }

    /// Removes remembered approvals and returns them. An empty filter removes all, even if the file
    /// cannot be trusted.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or written.
    pub fn revoke(&self, filter: &ApprovalFilter) -> Result<Vec<Approval>, Error> {
        let mut removed = Vec::new();
        if filter.is_all() {
            // A file that cannot be read is cleared as well; only its content is unknown.
            removed = self.file.read().unwrap_or_default();
            self.file.replace(&[])?;
            return Ok(removed);
        }
        self.file.change(|all| {
            removed = all.extract_if(.., |one| filter.matches(one)).collect();
        })?;
        Ok(removed)
    }
}

#[cfg(test)]
mod tests;
