//! Selection owners that never answer, answer with garbage or exit during a transfer. Commands
//! return before their deadline.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use harness::TestDesktop;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ConnectionExt as _, CreateWindowAux, EventMask, PropMode,
    SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, SelectionRequestEvent, Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use crate::{WORDS, read, write, xclip};

/// Handles one selection request.
type Behaviour = fn(&RustConnection, &SelectionRequestEvent) -> Reply;

/// The result of handling a request.
enum Reply {
    /// Sends no reply.
    Ignored,
    /// The property contains the answer; notify the requestor.
    Answered,
    /// The owner exits.
    Exit,
}

fn atom(x: &RustConnection, name: &str) -> Atom {
    x.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom
}

fn window(x: &RustConnection) -> Window {
    let (id, root) = (x.generate_id().unwrap(), x.setup().roots[0].root);
    let events = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
    x.create_window(0, id, root, 0, 0, 1, 1, 0, WindowClass::INPUT_ONLY, 0, &events).unwrap();
    id
}

/// Runs `act` while an owner with this behaviour owns the clipboard.
fn with_owner<T>(stage: &TestDesktop, behaviour: Behaviour, act: impl FnOnce() -> T) -> T {
    let x = stage.info().connect_x11().unwrap();
    let (own, clipboard) = (window(&x), atom(&x, "CLIPBOARD"));
    x.set_selection_owner(own, clipboard, x11rb::CURRENT_TIME).unwrap().check().unwrap();
    let stopped = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let stopped = &stopped;
        scope.spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                let Some(event) = x.poll_for_event().unwrap() else {
                    std::thread::sleep(Duration::from_millis(2));
                    continue;
                };
                let Event::SelectionRequest(request) = event else { continue };
                match behaviour(&x, &request) {
                    Reply::Ignored => {}
                    Reply::Answered => notify(&x, &request),
                    Reply::Exit => return,
                }
            }
        });
        let _stop = StopOnDrop(stopped);
        act()
    })
}

/// Stops the owner thread, even if `act` panics.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn notify(x: &RustConnection, request: &SelectionRequestEvent) {
    let SelectionRequestEvent { time, requestor, selection, target, property, .. } = *request;
    let event = SelectionNotifyEvent {
        response_type: SELECTION_NOTIFY_EVENT,
        sequence: 0,
        time,
        requestor,
        selection,
        target,
        property,
    };
    x.send_event(false, requestor, EventMask::NO_EVENT, event).unwrap();
    x.flush().unwrap();
}

/// Answers a `TARGETS` request with text only. Returns `false` for other requests.
fn offers_text(x: &RustConnection, request: &SelectionRequestEvent) -> bool {
    if request.target != atom(x, "TARGETS") {
        return false;
    }
    let text = atom(x, "UTF8_STRING");
    let (property, mode) = (request.property, PropMode::REPLACE);
    x.change_property32(mode, request.requestor, property, AtomEnum::ATOM, &[text]).unwrap();
    true
}

fn never_answers(_: &RustConnection, _: &SelectionRequestEvent) -> Reply {
    Reply::Ignored
}

/// Announces an incremental transfer and sends only the first chunk.
fn stops_after_one_chunk(x: &RustConnection, request: &SelectionRequestEvent) -> Reply {
    if offers_text(x, request) {
        return Reply::Answered;
    }
    let (property, mode, incr) = (request.property, PropMode::REPLACE, atom(x, "INCR"));
    x.change_property32(mode, request.requestor, property, incr, &[1 << 20]).unwrap();
    notify(x, request);
    std::thread::sleep(Duration::from_millis(100));
    let text = atom(x, "UTF8_STRING");
    x.change_property8(mode, request.requestor, property, text, b"the first piece").unwrap();
    x.flush().unwrap();
    Reply::Ignored
}

fn exits_on_text_request(x: &RustConnection, request: &SelectionRequestEvent) -> Reply {
    if offers_text(x, request) { Reply::Answered } else { Reply::Exit }
}

/// Lists invalid atoms as targets, and answers other requests with numbers.
fn answers_with_garbage(x: &RustConnection, request: &SelectionRequestEvent) -> Reply {
    let (property, mode) = (request.property, PropMode::REPLACE);
    let (kind, values) = if request.target == atom(x, "TARGETS") {
        (AtomEnum::ATOM, [0, u32::MAX, 0xdead_beef])
    } else {
        (AtomEnum::CARDINAL, [0x1b24_281b, 0x9b9b_9b9b, 0xffff_ffff])
    };
    x.change_property32(mode, request.requestor, property, kind, &values).unwrap();
    Reply::Answered
}

/// Sends a reply without setting the property.
fn replies_without_data(x: &RustConnection, request: &SelectionRequestEvent) -> Reply {
    let _listed = offers_text(x, request);
    Reply::Answered
}

/// Reads the clipboard with a timeout of one second. Returns the outcome and the elapsed time.
fn hurried_read(stage: &TestDesktop) -> (harness::Outcome, Duration) {
    let started = Instant::now();
    let outcome = stage.deskhand(&["clipboard", "read", "--format", "json", "--timeout", "1"]);
    (outcome, started.elapsed())
}

#[test]
fn read_times_out_if_the_owner_does_not_answer() {
    let stage = TestDesktop::new();
    for behaviour in [never_answers as Behaviour, stops_after_one_chunk] {
        let (outcome, elapsed) = with_owner(&stage, behaviour, || hurried_read(&stage));
        let error = outcome.expect_error("timeout");
        assert!(error["message"].as_str().unwrap().contains("owns the clipboard"), "{error}");
        assert!(elapsed < Duration::from_millis(2500), "{elapsed:?}");
    }
}

#[test]
fn clipboard_is_empty_if_the_owner_exits() {
    let stage = TestDesktop::new();
    let started = Instant::now();
    let outcome = with_owner(&stage, exits_on_text_request, || {
        stage.deskhand(&["clipboard", "read", "--format", "json", "--timeout", "20"])
    });
    outcome.expect_error("empty");
    assert!(started.elapsed() < Duration::from_secs(5), "{outcome}");
}

#[test]
fn garbage_from_the_owner_is_handled_in_time() {
    let stage = TestDesktop::new();
    for behaviour in [answers_with_garbage as Behaviour, replies_without_data] {
        let (outcome, elapsed) = with_owner(&stage, behaviour, || hurried_read(&stage));
        assert!(elapsed < Duration::from_millis(2500), "{elapsed:?}");
        let answered = outcome.code == Some(0) || outcome.error()["code"] != "internal";
        assert!(answered, "{outcome}");
    }
}

#[test]
fn unresponsive_owner_does_not_block_write_clear_and_watch() {
    let stage = TestDesktop::new();
    with_owner(&stage, never_answers, || write(&stage, &[WORDS]));
    assert_eq!(xclip(&stage, "UTF8_STRING"), WORDS.as_bytes());
    with_owner(&stage, never_answers, || {
        let done = stage.deskhand(&["clipboard", "clear", "--format", "json"]).json();
        assert_eq!(done["effect"], "confirmed");
    });
    let mut watch = stage.command(harness::outcome::binary());
    watch.args(["clipboard", "watch", "--count", "2", "--duration", "20", "--format", "json"]);
    let lines = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| harness::Outcome::of(&mut watch));
        std::thread::sleep(Duration::from_millis(800));
        with_owner(&stage, never_answers, || std::thread::sleep(Duration::from_millis(2600)));
        watcher.join().unwrap().json_lines()
    });
    let reason = lines[0]["unread"].as_str().unwrap();
    assert!(reason.contains("did not answer in time"), "{lines:?}");
    write(&stage, &["still works"]);
    assert_eq!(read(&stage, "text")["text"], "still works");
}
