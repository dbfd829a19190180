//! Bundles: the folders that apps are on a Mac, and what their `Info.plist` says about them.

use std::{
    fs,
    io::Cursor,
    path::{Path, PathBuf},
};

use plist::{Dictionary, Value};

/// No sane `Info.plist` is longer.
const LONGEST: u64 = 4 * 1024 * 1024;

/// An app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bundle {
    /// Its folder.
    pub(super) path: PathBuf,
    pub(super) id: Option<String>,
    /// What it is called; the first is what Finder shows.
    pub(super) names: Vec<String>,
    /// Its program.
    pub(super) program: Option<PathBuf>,
    /// Whether it works unseen, without an icon in the Dock.
    pub(super) unseen: bool,
}

/// What an `Info.plist` says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Info {
    id: Option<String>,
    display_name: Option<String>,
    name: Option<String>,
    program: Option<String>,
    unseen: bool,
    /// Whether Finder shows another name in other languages.
    localized: bool,
}

impl Bundle {
    /// The app a folder is, with its names in these languages; `None` when it is none.
    pub(super) fn read(path: &Path, languages: &[String]) -> Option<Self> {
        if path.extension().is_none_or(|ending| ending != "app") {
            return None;
        }
        // Apps made for the iPhone lie in a wrapper that links to them.
        let places = [
            ("Contents/Info.plist", "Contents/MacOS"),
            ("WrappedBundle/Info.plist", "WrappedBundle"),
        ];
        let (info, programs) = places.iter().find_map(|(info, programs)| {
            Some((Info::parse(&whole(&path.join(info))?)?, path.join(programs)))
        })?;
        let shown = path.file_stem()?.to_str()?.to_owned();
        let stated = [info.display_name, info.name].into_iter().flatten();
        let mut names: Vec<String> = Vec::new();
        let local = if info.localized { local_names(path, languages) } else { Vec::new() };
        for name in [shown].into_iter().chain(local).chain(stated) {
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
        let program = info.program.filter(|name| !name.contains('/'));
        let program = program.map(|name| programs.join(name)).filter(|file| file.is_file());
        Some(Self { path: path.to_owned(), id: info.id, names, program, unseen: info.unseen })
    }

    /// The innermost app a program file belongs to: the one whose own program folder it lies in.
    pub(super) fn around(program: &Path) -> Option<Self> {
        let inner = program.parent()?;
        let contents = inner.parent().filter(|_| inner.ends_with("Contents/MacOS"))?;
        Self::read(contents.parent()?, &[])
    }

    /// The outermost app a program file lies in, whatever part of it it is.
    pub(super) fn outermost(program: &Path) -> Option<Self> {
        let apps: Vec<&Path> = program.ancestors().skip(1).collect();
        apps.into_iter().rev().find_map(|folder| Self::read(folder, &[]))
    }

    /// The file all that is known about it comes from.
    pub(super) fn info(&self) -> PathBuf {
        self.path.join("Contents/Info.plist")
    }
}

impl Info {
    /// Reads one, be it written as XML or in binary.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let value = Value::from_reader(Cursor::new(bytes)).ok()?;
        let all = value.as_dictionary()?;
        let text = |key: &str| text(all, key);
        // It is written as a number and as a word, too.
        let is = |key: &str| match all.get(key) {
            Some(value) => {
                value.as_boolean().unwrap_or(false)
                    || value.as_signed_integer() == Some(1)
                    || value.as_string().is_some_and(|word| matches!(word, "1" | "YES" | "true"))
            }
            None => false,
        };
        Some(Self {
            id: text("CFBundleIdentifier"),
            display_name: text("CFBundleDisplayName"),
            name: text("CFBundleName"),
            program: text("CFBundleExecutable"),
            unseen: is("LSUIElement") || is("LSBackgroundOnly"),
            localized: is("LSHasLocalizedDisplayName"),
        })
    }
}

fn text(all: &Dictionary, key: &str) -> Option<String> {
    let text = all.get(key)?.as_string()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn whole(file: &Path) -> Option<Vec<u8>> {
    let length = fs::metadata(file).ok().filter(|meta| meta.is_file())?.len();
    (length <= LONGEST).then(|| fs::read(file).ok())?
}

/// What an app is called in the person's languages.
fn local_names(app: &Path, languages: &[String]) -> Vec<String> {
    let folder = app.join("Contents/Resources");
    let table = || {
        let bytes = whole(&folder.join("InfoPlist.loctable"))?;
        Value::from_reader(Cursor::new(bytes)).ok()?.into_dictionary()
    };
    let table = if languages.is_empty() { None } else { table() };
    let mut names = Vec::new();
    for language in languages.iter().flat_map(|language| written(language)) {
        let alone = || {
            let bytes = whole(&folder.join(format!("{language}.lproj/InfoPlist.strings")))?;
            Value::from_reader(Cursor::new(bytes)).ok()?.into_dictionary()
        };
        let in_table = table.as_ref().and_then(|all| all.get(&language)?.as_dictionary().cloned());
        if let Some(all) = in_table.or_else(alone) {
            let keys = ["CFBundleDisplayName", "CFBundleName"];
            names.extend(keys.iter().filter_map(|key| text(&all, key)));
        }
    }
    names
}

/// The ways a language is written in the names of folders.
fn written(language: &str) -> Vec<String> {
    let mut ways = vec![language.to_owned(), language.replace('-', "_")];
    ways.extend(language.split(['-', '_']).next().map(str::to_owned));
    ways.dedup();
    ways
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Makes an app.
    pub(crate) fn app(folder: &Path, name: &str, id: &str, more: &[(&str, Value)]) -> PathBuf {
        let app = folder.join(format!("{name}.app"));
        fs::create_dir_all(app.join("Contents/MacOS")).unwrap();
        fs::write(app.join("Contents/MacOS/run"), "").unwrap();
        let mut all = Dictionary::new();
        all.insert("CFBundleIdentifier".to_owned(), id.into());
        all.insert("CFBundleExecutable".to_owned(), "run".into());
        for (key, value) in more {
            all.insert((*key).to_owned(), value.clone());
        }
        Value::Dictionary(all).to_file_xml(app.join("Contents/Info.plist")).unwrap();
        app
    }

    #[test]
    fn both_ways_of_writing_are_read() {
        let xml = br#"<?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict>
              <key>CFBundleIdentifier</key><string>com.apple.TextEdit</string>
              <key>CFBundleName</key><string>TextEdit</string>
              <key>CFBundleDisplayName</key><string> </string>
              <key>CFBundleExecutable</key><string>TextEdit</string>
              <key>LSUIElement</key><string>1</string>
            </dict></plist>"#;
        let info = Info::parse(xml).unwrap();
        assert_eq!(info.id.as_deref(), Some("com.apple.TextEdit"));
        assert_eq!((info.name.as_deref(), info.display_name), (Some("TextEdit"), None));
        assert!(info.unseen);
        let mut binary = Vec::new();
        let mut all = Dictionary::new();
        all.insert("CFBundleName".to_owned(), "Käse".into());
        all.insert("LSBackgroundOnly".to_owned(), Value::Boolean(true));
        Value::Dictionary(all).to_writer_binary(&mut binary).unwrap();
        let info = Info::parse(&binary).unwrap();
        assert_eq!((info.name.as_deref(), info.unseen), (Some("Käse"), true));
        assert_eq!(Info::parse(b"bplist00 and nothing"), None);
        assert_eq!(Info::parse(b"<plist><array/></plist>"), None);
    }

    #[test]
    fn an_app_is_called_what_finder_shows_and_what_it_says() {
        let place = tempfile::tempdir().unwrap();
        let more =
            [("CFBundleName", Value::from("VSCode")), ("CFBundleDisplayName", "Code".into())];
        let path = app(place.path(), "Visual Studio Code", "com.microsoft.VSCode", &more);
        let bundle = Bundle::read(&path, &[]).unwrap();
        assert_eq!(bundle.names, ["Visual Studio Code", "Code", "VSCode"]);
        assert_eq!(bundle.program, Some(path.join("Contents/MacOS/run")));
        assert!(!bundle.unseen);
        assert_eq!(Bundle::read(place.path(), &[]), None);
        assert_eq!(Bundle::read(&place.path().join("None.app"), &[]), None);
        fs::remove_file(path.join("Contents/MacOS/run")).unwrap();
        assert_eq!(Bundle::read(&path, &[]).unwrap().program, None);
    }

    #[test]
    fn the_person_may_say_it_in_their_language() {
        let place = tempfile::tempdir().unwrap();
        let localized = [("LSHasLocalizedDisplayName", true.into())];
        let path = app(place.path(), "Calculator", "com.apple.calculator", &localized);
        let resources = path.join("Contents/Resources");
        fs::create_dir_all(resources.join("fr.lproj")).unwrap();
        let strings = |name: &str| {
            let mut all = Dictionary::new();
            all.insert("CFBundleDisplayName".to_owned(), name.into());
            Value::Dictionary(all)
        };
        strings("Calculette").to_file_binary(resources.join("fr.lproj/InfoPlist.strings")).unwrap();
        let mut table = Dictionary::new();
        table.insert("de".to_owned(), strings("Rechner"));
        let table = Value::Dictionary(table);
        table.to_file_binary(resources.join("InfoPlist.loctable")).unwrap();
        let names = |languages: &[&str]| {
            let languages: Vec<String> = languages.iter().map(|one| (*one).to_owned()).collect();
            Bundle::read(&path, &languages).unwrap().names
        };
        assert_eq!(names(&["de-DE", "fr-FR"]), ["Calculator", "Rechner", "Calculette"]);
        assert_eq!(names(&["ja"]), ["Calculator"]);
    }

    #[test]
    fn an_app_made_for_the_phone_lies_in_a_wrapper() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("Game.app");
        fs::create_dir_all(path.join("WrappedBundle")).unwrap();
        fs::write(path.join("WrappedBundle/Game"), "").unwrap();
        let mut all = Dictionary::new();
        all.insert("CFBundleExecutable".to_owned(), "Game".into());
        Value::Dictionary(all).to_file_xml(path.join("WrappedBundle/Info.plist")).unwrap();
        let bundle = Bundle::read(&path, &[]).unwrap();
        assert_eq!((bundle.id, bundle.program), (None, Some(path.join("WrappedBundle/Game"))));
    }

    #[test]
    fn a_helper_belongs_to_its_own_bundle_within_another() {
        let place = tempfile::tempdir().unwrap();
        let outer = app(place.path(), "Browser", "org.browser", &[]);
        let inner = app(&outer.join("Contents/Frameworks"), "Helper", "org.browser.helper", &[]);
        let program = inner.join("Contents/MacOS/run");
        let id = |bundle: Option<Bundle>| bundle.and_then(|bundle| bundle.id);
        assert_eq!(id(Bundle::around(&program)).as_deref(), Some("org.browser.helper"));
        assert_eq!(id(Bundle::outermost(&program)).as_deref(), Some("org.browser"));
        assert_eq!(Bundle::around(&outer.join("Contents/Resources/tool")), None);
        assert_eq!(Bundle::outermost(Path::new("/bin/ls")), None);
    }
}
