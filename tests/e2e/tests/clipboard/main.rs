//! The clipboard. Other programs read what deskhand writes and the reverse, in every format.
//! Written content stays available, and misbehaving owners do not block a command.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

pub(crate) mod apps;
pub(crate) mod formats;
pub(crate) mod history;
pub(crate) mod icccm;
pub(crate) mod large_data;
pub(crate) mod misbehaving_owners;
pub(crate) mod owner_process;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use harness::TestDesktop;
use serde_json::Value;

/// The clipboard tools and the last words of their commands.
const TOOLS: [(&str, &str); 5] = [
    ("clipboard_read", "read"),
    ("clipboard_write", "write"),
    ("clipboard_clear", "clear"),
    ("clipboard_history", "history"),
    ("clipboard_watch", "watch"),
];

#[test]
fn every_tool_has_a_command_and_the_owner_process_is_hidden() {
    let catalogue = deskhand_engine::Catalogue::all();
    let run =
        |words: &[&str]| Command::new(harness::outcome::binary()).args(words).output().unwrap();
    for (name, word) in TOOLS {
        let key = deskhand_engine::Vocabulary::Commands.tool(name);
        let entry = catalogue.get(&key).unwrap_or_else(|| panic!("no tool {name}"));
        assert_eq!(entry.command(), format!("clipboard {word}"));
        assert!(run(&["clipboard", word, "--help"]).status.success(), "{word}");
    }
    let help = String::from_utf8(run(&["--help"]).stdout).unwrap();
    assert!(help.contains("clipboard") && !help.contains("keeper"), "{help}");
}

/// Text in several scripts, with a multi-code-point emoji and a line break.
pub(crate) const WORDS: &str = "Grüße, 日本語 עברית 👩\u{200d}🔬\nzweite Zeile";

/// Writes to the clipboard and fails unless the effect is confirmed.
pub(crate) fn write(stage: &TestDesktop, arguments: &[&str]) -> Value {
    let all = [&["clipboard", "write"], arguments, &["--format", "json"]].concat();
    let done = stage.deskhand(&all).json();
    assert_eq!(done["effect"], "confirmed", "{done}");
    done
}

/// Reads the clipboard in one format.
pub(crate) fn read(stage: &TestDesktop, form: &str) -> Value {
    let all = ["clipboard", "read", "--form", form, "--format", "json", "--timeout", "10"];
    stage.deskhand(&all).json()
}

/// Reads the clipboard with `xclip`.
pub(crate) fn xclip(stage: &TestDesktop, target: &str) -> Vec<u8> {
    let mut command = stage.command("xclip");
    command.args(["-selection", "clipboard", "-o", "-t", target]);
    let output = command.output().expect("xclip is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Copies with `xclip`, which keeps running as the selection owner.
pub(crate) fn xclip_copy(stage: &TestDesktop, target: &str, data: &[u8]) {
    let mut command = stage.command("xclip");
    command.args(["-selection", "clipboard", "-i", "-t", target]);
    feed(&mut command, data);
}

/// Runs a command with this data on its standard input.
pub(crate) fn feed(command: &mut Command, data: &[u8]) {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(data).unwrap();
    assert!(child.wait().unwrap().success());
}

/// Polls until `probe` returns a value. Fails after ten seconds.
pub(crate) fn until<T>(what: &str, mut probe: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        if let Some(found) = probe() {
            return found;
        }
        assert!(Instant::now() < end, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// `/proc` folders of the clipboard owner processes of a desktop.
pub(crate) fn owner_processes(stage: &TestDesktop) -> Vec<PathBuf> {
    let marker = format!("DESKHAND_DESKTOP={}", stage.info().id);
    let has_entry = |file: PathBuf, wanted: &str| {
        let bytes = std::fs::read(file).unwrap_or_default();
        bytes.split(|byte| *byte == 0).any(|word| word == wanted.as_bytes())
    };
    let processes = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    processes
        .filter(|process| has_entry(process.join("cmdline"), "clipboard-keeper"))
        .filter(|process| has_entry(process.join("environ"), &marker))
        .collect()
}

/// Writes a PNG image of noise that does not compress. The first pixel is red and the last is blue.
pub(crate) fn write_image(path: &Path, width: u32, height: u32) -> Vec<u8> {
    let mut pixels: Vec<u8> =
        std::iter::repeat_with(|| fastrand::u8(..)).take((width * height * 3) as usize).collect();
    pixels[..3].copy_from_slice(&[255, 0, 0]);
    let last = pixels.len() - 3;
    pixels[last..].copy_from_slice(&[0, 0, 255]);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
    std::fs::write(path, &file).unwrap();
    file
}
