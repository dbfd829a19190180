//! App patterns: a name, a desktop-file id, the path of a program, or a glob of these.

use std::path::Path;

use deskhand_platform::{Identities, Identity, ProgramFile};
use globset::{Glob, GlobBuilder, GlobMatcher};

use super::name_forms::{NameForms, fold};

/// A pattern for apps.
#[derive(Debug, Clone)]
pub(crate) struct AppPattern {
    kind: PatternKind,
    /// The program file that it refers to on this machine.
    file: Option<ProgramFile>,
}

#[derive(Debug, Clone)]
enum PatternKind {
    Name { folded: String, forms: NameForms },
    Path(String),
    NameGlob { folded: Box<GlobMatcher>, forms: Vec<GlobMatcher> },
    PathGlob(Box<GlobMatcher>),
}

/// The program to match: its identity, and further names it claims.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) identity: Option<&'a Identity>,
    pub(super) claims: &'a [&'a str],
}

impl AppPattern {
    /// Parses a pattern. The error is the reason why it is invalid.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err("it is empty".to_owned());
        }
        if text.chars().any(char::is_control) {
            return Err("it contains control characters".to_owned());
        }
        if text.contains('/') && !text.starts_with('/') && !text.starts_with("**/") {
            return Err("a path must start with `/`".to_owned());
        }
        let is_glob = text.contains(['*', '?', '[', '{']);
        let kind = match (text.contains('/'), is_glob) {
            (true, false) => PatternKind::Path(text.to_owned()),
            (true, true) => PatternKind::PathGlob(Box::new(glob(text, Separators::Literal)?)),
            (false, false) => {
                let plain = name(text);
                PatternKind::Name { forms: NameForms::new(plain), folded: fold(plain) }
            }
            (false, true) => {
                let plain = name(text);
                let forms = NameForms::new(plain);
                PatternKind::NameGlob {
                    folded: Box::new(glob(&fold(plain), Separators::None)?),
                    // A form may be an invalid glob, because some letters look like glob characters.
                    forms: forms
                        .all()
                        .iter()
                        .filter_map(|form| glob(form, Separators::None).ok())
                        .collect(),
                }
            }
        };
        Ok(Self { kind, file: None })
    }

    /// Resolves the program file of the pattern on this machine.
    pub(super) fn resolved(&self, identities: &dyn Identities) -> Self {
        let file = match &self.kind {
            PatternKind::Path(path) => identities.resolve_file(Path::new(path)),
            PatternKind::Name { folded, .. } => identities.resolve_file(Path::new(folded)),
            PatternKind::NameGlob { .. } | PatternKind::PathGlob(_) => None,
        };
        Self { kind: self.kind.clone(), file }
    }

    /// Returns `true` if the pattern may match a program, by its identity or by any name it claims. Used
    /// for rules that restrict access.
    pub(super) fn may_match(&self, subject: Subject<'_>) -> bool {
        let files = || subject.identity.iter().flat_map(|one| &one.files);
        if let Some(own) = &self.file
            && files().any(|file| file.path == own.path || is_same(file, own))
        {
            return true;
        }
        let names = || {
            let known = subject.identity.iter().flat_map(|one| one.names.iter().chain(&one.claims));
            known.map(String::as_str).chain(subject.claims.iter().copied()).map(name)
        };
        // A program that hides its file may be any program.
        let hidden = subject.identity.is_none_or(|one| one.hidden);
        match &self.kind {
            PatternKind::Path(path) => hidden || files().any(|file| file.path == *path),
            PatternKind::PathGlob(glob) => hidden || files().any(|file| glob.is_match(&file.path)),
            PatternKind::Name { forms, .. } => {
                names().flat_map(parts).any(|one| forms.is_like(&NameForms::new(one)))
            }
            PatternKind::NameGlob { folded, forms } => names().flat_map(parts).any(|one| {
                let candidate = NameForms::new(one);
                folded.is_match(fold(one))
                    || forms
                        .iter()
                        .any(|glob| candidate.all().iter().any(|form| glob.is_match(form)))
            }),
        }
    }

    /// Returns `true` if the pattern certainly matches a program, by its verified identity alone. Used
    /// for rules that grant access.
    pub(crate) fn matches(&self, identity: &Identity) -> bool {
        let verified = || identity.files.iter().filter(|file| file.verified);
        let own = self.file.as_ref();
        match &self.kind {
            PatternKind::Path(path) => verified()
                .any(|file| file.path == *path || own.is_some_and(|own| own.path == file.path)),
            PatternKind::PathGlob(glob) => verified().any(|file| glob.is_match(&file.path)),
            PatternKind::Name { folded, .. } => {
                let is_own = |file: &ProgramFile| {
                    own.is_some_and(|own| own.admin_owned && own.path == file.path)
                };
                verified().any(is_own)
                    || identity.names.iter().any(|one| fold(name(one)) == *folded)
            }
            PatternKind::NameGlob { folded, .. } => {
                identity.names.iter().any(|one| folded.is_match(fold(name(one))))
            }
        }
    }
}

/// Returns `true` if both are hard links to the same file.
fn is_same(one: &ProgramFile, other: &ProgramFile) -> bool {
    one.file_id.is_some() && one.file_id == other.file_id
}

/// Removes the file extension of a desktop-file id.
fn name(text: &str) -> &str {
    text.strip_suffix(".desktop").unwrap_or(text)
}

/// Returns a name, and the last part of it if it is a reverse domain name.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let last = text.rsplit('.').next().filter(|_| text.matches('.').count() > 1);
    std::iter::once(text).chain(last)
}

/// The treatment of path separators in a glob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separators {
    /// Only `**` matches several folders.
    Literal,
    /// The text has no separators.
    None,
}

fn glob(text: &str, separators: Separators) -> Result<GlobMatcher, String> {
    let built: Result<Glob, _> =
        GlobBuilder::new(text).literal_separator(separators == Separators::Literal).build();
    built.map(|glob| glob.compile_matcher()).map_err(|error| error.kind().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> ProgramFile {
        ProgramFile { path: path.to_owned(), file_id: None, verified: true, admin_owned: true }
    }

    fn calculator() -> Identity {
        let words = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect();
        Identity {
            process: None,
            key: None,
            files: vec![file("/usr/bin/kcalc")],
            names: words(&["kcalc", "org.kde.kcalc", "KCalc"]),
            claims: words(&["kcalc", "innocent"]),
            hidden: false,
        }
    }

    fn pattern(text: &str) -> AppPattern {
        AppPattern::parse(text).unwrap()
    }

    #[test]
    fn every_kind_of_pattern_matches() {
        let calc = calculator();
        for text in [
            "kcalc",
            "KCALC",
            "KCalc",
            "org.kde.kcalc",
            "org.kde.kcalc.desktop",
            "/usr/bin/kcalc",
            "/usr/bin/*calc",
            "/usr/**",
            "org.kde.*",
            "k?alc",
            "[jk]calc",
            "{mousepad,kcalc}",
            "**/kcalc",
        ] {
            assert!(pattern(text).matches(&calc), "{text}");
            let subject = Subject { identity: Some(&calc), claims: &[] };
            assert!(pattern(text).may_match(subject), "{text}");
        }
        for text in ["calc", "kcal", "/usr/bin/kcal", "/usr/*calc", "/opt/**", "org.gnome.*", "k"] {
            assert!(!pattern(text).matches(&calc), "{text}");
            let subject = Subject { identity: Some(&calc), claims: &[] };
            assert!(!pattern(text).may_match(subject), "{text}");
        }
    }

    #[test]
    fn claimed_names_restrict_access_but_never_grant_it() {
        let mut calc = calculator();
        calc.files[0].verified = false;
        calc.names.clear();
        for text in ["kcalc", "innocent", "/usr/bin/kcalc", "inno*", "Own Name"] {
            assert!(!pattern(text).matches(&calc), "{text}");
            let subject = Subject { identity: Some(&calc), claims: &["own name", "innocent"] };
            assert!(pattern(text).may_match(subject), "{text}");
        }
        let unknown = Subject { identity: None, claims: &["kc\u{430}lc"] };
        assert!(pattern("kcalc").may_match(unknown));
        assert!(pattern("kc*").may_match(unknown));
    }

    #[test]
    fn a_hidden_file_may_match_any_path_but_certainly_matches_none() {
        let claimed = ProgramFile { verified: false, ..file("/usr/bin/mousepad") };
        let hidden = Identity { hidden: true, files: vec![claimed], ..Identity::default() };
        for identity in [Some(&hidden), None] {
            let subject = Subject { identity, claims: &["mousepad"] };
            for text in ["/usr/bin/kcalc", "/opt/**", "**/mousepad"] {
                assert!(pattern(text).may_match(subject), "{text}");
            }
            assert!(!pattern("kcalc").may_match(subject), "names are compared with claimed names");
        }
        for text in ["/usr/bin/mousepad", "/usr/**", "mousepad", "*"] {
            assert!(!pattern(text).matches(&hidden), "{text}");
        }
    }

    #[test]
    fn links_are_resolved() {
        let calc = calculator();
        let link = AppPattern { file: Some(file("/usr/bin/kcalc")), ..pattern("/opt/link") };
        assert!(link.matches(&calc));
        let mut hard = file("/opt/hard");
        hard.file_id = Some((1, 2));
        let mut same = calc.clone();
        same.files[0].file_id = Some((1, 2));
        let linked = AppPattern { file: Some(hard), ..pattern("/opt/hard") };
        assert!(linked.may_match(Subject { identity: Some(&same), claims: &[] }));
        let own = ProgramFile { admin_owned: false, ..file("/usr/bin/kcalc") };
        let by_name = AppPattern { file: Some(own), ..pattern("mine") };
        assert!(!by_name.matches(&calc), "any user can install a program with that name");
    }

    #[test]
    fn invalid_patterns_are_refused() {
        for (text, why) in [
            ("", "empty"),
            ("  ", "empty"),
            ("a\u{7}b", "control"),
            ("bin/kcalc", "must start with"),
            ("~/kcalc", "must start with"),
            ("/usr/[a", "unclosed"),
            ("k{a", "unclosed"),
        ] {
            let refused = AppPattern::parse(text).unwrap_err();
            assert!(refused.contains(why), "{text}: {refused}");
        }
    }
}
