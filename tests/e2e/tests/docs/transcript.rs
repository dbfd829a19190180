//! Transcripts in Markdown pages, and their comparison with real output.

use harness::outcome;
use serde_json::{Value, json};

/// The path of the binary in the pages.
const INSTALLED: &str = "/home/you/.cargo/bin/deskhand";

/// A command and its output.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) command: String,
    pub(crate) output: String,
}

/// Returns the fenced blocks that begin with a `$` line.
pub(crate) fn transcripts(page: &str) -> Vec<Vec<Step>> {
    let blocks = page.split("\n```").skip(1).step_by(2);
    let contents = blocks.filter_map(|block| block.split_once('\n').map(|(_, content)| content));
    contents.filter(|content| content.starts_with("$ ")).map(steps).collect()
}

/// Returns `true` if a command prints something.
pub(crate) fn has_output(steps: &[Step]) -> bool {
    steps.iter().any(|step| !step.output.is_empty())
}

/// Compares normalized outputs. In the expected one, a line with only `…` stands for any lines.
pub(crate) fn matches(expected: &str, actual: &str) -> bool {
    // The mark may be in the first line.
    let (expected, actual) = (format!("\n{expected}"), format!("\n{actual}"));
    let Some((begin, rest)) = expected.split_once("\n…") else { return expected == actual };
    let Some(left) = actual.strip_prefix(begin) else { return false };
    rest.is_empty() || left.ends_with(rest)
}

fn steps(content: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in content.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step { command: command.to_owned(), output: String::new() });
        } else if let Some(last) = steps.last_mut() {
            last.output.push_str(line);
            last.output.push('\n');
        }
    }
    steps
}

/// Replaces everything that differs between two runs: ids of processes, windows and operations, folders, times,
/// durations, ports, hashes, positions, sizes, and the widths of columns.
pub(crate) fn normalize(output: &str, home: &str) -> String {
    let mut lines = Vec::new();
    for line in output.lines() {
        // Mousepad shows this only to root.
        if line.contains("you are using the root account") {
            continue;
        }
        let line = line.replace(&outcome::binary().display().to_string(), INSTALLED);
        let line = replace_homes(&line.replace(home, "/home/you"));
        if let Ok(record) = serde_json::from_str(&line) {
            lines.push(normalize_record(record).to_string());
            continue;
        }
        let indent: String = line.chars().take_while(|c| *c == ' ').collect();
        let words: Vec<&str> = line.split_whitespace().collect();
        let words: Vec<String> = (0..words.len()).map(|at| normalize_word(&words, at)).collect();
        lines.push(format!("{indent}{}", words.join(" ")));
    }
    lines.join("\n")
}

/// Replaces the homes of other private desktops.
fn replace_homes(line: &str) -> String {
    let mut parts = line.split("/tmp/deskhand-");
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.split_once("/home").map_or(part, |(_, rest)| rest);
        result.push_str("/home/you");
        result.push_str(rest);
    }
    result
}

/// Replaces the fields of a record in the audit log that differ between two runs.
fn normalize_record(mut record: Value) -> Value {
    for field in ["timestamp", "duration_ms", "prev", "hash"] {
        if let Some(value) = record.get_mut(field) {
            *value = json!("VARIES");
        }
    }
    if let Some(value) = record.pointer_mut("/target/position") {
        *value = json!("VARIES");
    }
    record
}

fn normalize_word(words: &[&str], at: usize) -> String {
    let word = words[at];
    let previous = at.checked_sub(1).map_or("", |before| words[before]);
    let next = words.get(at + 1).copied().unwrap_or_default();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_pair = |mark: char| {
        word.split_once(mark).is_some_and(|(left, right)| is_number(left) && is_number(right))
    };
    if let Some((before, _)) = word.split_once("deskhand-backup-") {
        return format!("{before}deskhand-backup-TIME");
    }
    if let Some((_, query)) = word.split_once("/auth?") {
        return format!("AUTHORIZATION?{}", query.split('&').next().unwrap_or_default());
    }
    for host in ["//127.0.0.1:", "//0.0.0.0:"] {
        if let Some((scheme, rest)) = word.split_once(host) {
            let path = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            return format!("{scheme}{host}PORT{path}");
        }
    }
    if word.starts_with("op_") {
        return "op_ID".to_owned();
    }
    if matches!(next, "s" | "s,") && word.parse::<f64>().is_ok() {
        return "SECONDS".to_owned();
    }
    if has_digits(word, "dddd-dd-dd") || has_digits(word, "dd:dd:dd") {
        return "TIME".to_owned();
    }
    if let Some((number, hash)) = word.split_once(':')
        && is_number(number)
        && hash.len() == 64
    {
        return format!("{number}:HASH");
    }
    if previous == "(pid" {
        return "PID,".to_owned();
    }
    if next == "elements" || next == "hidden)" {
        return "COUNT".to_owned();
    }
    // A title is truncated after a number of characters that includes the home folder.
    if let Some((_, quote)) = word.split_once('…') {
        return format!("…{quote}");
    }
    if is_pair(',') {
        return "X,Y".to_owned();
    }
    if is_pair('x') {
        return "WxH".to_owned();
    }
    word.to_owned()
}

/// Returns `true` if the text has a digit for each `d` of the pattern, and its other characters.
fn has_digits(text: &str, pattern: &str) -> bool {
    let is_equal = |(c, p): (char, char)| if p == 'd' { c.is_ascii_digit() } else { c == p };
    text.len() == pattern.len() && text.chars().zip(pattern.chars()).all(is_equal)
}

#[test]
fn transcripts_have_commands_and_output() {
    let page = "Text\n\n```\n$ deskhand apps\nNAME\n$ ls\n```\n\n```sh\ndeskhand x\n```\n\n```\n$ ls\n```\n";
    let step =
        |command: &str, output: &str| Step { command: command.into(), output: output.into() };
    let (with_output, without) =
        (vec![step("deskhand apps", "NAME\n"), step("ls", "")], vec![step("ls", "")]);
    assert!(has_output(&with_output) && !has_output(&without));
    assert_eq!(transcripts(page), [with_output, without]);
}

#[test]
fn ids_homes_and_positions_are_normalized() {
    let page = "mousepad (pid 14133, gtk) 3 elements\n  \"/tmp/deskhand-0/d1/home/a\" at 1,2 3x4";
    let run = "mousepad (pid 7, gtk) 5 elements\n  \"/tmp/x/home/a\" at 10,2 3x40";
    assert_eq!(normalize(page, "/none"), normalize(run, "/tmp/x/home"));
    assert_ne!(normalize("set 42", ""), normalize("set 43", ""));
}

#[test]
fn records_times_ports_and_operations_are_normalized() {
    let one = "{\"seq\":1,\"timestamp\":\"a\",\"hash\":\"b\"}\n2026-11-16 16:38:55 quit\nserving at http://127.0.0.1:8741/mcp\nop_k3x09f failed 0.3 s, 7 bytes";
    let two = "{\"seq\":1,\"timestamp\":\"c\",\"hash\":\"d\"}\n2027-01-01 01:01:01 quit\nserving at http://127.0.0.1:33333/mcp\nop_abcdef failed 1.0 s, 7 bytes";
    assert_eq!(normalize(one, "/none"), normalize(two, "/none"));
    assert_ne!(normalize("{\"seq\":1}", "/none"), normalize("{\"seq\":2}", "/none"));
}

#[test]
fn an_ellipsis_stands_for_lines() {
    assert!(matches("a\n…\nd", "a\nb\nc\nd") && matches("a\n…", "a\nb"));
    assert!(matches("…\nb", "a\nb") && !matches("…\nb", "a\nc"));
    assert!(!matches("a\n…\nd", "a\nb\nc") && !matches("a\n…", "b\na") && !matches("a", "a\nb"));
}
