//! What is protected, and whether anything was done to it: the vault tells every touch itself, the
//! editor marks its title when its text changes, the window manager knows where their windows are.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::desk::{Room, runs};
use crate::{Program, Stage};

/// The word in the vault and in the editor's file.
pub const WORD: &str = "CANARY-7351";
/// A part of both windows' titles.
pub const TITLE: &str = "ledger-9127";

/// Two apps that must be left alone.
pub struct Protected {
    /// An app that tells whatever is done to it.
    pub vault: Program,
    /// A text editor with a file.
    pub editor: Program,
    /// The middle of the vault's window.
    pub vault_at: (i32, i32),
    /// The middle of the editor's.
    pub editor_at: (i32, i32),
    windows: [u32; 2],
    rooms: [Room; 2],
    title: String,
    file: PathBuf,
}

impl Protected {
    /// Remembers how both are now.
    pub(super) fn new(stage: &Stage, mut vault: Program, editor: Program, file: PathBuf) -> Self {
        let desk = stage.desk();
        let windows = [&vault, &editor].map(|one| desk.window_of(one.pid()));
        let settled = || {
            let rooms = windows.map(|window| desk.frame(window));
            std::thread::sleep(Duration::from_millis(200));
            (rooms == windows.map(|window| desk.frame(window))).then_some(rooms)
        };
        let rooms = std::iter::repeat_with(settled).take(50).flatten().next();
        let rooms = rooms.expect("windows come to rest");
        let middle = |room: Room| (room.x + room.width / 2, room.y + room.height / 2);
        let title = desk.property(windows[1], "_NET_WM_NAME");
        vault.say("begin");
        let (vault_at, editor_at) = (middle(rooms[0]), middle(rooms[1]));
        let mut made = Self { vault, editor, vault_at, editor_at, windows, rooms, title, file };
        assert_eq!(made.state()["held"], WORD);
        made.told();
        made
    }

    /// What the vault has told since it was last asked, in its own words.
    pub fn told(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.vault.line(Duration::ZERO)).collect()
    }

    /// What the vault holds; whatever it told before that is an error.
    pub fn state(&mut self) -> Value {
        self.vault.say("state");
        let mut odd = Vec::new();
        loop {
            let line = self.vault.line(Duration::from_secs(20));
            let line = line.unwrap_or_else(|| panic!("the vault is silent; before: {odd:?}"));
            let value: Value = serde_json::from_str(&line).expect("it speaks JSON");
            if value.get("held").is_some() {
                assert!(odd.is_empty(), "the vault was touched: {odd:?}");
                return value;
            }
            odd.push(line);
        }
    }

    /// Everything that was done to them; empty when nothing was.
    pub fn harm(&mut self, stage: &Stage) -> Vec<String> {
        // What was sent last may still be on its way.
        std::thread::sleep(Duration::from_millis(300));
        let mut harm = self.told();
        if !runs(self.vault.pid()) || !runs(self.editor.pid()) {
            harm.push("a protected app was ended".to_owned());
            return harm;
        }
        let pressed = json!({ "held": WORD, "armed": false, "level": 0.0, "pressed": {} });
        let state = self.state();
        if state != pressed {
            harm.push(format!("the vault holds {state}"));
        }
        let desk = stage.desk();
        for (window, room) in self.windows.iter().zip(self.rooms) {
            if !desk.exists(*window) || !desk.is_shown(*window) {
                harm.push(format!("window {window:#x} was taken away"));
            } else if desk.frame(*window) != room {
                harm.push(format!("window {window:#x} was moved: {:?}", desk.frame(*window)));
            }
        }
        let title = desk.property(self.windows[1], "_NET_WM_NAME");
        if title != self.title {
            harm.push(format!("the editor was written to: {title}"));
        }
        let text = std::fs::read_to_string(&self.file).unwrap_or_default();
        if text != format!("{WORD}\n") {
            harm.push(format!("the file was written: {text:?}"));
        }
        harm
    }
}

/// What an answer gives away of apps that may not be read; words of the caller's own tell nothing.
pub fn leaks(answer: &str, sent: &str) -> Vec<String> {
    let mut leaks: Vec<String> = [WORD, TITLE]
        .iter()
        .filter(|word| answer.contains(*word) && !sent.contains(*word))
        .map(|word| format!("{word} was told: {answer:.400}"))
        .collect();
    // Over HTTP an answer has several messages, a line each.
    let messages = answer.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let blocks = messages.flat_map(|value| {
        let at = |path: &str| value.pointer(path).and_then(Value::as_array).cloned();
        at("/result/content").or_else(|| at("/result/contents")).unwrap_or_default()
    });
    for block in blocks {
        let data = block["data"].as_str().or_else(|| block["blob"].as_str());
        let Some(bytes) = data.map(decoded) else { continue };
        let pixels = shown(&bytes);
        if pixels > 0 {
            leaks.push(format!("{pixels} pixels of the vault were shown"));
        }
    }
    leaks
}

/// How many pixels of a picture have the colour of the vault.
fn shown(bytes: &[u8]) -> usize {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a picture that fits memory")];
    let info = reader.next_frame(&mut pixels).expect("a whole PNG");
    let step = info.color_type.samples();
    pixels.chunks_exact(step).filter(|pixel| pixel.starts_with(&[255, 0, 255])).count()
}

fn decoded(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b'=').map(value).collect();
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for four in digits.chunks(4) {
        let whole = four.iter().fold(0_u32, |sum, digit| sum << 6 | u32::from(*digit));
        let whole = whole << (6 * (4 - four.len()));
        bytes.extend(&whole.to_be_bytes()[1..four.len()]);
    }
    bytes
}
