//! The fuzz targets, one file per subsystem.

pub(crate) mod app_rules;
pub(crate) mod approvals;
pub(crate) mod arguments;
pub(crate) mod audit_log;
pub(crate) mod files;
pub(crate) mod keys;
pub(crate) mod locate;
pub(crate) mod protocol;
pub(crate) mod text;
pub(crate) mod tools;
