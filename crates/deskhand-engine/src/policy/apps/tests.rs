//! Tests of the app rules.

use deskhand_model::Explain;
use deskhand_platform::{Identity, ProgramFile};

use super::*;

fn app(path: &str, names: &[&str], claims: &[&str]) -> Identity {
    let words = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect();
    let file =
        ProgramFile { path: path.to_owned(), file_id: None, verified: true, admin_owned: true };
    let (names, claims) = (words(names), words(claims));
    Identity { files: vec![file], names, claims, ..Identity::default() }
}

fn calculator() -> Identity {
    app("/usr/bin/kcalc", &["kcalc", "org.kde.kcalc", "KCalc"], &["kcalc"])
}

fn editor() -> Identity {
    app("/usr/bin/mousepad", &["mousepad", "org.xfce.mousepad", "Mousepad"], &["mousepad"])
}

fn terminal() -> Identity {
    app("/usr/bin/xterm", &["xterm", "debian-xterm", "XTerm"], &["xterm"])
}

fn parse(text: &str) -> AppRules {
    AppRules::parse(text, "security.toml").unwrap()
}

fn access(rules: &AppRules, identity: &Identity) -> AppAccess {
    rules.access(Subject { identity: Some(identity), claims: &[] })
}

#[test]
fn without_rules_only_the_built_in_list_applies() {
    let rules = AppRules::default();
    assert_eq!(access(&rules, &editor()), AppAccess::Full);
    assert_eq!(access(&rules, &terminal()), AppAccess::Read);
    assert_eq!(rules.access(Subject { identity: None, claims: &[] }), AppAccess::Full);
    assert!(
        rules.protects_ancestors() && rules.allows_desktop_itself() && !rules.has_blocked_apps()
    );
    let off = parse("[apps]\ndefault_write_blocked = false");
    assert_eq!(access(&off, &terminal()), AppAccess::Full);
    assert!(!off.protects_ancestors());
}

#[test]
fn if_some_apps_are_allowed_no_other_is() {
    let rules = parse("[apps]\nallowed = [\"org.kde.kcalc\", \"/usr/bin/xterm\"]");
    assert_eq!(access(&rules, &calculator()), AppAccess::Full);
    assert_eq!(access(&rules, &editor()), AppAccess::None);
    assert_eq!(access(&rules, &terminal()), AppAccess::Read, "the built-in list still applies");
    assert_eq!(rules.access(Subject { identity: None, claims: &["kcalc"] }), AppAccess::None);
    assert!(rules.has_blocked_apps() && !rules.allows_desktop_itself());
    let liar = app("/tmp/evil", &[], &["kcalc", "org.kde.kcalc"]);
    let subject = Subject { identity: Some(&liar), claims: &["KCalc"] };
    assert_eq!(rules.access(subject), AppAccess::None);
}

#[test]
fn denied_has_the_highest_priority() {
    let rules =
        parse("[apps]\nallowed = [\"kcalc\"]\ndenied = [\"org.kde.*\"]\nwrite_blocked = []");
    assert_eq!(access(&rules, &calculator()), AppAccess::None);
    let liar = app("/usr/bin/mousepad", &["mousepad"], &["k\u{441}alc"]);
    assert_eq!(access(&parse("[apps]\ndenied = [\"kcalc\"]"), &liar), AppAccess::None);
}

#[test]
fn write_blocked_apps_can_be_read() {
    let rules = parse("[apps]\nwrite_blocked = [\"/usr/bin/kc*\"]");
    assert_eq!(access(&rules, &calculator()), AppAccess::Read);
    assert_eq!(access(&rules, &terminal()), AppAccess::Read, "in addition to the built-in list");
    assert_eq!(access(&rules, &editor()), AppAccess::Full);
}

#[test]
fn settings_add_to_the_rules_of_the_file() {
    let words = |one: &str| vec![one.to_owned()];
    let rules = parse("[apps]\ndenied = [\"mousepad\"]");
    let rules = rules.with_entries(Vec::new(), words("kcalc"), words("gedit")).unwrap();
    for one in [editor(), calculator()] {
        assert_eq!(access(&rules, &one), AppAccess::None);
    }
    let error = AppRules::default().with_entries(words("a/b"), Vec::new(), Vec::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the setting for allowed apps: \"a/b\" is not a valid app: a path must start with `/`"
    );
}

#[test]
fn errors_contain_their_position() {
    for (text, message) in [
        ("[apps\n", "security.toml:1:6: "),
        ("[apps]\n\n  alowed = []", "security.toml:3:3: unknown key `alowed`"),
        ("[aps]", "security.toml:1:2: unknown key `aps`"),
        ("apps = 1", "security.toml:1:1: `apps` must be a table"),
        ("[apps]\ndenied = \"x\"", "security.toml:2:10: `denied` must be a list of names"),
        ("[apps]\ndenied = [\"a\", 7]", "security.toml:2:16: `denied` must be a list of names"),
        (
            "[apps]\nallowed = [\n  \"a\",\n  \"\",\n]",
            "security.toml:4:3: \"\" is not a valid app: it is empty",
        ),
        (
            "[apps]\ndefault_write_blocked = 1",
            "security.toml:2:1: `default_write_blocked` must be a boolean",
        ),
    ] {
        let error = AppRules::parse(text, "security.toml").unwrap_err();
        assert!(error.to_string().starts_with(message), "{text:?}: {error}");
        assert!(error.advice().is_some_and(|advice| !advice.parts().is_empty()));
    }
    assert_eq!(access(&parse(""), &editor()), AppAccess::Full);
    assert_eq!(access(&parse("apps = { denied = [\"mousepad\"] }"), &editor()), AppAccess::None);
}
