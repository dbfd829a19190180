//! What fuzzing reaches of this room: desktop files.

use std::path::Path;

use super::{
    entry::{self, Entry},
    exec::{self, Marks},
};

const FILE: &str = "/usr/share/applications/app.desktop";

/// The text of a desktop file.
///
/// # Panics
///
/// When the command that is judged is another than the one that is started, or an entry or its command
/// is another once it is written and read again.
pub fn desktop_file(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let languages = entry::languages("de_AT.UTF-8@euro");
    let read = |text: &str| Entry::parse("app", Path::new(FILE), text, &languages);
    let Some(entry) = read(text) else { return };
    assert_eq!(entry::command(text).unwrap_or_default(), entry.exec, "judged and started");
    let again = written(&entry);
    assert_eq!(read(&again), Some(entry.clone()), "{again:?}");
    command(&entry);
}

fn command(entry: &Entry) {
    let marks = Marks { icon: entry.icon.as_deref(), name: entry.shown_name(), file: FILE };
    let started = exec::parse(&entry.exec, marks);
    let Some(words) = exec::split(&entry.exec) else {
        assert_eq!(started, None, "what cannot be split is not started");
        return;
    };
    assert_eq!(exec::split(&quoted(&words)).as_ref(), Some(&words), "{:?}", entry.exec);
    assert!(exec::program_at(&words).is_none_or(|at| at < words.len()), "{words:?}");
    if let Some(command) = started {
        assert!((1..=command.words.len()).contains(&command.arguments_at), "{command:?}");
        if !entry.exec.contains('%') {
            assert_eq!(command.words, words, "without marks nothing is replaced");
        }
    }
}

/// Words as a command that has each in quotes.
fn quoted(words: &[String]) -> String {
    let word = |word: &String| {
        let mut out = String::from('"');
        for letter in word.chars() {
            if matches!(letter, '"' | '`' | '$' | '\\') {
                out.push('\\');
            }
            out.push(letter);
        }
        out.push('"');
        out
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// An entry as a desktop file that says the same.
fn written(entry: &Entry) -> String {
    let texts = [
        ("Name", Some(&entry.name)),
        ("Name[de]", entry.local_name.as_ref()),
        ("GenericName", entry.generic_name.as_ref()),
        ("GenericName[de]", entry.local_generic_name.as_ref()),
        ("Exec", Some(&entry.exec)),
        ("TryExec", entry.try_exec.as_ref()),
        ("Icon", entry.icon.as_ref()),
        ("Path", entry.folder.as_ref()),
        ("StartupWMClass", entry.class.as_ref()),
    ];
    let marks =
        [("Terminal", entry.terminal), ("NoDisplay", entry.unlisted), ("Hidden", entry.deleted)];
    let mut out = String::from("[Desktop Entry]\n");
    for (key, value) in texts {
        let line = value.map(|value| format!("{key}={}\n", escaped(value)));
        out.extend(line);
    }
    out.extend(marks.map(|(key, is_set)| format!("{key}={is_set}\n")));
    out
}

fn escaped(value: &str) -> String {
    let mut out = String::new();
    for letter in value.chars() {
        match letter {
            ' ' => out.push_str("\\s"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\\' => out.push_str("\\\\"),
            other => out.push(other),
        }
    }
    out
}
