//! Requests that the ICCCM defines for selection owners beside the data itself: MULTIPLE,
//! TIMESTAMP, obsolete clients and incremental transfers.

use std::time::{Duration, Instant};

use harness::TestDesktop;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ConnectionExt as _, CreateWindowAux, EventMask, GetPropertyReply, PropMode,
    Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use crate::{write, write_image, xclip};

/// An X11 client that requests the clipboard.
struct Requestor {
    x: RustConnection,
    window: Window,
}

impl Requestor {
    fn new(stage: &TestDesktop) -> Self {
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

    /// Sends a request and waits for the reply. Returns the property that contains the data, or
    /// `NONE`.
    fn request(&self, target: &str, property: Atom, time: u32) -> Atom {
        let (clipboard, target) = (self.atom("CLIPBOARD"), self.atom(target));
        self.x.convert_selection(self.window, clipboard, target, property, time).unwrap();
        self.x.flush().unwrap();
        let end = Instant::now() + Duration::from_secs(5);
        while Instant::now() < end {
            if let Some(Event::SelectionNotify(notify)) = self.x.poll_for_event().unwrap() {
                assert_eq!(notify.target, target);
                return notify.property;
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
fn multiple_request_is_answered_and_unknown_targets_become_none() {
    let stage = TestDesktop::new();
    write(&stage, &["plain words", "--html", "<b>bold</b>"]);
    let requestor = Requestor::new(&stage);
    let property = ["A", "B", "C", "LIST"].map(|name| requestor.atom(name));
    let pairs = [
        (requestor.atom("UTF8_STRING"), property[0]),
        (requestor.atom("image/png"), property[1]),
        (requestor.atom("text/html"), property[2]),
    ];
    let list: Vec<u32> = pairs.iter().flat_map(|(target, property)| [*target, *property]).collect();
    let (kind, mode) = (requestor.atom("ATOM_PAIR"), PropMode::REPLACE);
    requestor.x.change_property32(mode, requestor.window, property[3], kind, &list).unwrap();
    assert_eq!(requestor.request("MULTIPLE", property[3], x11rb::CURRENT_TIME), property[3]);
    assert_eq!(requestor.property(property[0]).value, b"plain words");
    assert_eq!(requestor.property(property[2]).value, b"<b>bold</b>");
    assert_eq!(requestor.property(property[1]).type_, x11rb::NONE);
    let back = requestor.numbers(property[3]);
    assert_eq!(back, [list[0], list[1], list[2], x11rb::NONE, list[4], list[5]]);
}

#[test]
fn timestamp_is_reported_and_earlier_requests_are_refused() {
    let stage = TestDesktop::new();
    write(&stage, &["x"]);
    let requestor = Requestor::new(&stage);
    let property = requestor.atom("PLACE");
    assert_eq!(requestor.request("TIMESTAMP", property, x11rb::CURRENT_TIME), property);
    let acquired = requestor.numbers(property)[0];
    assert!(acquired > 0);
    assert_eq!(requestor.request("UTF8_STRING", property, acquired - 1), x11rb::NONE);
    assert_eq!(requestor.request("UTF8_STRING", property, acquired + 1), property);
    assert_eq!(requestor.property(property).value, b"x");
    assert_eq!(requestor.request("image/png", property, x11rb::CURRENT_TIME), x11rb::NONE);
}

#[test]
fn obsolete_client_gets_the_data_in_the_target_property() {
    let stage = TestDesktop::new();
    write(&stage, &["old"]);
    let requestor = Requestor::new(&stage);
    let string = requestor.atom("STRING");
    assert_eq!(requestor.request("STRING", x11rb::NONE, x11rb::CURRENT_TIME), string);
    assert_eq!(requestor.property(string).value, b"old");
}

#[test]
fn abandoned_transfer_does_not_block_other_clients() {
    let stage = TestDesktop::new();
    let path = stage.info().home.join("large.png");
    let file = write_image(&path, 800, 700);
    assert!(file.len() > 1 << 20);
    write(&stage, &["--image", path.to_str().unwrap()]);
    let disconnecting = Requestor::new(&stage);
    let property = disconnecting.atom("PLACE");
    assert_eq!(disconnecting.request("image/png", property, x11rb::CURRENT_TIME), property);
    assert_eq!(disconnecting.property(property).type_, disconnecting.atom("INCR"));
    let stalled = Requestor::new(&stage);
    assert_eq!(stalled.request("image/png", property, x11rb::CURRENT_TIME), property);
    drop(disconnecting);
    assert_eq!(
        xclip(&stage, "image/png"),
        file,
        "an abandoned and a stalled transfer must not block xclip"
    );
}
