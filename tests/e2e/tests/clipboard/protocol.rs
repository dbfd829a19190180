//! The letter of ICCCM: what a program may ask of the owner of a selection beside the data.

use std::time::{Duration, Instant};

use harness::Stage;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ConnectionExt as _, CreateWindowAux, EventMask, GetPropertyReply, PropMode,
    Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use crate::{picture, write, xclip};

/// A program that asks.
struct Asker {
    x: RustConnection,
    window: Window,
}

impl Asker {
    fn new(stage: &Stage) -> Self {
        let x = stage.info().connect_x11().unwrap();
        let (window, root) = (x.generate_id().unwrap(), x.setup().roots[0].root);
        let events = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        x.create_window(0, window, root, 0, 0, 1, 1, 0, WindowClass::INPUT_ONLY, 0, &events)
            .unwrap();
        Self { x, window }
    }

    fn atom(&self, name: &str) -> Atom {
        self.x.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom
    }

    /// Asks, and waits for the reply: the property it is in, or none.
    fn ask(&self, target: &str, property: Atom, time: u32) -> Atom {
        let (clipboard, target) = (self.atom("CLIPBOARD"), self.atom(target));
        self.x.convert_selection(self.window, clipboard, target, property, time).unwrap();
        self.x.flush().unwrap();
        let end = Instant::now() + Duration::from_secs(5);
        while Instant::now() < end {
            if let Some(Event::SelectionNotify(told)) = self.x.poll_for_event().unwrap() {
                assert_eq!(told.target, target);
                return told.property;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        panic!("no reply to a selection request");
    }

    fn property(&self, name: Atom) -> GetPropertyReply {
        let any = AtomEnum::ANY;
        self.x.get_property(true, self.window, name, any, 0, 1 << 20).unwrap().reply().unwrap()
    }

    fn numbers(&self, name: Atom) -> Vec<u32> {
        self.property(name).value32().map(Iterator::collect).unwrap_or_default()
    }
}

#[test]
fn several_targets_at_once_are_answered_and_the_unknown_one_is_struck_out() {
    let stage = Stage::new();
    write(&stage, &["plain words", "--html", "<b>bold</b>"]);
    let asker = Asker::new(&stage);
    let place = ["A", "B", "C", "LIST"].map(|name| asker.atom(name));
    let pairs = [
        (asker.atom("UTF8_STRING"), place[0]),
        (asker.atom("image/png"), place[1]),
        (asker.atom("text/html"), place[2]),
    ];
    let list: Vec<u32> = pairs.iter().flat_map(|(target, place)| [*target, *place]).collect();
    let (kind, mode) = (asker.atom("ATOM_PAIR"), PropMode::REPLACE);
    asker.x.change_property32(mode, asker.window, place[3], kind, &list).unwrap();
    assert_eq!(asker.ask("MULTIPLE", place[3], x11rb::CURRENT_TIME), place[3]);
    assert_eq!(asker.property(place[0]).value, b"plain words");
    assert_eq!(asker.property(place[2]).value, b"<b>bold</b>");
    assert_eq!(asker.property(place[1]).type_, x11rb::NONE);
    let back = asker.numbers(place[3]);
    assert_eq!(back, [list[0], list[1], list[2], x11rb::NONE, list[4], list[5]]);
}

#[test]
fn the_moment_of_the_copy_is_told_and_questions_from_before_it_are_refused() {
    let stage = Stage::new();
    write(&stage, &["x"]);
    let asker = Asker::new(&stage);
    let place = asker.atom("PLACE");
    assert_eq!(asker.ask("TIMESTAMP", place, x11rb::CURRENT_TIME), place);
    let taken = asker.numbers(place)[0];
    assert!(taken > 0);
    assert_eq!(asker.ask("UTF8_STRING", place, taken - 1), x11rb::NONE);
    assert_eq!(asker.ask("UTF8_STRING", place, taken + 1), place);
    assert_eq!(asker.property(place).value, b"x");
    assert_eq!(asker.ask("image/png", place, x11rb::CURRENT_TIME), x11rb::NONE);
}

#[test]
fn a_program_from_before_icccm_finds_its_answer_under_the_name_of_the_target() {
    let stage = Stage::new();
    write(&stage, &["old"]);
    let asker = Asker::new(&stage);
    let string = asker.atom("STRING");
    assert_eq!(asker.ask("STRING", x11rb::NONE, x11rb::CURRENT_TIME), string);
    assert_eq!(asker.property(string).value, b"old");
}

#[test]
fn a_program_that_leaves_in_the_middle_of_large_data_holds_up_nobody() {
    let stage = Stage::new();
    let path = stage.info().home.join("large.png");
    let file = picture(&path, 800, 700);
    assert!(file.len() > 1 << 20);
    write(&stage, &["--image", path.to_str().unwrap()]);
    let leaving = Asker::new(&stage);
    let place = leaving.atom("PLACE");
    assert_eq!(leaving.ask("image/png", place, x11rb::CURRENT_TIME), place);
    assert_eq!(leaving.property(place).type_, leaving.atom("INCR"));
    let silent = Asker::new(&stage);
    assert_eq!(silent.ask("image/png", place, x11rb::CURRENT_TIME), place);
    drop(leaving);
    assert_eq!(xclip(&stage, "image/png"), file, "one left, one does not go on");
}
