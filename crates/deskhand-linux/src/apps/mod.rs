//! Programs: finds, identifies, starts and ends them through processes and desktop files.

mod activity;
mod desktop_files;
mod entry;
mod exec;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzing;
mod identity;
mod installed;
mod launch;
pub(crate) mod process;
mod programs;
mod script;
mod search;
mod web_engine;

pub(crate) use desktop_files::DesktopFiles;
pub(crate) use identity::LocalIdentities;
pub(crate) use programs::LocalPrograms;
pub(crate) use web_engine::is_web_engine;
