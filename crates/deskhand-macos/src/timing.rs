//! Timeouts and intervals of this crate.

use std::time::Duration;

// Accessibility.

/// Timeout for one accessibility message. A busy app replies late; after this time its element counts as silent.
pub(crate) const MESSAGE_TIMEOUT: Duration = Duration::from_millis(1_000);
/// Timeout for reading a full text, which may have several megabytes.
pub(crate) const TEXT_TIMEOUT: Duration = Duration::from_millis(5_000);
/// Timeout for the reply to an action. An app that opens a modal dialog replies only when the dialog closes.
pub(crate) const ACTION_REPLY_TIMEOUT: Duration = Duration::from_millis(500);
/// Timeout for counting the windows of one app for the app list. A slower app is listed as not responding.
pub(crate) const LIST_APP_TIMEOUT: Duration = Duration::from_millis(200);
/// Time for a process to register as an app while it starts. One that has not registered by then never does.
pub(crate) const APP_REGISTRATION_LIMIT: Duration = Duration::from_secs(30);
/// Minimum time between an unsuccessful search for an element and the next search of the same app.
pub(crate) const SEARCH_RETRY_INTERVAL: Duration = Duration::from_secs(2);
/// Timeout for Chromium to build the tree of a page after its accessibility is switched on.
pub(crate) const CHROMIUM_TREE_TIMEOUT: Duration = Duration::from_millis(2_000);
/// Interval between two reads while a Chromium tree is being built.
pub(crate) const CHROMIUM_POLL_INTERVAL: Duration = Duration::from_millis(150);
/// Timeout for switching an app's accessibility off again at exit, which must not delay the exit.
pub(crate) const SWITCH_RESTORE_TIMEOUT: Duration = Duration::from_millis(200);
/// Interval between two checks for apps that started or ended.
pub(crate) const APP_POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Timeout for reading the details of an event. Longer reads would delay the events behind it.
pub(crate) const EVENT_DETAIL_TIMEOUT: Duration = Duration::from_millis(200);

// Windows.

/// Timeout for reading the windows of one app.
pub(crate) const APP_WINDOWS_TIMEOUT: Duration = Duration::from_millis(800);
/// Timeout for reading the windows of an app that did not answer recently.
pub(crate) const SILENT_APP_TIMEOUT: Duration = Duration::from_millis(40);
/// Time for which an app that did not answer gets only `SILENT_APP_TIMEOUT`.
pub(crate) const SILENT_APP_PERIOD: Duration = Duration::from_secs(5);
/// Timeout for the reply of a close button. An app that asks about unsaved changes replies only after the user has
/// answered, but the button is pressed nevertheless.
pub(crate) const CLOSE_REPLY_TIMEOUT: Duration = Duration::from_secs(1);
/// Timeout for an accessibility hit test. If it is late, the window order decides.
pub(crate) const HIT_TEST_TIMEOUT: Duration = Duration::from_millis(250);

// Machine.

/// Timeout for a killed process to disappear.
pub(crate) const KILL_TIMEOUT: Duration = Duration::from_secs(1);
/// Interval between two checks whether a killed process has disappeared.
pub(crate) const KILL_POLL_INTERVAL: Duration = Duration::from_millis(2);
/// Interval between two comparisons of a watched folder. macOS does not report writes to a file.
pub(crate) const FOLDER_POLL_INTERVAL: Duration = Duration::from_millis(500);

// Blocking calls.

/// Time by which a blocking call may exceed its deadline, so that its own timeout error arrives.
pub(crate) const BLOCKING_GRACE: Duration = Duration::from_millis(100);

// Clipboard.

/// Interval between two reads of the pasteboard's change count, which is cheap.
pub(crate) const PASTEBOARD_POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Timeout for reading the change count.
pub(crate) const PASTEBOARD_TIMEOUT: Duration = Duration::from_secs(2);

// Input.

/// Minimum time between two strokes of a text. The event queue of an app has a limited size.
pub(crate) const MIN_STROKE_INTERVAL: Duration = Duration::from_millis(2);
/// Timeout for the window server to process a posted event. Until then it reports the old pointer position.
pub(crate) const POINTER_TIMEOUT: Duration = Duration::from_millis(100);
/// Interval between two checks while input waits.
pub(crate) const INPUT_POLL_INTERVAL: Duration = Duration::from_millis(2);
/// Timeout for finding the owner of the keys to release when a background keyboard is dropped.
pub(crate) const RELEASE_TIMEOUT: Duration = Duration::from_secs(1);
