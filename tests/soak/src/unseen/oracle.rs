//! Reads facts about the desktop without Deskhand: files, commands, window titles, the tree through libatspi, pixels.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use regex::Regex;

use super::desktop::MeasuredDesktop;
use super::script::{self, OracleSpec};
use crate::timing::ORACLE_TIMEOUT;

/// The number of pixels that must differ for a picture to count as changed. A caret has fewer.
const MIN_CHANGED_PIXELS: usize = 60;
/// The difference in one channel that makes a pixel count.
const MIN_CHANGED_CHANNEL: u8 = 16;

/// The content of a source at one moment; `None` if the file does not exist.
pub(crate) type Content = Option<Vec<u8>>;

/// Reads the source of a fact.
pub(crate) fn read(desktop: &MeasuredDesktop, spec: &OracleSpec) -> Content {
    if let Some(file) = &spec.file {
        let path = desktop.home().join(file);
        // A folder exists and has no content.
        return if path.is_dir() { Some(Vec::new()) } else { std::fs::read(path).ok() };
    }
    if let Some(line) = &spec.run {
        return Some(output(&mut desktop.shell(line)));
    }
    if spec.window.is_some() || spec.no_window.is_some() {
        return Some(titles(desktop).into_bytes());
    }
    if let Some(region) = &spec.picture {
        return picture(desktop, region);
    }
    let mut reader = desktop.command("/usr/bin/python3");
    Some(output(reader.arg(script::folder().join("reader.py"))))
}

/// Compares the content of a source with the fact.
pub(crate) fn holds(spec: &OracleSpec, before: &Content, now: &Content) -> bool {
    if let Some(exists) = spec.exists
        && exists != now.is_some()
    {
        return false;
    }
    if let Some(changed) = spec.changed
        && changed != differs(spec, before, now)
    {
        return false;
    }
    let text = String::from_utf8_lossy(now.as_deref().unwrap_or_default());
    let text = text.trim();
    if spec.is.as_ref().is_some_and(|wanted| wanted.trim() != text) {
        return false;
    }
    let present = [&spec.has, &spec.window, &spec.tree];
    let absent = [&spec.lacks, &spec.no_window, &spec.no_tree];
    present.into_iter().flatten().all(|pattern| is_match(pattern, text))
        && !absent.into_iter().flatten().any(|pattern| is_match(pattern, text))
}

fn differs(spec: &OracleSpec, before: &Content, now: &Content) -> bool {
    match (before, now) {
        (Some(one), Some(two)) if spec.picture.is_some() && one.len() == two.len() => {
            let pairs = one.chunks_exact(3).zip(two.chunks_exact(3));
            let differ = |(a, b): &(&[u8], &[u8])| {
                a.iter().zip(*b).any(|(x, y)| x.abs_diff(*y) > MIN_CHANGED_CHANNEL)
            };
            pairs.filter(differ).count() >= MIN_CHANGED_PIXELS
        }
        (one, two) => one != two,
    }
}

fn is_match(pattern: &str, text: &str) -> bool {
    // The patterns were checked when the data was loaded.
    Regex::new(&format!("(?m){pattern}")).is_ok_and(|regex| regex.is_match(text))
}

/// Returns the titles of all windows, one per line. A window without a title is `<no title>`.
pub(crate) fn titles(desktop: &MeasuredDesktop) -> String {
    let list = output(desktop.command("wmctrl").arg("-l"));
    let list = String::from_utf8_lossy(&list);
    // Columns: window, workspace, host, title.
    let title = |line: &str| {
        let mut rest = line;
        for _ in 0..3 {
            rest = rest.trim_start().split_once(' ').map_or("", |(_, rest)| rest);
        }
        if rest.trim().is_empty() { "<no title>".to_owned() } else { rest.trim().to_owned() }
    };
    list.lines().map(title).collect::<Vec<_>>().join("\n")
}

/// Captures a region of the screen as RGB bytes.
fn picture(desktop: &MeasuredDesktop, region: &str) -> Content {
    let numbers: Vec<i32> = region.split(',').filter_map(|part| part.trim().parse().ok()).collect();
    let crop = match numbers[..] {
        [x, y, width, height] => format!("{width}x{height}+{x}+{y}"),
        _ => window_geometry(desktop, region)?,
    };
    let arguments = ["-silent", "-window", "root", "-crop", &crop, "-depth", "8", "rgb:-"];
    Some(output(desktop.command("import").args(arguments)))
}

/// Returns the geometry of the first window whose title matches.
fn window_geometry(desktop: &MeasuredDesktop, title: &str) -> Option<String> {
    let list = output(desktop.command("wmctrl").arg("-lG"));
    let list = String::from_utf8_lossy(&list).into_owned();
    let line = list.lines().find(|line| is_match(title, line))?;
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        [_, _, x, y, width, height, ..] => Some(format!("{width}x{height}+{x}+{y}")),
        _ => None,
    }
}

/// Returns the standard output of a command. A command that hangs is killed.
pub(crate) fn output(command: &mut Command) -> Vec<u8> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return Vec::new() };
    let Some(mut stdout) = child.stdout.take() else { return Vec::new() };
    let reader = std::thread::spawn(move || {
        let mut all = Vec::new();
        // Output before a broken pipe is still compared.
        let _ = stdout.read_to_end(&mut all);
        all
    });
    let end = Instant::now() + ORACLE_TIMEOUT;
    while !matches!(child.try_wait(), Ok(Some(_)) | Err(_)) {
        if Instant::now() > end {
            // The process may exit between the check and the kill.
            let _ = child.kill();
            let _ = child.wait();
            return Vec::new();
        }
        std::thread::sleep(Duration::from_millis(3));
    }
    reader.join().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> Content {
        Some(text.as_bytes().to_vec())
    }

    #[test]
    fn lines_are_matched_alone() {
        let tree =
            |pattern: &str| OracleSpec { tree: Some(pattern.to_owned()), ..OracleSpec::default() };
        let lines = content("check box \"Wrap\" checked\ncheck box \"Case\"\n");
        assert!(holds(&tree("^check box \"Wrap\" checked$"), &None, &lines));
        assert!(!holds(&tree("^check box \"Case\" checked$"), &None, &lines));
    }

    #[test]
    fn every_comparison_must_hold() {
        let spec = OracleSpec {
            file: Some("a".to_owned()),
            has: Some("new".to_owned()),
            changed: Some(true),
            ..OracleSpec::default()
        };
        assert!(holds(&spec, &content("old"), &content("new")));
        assert!(!holds(&spec, &content("new"), &content("new")));
        assert!(!holds(&spec, &content("old"), &content("other")));
    }

    #[test]
    fn a_missing_file_is_not_an_empty_one() {
        let spec =
            OracleSpec { file: Some("a".to_owned()), exists: Some(true), ..OracleSpec::default() };
        assert!(!holds(&spec, &None, &None));
        assert!(holds(&spec, &None, &content("")));
    }

    #[test]
    fn a_caret_does_not_change_a_picture() {
        let spec = OracleSpec {
            picture: Some("0,0,10,10".to_owned()),
            changed: Some(true),
            ..OracleSpec::default()
        };
        let (white, mut caret) = (vec![255; 3000], vec![255; 3000]);
        caret[..3 * 20].fill(0);
        assert!(!holds(&spec, &Some(white.clone()), &Some(caret)));
        assert!(holds(&spec, &Some(white), &Some(vec![0; 3000])));
    }
}
