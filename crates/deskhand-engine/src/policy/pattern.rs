//! One entry of a list of apps: a name, a desktop-file id, the path of a program, or a glob of these.

use std::path::Path;

use deskhand_platform::{FileOf, Identities, Identity};
use globset::{Glob, GlobBuilder, GlobMatcher};

use super::likeness::{Likeness, fold};

/// An entry of a list of apps.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    kind: Kind,
    /// The file it leads to on this machine.
    file: Option<FileOf>,
}

#[derive(Debug, Clone)]
enum Kind {
    Name { plain: String, like: Likeness },
    Path(String),
    Names { plain: Box<GlobMatcher>, like: Vec<GlobMatcher> },
    Paths(Box<GlobMatcher>),
}

/// What is judged: what it is, and everything it calls itself beside that.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) identity: Option<&'a Identity>,
    pub(super) claims: &'a [&'a str],
}

impl Pattern {
    /// Reads an entry; why it is none otherwise.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err("it is empty".to_owned());
        }
        if text.chars().any(char::is_control) {
            return Err("it has control characters".to_owned());
        }
        if text.contains('/') && !text.starts_with('/') && !text.starts_with("**/") {
            return Err("a path begins with `/`".to_owned());
        }
        let is_glob = text.contains(['*', '?', '[', '{']);
        let kind = match (text.contains('/'), is_glob) {
            (true, false) => Kind::Path(text.to_owned()),
            (true, true) => Kind::Paths(Box::new(glob(text, Steps::Kept)?)),
            (false, false) => {
                let plain = name(text);
                Kind::Name { like: Likeness::of(plain), plain: fold(plain) }
            }
            (false, true) => {
                let plain = name(text);
                let like = Likeness::of(plain);
                Kind::Names {
                    plain: Box::new(glob(&fold(plain), Steps::None)?),
                    // A letter that looks like a sign of globs may spoil one of these.
                    like: like
                        .ways()
                        .iter()
                        .filter_map(|way| glob(way, Steps::None).ok())
                        .collect(),
                }
            }
        };
        Ok(Self { kind, file: None })
    }

    /// The same, with the file it leads to on this machine.
    pub(super) fn resolved(&self, identities: &dyn Identities) -> Self {
        let file = match &self.kind {
            Kind::Path(path) => identities.file(Path::new(path)),
            Kind::Name { plain, .. } => identities.file(Path::new(plain)),
            Kind::Names { .. } | Kind::Paths(_) => None,
        };
        Self { kind: self.kind.clone(), file }
    }

    /// Whether it may mean something: by what it is, and by anything it calls itself.
    pub(super) fn may_mean(&self, subject: Subject<'_>) -> bool {
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
        // What does not show its file may be any.
        let hidden = subject.identity.is_none_or(|one| one.hidden);
        match &self.kind {
            Kind::Path(path) => hidden || files().any(|file| file.path == *path),
            Kind::Paths(glob) => hidden || files().any(|file| glob.is_match(&file.path)),
            Kind::Name { like, .. } => {
                names().flat_map(parts).any(|one| like.is_like(&Likeness::of(one)))
            }
            Kind::Names { plain, like } => names().flat_map(parts).any(|one| {
                let ways = Likeness::of(one);
                plain.is_match(fold(one))
                    || like.iter().any(|glob| ways.ways().iter().any(|way| glob.is_match(way)))
            }),
        }
    }

    /// Whether it surely means something: by nothing but what it is.
    pub(crate) fn means(&self, identity: &Identity) -> bool {
        let sure = || identity.files.iter().filter(|file| file.sure);
        let own = self.file.as_ref();
        match &self.kind {
            Kind::Path(path) => sure()
                .any(|file| file.path == *path || own.is_some_and(|own| own.path == file.path)),
            Kind::Paths(glob) => sure().any(|file| glob.is_match(&file.path)),
            Kind::Name { plain, .. } => {
                let leads =
                    |file: &FileOf| own.is_some_and(|own| own.installed && own.path == file.path);
                sure().any(leads) || identity.names.iter().any(|one| fold(name(one)) == *plain)
            }
            Kind::Names { plain, .. } => {
                identity.names.iter().any(|one| plain.is_match(fold(name(one))))
            }
        }
    }
}

/// Hard links to a file are that file.
fn is_same(one: &FileOf, other: &FileOf) -> bool {
    one.number.is_some() && one.number == other.number
}

/// An id may be written as the name of its file.
fn name(text: &str) -> &str {
    text.strip_suffix(".desktop").unwrap_or(text)
}

/// An id written backwards like a domain is known by its last word, too.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let last = text.rsplit('.').next().filter(|_| text.matches('.').count() > 1);
    std::iter::once(text).chain(last)
}

/// Whether a star may stand for several folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Steps {
    /// Only two stars may.
    Kept,
    /// There are none.
    None,
}

fn glob(text: &str, steps: Steps) -> Result<GlobMatcher, String> {
    let built: Result<Glob, _> =
        GlobBuilder::new(text).literal_separator(steps == Steps::Kept).build();
    built.map(|glob| glob.compile_matcher()).map_err(|error| error.kind().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> FileOf {
        FileOf { path: path.to_owned(), number: None, sure: true, installed: true }
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

    fn pattern(text: &str) -> Pattern {
        Pattern::parse(text).unwrap()
    }

    #[test]
    fn every_kind_means_what_it_says() {
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
            assert!(pattern(text).means(&calc), "{text}");
            let subject = Subject { identity: Some(&calc), claims: &[] };
            assert!(pattern(text).may_mean(subject), "{text}");
        }
        for text in ["calc", "kcal", "/usr/bin/kcal", "/usr/*calc", "/opt/**", "org.gnome.*", "k"] {
            assert!(!pattern(text).means(&calc), "{text}");
            let subject = Subject { identity: Some(&calc), claims: &[] };
            assert!(!pattern(text).may_mean(subject), "{text}");
        }
    }

    #[test]
    fn what_it_calls_itself_counts_against_it_and_never_for_it() {
        let mut calc = calculator();
        calc.files[0].sure = false;
        calc.names.clear();
        for text in ["kcalc", "innocent", "/usr/bin/kcalc", "inno*", "Own Name"] {
            assert!(!pattern(text).means(&calc), "{text}");
            let subject = Subject { identity: Some(&calc), claims: &["own name", "innocent"] };
            assert!(pattern(text).may_mean(subject), "{text}");
        }
        let nobody = Subject { identity: None, claims: &["kc\u{430}lc"] };
        assert!(pattern("kcalc").may_mean(nobody));
        assert!(pattern("kc*").may_mean(nobody));
    }

    #[test]
    fn what_does_not_show_its_file_may_be_any_file_and_is_surely_none() {
        let said = FileOf { sure: false, ..file("/usr/bin/mousepad") };
        let hidden = Identity { hidden: true, files: vec![said], ..Identity::default() };
        for identity in [Some(&hidden), None] {
            let subject = Subject { identity, claims: &["mousepad"] };
            for text in ["/usr/bin/kcalc", "/opt/**", "**/mousepad"] {
                assert!(pattern(text).may_mean(subject), "{text}");
            }
            assert!(!pattern("kcalc").may_mean(subject), "a name is held against what it says");
        }
        for text in ["/usr/bin/mousepad", "/usr/**", "mousepad", "*"] {
            assert!(!pattern(text).means(&hidden), "{text}");
        }
    }

    #[test]
    fn links_lead_to_the_file_they_mean() {
        let calc = calculator();
        let link = Pattern { file: Some(file("/usr/bin/kcalc")), ..pattern("/opt/link") };
        assert!(link.means(&calc));
        let mut hard = file("/opt/hard");
        hard.number = Some((1, 2));
        let mut same = calc.clone();
        same.files[0].number = Some((1, 2));
        let linked = Pattern { file: Some(hard), ..pattern("/opt/hard") };
        assert!(linked.may_mean(Subject { identity: Some(&same), claims: &[] }));
        let own = FileOf { installed: false, ..file("/usr/bin/kcalc") };
        let by_name = Pattern { file: Some(own), ..pattern("mine") };
        assert!(!by_name.means(&calc), "anybody can put a program of that name in front");
    }

    #[test]
    fn what_is_no_entry_is_refused() {
        for (text, why) in [
            ("", "empty"),
            ("  ", "empty"),
            ("a\u{7}b", "control"),
            ("bin/kcalc", "begins with"),
            ("~/kcalc", "begins with"),
            ("/usr/[a", "unclosed"),
            ("k{a", "unclosed"),
        ] {
            let refused = Pattern::parse(text).unwrap_err();
            assert!(refused.contains(why), "{text}: {refused}");
        }
    }
}
