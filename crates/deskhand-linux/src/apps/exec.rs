//! The `Exec` key of a desktop file: its quoting and its field codes.

/// A command with expanded field codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExecCommand {
    /// The program and its fixed arguments.
    pub(crate) words: Vec<String>,
    /// The index in `words` at which a caller's arguments are inserted.
    pub(crate) arguments_at: usize,
}

/// The values of field codes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FieldCodes<'a> {
    pub(crate) icon: Option<&'a str>,
    pub(crate) name: &'a str,
    pub(crate) file: &'a str,
}

/// Splits a command and expands its field codes. Returns `None` if the quotes are unbalanced or it
/// is empty.
pub(crate) fn parse(exec: &str, field_codes: FieldCodes<'_>) -> Option<ExecCommand> {
    let mut words = Vec::new();
    let mut arguments_at = None;
    for word in split(exec)? {
        match word.as_str() {
            "%f" | "%F" | "%u" | "%U" => arguments_at = arguments_at.or(Some(words.len())),
            "%i" => {
                if let Some(icon) = field_codes.icon.filter(|icon| !icon.is_empty()) {
                    words.extend(["--icon".to_owned(), icon.to_owned()]);
                }
            }
            // Deprecated field codes are removed.
            "%d" | "%D" | "%n" | "%N" | "%v" | "%m" => {}
            _other => words.push(expand_field_codes(&word, field_codes)),
        }
    }
    let arguments_at = arguments_at.unwrap_or(words.len());
    (!words.is_empty() && arguments_at > 0).then_some(ExecCommand { words, arguments_at })
}

/// Splits a command into words by the quoting rules of the Desktop Entry Specification.
pub(crate) fn split(exec: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = exec.chars();
    let mut quoted = false;
    while let Some(character) = characters.next() {
        match character {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            '\\' if quoted => {
                let next = characters.next()?;
                let word = word.get_or_insert_default();
                // Only these are escaped; before any other character a backslash is literal.
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

fn expand_field_codes(word: &str, field_codes: FieldCodes<'_>) -> String {
    let mut out = String::with_capacity(word.len());
    let mut characters = word.chars();
    while let Some(character) = characters.next() {
        if character != '%' {
            out.push(character);
            continue;
        }
        match characters.next() {
            Some('%') => out.push('%'),
            Some('c') => out.push_str(field_codes.name),
            Some('k') => out.push_str(field_codes.file),
            // A file code inside a longer word is removed.
            Some(_) | None => {}
        }
    }
    out
}

/// Returns the index of the program in a command, after `env`, its options and its variables. If
/// they cannot be told apart, `env` itself counts as the program.
pub(crate) fn program_index(words: &[String]) -> Option<usize> {
    let first = words.first()?;
    if first.rsplit('/').next() != Some("env") {
        return Some(0);
    }
    let mut at = 1;
    while let Some(word) = words.get(at) {
        if word.starts_with('-') {
            let Some(count) = words_of_env_option(word) else { return Some(0) };
            at += count;
        } else if word.contains('=') {
            at += 1;
        } else {
            return Some(at);
        }
    }
    None
}

/// Returns the number of words that an option of `env` takes, including itself.
fn words_of_env_option(option: &str) -> Option<usize> {
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
    let mut characters = option.chars().skip(1);
    while let Some(character) = characters.next() {
        match character {
            'i' | '0' | 'v' => {}
            // The value follows directly or is the next word.
            'u' | 'C' | 'a' => return Some(if characters.next().is_some() { 1 } else { 2 }),
            _other => return None,
        }
    }
    Some(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELD_CODES: FieldCodes<'_> = FieldCodes {
        icon: Some("ico"),
        name: "My App",
        file: "/usr/share/applications/my.desktop",
    };

    fn words(exec: &str) -> Vec<String> {
        parse(exec, FIELD_CODES).map(|command| command.words).unwrap_or_default()
    }

    #[test]
    fn quoted_words_keep_their_spaces_and_lose_their_escapes() {
        assert_eq!(
            words(r#""/opt/My App/run" "a \"b\" \$c \\ \d" plain"#),
            ["/opt/My App/run", r#"a "b" $c \ \d"#, "plain"]
        );
        assert_eq!(words(r#"app """#), ["app", ""]);
        assert_eq!(split(r#"app "open"#), None);
    }

    #[test]
    fn arguments_are_inserted_at_the_file_code() {
        let command = parse("soffice --writer %U --quiet", FIELD_CODES).unwrap();
        assert_eq!((command.words.len(), command.arguments_at), (3, 2));
        let command = parse("app --flag", FIELD_CODES).unwrap();
        assert_eq!(command.arguments_at, 2);
    }

    #[test]
    fn every_field_code_of_the_specification_is_expanded_or_removed() {
        assert_eq!(
            words("app %i %c %k 100%% %d %N %v x%fy"),
            ["app", "--icon", "ico", "My App", "/usr/share/applications/my.desktop", "100%", "xy"]
        );
        assert_eq!(words("%U"), Vec::<String>::new());
    }

    #[test]
    fn the_program_follows_env_and_its_variables() {
        let at = |exec: &str| program_index(&words(exec));
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
