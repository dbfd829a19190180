//! What persons have agreed to before: yeses that were remembered, and those written down by hand
//! for runs nobody watches. Both name an app and a tool, and end.

mod by_hand;
mod error;
mod file;
mod seal;

use std::{
    path::PathBuf,
    time::{Duration, SystemTime},
};

use deskhand_platform::Identity;
use serde::{Deserialize, Serialize};

pub use self::error::Error;
use self::{file::Kept, seal::Seal};
use crate::policy::Pattern;

/// Stands for every app, or every tool.
const ANY: &str = "*";

/// How long a remembered yes holds, where nothing else is said.
pub const USUAL_LIFE: Duration = Duration::from_secs(30 * 24 * 3600);

/// Where a yes comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// A person was asked, and wanted it remembered.
    Remembered,
    /// It was written down by hand.
    ByHand,
}

/// A yes for one app and one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Approval {
    /// The app: the path of its program or script, or `*` for all; by hand any way to name one.
    pub app: String,
    /// The tool, or `*` for all.
    pub tool: String,
    /// When it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granted: Option<Moment>,
    /// When it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<Moment>,
    /// Where it comes from.
    pub origin: Origin,
}

impl Approval {
    fn covers(&self, app: Option<&Identity>, tool: &str, now: SystemTime) -> bool {
        let for_tool = self.tool == ANY || self.tool == tool;
        for_tool && self.holds(now) && (self.app == ANY || app.is_some_and(|app| self.means(app)))
    }

    /// Whether it is for a program. A person who writes one down names it as in `security.toml`.
    fn means(&self, app: &Identity) -> bool {
        match self.origin {
            Origin::Remembered => app.key.as_ref() == Some(&self.app),
            Origin::ByHand => Pattern::parse(&self.app).is_ok_and(|named| named.means(app)),
        }
    }

    fn holds(&self, now: SystemTime) -> bool {
        self.expires.is_none_or(|end| now < end.0)
    }
}

/// A point in time, written as RFC 3339 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Moment(pub SystemTime);

impl std::fmt::Display for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        humantime::format_rfc3339_seconds(self.0).fmt(f)
    }
}

impl From<Moment> for String {
    fn from(moment: Moment) -> Self {
        moment.to_string()
    }
}

impl TryFrom<String> for Moment {
    type Error = humantime::TimestampError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        humantime::parse_rfc3339(&text).map(Self)
    }
}

/// Which yeses are meant.
#[derive(Debug, Clone, Default)]
pub struct Which {
    /// Those for this app alone.
    pub app: Option<String>,
    /// Those for this tool alone.
    pub tool: Option<String>,
}

impl Which {
    fn means(&self, one: &Approval) -> bool {
        self.app.as_ref().is_none_or(|app| *app == one.app)
            && self.tool.as_ref().is_none_or(|tool| *tool == one.tool)
    }

    fn is_all(&self) -> bool {
        self.app.is_none() && self.tool.is_none()
    }
}

/// The yeses there are.
#[derive(Debug)]
pub struct Approvals {
    kept: Kept,
    by_hand: Result<Vec<Approval>, Error>,
    life: Duration,
}

impl Approvals {
    /// Those remembered in one file, and those written by hand in another. The latter is read now
    /// and never again, so that nothing done through this program adds to it while it runs.
    pub fn at(remembered: PathBuf, by_hand: &std::path::Path, life: Duration) -> Self {
        let seal = Seal::at(remembered.with_extension("key"));
        Self { kept: Kept { path: remembered, seal }, by_hand: by_hand::read(by_hand), life }
    }

    /// The yes that covers a tool on an app; where it is not known which, one for all apps.
    ///
    /// # Errors
    ///
    /// When a file cannot be trusted or read; nothing is allowed by it then.
    pub fn allows(
        &self,
        app: Option<&Identity>,
        tool: &str,
        now: SystemTime,
    ) -> Result<Option<Approval>, Error> {
        let all = self.list(now)?;
        Ok(all.into_iter().find(|one| one.covers(app, tool, now)))
    }

    /// Keeps a yes a person gave now.
    ///
    /// # Errors
    ///
    /// When it cannot be kept.
    pub fn remember(&self, app: &str, tool: &str, now: SystemTime) -> Result<(), Error> {
        let end = now.checked_add(self.life).unwrap_or(now);
        let one = Approval {
            app: app.to_owned(),
            tool: tool.to_owned(),
            granted: Some(Moment(now)),
            expires: Some(Moment(end)),
            origin: Origin::Remembered,
        };
        self.kept.change(|all| {
            all.retain(|old| old.holds(now) && (&old.app, &old.tool) != (&one.app, &one.tool));
            all.push(one);
        })
    }

    /// Those that hold now, the ones written by hand first.
    ///
    /// # Errors
    ///
    /// When a file cannot be trusted or read.
    pub fn list(&self, now: SystemTime) -> Result<Vec<Approval>, Error> {
        let mut all = self.by_hand.clone()?;
        all.extend(self.kept.read()?);
        all.retain(|one| one.holds(now));
        Ok(all)
    }

    /// Takes remembered ones back and returns them. With no app and no tool named, all go, even when
    /// the file they are in cannot be trusted.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or written.
    pub fn revoke(&self, which: &Which) -> Result<Vec<Approval>, Error> {
        let mut gone = Vec::new();
        if which.is_all() {
            // What cannot be read is taken back as well; only what it was cannot be told.
            gone = self.kept.read().unwrap_or_default();
            self.kept.replace(&[])?;
            return Ok(gone);
        }
        self.kept.change(|all| {
            gone = all.extract_if(.., |one| which.means(one)).collect();
        })?;
        Ok(gone)
    }
}

#[cfg(test)]
mod tests;
