//! Screenshots respect their size limits, report the reduction, and open in another image library.

use harness::inspect::Rect;
use harness::pixels::Pixels;
use harness::{App, TestDesktop};

use crate::{SCREEN, file, take_screenshot};

#[test]
fn default_limits_are_applied_and_reported() {
    let stage = TestDesktop::new();
    let _program = stage.start(App::Kcalc);
    let shot = take_screenshot(&stage, "usual.png", &[]);
    assert_eq!((shot.pixels.width, shot.pixels.height), (1568, 882));
    assert_eq!(shot.room(), SCREEN);
    let scale = shot.answer["scale"].as_f64().unwrap();
    assert!((scale - 1568.0 / 1920.0).abs() < 1e-9);
    let reduced = shot.answer["reduced"][0].as_str().unwrap();
    assert!(reduced.contains("1920x1080 to 1568x882"), "{reduced}");
    assert!(shot.answer["bytes"].as_u64().unwrap() < 700_000);
    let narrow = take_screenshot(&stage, "narrow.png", &["--max-width", "400"]);
    assert_eq!((narrow.pixels.width, narrow.pixels.height), (400, 225));
    let low = take_screenshot(&stage, "low.png", &["--max-height", "100"]);
    assert_eq!((low.pixels.width, low.pixels.height), (178, 100));
}

#[test]
fn byte_limit_is_respected_for_noise() {
    let stage = TestDesktop::new();
    let eye = stage.screen_capture();
    let _noise = eye.noise(SCREEN);
    let whole = take_screenshot(&stage, "noise.png", &["--full"]);
    assert!(whole.answer["bytes"].as_u64().unwrap() > 5_000_000, "{}", whole.answer);
    assert_eq!(whole.pixels.differing(&eye.capture(SCREEN), 0), 0);
    for (name, arguments, limit) in [
        ("usual.png", &[][..], 700_000),
        ("small.png", &["--max-bytes", "50000"][..], 50_000),
        ("small.jpg", &["--max-bytes", "100000"][..], 100_000),
        ("small.webp", &["--max-bytes", "100000"][..], 100_000),
        ("small.tiff", &["--max-bytes", "300000"][..], 300_000),
        ("full.png", &["--full", "--max-bytes", "2000000"][..], 2_000_000),
    ] {
        let shot = take_screenshot(&stage, name, arguments);
        let bytes = shot.answer["bytes"].as_u64().unwrap();
        assert!(bytes <= limit && bytes > limit / 4, "{name}: {bytes} of {limit}");
        let reduced = shot.answer["reduced"].to_string();
        assert!(reduced.contains("to stay within the byte limit"), "{name}: {reduced}");
        let ratio = f64::from(shot.pixels.width) / f64::from(shot.pixels.height);
        assert!((ratio - 16.0 / 9.0).abs() < 0.05, "{name} changed its aspect ratio: {ratio}");
    }
    let refused = stage.call("screenshot", &["--max-bytes", "1000", "--region", "0,0,40,40"]);
    if refused.code != Some(0) {
        refused.expect_error("budget_too_small");
    }
}

#[test]
fn every_format_opens_in_another_library_and_shows_the_same() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Kcalc);
    let pid = program.pid_text();
    let frame: Rect =
        stage.window_inspector().frame(stage.window_inspector().window_of(program.pid()));
    let expected = stage.screen_capture().capture_when_still(frame);
    let count = (expected.width * expected.height) as usize;
    for (name, arguments, tolerance, limit) in [
        ("a.png", &[][..], 0, 0),
        ("a.tif", &[][..], 0, 0),
        ("b", &["--image-format", "tiff"][..], 0, 0),
        ("a.jpg", &["--quality", "95"][..], 40, count / 100),
        ("a.webp", &["--quality", "95"][..], 40, count / 50),
        ("c.png", &["--image-format", "jpeg"][..], 60, count / 50),
    ] {
        let shot = take_screenshot(&stage, name, &[&["--app", &pid], arguments].concat());
        let differing = shot.pixels.differing(&expected, tolerance);
        assert!(differing <= limit, "{name}: {differing} of {count}, {limit} allowed");
    }
    let size = |quality: &str| {
        let arguments = ["--app", &pid, "--quality", quality];
        take_screenshot(&stage, "q.jpg", &arguments).answer["bytes"].as_u64().unwrap()
    };
    assert!(size("30") < size("90"), "higher quality must need more bytes");
}

#[test]
fn without_output_text_mode_saves_a_file_and_json_returns_base64() {
    let stage = TestDesktop::new();
    let _program = stage.start(App::Kcalc);
    let folder = file(&stage, "pictures");
    std::fs::create_dir(&folder).unwrap();
    let here = |arguments: &[&str]| {
        let mut command = stage.command(harness::outcome::binary());
        command.arg("screenshot").args(arguments).current_dir(&folder);
        harness::Outcome::of(&mut command)
    };
    let text = here(&[]).expect_ok().text();
    let name = text.lines().last().unwrap().strip_prefix("saved as ").unwrap().to_owned();
    assert!(name.starts_with("deskhand-") && name.ends_with(".png"), "{text}");
    assert_eq!(Pixels::read(&folder.join(&name), "png").width, 1568);
    let again = here(&["--image-format", "jpeg"]).expect_ok().text();
    let second = again.lines().last().unwrap().strip_prefix("saved as ").unwrap().to_owned();
    Pixels::read(&folder.join(&second), "jpeg");
    let outcome = here(&["--format", "json"]);
    let answer = outcome.json();
    assert_eq!(answer["mime"], "image/png");
    let decoded = decode_base64(answer["image"].as_str().unwrap());
    assert_eq!(answer["bytes"], decoded.len());
    let path = folder.join("decoded.png");
    std::fs::write(&path, decoded).unwrap();
    assert_eq!(Pixels::read(&path, "png").height, 882);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 3, "JSON output wrote a file");
}

/// Decodes base64 with coreutils.
fn decode_base64(text: &str) -> Vec<u8> {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut child = Command::new("base64")
        .arg("-d")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let text = text.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    output.stdout
}
