//! The command of a desktop file: its quoting, and the marks where files and other things go.

/// A command whose marks are replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Command {
    /// The program and its fixed arguments.
    pub(crate) words: Vec<String>,
    /// Where in them a caller's arguments go.
    pub(crate) arguments_at: usize,
}

/// What the marks of a command stand for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Marks<'a> {
    pub(crate) icon: Option<&'a str>,
    pub(crate) name: &'a str,
    pub(crate) file: &'a str,
}

/// Splits a command and replaces its marks. `None` when its quotes do not fit or nothing is left.
pub(crate) fn parse(exec: &str, marks: Marks<'_>) -> Option<Command> {
    let mut words = Vec::new();
    let mut arguments_at = None;
    for word in split(exec)? {
        match word.as_str() {
            "%f" | "%F" | "%u" | "%U" => arguments_at = arguments_at.or(Some(words.len())),
            "%i" => {
                if let Some(icon) = marks.icon.filter(|icon| !icon.is_empty()) {
                    words.extend(["--icon".to_owned(), icon.to_owned()]);
                }
            }
            // Marks of old that mean nothing any more.
            "%d" | "%D" | "%n" | "%N" | "%v" | "%m" => {}
            _other => words.push(replaced(&word, marks)),
        }
    }
    let arguments_at = arguments_at.unwrap_or(words.len());
    (!words.is_empty() && arguments_at > 0).then_some(Command { words, arguments_at })
}

/// Splits a command into words as the Desktop Entry Specification quotes them.
pub(crate) fn split(exec: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = exec.chars();
    let mut quoted = false;
    while let Some(letter) = letters.next() {
        match letter {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            '\\' if quoted => {
                let next = letters.next()?;
                let word = word.get_or_insert_default();
                // Only these need a backslash; before any other it stands for itself.
                if !matches!(next, '"' | '`' | '$' | '\\') {
                    word.push('\\');
                }
                word.push(next);
            }
            ' ' | '\t' | '\n' if !quoted => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    (!quoted).then_some(words)
}

fn replaced(word: &str, marks: Marks<'_>) -> String {
    let mut out = String::with_capacity(word.len());
    let mut letters = word.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            out.push(letter);
            continue;
        }
        match letters.next() {
            Some('%') => out.push('%'),
            Some('c') => out.push_str(marks.name),
            Some('k') => out.push_str(marks.file),
            // A mark for files inside a longer word has nothing to stand for.
            Some(_) | None => {}
        }
    }
    out
}

/// Where in a command the program stands: behind `env`, its options and the variables it sets. Where
/// they cannot be told apart, `env` itself is the program.
pub(crate) fn program_at(words: &[String]) -> Option<usize> {
    let first = words.first()?;
    if first.rsplit('/').next() != Some("env") {
        return Some(0);
    }
    let mut at = 1;
    while let Some(word) = words.get(at) {
        if word.starts_with('-') {
            let Some(taken) = taken_by(word) else { return Some(0) };
            at += taken;
        } else if word.contains('=') {
            at += 1;
        } else {
            return Some(at);
        }
    }
    None
}

/// How many words an option of `env` takes, with its own.
fn taken_by(option: &str) -> Option<usize> {
    if let Some(long) = option.strip_prefix("--") {
        return match long {
            "" | "ignore-environment" | "null" | "debug" => Some(1),
            "unset" | "chdir" | "argv0" => Some(2),
            other => {
                let (name, _) = other.split_once('=')?;
                matches!(name, "unset" | "chdir" | "argv0").then_some(1)
            }
        };
    }
    let mut letters = option.chars().skip(1);
    while let Some(letter) = letters.next() {
        match letter {
            'i' | '0' | 'v' => {}
            // What it takes stands behind it, or is the next word.
            'u' | 'C' | 'a' => return Some(if letters.next().is_some() { 1 } else { 2 }),
            _other => return None,
        }
    }
    Some(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKS: Marks<'_> =
        Marks { icon: Some("ico"), name: "My App", file: "/usr/share/applications/my.desktop" };

    fn words(exec: &str) -> Vec<String> {
        parse(exec, MARKS).map(|command| command.words).unwrap_or_default()
    }

    #[test]
    fn quoted_words_keep_their_blanks_and_lose_their_escapes() {
        assert_eq!(
            words(r#""/opt/My App/run" "a \"b\" \$c \\ \d" plain"#),
            ["/opt/My App/run", r#"a "b" $c \ \d"#, "plain"]
        );
        assert_eq!(words(r#"app """#), ["app", ""]);
        assert_eq!(split(r#"app "open"#), None);
    }

    #[test]
    fn arguments_go_where_the_files_would() {
        let command = parse("soffice --writer %U --quiet", MARKS).unwrap();
        assert_eq!((command.words.len(), command.arguments_at), (3, 2));
        let command = parse("app --flag", MARKS).unwrap();
        assert_eq!(command.arguments_at, 2);
    }

    #[test]
    fn every_mark_of_the_specification_is_replaced_or_dropped() {
        assert_eq!(
            words("app %i %c %k 100%% %d %N %v x%fy"),
            ["app", "--icon", "ico", "My App", "/usr/share/applications/my.desktop", "100%", "xy"]
        );
        assert_eq!(words("%U"), Vec::<String>::new());
    }

    #[test]
    fn the_program_stands_behind_env_and_its_variables() {
        let at = |exec: &str| program_at(&words(exec));
        assert_eq!(at("env A=b C=d app --x"), Some(3));
        assert_eq!(at("/usr/bin/env -u A app"), Some(3));
        assert_eq!(at("env -iu A --chdir /tmp -uB -- C=d app -u"), Some(8));
        assert_eq!(at("env - A=b app"), Some(3));
        assert_eq!(at("env A=b"), None);
        assert_eq!(at("env -S \"app x\""), Some(0));
        assert_eq!(at("env --new-option x app"), Some(0));
        assert_eq!(at("app A=b"), Some(0));
    }
}
