//! Refs under a storm of changes.
