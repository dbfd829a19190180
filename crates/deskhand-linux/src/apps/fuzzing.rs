//! The fuzzing entry point for desktop files.

use std::path::Path;

use super::{
    entry::{self, DesktopEntry},
    exec::{self, FieldCodes},
};

const FILE: &str = "/usr/share/applications/app.desktop";

/// Parses the text of a desktop file.
///
/// # Panics
///
/// If the checked command differs from the started one, or an entry or its command changes when it
/// is serialized and parsed again.
pub fn desktop_file(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let languages = entry::languages("de_AT.UTF-8@euro");
    let read = |text: &str| DesktopEntry::parse("app", Path::new(FILE), text, &languages);
    let Some(entry) = read(text) else { return };
    assert_eq!(entry::command(text).unwrap_or_default(), entry.exec, "checked and started command");
    let serialized = serialize(&entry);
    assert_eq!(read(&serialized), Some(entry.clone()), "{serialized:?}");
    command(&entry);
}

fn command(entry: &DesktopEntry) {
    let codes = FieldCodes { icon: entry.icon.as_deref(), name: entry.shown_name(), file: FILE };
    let started = exec::parse(&entry.exec, codes);
    let Some(words) = exec::split(&entry.exec) else {
        assert_eq!(started, None, "a command that cannot be split is not started");
        return;
    };
    assert_eq!(exec::split(&quote(&words)).as_ref(), Some(&words), "{:?}", entry.exec);
    assert!(exec::program_index(&words).is_none_or(|at| at < words.len()), "{words:?}");
    if let Some(command) = started {
        assert!((1..=command.words.len()).contains(&command.arguments_at), "{command:?}");
        if !entry.exec.contains('%') {
            assert_eq!(command.words, words, "without field codes nothing changes");
        }
    }
}

/// Joins words into a command with every word in quotes.
fn quote(words: &[String]) -> String {
    let word = |word: &String| {
        let mut out = String::from('"');
        for character in word.chars() {
            if matches!(character, '"' | '`' | '$' | '\\') {
                out.push('\\');
            }
            out.push(character);
        }
        out.push('"');
        out
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Serializes an entry as a desktop file.
fn serialize(entry: &DesktopEntry) -> String {
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
    let flags =
        [("Terminal", entry.terminal), ("NoDisplay", entry.unlisted), ("Hidden", entry.deleted)];
    let mut out = String::from("[Desktop Entry]\n");
    for (key, value) in texts {
        let line = value.map(|value| format!("{key}={}\n", escape(value)));
        out.extend(line);
    }
    out.extend(flags.map(|(key, is_set)| format!("{key}={is_set}\n")));
    out
}

fn escape(value: &str) -> String {
    let mut out = String::new();
    for character in value.chars() {
        match character {
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
