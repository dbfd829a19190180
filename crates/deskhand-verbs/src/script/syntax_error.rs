//! Syntax checkers and their error messages.

use std::fmt;

/// A program that checks a script without running it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SyntaxChecker {
    /// A shell with `-n`.
    Shell,
    /// The parser of gjs.
    Gjs,
    /// The compiler of an Open Scripting Architecture language.
    Osa(&'static str),
}

/// A syntax error of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// The location, if the checker reports it.
    pub range: Option<SourceRange>,
    /// The message of the checker.
    pub message: String,
}

/// A location in a script. Lines and columns count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceRange {
    /// The line.
    pub line: usize,
    /// The column, if known.
    pub column: Option<usize>,
    /// The line and column after the end, if known.
    pub end: Option<(usize, usize)>,
}

impl fmt::Display for SourceRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        let Some(column) = self.column else { return Ok(()) };
        match self.end {
            Some((line, end)) if line != self.line => {
                write!(
                    f,
                    ", column {column} to line {line}, column {}",
                    end.saturating_sub(1).max(1)
                )
            }
            Some((_, end)) if end > column + 1 => write!(f, ", columns {column} to {}", end - 1),
            Some(_) | None => write!(f, ", column {column}"),
        }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.range {
            Some(range) => write!(f, "{range}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl SyntaxChecker {
    /// Returns the program and arguments that check a script.
    pub(super) fn command(self, script: &str) -> (&'static str, Vec<String>) {
        // Shells number the lines of `-c` differently: bash up to 5.0 starts at 0. All of them
        // start at 1 for a pipe.
        const SHELL_CHECK: &str = "printf '%s\\n' \"$1\" | sh -n";
        const GJS_CHECK: &str = "try { Reflect.parse(ARGV[0], { source: 'script', line: 1 }); } \
            catch (e) { printerr(`${e.lineNumber}:${e.columnNumber + 1}: ${e.name}: ${e.message}`); \
            imports.system.exit(1); }";
        // osacompile reports no location for a script given by `-e` or through a pipe.
        const OSA_CHECK: &str = "f=$(mktemp) || exit 126; printf '%s\\n' \"$1\" > \"$f\"; \
            osacompile -l \"$2\" -o /dev/null \"$f\"; code=$?; rm -f \"$f\"; exit $code";
        let owned = |all: &[&str]| all.iter().map(|&word| word.to_owned()).collect();
        match self {
            Self::Shell => ("sh", owned(&["-c", SHELL_CHECK, "sh", script])),
            Self::Gjs => ("gjs", owned(&["-c", GJS_CHECK, script])),
            Self::Osa(language) => ("sh", owned(&["-c", OSA_CHECK, "sh", script, language])),
        }
    }

    /// Parses the output of the checker; `None` if it does not report a syntax error.
    pub(super) fn syntax_error(self, output: &str, script: &str) -> Option<SyntaxError> {
        output.lines().find_map(|line| match self {
            Self::Shell => shell(line),
            Self::Gjs => gjs(line),
            Self::Osa(_) => osa(line, script),
        })
    }
}

/// Parses dash (`sh: 3: Syntax error: …`), bash (`sh: line 3: syntax error …`) and zsh (`sh:3:
/// parse error …`).
fn shell(line: &str) -> Option<SyntaxError> {
    let low = line.to_lowercase();
    let at = low.find("syntax error").or_else(|| low.find("parse error"))?;
    let message = line.get(at..)?;
    let before = low.get(..at)?.trim_end_matches([' ', ':']);
    let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    let range = digits.parse().ok().map(|line: usize| SourceRange::line(line.max(1)));
    Some(SyntaxError { range, message: message.to_owned() })
}

fn gjs(line: &str) -> Option<SyntaxError> {
    let (numbers, message) = line.split_once(": SyntaxError: ")?;
    let (line, column) = numbers.split_once(':')?;
    let range = SourceRange { line: line.parse().ok()?, column: column.parse().ok(), end: None };
    Some(SyntaxError { range: Some(range), message: message.to_owned() })
}

/// Parses osacompile (`FILE:31: error: … (-2741)`, or `compilation error: …` without a location)
/// and similar tools (`FILE:58:60: script error: …` or `58:60: syntax error: …`, with character
/// offsets).
fn osa(line: &str, script: &str) -> Option<SyntaxError> {
    let kinds = [": error: ", "syntax error: ", "script error: ", "compilation error: "];
    let (before, message) = kinds.iter().find_map(|kind| line.split_once(kind))?;
    // The error number at the end does not help the reader.
    let message = match message.rsplit_once(" (") {
        Some((words, number)) if number.trim_end_matches(')').parse::<i32>().is_ok() => words,
        Some(_) | None => message,
    };
    // JavaScript reports the line in its message; the range covers the whole script.
    if let Some((number, words)) =
        message.strip_prefix("Error on line ").and_then(|rest| rest.split_once(": "))
    {
        let range = number.parse().ok().map(SourceRange::line);
        return Some(SyntaxError { range, message: words.to_owned() });
    }
    let mut numbers = before.trim_end_matches([' ', ':']).rsplit(':').map(str::parse::<usize>);
    let range = match (numbers.next(), numbers.next()) {
        (Some(Ok(end)), Some(Ok(start))) => Some(SourceRange::of_range(script, start, end)),
        (Some(Ok(line)), _) => Some(SourceRange::line(line.max(1))),
        (Some(Err(_)) | None, _) => None,
    };
    Some(SyntaxError { range, message: message.to_owned() })
}

impl SourceRange {
    fn line(line: usize) -> Self {
        Self { line, column: None, end: None }
    }

    /// Converts a range of UTF-16 code units, counted from 0.
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

    const APPLESCRIPT: SyntaxChecker = SyntaxChecker::Osa("AppleScript");

    fn message(checker: SyntaxChecker, output: &str, script: &str) -> Option<String> {
        checker.syntax_error(output, script).map(|it| it.to_string())
    }

    #[test]
    fn shell_errors_have_a_line() {
        for (output, expected) in [
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
            assert_eq!(message(SyntaxChecker::Shell, output, "").as_deref(), Some(expected));
        }
        assert_eq!(message(SyntaxChecker::Shell, "sh: 1: printf: not found", ""), None);
    }

    fn check_here(checker: SyntaxChecker, script: &str) -> Option<String> {
        let (program, arguments) = checker.command(script);
        let run = std::process::Command::new(program).args(arguments).output().ok()?;
        let output = String::from_utf8_lossy(&run.stderr);
        let error = message(checker, &output, script);
        assert_eq!(error.is_none(), run.status.success(), "{script}: {output}");
        Some(error.unwrap_or_default())
    }

    #[test]
    fn a_checked_script_is_not_run() {
        let folder = tempfile::tempdir().unwrap();
        let marker = folder.path().join("ran");
        let good = format!("touch '{}'\ncat <<'E'\nhi \\n\nE\n", marker.display());
        assert_eq!(check_here(SyntaxChecker::Shell, &good).as_deref(), Some(""));
        let bad = format!("{good}if true; then\n");
        let output = check_here(SyntaxChecker::Shell, &bad).unwrap();
        assert!(
            output.starts_with("line ") && output.to_lowercase().contains("syntax error"),
            "{output}"
        );
        let good =
            "const GLib = imports.gi.GLib;\nprint(`a`);\nGLib.spawn_command_line_sync('false');";
        // Checked only if gjs is installed.
        if let Some(output) = check_here(SyntaxChecker::Gjs, good) {
            assert_eq!(output, "");
            let output = check_here(SyntaxChecker::Gjs, &format!("{good}\n  print(1 +)")).unwrap();
            assert!(output.starts_with("line 4, column 12: "), "{output}");
        }
        assert!(!marker.exists());
    }

    #[test]
    fn gjs_errors_have_a_line_and_column() {
        let output = "2:10: SyntaxError: expected expression, got ')'";
        assert_eq!(
            message(SyntaxChecker::Gjs, output, "").as_deref(),
            Some("line 2, column 10: expected expression, got ')'")
        );
        assert_eq!(message(SyntaxChecker::Gjs, "Gjs-CRITICAL: something else", ""), None);
        assert_eq!(message(SyntaxChecker::Gjs, "1:2: TypeError: no such thing", ""), None);
    }

    #[test]
    fn applescript_errors_have_a_line() {
        let output =
            "/tmp/tmp.x1y2:31: error: Expected end of line, etc. but found identifier. (-2741)";
        assert_eq!(
            message(APPLESCRIPT, output, "").as_deref(),
            Some("line 31: Expected end of line, etc. but found identifier.")
        );
        let output = "compilation error: Expected end of line but found “from”. (-2741)";
        assert_eq!(
            message(APPLESCRIPT, output, "").as_deref(),
            Some("Expected end of line but found “from”.")
        );
        assert_eq!(
            message(APPLESCRIPT, "osacompile: couldn't read file x: No such file", ""),
            None
        );
    }

    #[test]
    fn character_ranges_convert_to_lines_and_columns() {
        let script = "say \"😀\"\nset x too 3\n";
        // The emoji takes two code units, so the second line starts at 9.
        let output = "15:18: syntax error: Expected “to” but found identifier. (-2741)";
        assert_eq!(
            message(APPLESCRIPT, output, script).as_deref(),
            Some("line 2, columns 7 to 9: Expected “to” but found identifier.")
        );
        let output = "/x.scpt:4:4: script error: Expected expression. (-2741)";
        assert_eq!(
            message(APPLESCRIPT, output, script).as_deref(),
            Some("line 1, column 5: Expected expression.")
        );
        let output = "0:15: syntax error: Expected “end” but found end of script. (-2741)";
        assert_eq!(
            message(APPLESCRIPT, output, script).as_deref(),
            Some("line 1, column 1 to line 2, column 6: Expected “end” but found end of script.")
        );
        assert_eq!(SourceRange::of_range("ab", 90, 95).line, 1);
    }

    #[test]
    fn jxa_errors_have_the_line_in_their_message() {
        let output =
            "0:25: syntax error: Error on line 3: SyntaxError: Unexpected token ')' (-2700)";
        assert_eq!(
            message(SyntaxChecker::Osa("JavaScript"), output, "").as_deref(),
            Some("line 3: SyntaxError: Unexpected token ')'")
        );
    }
}
