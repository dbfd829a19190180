//! Owners that never answer, answer nonsense or end in the middle: nobody waits past the deadline.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use harness::Stage;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ConnectionExt as _, CreateWindowAux, EventMask, PropMode,
    SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, SelectionRequestEvent, Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use crate::{WORDS, read, write, xclip};

/// How an owner answers one request.
type Manner = fn(&RustConnection, &SelectionRequestEvent) -> Reply;

/// What becomes of a request.
enum Reply {
    /// Nothing is said.
    Silence,
    /// The property holds an answer.
    Answered,
    /// The owner ends.
    End,
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

/// Does something while an owner of this manner has the clipboard.
fn with_owner<T>(stage: &Stage, manner: Manner, act: impl FnOnce() -> T) -> T {
    let x = stage.info().connect_x11().unwrap();
    let (own, clipboard) = (window(&x), atom(&x, "CLIPBOARD"));
    x.set_selection_owner(own, clipboard, x11rb::CURRENT_TIME).unwrap().check().unwrap();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let over = &over;
        scope.spawn(move || {
            while !over.load(Ordering::Relaxed) {
                let Some(event) = x.poll_for_event().unwrap() else {
                    std::thread::sleep(Duration::from_millis(2));
                    continue;
                };
                let Event::SelectionRequest(asked) = event else { continue };
                match manner(&x, &asked) {
                    Reply::Silence => {}
                    Reply::Answered => notify(&x, &asked),
                    Reply::End => return,
                }
            }
        });
        let _over = Over(over);
        act()
    })
}

/// Ends the owner even when what is done meanwhile fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn notify(x: &RustConnection, asked: &SelectionRequestEvent) {
    let SelectionRequestEvent { time, requestor, selection, target, property, .. } = *asked;
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

/// Says it has text, and nothing more.
fn offers_text(x: &RustConnection, asked: &SelectionRequestEvent) -> bool {
    if asked.target != atom(x, "TARGETS") {
        return false;
    }
    let text = atom(x, "UTF8_STRING");
    let (place, mode) = (asked.property, PropMode::REPLACE);
    x.change_property32(mode, asked.requestor, place, AtomEnum::ATOM, &[text]).unwrap();
    true
}

fn never_answers(_: &RustConnection, _: &SelectionRequestEvent) -> Reply {
    Reply::Silence
}

/// Announces pieces and sends one.
fn stops_after_a_piece(x: &RustConnection, asked: &SelectionRequestEvent) -> Reply {
    if offers_text(x, asked) {
        return Reply::Answered;
    }
    let (place, mode, incr) = (asked.property, PropMode::REPLACE, atom(x, "INCR"));
    x.change_property32(mode, asked.requestor, place, incr, &[1 << 20]).unwrap();
    notify(x, asked);
    std::thread::sleep(Duration::from_millis(100));
    let text = atom(x, "UTF8_STRING");
    x.change_property8(mode, asked.requestor, place, text, b"the first piece").unwrap();
    x.flush().unwrap();
    Reply::Silence
}

fn ends_when_asked_for_text(x: &RustConnection, asked: &SelectionRequestEvent) -> Reply {
    if offers_text(x, asked) { Reply::Answered } else { Reply::End }
}

/// Lists targets that are no atoms, and answers every other question with numbers.
fn talks_nonsense(x: &RustConnection, asked: &SelectionRequestEvent) -> Reply {
    let (place, mode) = (asked.property, PropMode::REPLACE);
    let (kind, words) = if asked.target == atom(x, "TARGETS") {
        (AtomEnum::ATOM, [0, u32::MAX, 0xdead_beef])
    } else {
        (AtomEnum::CARDINAL, [0x1b24_281b, 0x9b9b_9b9b, 0xffff_ffff])
    };
    x.change_property32(mode, asked.requestor, place, kind, &words).unwrap();
    Reply::Answered
}

/// Says it has answered, and has not.
fn answers_without_an_answer(x: &RustConnection, asked: &SelectionRequestEvent) -> Reply {
    let _listed = offers_text(x, asked);
    Reply::Answered
}

/// Reads with a second of patience; how long that took.
fn hurried_read(stage: &Stage) -> (harness::Outcome, Duration) {
    let begun = Instant::now();
    let outcome = stage.deskhand(&["clipboard", "read", "--format", "json", "--timeout", "1"]);
    (outcome, begun.elapsed())
}

#[test]
fn owners_that_do_not_answer_are_waited_for_no_longer_than_the_deadline() {
    let stage = Stage::new();
    for manner in [never_answers as Manner, stops_after_a_piece] {
        let (outcome, took) = with_owner(&stage, manner, || hurried_read(&stage));
        let error = outcome.expect_error("timeout");
        assert!(error["message"].as_str().unwrap().contains("owns the clipboard"), "{error}");
        assert!(took < Duration::from_millis(2500), "{took:?}");
    }
}

#[test]
fn with_an_owner_that_ends_its_copy_is_gone_and_nobody_waits() {
    let stage = Stage::new();
    let begun = Instant::now();
    let outcome = with_owner(&stage, ends_when_asked_for_text, || {
        stage.deskhand(&["clipboard", "read", "--format", "json", "--timeout", "20"])
    });
    outcome.expect_error("empty");
    assert!(begun.elapsed() < Duration::from_secs(5), "{outcome}");
}

#[test]
fn nonsense_is_no_text_and_no_hang() {
    let stage = Stage::new();
    for manner in [talks_nonsense as Manner, answers_without_an_answer] {
        let (outcome, took) = with_owner(&stage, manner, || hurried_read(&stage));
        assert!(took < Duration::from_millis(2500), "{took:?}");
        let answered = outcome.code == Some(0) || outcome.error()["code"] != "internal";
        assert!(answered, "{outcome}");
    }
}

#[test]
fn a_mute_owner_keeps_nobody_from_writing_clearing_and_watching() {
    let stage = Stage::new();
    with_owner(&stage, never_answers, || write(&stage, &[WORDS]));
    assert_eq!(xclip(&stage, "UTF8_STRING"), WORDS.as_bytes());
    with_owner(&stage, never_answers, || {
        let done = stage.deskhand(&["clipboard", "clear", "--format", "json"]).json();
        assert_eq!(done["effect"], "confirmed");
    });
    let mut watch = stage.command(harness::outcome::binary());
    watch.args(["clipboard", "watch", "--count", "2", "--duration", "20", "--format", "json"]);
    let lines = std::thread::scope(|scope| {
        let watching = scope.spawn(|| harness::Outcome::of(&mut watch));
        std::thread::sleep(Duration::from_millis(800));
        with_owner(&stage, never_answers, || std::thread::sleep(Duration::from_millis(2600)));
        watching.join().unwrap().json_lines()
    });
    let why = lines[0]["unread"].as_str().unwrap();
    assert!(why.contains("did not answer in time"), "{lines:?}");
    write(&stage, &["still works"]);
    assert_eq!(read(&stage, "text")["text"], "still works");
}
