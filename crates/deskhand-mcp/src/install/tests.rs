use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn launch() -> Launch {
    let args = ["mcp", "serve"].map(str::to_owned).to_vec();
    Launch { command: "/opt/desk hand/\"deskhand\"".to_owned(), args }
}

const JSON: FileFormat = FileFormat::Json { has_type: false };

fn set(format: FileFormat, text: &str) -> String {
    format.set(text, "servers", &launch()).unwrap_or_else(|problem| panic!("{text:?}: {problem}"))
}

#[test]
fn an_entry_is_added_next_to_others_and_comments() {
    let before = r#"{
  // what I use
  "servers": {
    "other": { "command": "x" /* mine */, "env": { "A": "1" } }, // keep
  },
  "theme": "dark"
}
"#;
    let after = set(JSON, before);
    for line in before.lines() {
        assert!(after.contains(line), "{line:?} is lost:\n{after}");
    }
    assert_eq!(set(JSON, &after), after);
    let again = JSON.remove(&after, "servers").unwrap();
    assert_eq!(again, before);
}

#[test]
fn one_line_and_empty_files_are_edited() {
    for before in
        ["{}", "{ }", "", "\n", "{\"servers\":{}}", "{\"a\":1}", "// nothing yet\n", "{\n}"]
    {
        let after = set(JSON, before);
        let value: Value = serde_json::from_str(after.trim_start_matches("// nothing yet\n"))
            .unwrap_or_else(|error| panic!("{error}: {after}"));
        assert_eq!(value["servers"]["deskhand"]["command"], launch().command, "{after}");
        assert_eq!(value["servers"]["deskhand"]["args"], json!(["mcp", "serve"]));
        assert_eq!(set(JSON, &after), after, "setting twice changes nothing");
    }
}

#[test]
fn crlf_line_endings_are_kept() {
    let before = "{\r\n  \"servers\": {\r\n    \"other\": {}\r\n  }\r\n}\r\n";
    let after = set(JSON, before);
    assert_eq!(after.matches('\n').count(), after.matches("\r\n").count(), "{after:?}");
    assert_eq!(JSON.remove(&after, "servers").unwrap(), before);

    let before = "# a\r\nmodel = \"x\"\r\n\r\n[servers.other]\r\ncommand = \"y\" # b\r\n";
    let after = set(FileFormat::Toml, before);
    assert!(after.starts_with(before), "{after:?}");
    assert_eq!(after.matches('\n').count(), after.matches("\r\n").count(), "{after:?}");
    assert_eq!(FileFormat::Toml.remove(&after, "servers").unwrap(), before);
    let mixed = "a = 1\r\nb = 2\nc = \"\"\"\r\n1\n2\"\"\"\r\n";
    assert!(set(FileFormat::Toml, mixed).starts_with(mixed));
}

#[test]
fn tables_of_every_style_are_edited() {
    for before in [
        "",
        "a = 1",
        "a = 1 # last, without an end\n[t]\nb = 2",
        "[servers]\n",
        "[servers.other]\ncommand = \"x\"\n\n[z]\nlast = true\n",
        "servers = { other = { command = \"x\" } }\n",
        "servers.other.command = \"x\"\n[t]\n",
        "[[list]]\na = 1\n[[list]]\na = 2\n",
    ] {
        let after = set(FileFormat::Toml, before);
        assert_eq!(set(FileFormat::Toml, &after), after, "setting twice changes nothing");
        for line in before.lines().filter(|line| !line.starts_with("servers =")) {
            assert!(after.contains(line), "{line:?} is lost:\n{after}");
        }
        let gone = FileFormat::Toml.remove(&after, "servers").unwrap();
        assert_eq!(FileFormat::Toml.get(&gone, "servers").unwrap(), None, "{gone}");
    }
}

#[test]
fn user_fields_of_the_entry_are_kept() {
    let before = r#"{"servers": {"deskhand": {"command": "old", "env": {"A": "1"}, "args": ["mcp", "serve"]}}}"#;
    let after = set(JSON, before);
    let value: Value = serde_json::from_str(&after).unwrap();
    assert_eq!(value["servers"]["deskhand"]["env"], json!({ "A": "1" }));
    assert_eq!(value["servers"]["deskhand"]["command"], launch().command);
    let before = "[servers.deskhand]\ncommand = \"old\" # mine\ntool_timeout_sec = 9\n";
    let after = set(FileFormat::Toml, before);
    assert!(after.contains("# mine\n") && after.contains("tool_timeout_sec = 9\n"), "{after}");
}

#[test]
fn invalid_files_are_refused() {
    for (format, text, words) in [
        (JSON, "{\n  \"a\": 1,\n  b\n}", "line 3"),
        (JSON, "{ \"a\" 1 }", "line 1"),
        (JSON, "[]", "the file is not a JSON object"),
        (JSON, "{\"servers\": []}", "servers is not a JSON object"),
        (JSON, "{\"servers\": {}, \"servers\": {}}", "servers is defined more than once"),
        (JSON, "{\"servers\": {\"deskhand\": 7}}", "servers.deskhand is not a JSON object"),
        (JSON, "{\"servers\": {\"deskhand\": {\"url\": \"x\"}}}", "an entry with a command"),
        (FileFormat::Toml, "a = \n", "line 1, column"),
        (FileFormat::Toml, "a = 1\na = 2\n", "line 2"),
        (FileFormat::Toml, "servers = 3\n", "servers is not a table"),
        (FileFormat::Toml, "[servers]\ndeskhand = 1\n", "servers.deskhand is not a table"),
    ] {
        let problem = format.get(text, "servers").unwrap_err().to_string();
        assert!(problem.contains(words), "{text}: {problem}");
    }
}

fn config(file: &Path) -> ConfigFile {
    let folders = Folders {
        home: file.parent().unwrap().to_owned(),
        config: "/nowhere".into(),
        apps: "/nowhere".into(),
        claude: None,
        codex: None,
    };
    let mut config = Client::Cursor.config_files(&folders).remove(0);
    config.file = file.to_owned();
    config
}

#[test]
fn mode_links_and_byte_order_mark_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real.json"), folder.path().join("mcp.json"));
    let before = "\u{feff}{\"theme\": 1}";
    fs::write(&real, before).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("real.json", &link).unwrap();
    let config = config(&link);
    let action = InstallAction::Install(launch());
    let done = apply(&config, &action, WriteMode::Write).unwrap();
    assert_eq!(done.change, Change::Added);
    assert_eq!(fs::read_to_string(done.backup.unwrap()).unwrap(), before);
    assert!(link.is_symlink() && fs::read_to_string(&real).unwrap().starts_with('\u{feff}'));
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(apply(&config, &action, WriteMode::Write).unwrap().change, Change::Nothing);
    apply(&config, &InstallAction::Uninstall, WriteMode::Write).unwrap();
    assert_eq!(fs::read_to_string(&real).unwrap(), before);
}

#[test]
fn unreadable_files_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("link.json");
    std::os::unix::fs::symlink("nowhere.json", &link).unwrap();
    let noise = folder.path().join("noise.json");
    fs::write(&noise, [0xff, 0xfe, 0x00]).unwrap();
    let action = InstallAction::Install(launch());
    for file in [&link, &noise, folder.path()] {
        let error = apply(&config(file), &action, WriteMode::Write).unwrap_err();
        assert_eq!(deskhand_model::Explain::code(&error), "settings_unreadable", "{error}");
    }
    assert_eq!(fs::read(&noise).unwrap(), [0xff, 0xfe, 0x00]);
}

#[test]
fn only_five_backups_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mcp.json");
    fs::write(&file, "{}").unwrap();
    for round in 0..9 {
        let launch = Launch { command: format!("/{round}"), args: Vec::new() };
        apply(&config(&file), &InstallAction::Install(launch), WriteMode::Write).unwrap();
        // Backups are named by time.
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    assert_eq!(SettingsFile::read(&file).unwrap().backups().len(), 5);
}

#[test]
fn a_concurrently_changed_file_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mcp.json");
    fs::write(&file, "{}").unwrap();
    let settings = SettingsFile::read(&file).unwrap();
    fs::write(&file, "{\"new\": 1}").unwrap();
    let error = settings.write(&NewContent::Text("lost".to_owned())).unwrap_err();
    assert!(matches!(error, Error::Changed { .. }), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"new\": 1}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file remains");
}

/// A JSON value with comments, unusual whitespace and trailing commas.
fn jsonc() -> impl Strategy<Value = String> {
    let space = || prop::sample::select(vec!["", " ", "\n", "\r\n  ", "\t", "/* c */", " // d\n"]);
    let leaf = prop::sample::select(vec![
        "1",
        "-2.5e3",
        "true",
        "null",
        r#""a\"\u00e9 // x""#,
        "[]",
        "{}",
    ]);
    let key = || prop::sample::select(vec!["a", "b", "mcp", "x y", "é"]);
    leaf.prop_map(str::to_owned).prop_recursive(3, 24, 4, move |inner| {
        let fields = prop::collection::btree_map(key(), (inner, space(), space(), space()), 0..4);
        (fields, space(), any::<bool>()).prop_map(|(fields, end, last)| {
            let all: Vec<String> = fields
                .into_iter()
                .map(|(key, (value, a, b, c))| format!("{a}\"{key}\"{b}:{c}{value}"))
                .collect();
            let comma = if last && !all.is_empty() { "," } else { "" };
            format!("{{{}{comma}{end}}}", all.join(","))
        })
    })
}

fn top_of_jsonc() -> impl Strategy<Value = String> {
    (jsonc(), jsonc(), any::<bool>(), prop::sample::select(vec!["", "\n", " // end"])).prop_map(
        |(other, more, inside, end)| {
            let ours = if inside {
                format!("\"servers\": {{ \"one\": {{}}, \"two\": {more} }},")
            } else {
                String::new()
            };
            format!("{{ {ours} \"else\": {other} }}{end}")
        },
    )
}

fn toml() -> impl Strategy<Value = String> {
    let value = prop::sample::select(vec![
        "1",
        "1_000",
        "0x1F",
        "'lit'",
        "\"a\\tb\"",
        "[1, 2, # c\n 3]",
        "{ x = 1, y.z = 2 }",
        "1979-05-27T07:32:00Z",
        "inf",
        "\"\"\"\nmany\nlines\"\"\"",
    ]);
    let note = || prop::sample::select(vec!["", " # note", "\n", "\n# own line"]);
    let table = prop::collection::btree_map("[a-f]", (value, note()), 0..5).prop_map(|fields| {
        let line =
            |(key, (value, note)): (String, (&str, &str))| format!("{key} = {value}{note}\n");
        fields.into_iter().map(line).collect::<String>()
    });
    let server = prop::sample::select(vec![
        "",
        "[servers.one]\ncommand = 'c' # mine\n\n",
        "[servers]\n",
        "# servers\n[servers.\"a b\".env]\nK='v'\n",
    ]);
    (
        table.clone(),
        table,
        server,
        prop::sample::select(vec!["", "[zz]\n", "\n\n# the end"]),
        any::<bool>(),
    )
        .prop_map(|(top, other, server, end, returns)| {
            let text = format!("{top}[other]\n{other}{server}{end}");
            if returns { text.replace('\n', "\r\n") } else { text }
        })
}

/// Returns `true` if all non-space characters of one text appear in another, in order.
fn is_kept(before: &str, after: &str) -> bool {
    let mut after = after.chars();
    before.chars().filter(|it| !it.is_whitespace()).all(|it| after.any(|other| other == it))
}

proptest! {
    #[test]
    fn other_json_settings_do_not_change(before in top_of_jsonc()) {
        let after = set(JSON, &before);
        prop_assert!(is_kept(&before, &after), "{before:?}\n{after:?}");
        prop_assert_eq!(&set(JSON, &after), &after);
        let gone = JSON.remove(&after, "servers").unwrap();
        prop_assert!(is_kept(&before, &gone), "{before:?}\n{gone:?}");
        prop_assert_eq!(JSON.get(&gone, "servers").unwrap(), None);
    }

    #[test]
    fn other_toml_settings_do_not_change(before in toml()) {
        let after = set(FileFormat::Toml, &before);
        for line in before.split_inclusive('\n') {
            prop_assert!(after.contains(line), "{line:?} of {before:?}\n{after:?}");
        }
        prop_assert!(is_kept(&before, &after));
        prop_assert_eq!(&set(FileFormat::Toml, &after), &after);
        let gone = FileFormat::Toml.remove(&after, "servers").unwrap();
        prop_assert!(is_kept(&before, &gone), "{before:?}\n{gone:?}");
    }

    #[test]
    fn uninstalling_restores_the_file(before in top_of_jsonc()) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        let before = before.replace("\"servers\"", "\"mcpServers\"");
        fs::write(&file, &before).unwrap();
        let config = config(&file);
        apply(&config, &InstallAction::Install(launch()), WriteMode::Write).unwrap();
        apply(&config, &InstallAction::Uninstall, WriteMode::Write).unwrap();
        prop_assert_eq!(fs::read_to_string(&file).unwrap(), before);
    }
}
