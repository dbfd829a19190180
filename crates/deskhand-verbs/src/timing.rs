//! The time limits of everything but the act-and-verify loop, which has its own in `act::timing`.

use std::time::Duration;

// Apps and trees.

/// The pause before the app list is read again: apps are announced before they know their name.
pub(crate) const APP_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The pause between two evaluations of an assertion: short, but long enough not to keep the
/// app busy.
pub(crate) const ASSERTION_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The time that a search of a long list leaves for the rest of the call.
pub(crate) const LIST_SEARCH_RESERVE: Duration = Duration::from_millis(300);

/// Timeout for starting to listen to an app: an app that answers later is busy.
pub(crate) const LISTENER_START_TIMEOUT: Duration = Duration::from_millis(500);

/// The pause between two looks at the events of an app: shorter than a person notices.
pub(crate) const ACTIVITY_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// An app that is idle this long does not create the missing element by itself.
pub(crate) const MISSING_QUIET_PERIOD: Duration = Duration::from_millis(300);

/// An app that is idle this long leaves an element as it is, such as disabled. Longer than for a
/// missing element: apps enable elements with a delay after an input.
pub(crate) const UNREADY_QUIET_PERIOD: Duration = Duration::from_millis(1_000);

/// Timeout for one tree read while waiting for an idle app: an app that takes longer is not idle.
pub(crate) const IDLE_READ_TIMEOUT: Duration = Duration::from_secs(2);

/// The shortest pause between two reads while waiting for an idle app: faster reads keep it busy.
pub(crate) const MIN_IDLE_POLL: Duration = Duration::from_millis(10);

/// Timeout for each tree read of an explanation: the model takes its own time in between.
pub(crate) const EXPLAIN_READ_TIMEOUT: Duration = Duration::from_secs(5);

/// Time to find hidden text beyond the tree read itself: a read of bounds and one capture.
pub(crate) const SANITIZE_TIMEOUT: Duration = Duration::from_millis(500);

// Captures.

/// Time to search all apps of a screenshot for password fields; they are searched in parallel.
pub(crate) const PASSWORD_SEARCH_TIMEOUT: Duration = Duration::from_secs(1);

/// Time to read the places of password fields again after the capture: they are only a few.
pub(crate) const PASSWORD_REREAD_TIMEOUT: Duration = Duration::from_millis(200);

/// Time to read the clipboard back after a write: the write itself is finished by then.
pub(crate) const CLIPBOARD_READ_BACK_TIMEOUT: Duration = Duration::from_secs(5);

// Real input.

/// Timeout for a batch of input beyond its own pauses: it only limits a hanging display server.
pub(crate) const POINTER_INPUT_TIMEOUT: Duration = Duration::from_secs(10);

/// Timeout for releasing keys and buttons: it starts anew, so that they are released in any case.
pub(crate) const RELEASE_TIMEOUT: Duration = Duration::from_secs(2);

/// The time between the clicks of a double click: far below the double-click time of desktops.
pub(crate) const DOUBLE_CLICK_GAP: Duration = Duration::from_millis(20);

/// The time between two positions of a smooth movement: faster than a display at 60 Hz shows it.
pub(crate) const POINTER_STEP: Duration = Duration::from_millis(8);

/// The time that the pointer rests at both ends of a drag: drop targets need it.
pub(crate) const DRAG_REST: Duration = Duration::from_millis(60);

// Programs, windows and scripts.

/// The pause between two checks of a process: cheap enough to be short.
pub(crate) const PROCESS_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Time for a started program to publish its tree after its window opened: slow toolkits take seconds.
pub(crate) const START_TREE_TIMEOUT: Duration = Duration::from_secs(4);

/// Time for a running instance to react after a launcher handed over to it and ended.
pub(crate) const HANDOVER_TIMEOUT: Duration = Duration::from_secs(2);

/// The pause between two checks of a starting program: each lists all windows and apps.
pub(crate) const START_POLL_INTERVAL: Duration = Duration::from_millis(30);

/// Time for a program to save its settings and exit.
pub(crate) const QUIT_TIMEOUT: Duration = Duration::from_secs(5);

/// A program that still runs this long after its last window closed intends to stay.
pub(crate) const LINGER_TIMEOUT: Duration = Duration::from_millis(1_200);

/// A dialog that stays open this long waits for an answer.
pub(crate) const DIALOG_SETTLE: Duration = Duration::from_millis(200);

/// The pause between two checks of a program that ends: each lists all windows.
pub(crate) const QUIT_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Time for a window manager to change a window: generous, because some animate it.
pub(crate) const WINDOW_CHANGE_TIMEOUT: Duration = Duration::from_secs(1);

/// Time for a program to clean up and to ask about unsaved work before its window closes.
pub(crate) const WINDOW_CLOSE_TIMEOUT: Duration = Duration::from_secs(3);

/// The first pause between two window lists: most changes are done by then.
pub(crate) const FIRST_WINDOW_POLL: Duration = Duration::from_millis(3);

/// The longest pause between two window lists: less than two frames at 60 Hz.
pub(crate) const MAX_WINDOW_POLL: Duration = Duration::from_millis(25);

/// A window that rests this long in an unwanted place is taken to stay there.
pub(crate) const WINDOW_SETTLE: Duration = Duration::from_millis(300);

/// Time to parse a script before it is reviewed: generous, as a compiler may start slowly.
pub(crate) const SCRIPT_CHECK_TIMEOUT: Duration = Duration::from_secs(5);
