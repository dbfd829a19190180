//! Scripts as a shell reads them that waits on its standard input.

use std::path::Path;

use crate::Script;

/// A script with what must be so before it begins. All of that stands on its first line, so that a shell
/// counts the lines as the writer does.
pub(crate) fn whole(script: &Script) -> Result<String, String> {
    let mut text = "exec </dev/null;".to_owned();
    for (name, value) in &script.environment {
        let mut letters = name.chars();
        let first = letters.next().is_some_and(|one| one.is_ascii_alphabetic() || one == '_');
        if !first || !letters.all(|one| one.is_ascii_alphanumeric() || one == '_') {
            return Err(format!("`{name}` cannot be the name of a variable"));
        }
        text.push_str(&format!("export {name}={};", quoted(value)));
    }
    if !script.folder.as_os_str().is_empty() {
        text.push_str(&format!("cd -- {}||exit 126;", quoted(&folder(&script.folder)?)));
    }
    text.push_str(&script.text);
    text.push('\n');
    if text.contains('\0') {
        return Err("no shell reads a zero byte".to_owned());
    }
    Ok(text)
}

fn folder(path: &Path) -> Result<String, String> {
    let text = path.to_str().ok_or_else(|| format!("{} is no text", path.display()))?;
    Ok(text.to_owned())
}

/// A word no character of which means anything to a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_be_so_before_stands_on_the_first_line() {
        let script = Script {
            text: "echo 1\necho 2".to_owned(),
            environment: [("A".to_owned(), "it's".to_owned())].into(),
            folder: "/a b".into(),
        };
        let wanted = "exec </dev/null;export A='it'\\''s';cd -- '/a b'||exit 126;echo 1\necho 2\n";
        assert_eq!(whole(&script).as_deref(), Ok(wanted));
        let here = Script { text: "pwd".to_owned(), ..Script::default() };
        assert_eq!(whole(&here).as_deref(), Ok("exec </dev/null;pwd\n"));
    }

    #[test]
    fn what_is_no_variable_and_no_text_is_refused() {
        for name in ["", "1A", "A B", "A;rm", "A=B"] {
            let environment = [(name.to_owned(), String::new())].into();
            assert!(whole(&Script { environment, ..Script::default() }).is_err(), "{name}");
        }
        assert!(whole(&Script { text: "a\0b".to_owned(), ..Script::default() }).is_err());
    }
}
