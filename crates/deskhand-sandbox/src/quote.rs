//! Renders a script for a shell that reads it from standard input.

use std::path::Path;

use crate::Script;

/// Returns the text of a script, preceded by its environment and working folder. The preamble is on the
/// first line of the script, so that line numbers in the shell's messages are right.
pub(crate) fn render(script: &Script) -> Result<String, String> {
    let mut text = "exec </dev/null;".to_owned();
    for (name, value) in &script.environment {
        let mut letters = name.chars();
        let first = letters.next().is_some_and(|one| one.is_ascii_alphabetic() || one == '_');
        if !first || !letters.all(|one| one.is_ascii_alphanumeric() || one == '_') {
            return Err(format!("`{name}` is not a valid variable name"));
        }
        text.push_str(&format!("export {name}={};", quote(value)));
    }
    if !script.folder.as_os_str().is_empty() {
        text.push_str(&format!("cd -- {}||exit 126;", quote(&folder_text(&script.folder)?)));
    }
    text.push_str(&script.text);
    text.push('\n');
    if text.contains('\0') {
        return Err("a script cannot contain a NUL byte".to_owned());
    }
    Ok(text)
}

fn folder_text(path: &Path) -> Result<String, String> {
    let text = path.to_str().ok_or_else(|| format!("{} is not valid UTF-8", path.display()))?;
    Ok(text.to_owned())
}

/// Quotes a word for the shell.
fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preamble_is_on_the_first_line() {
        let script = Script {
            text: "echo 1\necho 2".to_owned(),
            environment: [("A".to_owned(), "it's".to_owned())].into(),
            folder: "/a b".into(),
        };
        let wanted = "exec </dev/null;export A='it'\\''s';cd -- '/a b'||exit 126;echo 1\necho 2\n";
        assert_eq!(render(&script).as_deref(), Ok(wanted));
        let here = Script { text: "pwd".to_owned(), ..Script::default() };
        assert_eq!(render(&here).as_deref(), Ok("exec </dev/null;pwd\n"));
    }

    #[test]
    fn invalid_variable_names_and_nul_bytes_are_refused() {
        for name in ["", "1A", "A B", "A;rm", "A=B"] {
            let environment = [(name.to_owned(), String::new())].into();
            assert!(render(&Script { environment, ..Script::default() }).is_err(), "{name}");
        }
        assert!(render(&Script { text: "a\0b".to_owned(), ..Script::default() }).is_err());
    }
}
