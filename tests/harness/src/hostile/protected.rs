//! The protected apps and the checks for damage. The vault reports every event it receives, the
//! editor marks its title when its text changes, and the window manager knows the window positions.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::inspect::{Rect, is_running};
use crate::{Program, TestDesktop};

/// The text in the vault and in the editor's file.
pub const CANARY: &str = "CANARY-7351";
/// A part of both window titles.
pub const TITLE: &str = "ledger-9127";

/// Two apps that must not be read or changed.
pub struct ProtectedApps {
    /// An app that reports every event it receives.
    pub vault: Program,
    /// A text editor with an open file.
    pub editor: Program,
    /// The center of the vault's window.
    pub vault_at: (i32, i32),
    /// The center of the editor's window.
    pub editor_at: (i32, i32),
    windows: [u32; 2],
    frames: [Rect; 2],
    title: String,
    file: PathBuf,
}

impl ProtectedApps {
    /// Records the current state of both apps.
    pub(super) fn new(
        desktop: &TestDesktop,
        mut vault: Program,
        editor: Program,
        file: PathBuf,
    ) -> Self {
        let inspector = desktop.window_inspector();
        let windows = [&vault, &editor].map(|one| inspector.window_of(one.pid()));
        let settled = || {
            let frames = windows.map(|window| inspector.frame(window));
            std::thread::sleep(Duration::from_millis(200));
            (frames == windows.map(|window| inspector.frame(window))).then_some(frames)
        };
        let frames = std::iter::repeat_with(settled).take(50).flatten().next();
        let frames = frames.expect("the windows stop moving");
        let middle = |frame: Rect| (frame.x + frame.width / 2, frame.y + frame.height / 2);
        let title = inspector.property(windows[1], "_NET_WM_NAME");
        vault.write_line("begin");
        let (vault_at, editor_at) = (middle(frames[0]), middle(frames[1]));
        let mut apps = Self { vault, editor, vault_at, editor_at, windows, frames, title, file };
        assert_eq!(apps.state()["held"], CANARY);
        apps.take_reports();
        apps
    }

    /// Returns the vault's reports since the last call.
    pub fn take_reports(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.vault.next_line(Duration::ZERO)).collect()
    }

    /// Returns the vault's content. Panics if the vault reports an event first.
    pub fn state(&mut self) -> Value {
        self.vault.write_line("state");
        let mut unexpected = Vec::new();
        loop {
            let line = self.vault.next_line(Duration::from_secs(20));
            let line = line.unwrap_or_else(|| {
                panic!(
                    "the vault does not answer; before: \
                                                      {unexpected:?}"
                )
            });
            let value: Value = serde_json::from_str(&line).expect("the vault writes JSON");
            if value.get("held").is_some() {
                assert!(unexpected.is_empty(), "the vault received events: {unexpected:?}");
                return value;
            }
            unexpected.push(line);
        }
    }

    /// Returns descriptions of all damage, or an empty list.
    pub fn harm(&mut self, desktop: &TestDesktop) -> Vec<String> {
        // The effects of the last call may not have arrived.
        std::thread::sleep(Duration::from_millis(300));
        let mut harm = self.take_reports();
        if !is_running(self.vault.pid()) || !is_running(self.editor.pid()) {
            harm.push("a protected app exited".to_owned());
            return harm;
        }
        let pressed = json!({ "held": CANARY, "armed": false, "level": 0.0, "pressed": {} });
        let state = self.state();
        if state != pressed {
            harm.push(format!("the vault's state is {state}"));
        }
        let inspector = desktop.window_inspector();
        for (window, frame) in self.windows.iter().zip(self.frames) {
            if !inspector.exists(*window) || !inspector.is_shown(*window) {
                harm.push(format!("window {window:#x} was hidden or destroyed"));
            } else if inspector.frame(*window) != frame {
                harm.push(format!("window {window:#x} was moved: {:?}", inspector.frame(*window)));
            }
        }
        let title = inspector.property(self.windows[1], "_NET_WM_NAME");
        if title != self.title {
            harm.push(format!("the editor was written to: {title}"));
        }
        let text = std::fs::read_to_string(&self.file).unwrap_or_default();
        if text != format!("{CANARY}\n") {
            harm.push(format!("the file was changed: {text:?}"));
        }
        harm
    }
}

/// Returns descriptions of protected content in a response. Text that the caller sent itself does
/// not count.
pub fn leaks(answer: &str, sent: &str) -> Vec<String> {
    let mut leaks: Vec<String> = [CANARY, TITLE]
        .iter()
        .filter(|word| answer.contains(*word) && !sent.contains(*word))
        .map(|word| format!("{word} leaked: {answer:.400}"))
        .collect();
    // Over HTTP a response has several messages, one per line.
    let messages = answer.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let blocks = messages.flat_map(|value| {
        let at = |path: &str| value.pointer(path).and_then(Value::as_array).cloned();
        at("/result/content").or_else(|| at("/result/contents")).unwrap_or_default()
    });
    for block in blocks {
        let data = block["data"].as_str().or_else(|| block["blob"].as_str());
        let Some(bytes) = data.map(decode_base64) else { continue };
        let pixels = vault_pixels(&bytes);
        if pixels > 0 {
            leaks.push(format!("{pixels} pixels of the vault are visible"));
        }
    }
    leaks
}

/// Returns the number of pixels in the vault's color.
fn vault_pixels(bytes: &[u8]) -> usize {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("the picture fits in memory")];
    let info = reader.next_frame(&mut pixels).expect("a complete PNG");
    let step = info.color_type.samples();
    pixels.chunks_exact(step).filter(|pixel| pixel.starts_with(&[255, 0, 255])).count()
}

fn decode_base64(text: &str) -> Vec<u8> {
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
