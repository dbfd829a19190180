//! What those who read a script without running it say is wrong with it, and where.

use std::fmt;

/// Who reads a script without running it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    /// A shell that only reads.
    Shell,
    /// The parser of gjs.
    Gjs,
    /// The compiler of a language of the Open Scripting Architecture.
    Osa(&'static str),
}

/// Something that is wrong with a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// Where, as far as it was said.
    pub place: Option<Place>,
    /// What.
    pub message: String,
}

/// A place in a script. Lines and columns count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub line: usize,
    pub column: Option<usize>,
    /// Line and column just after it.
    pub end: Option<(usize, usize)>,
}

impl fmt::Display for Place {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "line {}", self.line)?;
        let Some(column) = self.column else { return Ok(()) };
        match self.end {
            Some((line, end)) if line != self.line => {
                write!(
                    to,
                    ", column {column} to line {line}, column {}",
                    end.saturating_sub(1).max(1)
                )
            }
            Some((_, end)) if end > column + 1 => write!(to, ", columns {column} to {}", end - 1),
            Some(_) | None => write!(to, ", column {column}"),
        }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some(place) => write!(to, "{place}: {}", self.message),
            None => to.write_str(&self.message),
        }
    }
}

impl Reads {
    /// The program that reads a script and its arguments.
    pub(super) fn command(self, script: &str) -> (&'static str, Vec<String>) {
        // Shells do not agree where the lines of `-c` begin: bash up to 5.0 counts from 0. All count what
        // they read from a pipe from 1.
        const PIPED: &str = "printf '%s\\n' \"$1\" | sh -n";
        const PARSED: &str = "try { Reflect.parse(ARGV[0], { source: 'script', line: 1 }); } \
            catch (e) { printerr(`${e.lineNumber}:${e.columnNumber + 1}: ${e.name}: ${e.message}`); \
            imports.system.exit(1); }";
        // Of a script given by `-e` or through a pipe osacompile does not say where it is wrong.
        const COMPILED: &str = "f=$(mktemp) || exit 126; printf '%s\\n' \"$1\" > \"$f\"; \
            osacompile -l \"$2\" -o /dev/null \"$f\"; code=$?; rm -f \"$f\"; exit $code";
        let words = |all: &[&str]| all.iter().map(|&word| word.to_owned()).collect();
        match self {
            Self::Shell => ("sh", words(&["-c", PIPED, "sh", script])),
            Self::Gjs => ("gjs", words(&["-c", PARSED, script])),
            Self::Osa(language) => ("sh", words(&["-c", COMPILED, "sh", script, language])),
        }
    }

    /// What is wrong with a script, by what was said of it; `None` when that is about something else.
    pub(super) fn complaint(self, said: &str, script: &str) -> Option<Complaint> {
        said.lines().find_map(|line| match self {
            Self::Shell => shell(line),
            Self::Gjs => gjs(line),
            Self::Osa(_) => osa(line, script),
        })
    }
}

/// dash: `sh: 3: Syntax error: …`; bash: `sh: line 3: syntax error …`; zsh: `sh:3: parse error …`.
fn shell(line: &str) -> Option<Complaint> {
    let low = line.to_lowercase();
    let at = low.find("syntax error").or_else(|| low.find("parse error"))?;
    let message = line.get(at..)?;
    let before = low.get(..at)?.trim_end_matches([' ', ':']);
    let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    let place = digits.parse().ok().map(|line: usize| Place::line(line.max(1)));
    Some(Complaint { place, message: message.to_owned() })
}

fn gjs(line: &str) -> Option<Complaint> {
    let (numbers, message) = line.split_once(": SyntaxError: ")?;
    let (line, column) = numbers.split_once(':')?;
    let place = Place { line: line.parse().ok()?, column: column.parse().ok(), end: None };
    Some(Complaint { place: Some(place), message: message.to_owned() })
}

/// osacompile: `FILE:31: error: … (-2741)`, or `compilation error: …` without a place; others of its kind:
/// `FILE:58:60: script error: …` or `58:60: syntax error: …`, by characters from the beginning.
fn osa(line: &str, script: &str) -> Option<Complaint> {
    let kinds = [": error: ", "syntax error: ", "script error: ", "compilation error: "];
    let (before, message) = kinds.iter().find_map(|kind| line.split_once(kind))?;
    // The number of the error at the end tells nobody anything.
    let message = match message.rsplit_once(" (") {
        Some((words, number)) if number.trim_end_matches(')').parse::<i32>().is_ok() => words,
        Some(_) | None => message,
    };
    // JavaScript says the line in its words, and the range is that of the whole script.
    if let Some((number, words)) =
        message.strip_prefix("Error on line ").and_then(|rest| rest.split_once(": "))
    {
        let place = number.parse().ok().map(Place::line);
        return Some(Complaint { place, message: words.to_owned() });
    }
    let mut numbers = before.trim_end_matches([' ', ':']).rsplit(':').map(str::parse::<usize>);
    let place = match (numbers.next(), numbers.next()) {
        (Some(Ok(end)), Some(Ok(start))) => Some(Place::of_range(script, start, end)),
        (Some(Ok(line)), _) => Some(Place::line(line.max(1))),
        (Some(Err(_)) | None, _) => None,
    };
    Some(Complaint { place, message: message.to_owned() })
}

impl Place {
    fn line(line: usize) -> Self {
        Self { line, column: None, end: None }
    }

    /// The place of characters counted as the system counts them: in units of UTF-16, from 0.
    fn of_range(script: &str, start: usize, end: usize) -> Self {
        let at = |wanted: usize| {
            let (mut line, mut column, mut passed) = (1, 1, 0);
            for character in script.chars() {
                if passed >= wanted {
                    break;
                }
                passed += character.len_utf16();
                (line, column) = if character == '\n' { (line + 1, 1) } else { (line, column + 1) };
            }
            (line, column)
        };
        let (line, column) = at(start);
        Self { line, column: Some(column), end: (end > start).then(|| at(end)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OSA: Reads = Reads::Osa("AppleScript");

    fn told(by: Reads, said: &str, script: &str) -> Option<String> {
        by.complaint(said, script).map(|it| it.to_string())
    }

    #[test]
    fn shells_say_which_line() {
        for (said, expected) in [
            (
                "sh: 3: Syntax error: Unterminated quoted string",
                "line 3: Syntax error: Unterminated quoted string",
            ),
            (
                "sh: line 2: syntax error near unexpected token `fi'\nsh: line 2: `fi'",
                "line 2: syntax error near unexpected token `fi'",
            ),
            ("sh:2: parse error near `fi'", "line 2: parse error near `fi'"),
            ("sh: syntax error: unexpected end of file", "syntax error: unexpected end of file"),
        ] {
            assert_eq!(told(Reads::Shell, said, "").as_deref(), Some(expected));
        }
        assert_eq!(told(Reads::Shell, "sh: 1: printf: not found", ""), None);
    }

    fn read_here(by: Reads, script: &str) -> Option<String> {
        let (program, arguments) = by.command(script);
        let output = std::process::Command::new(program).args(arguments).output().ok()?;
        let said = String::from_utf8_lossy(&output.stderr);
        let complaint = told(by, &said, script);
        assert_eq!(complaint.is_none(), output.status.success(), "{script}: {said}");
        Some(complaint.unwrap_or_default())
    }

    #[test]
    fn a_script_is_read_and_nothing_of_it_runs() {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("ran");
        let good = format!("touch '{}'\ncat <<'E'\nhi \\n\nE\n", mark.display());
        assert_eq!(read_here(Reads::Shell, &good).as_deref(), Some(""));
        let bad = format!("{good}if true; then\n");
        let said = read_here(Reads::Shell, &bad).unwrap();
        assert!(
            said.starts_with("line ") && said.to_lowercase().contains("syntax error"),
            "{said}"
        );
        let good =
            "const GLib = imports.gi.GLib;\nprint(`a`);\nGLib.spawn_command_line_sync('false');";
        // Only where gjs is installed.
        if let Some(said) = read_here(Reads::Gjs, good) {
            assert_eq!(said, "");
            let said = read_here(Reads::Gjs, &format!("{good}\n  print(1 +)")).unwrap();
            assert!(said.starts_with("line 4, column 12: "), "{said}");
        }
        assert!(!mark.exists());
    }

    #[test]
    fn gjs_says_line_and_column() {
        let said = "2:10: SyntaxError: expected expression, got ')'";
        assert_eq!(
            told(Reads::Gjs, said, "").as_deref(),
            Some("line 2, column 10: expected expression, got ')'")
        );
        assert_eq!(told(Reads::Gjs, "Gjs-CRITICAL: something else", ""), None);
        assert_eq!(told(Reads::Gjs, "1:2: TypeError: no such thing", ""), None);
    }

    #[test]
    fn the_compiler_of_applescript_says_the_line() {
        let said =
            "/tmp/tmp.x1y2:31: error: Expected end of line, etc. but found identifier. (-2741)";
        assert_eq!(
            told(OSA, said, "").as_deref(),
            Some("line 31: Expected end of line, etc. but found identifier.")
        );
        let said = "compilation error: Expected end of line but found “from”. (-2741)";
        assert_eq!(told(OSA, said, "").as_deref(), Some("Expected end of line but found “from”."));
        assert_eq!(told(OSA, "osacompile: couldn't read file x: No such file", ""), None);
    }

    #[test]
    fn ranges_of_characters_become_lines_and_columns() {
        let script = "say \"😀\"\nset x too 3\n";
        // The smiley takes two units: the second line begins at 9.
        let said = "15:18: syntax error: Expected “to” but found identifier. (-2741)";
        assert_eq!(
            told(OSA, said, script).as_deref(),
            Some("line 2, columns 7 to 9: Expected “to” but found identifier.")
        );
        let said = "/x.scpt:4:4: script error: Expected expression. (-2741)";
        assert_eq!(
            told(OSA, said, script).as_deref(),
            Some("line 1, column 5: Expected expression.")
        );
        let said = "0:15: syntax error: Expected “end” but found end of script. (-2741)";
        assert_eq!(
            told(OSA, said, script).as_deref(),
            Some("line 1, column 1 to line 2, column 6: Expected “end” but found end of script.")
        );
        assert_eq!(Place::of_range("ab", 90, 95).line, 1);
    }

    #[test]
    fn javascript_for_automation_says_the_line_in_its_words() {
        let said = "0:25: syntax error: Error on line 3: SyntaxError: Unexpected token ')' (-2700)";
        assert_eq!(
            told(Reads::Osa("JavaScript"), said, "").as_deref(),
            Some("line 3: SyntaxError: Unexpected token ')'")
        );
    }
}
