//! The time limits of finding an element, acting on it and verifying the effect.

use std::time::Duration;

// Finding the target.

/// The pause between two reads of an element that is not ready: long enough not to keep the app
/// busy.
pub(crate) const READY_POLL_INTERVAL: Duration = Duration::from_millis(30);

/// Time for an ambiguous query or a modal dialog to resolve by itself: short, because this call does
/// not answer dialogs.
pub(crate) const AMBIGUITY_TIMEOUT: Duration = Duration::from_millis(400);

/// Timeout for the request to scroll an element into view: short, because scroll bars are the
/// fallback.
pub(crate) const REVEAL_TIMEOUT: Duration = Duration::from_millis(300);

/// The delay between two reads that must find an element in the same place: longer than one
/// frame at 60 Hz.
pub(crate) const STABILITY_DELAY: Duration = Duration::from_millis(20);

/// Time to find the element again after the user has answered: the original deadline may be over.
pub(crate) const RESUME_TIMEOUT: Duration = Duration::from_secs(5);

// Sending.

/// Timeout for one accessibility action: generous, because a busy app replies late.
pub(crate) const ACTION_TIMEOUT: Duration = Duration::from_secs(2);

/// Timeout for one selection request: shorter than `ACTION_TIMEOUT`, because several may follow.
pub(crate) const SELECTION_TIMEOUT: Duration = Duration::from_secs(1);

/// Time for a selection to show up in its container: similar to `EFFECT_TIMEOUT`.
pub(crate) const SELECTION_SETTLE: Duration = Duration::from_millis(800);

/// Time for a window manager to bring a window to the front: generous, because some animate it.
pub(crate) const WINDOW_FOCUS_TIMEOUT: Duration = Duration::from_secs(1);

/// Time for an app to move the focus, and for one window list: both answer at once or not at all.
pub(crate) const FOCUS_TIMEOUT: Duration = Duration::from_millis(250);

/// Time Firefox needs to accept keys after its window receives a keyboard.
pub(crate) const GECKO_WAKE_TIME: Duration = Duration::from_millis(150);

/// Timeout for one batch of real input: longer than any bounded series of keys or clicks takes.
pub(crate) const INPUT_TIMEOUT: Duration = Duration::from_secs(20);

/// Rest on an element before a click: some toolkits ignore a press without an earlier motion event.
pub(crate) const POINTER_REST: Duration = Duration::from_millis(15);

/// Time for a menu to show its items after a click: submenus open with a delay.
pub(crate) const MENU_TIMEOUT: Duration = Duration::from_secs(1);

/// Time for a pop-up to open: like a menu, but the action may open none.
pub(crate) const POPUP_TIMEOUT: Duration = Duration::from_millis(300);

/// Rest at both ends of a drag: toolkits start a drag only after a short delay.
pub(crate) const DRAG_REST: Duration = Duration::from_millis(60);

/// The time between two pointer positions of a drag: faster than a 60 Hz display shows them.
pub(crate) const DRAG_STEP: Duration = Duration::from_millis(12);

/// Time to send a drag beyond its own duration: a margin for a slow display server.
pub(crate) const DRAG_TIMEOUT: Duration = Duration::from_secs(5);

/// Timeout for setting a scroll bar: the wheel is the fallback.
pub(crate) const SCROLL_BAR_TIMEOUT: Duration = Duration::from_secs(1);

/// Time for scrolled content to show up at its new place: the next strategy follows if it does not.
pub(crate) const SCROLL_SETTLE: Duration = Duration::from_millis(150);

/// Timeout for turning the wheel until an element is visible: up to 60 turns, each with its
/// settling time.
pub(crate) const WHEEL_TO_TIMEOUT: Duration = Duration::from_secs(8);

/// Timeout for turning the wheel by an amount: a single batch of events.
pub(crate) const WHEEL_TIMEOUT: Duration = Duration::from_secs(5);

// Typing.

/// Timeout for reading the text of an element: generous, because documents may be long.
pub(crate) const TEXT_READ_TIMEOUT: Duration = Duration::from_secs(1);

/// Time to type a text beyond `TIME_PER_CHARACTER`: a margin for a slow display server.
pub(crate) const TYPING_BASE_TIMEOUT: Duration = Duration::from_secs(5);

/// Time for one typed character: generous, because it only limits a hanging app.
pub(crate) const TIME_PER_CHARACTER: Duration = Duration::from_millis(60);

/// The duration of one piece of slowly typed text; cancellation is checked between pieces.
pub(crate) const PIECE_DURATION: Duration = Duration::from_millis(250);

/// Time for a cleared field to report an empty text: toolkits report the change with a delay.
pub(crate) const CLEAR_TIMEOUT: Duration = Duration::from_millis(300);

/// Time for typed text to appear where it is shown: terminals echo it after their program has read
/// it.
pub(crate) const SHOWN_TEXT_TIMEOUT: Duration = Duration::from_millis(500);

/// Time for a window without a tree to draw typed text, and for its picture to come to rest.
pub(crate) const PICTURE_TIMEOUT: Duration = Duration::from_millis(400);

/// Time for an app to move the focus after a tab or a line end: it happens while the app
/// handles the key.
pub(crate) const FOCUS_LEFT_TIMEOUT: Duration = Duration::from_millis(150);

// Verifying.

/// An app without events for this long has finished its reaction to an earlier action: events of
/// one reaction follow each other faster.
pub(crate) const QUIET_BEFORE: Duration = Duration::from_millis(15);

/// The longest wait for the reaction to an earlier action: some apps are never quiet.
pub(crate) const MAX_QUIET_BEFORE: Duration = Duration::from_millis(300);

/// Time for a web page to undo a change: scripts run in timers, and a busy browser reports late.
pub(crate) const PAGE_UNDO_TIME: Duration = Duration::from_millis(150);

/// Time without a change after which an action counts as finished: most apps react far sooner.
pub(crate) const EFFECT_TIMEOUT: Duration = Duration::from_millis(900);

/// The shortest watch of an action whose app comes to rest: services of the session that the app may
/// have called reply within this time.
pub(crate) const MIN_REACTION_TIME: Duration = Duration::from_millis(120);

/// The time between the two checks that find an app at rest: about one frame at 60 Hz.
pub(crate) const REST_RECHECK: Duration = Duration::from_millis(15);

/// An app at rest has not reported an event for this long: more than two frames at 60 Hz.
pub(crate) const REST_QUIET: Duration = Duration::from_millis(40);

/// Like `EFFECT_TIMEOUT`, for an app that declined: a later effect is unlikely.
pub(crate) const DECLINED_TIMEOUT: Duration = Duration::from_millis(250);

/// The longest time an action is watched while its element keeps changing, as with long texts.
pub(crate) const MAX_EFFECT_TIME: Duration = Duration::from_secs(6);

/// Times after the action, in milliseconds, at which the whole tree is read: early for fast apps,
/// and the last one just before `EFFECT_TIMEOUT`.
pub(crate) const TREE_READS_MS: &[u64] = &[60, 290, 550, 880];

/// The delay of the control read after a change elsewhere: whatever changes again changes by
/// itself.
pub(crate) const CONTROL_DELAY: Duration = Duration::from_millis(70);

/// The delay of a second control read when elements only came or went: busy pages redraw clocks
/// late.
pub(crate) const SECOND_CONTROL_DELAY: Duration = Duration::from_millis(200);

/// A number that changes within this time of an action is taken for its effect: Qt 5 performs a
/// click after 100 ms. One that changes later may be a counter that updates itself.
pub(crate) const PROMPT_EFFECT: Duration = Duration::from_millis(150);

/// GTK 4 shows a button as pressed for 250 ms before it performs the click.
pub(crate) const GTK4_PRESS_TIME: Duration = Duration::from_millis(250);

/// An element without events for this long does not update itself: clocks tick every second.
pub(crate) const QUIET_PERIOD: Duration = Duration::from_millis(1_100);

/// An app without events for this long has finished its reaction to an earlier action: file managers list a
/// folder within it.
pub(crate) const LATE_EFFECT_QUIET: Duration = Duration::from_millis(400);

/// The longest wait for that, because some apps report changes all the time.
pub(crate) const MAX_LATE_EFFECT_WAIT: Duration = Duration::from_millis(1_200);

/// A number that was unchanged for this long does not count by itself: statistics of transfers are updated
/// every one to three seconds.
pub(crate) const COUNTER_QUIET_PERIOD: Duration = Duration::from_millis(3_300);

/// Timeout for reading one element or the window list while watching: a busy app is read again.
pub(crate) const ELEMENT_READ_TIMEOUT: Duration = Duration::from_millis(250);

/// Timeout for a picture of one element: the picture only supplements the tree.
pub(crate) const ELEMENT_PICTURE_TIMEOUT: Duration = Duration::from_millis(100);

/// Timeout for reading the few elements that reported a change: the next tree read finds the rest.
pub(crate) const CHANGED_READ_TIMEOUT: Duration = Duration::from_millis(100);

/// A tree that takes longer to read is not read again: the answer would come too late.
pub(crate) const MAX_TREE_READ: Duration = Duration::from_secs(1);

/// The first pause of a polling loop: fast apps have reacted by then.
pub(crate) const FIRST_POLL: Duration = Duration::from_millis(2);

/// The longest pause of a polling loop for a single condition: about two frames at 60 Hz.
pub(crate) const MAX_POLL: Duration = Duration::from_millis(30);

/// The longest pause between two reads while an action is watched: reads cost the app time.
pub(crate) const MAX_WATCH_POLL: Duration = Duration::from_millis(40);

/// Time for an app to finish its reaction before the tree is read: Qt 5 holds a button for 100 ms.
pub(crate) const MAX_SETTLE: Duration = Duration::from_millis(200);

/// An app without events for this long has settled: events of one reaction follow each other
/// faster, and apps that undo a change do so with the next turns of their main loop.
pub(crate) const SETTLE_QUIET: Duration = Duration::from_millis(12);

/// Like `SETTLE_QUIET`, for web pages and Java: browsers report changes with their next frames, and
/// Java passes them through its event queue.
pub(crate) const SLOW_SETTLE_QUIET: Duration = Duration::from_millis(60);

/// Like `SETTLE_QUIET`, after a button was released: the reaction of the app only starts then.
pub(crate) const RELEASE_QUIET: Duration = Duration::from_millis(25);

/// The pause between two reads of a pressed button: a tenth of the 100 ms that Qt 5 holds it.
pub(crate) const HELD_BUTTON_POLL: Duration = Duration::from_millis(10);

/// Time for a window manager to focus a new window, and to return the focus:
/// short, because until then the keys of the user go to the wrong window.
pub(crate) const FOCUS_RETURN_TIMEOUT: Duration = Duration::from_millis(150);

// Events.

/// An unused listener stops after this time: every event costs the app a message.
pub(crate) const LISTENER_IDLE_TIMEOUT: Duration = Duration::from_secs(20);

/// Interval at which a listener checks whether it is still in use: it need not stop faster.
pub(crate) const LISTENER_POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Events closer together than this belong to the same change: toolkits send several for one.
pub(crate) const BURST_GAP: Duration = Duration::from_millis(20);

/// The lifetime of a snapshot that is updated from events alone: short, as apps may omit events.
pub(crate) const CACHE_LIFETIME: Duration = Duration::from_secs(3);

/// Timeout for reading the elements that events name: a slower app is read as a whole.
pub(crate) const REREAD_TIMEOUT: Duration = Duration::from_millis(250);
