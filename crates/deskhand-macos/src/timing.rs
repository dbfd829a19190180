//! Timeouts and intervals of this crate.

use std::time::Duration;

// Accessibility.

/// One accessibility message. A busy app takes long; after this its element counts as silent.
pub(crate) const MESSAGE_TIMEOUT: Duration = Duration::from_millis(1_000);
/// Reading a full text, which may have several megabytes.
pub(crate) const TEXT_TIMEOUT: Duration = Duration::from_millis(5_000);
/// The reply to an action. An app that opens a modal dialog replies only when the dialog closes.
pub(crate) const ACTION_REPLY_TIMEOUT: Duration = Duration::from_millis(500);
/// Counting the windows of one app for the app list. A slower app is listed as not responding.
pub(crate) const LIST_APP_TIMEOUT: Duration = Duration::from_millis(200);
/// Apps register with the system while they start. A process that is no app after this never becomes one.
pub(crate) const APP_REGISTRATION_LIMIT: Duration = Duration::from_secs(30);
/// After an unsuccessful search for an element, the app is not searched again before this has passed.
pub(crate) const SEARCH_RETRY_INTERVAL: Duration = Duration::from_secs(2);
/// Chromium needs this long to build the tree of a page after its accessibility is switched on.
pub(crate) const CHROMIUM_TREE_TIMEOUT: Duration = Duration::from_millis(2_000);
/// Interval between two reads while a Chromium tree is being built.
pub(crate) const CHROMIUM_POLL_INTERVAL: Duration = Duration::from_millis(150);
/// Switching an app's accessibility off again at exit, which must not delay the exit.
pub(crate) const SWITCH_RESTORE_TIMEOUT: Duration = Duration::from_millis(200);
/// Interval between two checks for apps that started or ended.
pub(crate) const APP_POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Reading the details of an event. Longer reads would delay the events behind it.
pub(crate) const EVENT_DETAIL_TIMEOUT: Duration = Duration::from_millis(200);
