//! Timeouts of clipboard operations.

use std::time::Duration;

/// Timeout for the owner process to claim the selection. The caller's own deadline applies as well.
pub(super) const OWNER_CLAIM_TIMEOUT: Duration = Duration::from_secs(10);

/// Timeout for a requestor to fetch the next chunk; after it, the transfer is dropped.
pub(super) const TRANSFER_TIMEOUT: Duration = Duration::from_secs(10);

/// Extra time after the deadline for an operation to report its own, more precise timeout error.
pub(super) const REPORT_GRACE: Duration = Duration::from_millis(250);
