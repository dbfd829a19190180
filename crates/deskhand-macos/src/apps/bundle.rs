//! App bundles and their `InfoPlist.plist`.

use std::{
    fs,
    io::Cursor,
    path::{Path, PathBuf},
};

use plist::{Dictionary, Value};

/// Upper limit of the size of an `InfoPlist.plist`.
const MAX_PLIST_BYTES: u64 = 4 * 1024 * 1024;

/// An app bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AppBundle {
    /// The folder of the bundle.
    pub(super) path: PathBuf,
    pub(super) id: Option<String>,
    /// The names of the app. The first is the one that Finder shows.
    pub(super) names: Vec<String>,
    pub(super) executable: Option<PathBuf>,
    /// `true` if the app has no icon in the Dock.
    pub(super) is_background: bool,
}

/// The content of an `InfoPlist.plist`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct InfoPlist {
    id: Option<String>,
    display_name: Option<String>,
    name: Option<String>,
    executable: Option<String>,
    is_background: bool,
    /// `true` if Finder shows localized names.
    localized: bool,
}

impl AppBundle {
    /// Reads the bundle of a folder, with its names in these languages. `None` if it is not an app.
    pub(super) fn read(path: &Path, languages: &[String]) -> Option<Self> {
        if path.extension().is_none_or(|ending| ending != "app") {
            return None;
        }
        // Apps for the iPhone are in a wrapper with a link to them.
        let places = [
            ("Contents/Info.plist", "Contents/MacOS"),
            ("WrappedBundle/Info.plist", "WrappedBundle"),
        ];
        let (info, executables) = places.iter().find_map(|(info, executables)| {
            let info = InfoPlist::parse(&read_small_file(&path.join(info))?)?;
            Some((info, path.join(executables)))
        })?;
        let shown = path.file_stem()?.to_str()?.to_owned();
        let stated = [info.display_name, info.name].into_iter().flatten();
        let mut names: Vec<String> = Vec::new();
        let local = if info.localized { localized_names(path, languages) } else { Vec::new() };
        for name in [shown].into_iter().chain(local).chain(stated) {
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
        let executable = info.executable.filter(|name| !name.contains('/'));
        let executable =
            executable.map(|name| executables.join(name)).filter(|file| file.is_file());
        let is_background = info.is_background;
        Some(Self { path: path.to_owned(), id: info.id, names, executable, is_background })
    }

    /// The bundle in whose `Contents/MacOS` an executable is.
    pub(super) fn of_executable(executable: &Path) -> Option<Self> {
        let folder = executable.parent()?;
        let contents = folder.parent().filter(|_| folder.ends_with("Contents/MacOS"))?;
        Self::read(contents.parent()?, &[])
    }

    /// The outermost bundle that contains a file.
    pub(super) fn outermost_around(file: &Path) -> Option<Self> {
        let folders: Vec<&Path> = file.ancestors().skip(1).collect();
        folders.into_iter().rev().find_map(|folder| Self::read(folder, &[]))
    }

    /// The path of its `InfoPlist.plist`.
    pub(super) fn info_plist(&self) -> PathBuf {
        self.path.join("Contents/Info.plist")
    }
}

impl InfoPlist {
    /// Parses the XML or binary format.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let value = Value::from_reader(Cursor::new(bytes)).ok()?;
        let all = value.as_dictionary()?;
        let text = |key: &str| text(all, key);
        // Booleans are also written as numbers and strings.
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
            executable: text("CFBundleExecutable"),
            is_background: is("LSUIElement") || is("LSBackgroundOnly"),
            localized: is("LSHasLocalizedDisplayName"),
        })
    }
}

fn text(all: &Dictionary, key: &str) -> Option<String> {
    let text = all.get(key)?.as_string()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn read_small_file(file: &Path) -> Option<Vec<u8>> {
    let length = fs::metadata(file).ok().filter(|meta| meta.is_file())?.len();
    (length <= MAX_PLIST_BYTES).then(|| fs::read(file).ok())?
}

/// The names of an app in the user's languages.
fn localized_names(app: &Path, languages: &[String]) -> Vec<String> {
    let folder = app.join("Contents/Resources");
    let table = || {
        let bytes = read_small_file(&folder.join("InfoPlist.loctable"))?;
        Value::from_reader(Cursor::new(bytes)).ok()?.into_dictionary()
    };
    let table = if languages.is_empty() { None } else { table() };
    let mut names = Vec::new();
    for language in languages.iter().flat_map(|language| spellings(language)) {
        let strings_file = || {
            let bytes =
                read_small_file(&folder.join(format!("{language}.lproj/InfoPlist.strings")))?;
            Value::from_reader(Cursor::new(bytes)).ok()?.into_dictionary()
        };
        let in_table = table.as_ref().and_then(|all| all.get(&language)?.as_dictionary().cloned());
        if let Some(all) = in_table.or_else(strings_file) {
            let keys = ["CFBundleDisplayName", "CFBundleName"];
            names.extend(keys.iter().filter_map(|key| text(&all, key)));
        }
    }
    names
}

/// The spellings of a language in folder names: `de-DE`, `de_DE` and `de`.
fn spellings(language: &str) -> Vec<String> {
    let mut all = vec![language.to_owned(), language.replace('-', "_")];
    all.extend(language.split(['-', '_']).next().map(str::to_owned));
    all.dedup();
    all
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Creates an app bundle.
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
    fn xml_and_binary_plists_are_parsed() {
        let xml = br#"<?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict>
              <key>CFBundleIdentifier</key><string>com.apple.TextEdit</string>
              <key>CFBundleName</key><string>TextEdit</string>
              <key>CFBundleDisplayName</key><string> </string>
              <key>CFBundleExecutable</key><string>TextEdit</string>
              <key>LSUIElement</key><string>1</string>
            </dict></plist>"#;
        let info = InfoPlist::parse(xml).unwrap();
        assert_eq!(info.id.as_deref(), Some("com.apple.TextEdit"));
        assert_eq!((info.name.as_deref(), info.display_name), (Some("TextEdit"), None));
        assert!(info.is_background);
        let mut binary = Vec::new();
        let mut all = Dictionary::new();
        all.insert("CFBundleName".to_owned(), "Käse".into());
        all.insert("LSBackgroundOnly".to_owned(), Value::Boolean(true));
        Value::Dictionary(all).to_writer_binary(&mut binary).unwrap();
        let info = InfoPlist::parse(&binary).unwrap();
        assert_eq!((info.name.as_deref(), info.is_background), (Some("Käse"), true));
        assert_eq!(InfoPlist::parse(b"bplist00 and nothing"), None);
        assert_eq!(InfoPlist::parse(b"<plist><array/></plist>"), None);
    }

    #[test]
    fn an_app_has_the_name_of_its_folder_and_of_its_plist() {
        let folder = tempfile::tempdir().unwrap();
        let more =
            [("CFBundleName", Value::from("VSCode")), ("CFBundleDisplayName", "Code".into())];
        let path = app(folder.path(), "Visual Studio Code", "com.microsoft.VSCode", &more);
        let bundle = AppBundle::read(&path, &[]).unwrap();
        assert_eq!(bundle.names, ["Visual Studio Code", "Code", "VSCode"]);
        assert_eq!(bundle.executable, Some(path.join("Contents/MacOS/run")));
        assert!(!bundle.is_background);
        assert_eq!(AppBundle::read(folder.path(), &[]), None);
        assert_eq!(AppBundle::read(&folder.path().join("None.app"), &[]), None);
        fs::remove_file(path.join("Contents/MacOS/run")).unwrap();
        assert_eq!(AppBundle::read(&path, &[]).unwrap().executable, None);
    }

    #[test]
    fn an_app_has_names_in_the_languages_of_the_user() {
        let folder = tempfile::tempdir().unwrap();
        let localized = [("LSHasLocalizedDisplayName", true.into())];
        let path = app(folder.path(), "Calculator", "com.apple.calculator", &localized);
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
            AppBundle::read(&path, &languages).unwrap().names
        };
        assert_eq!(names(&["de-DE", "fr-FR"]), ["Calculator", "Rechner", "Calculette"]);
        assert_eq!(names(&["ja"]), ["Calculator"]);
    }

    #[test]
    fn an_iphone_app_is_read_from_its_wrapper() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Game.app");
        fs::create_dir_all(path.join("WrappedBundle")).unwrap();
        fs::write(path.join("WrappedBundle/Game"), "").unwrap();
        let mut all = Dictionary::new();
        all.insert("CFBundleExecutable".to_owned(), "Game".into());
        Value::Dictionary(all).to_file_xml(path.join("WrappedBundle/Info.plist")).unwrap();
        let bundle = AppBundle::read(&path, &[]).unwrap();
        assert_eq!((bundle.id, bundle.executable), (None, Some(path.join("WrappedBundle/Game"))));
    }

    #[test]
    fn a_helper_has_its_own_bundle_inside_another() {
        let folder = tempfile::tempdir().unwrap();
        let outer = app(folder.path(), "Browser", "org.browser", &[]);
        let inner = app(&outer.join("Contents/Frameworks"), "Helper", "org.browser.helper", &[]);
        let executable = inner.join("Contents/MacOS/run");
        let id = |bundle: Option<AppBundle>| bundle.and_then(|bundle| bundle.id);
        assert_eq!(
            id(AppBundle::of_executable(&executable)).as_deref(),
            Some("org.browser.helper")
        );
        assert_eq!(id(AppBundle::outermost_around(&executable)).as_deref(), Some("org.browser"));
        assert_eq!(AppBundle::of_executable(&outer.join("Contents/Resources/tool")), None);
        assert_eq!(AppBundle::outermost_around(Path::new("/bin/ls")), None);
    }
}
