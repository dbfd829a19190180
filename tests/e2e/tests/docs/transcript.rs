//! Transcripts in Markdown pages, and their comparison with real output.

/// A command and its output.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) command: String,
    pub(crate) output: String,
}

/// Returns the fenced blocks that begin with a `$` line and run `deskhand`.
pub(crate) fn transcripts(page: &str) -> Vec<Vec<Step>> {
    let blocks = page.split("\n```").skip(1).step_by(2);
    let contents = blocks.filter_map(|block| block.split_once('\n').map(|(_, content)| content));
    let with_deskhand = contents.filter(|content| {
        content.starts_with("$ ") && content.lines().any(|line| line.starts_with("$ deskhand "))
    });
    with_deskhand.map(steps).collect()
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

/// Replaces everything that differs between two runs: process and window ids, home folders, times,
/// positions, sizes, and the widths of columns.
pub(crate) fn normalize(output: &str, home: &str) -> String {
    let mut lines = Vec::new();
    for line in output.lines() {
        // Mousepad shows this only to root.
        if line.contains("you are using the root account") {
            continue;
        }
        let line = replace_homes(&line.replace(home, "/home/you"));
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

#[test]
fn transcripts_have_commands_and_output() {
    let page = "Text\n\n```\n$ deskhand apps\nNAME\n$ ls\n```\n\n```sh\ndeskhand x\n```\n\n```\n$ ls\n```\n";
    let step =
        |command: &str, output: &str| Step { command: command.into(), output: output.into() };
    assert_eq!(transcripts(page), [[step("deskhand apps", "NAME\n"), step("ls", "")]]);
}

#[test]
fn ids_homes_and_positions_are_normalized() {
    let page = "mousepad (pid 14133, gtk) 3 elements\n  \"/tmp/deskhand-0/d1/home/a\" at 1,2 3x4";
    let run = "mousepad (pid 7, gtk) 5 elements\n  \"/tmp/x/home/a\" at 10,2 3x40";
    assert_eq!(normalize(page, "/none"), normalize(run, "/tmp/x/home"));
    assert_ne!(normalize("set 42", ""), normalize("set 43", ""));
}
