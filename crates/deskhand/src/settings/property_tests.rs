//! Property tests: random configuration files are either read or rejected with a valid position.

use proptest::{collection::vec, prelude::*, sample::select, test_runner::RngSeed};

use super::{config_file::ConfigFile, table::TABLE};

/// Fragments of valid and invalid TOML.
const PIECES: &[&str] = &[
    "\n",
    " = ",
    "=",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    ",",
    ".",
    "\"",
    "'",
    "'''",
    "\"\"\"",
    "#",
    "\\",
    "\\u0000",
    "true",
    "false",
    "0",
    "-1",
    "50",
    "18446744073709551616",
    "1e309",
    "nan",
    "inf",
    "0x10",
    "1979-05-27",
    "07:32:00",
    "\"30s\"",
    "\"safe\"",
    "\"sandboxed\"",
    "[\"kcalc\"]",
    "[1, \"a\"]",
    "{ a = 1 }",
    "\u{feff}",
    "\u{202e}",
    "é",
    "\0",
    "\r\n",
    "\t",
    "[server]\n",
    "[http]\n",
    "[limits]\n",
    "[apps]\n",
    "server.",
    "http.",
];

fn keys() -> Vec<String> {
    let full = TABLE.iter().map(|setting| setting.info().key);
    let parts = full.clone().filter_map(|key| key.split_once('.').map(|(_, part)| part));
    full.chain(parts).map(str::to_owned).collect()
}

fn text() -> impl Strategy<Value = String> {
    let pieces: Vec<String> = PIECES.iter().map(|&one| one.to_owned()).collect();
    let line = (select(keys()), select(pieces.clone()))
        .prop_map(|(key, value)| format!("{key} = {value}\n"));
    let piece = prop_oneof![
        4 => line,
        3 => select(pieces),
        2 => select(keys()),
        1 => "\\PC{0,12}",
    ];
    vec(piece, 0..24).prop_map(|all| all.concat())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3_000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(5),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_text_is_read_or_rejected_with_a_position(text in text()) {
        match ConfigFile::parse(&text, "config.toml") {
            Ok(file) => {
                for setting in TABLE {
                    if let Some((value, line)) = file.get(setting.info().key) {
                        prop_assert!(setting.accepts(super::RawValue::Toml(value)));
                        prop_assert!((1..=text.lines().count()).contains(&line));
                    }
                }
            }
            Err(error) => {
                let message = error.to_string();
                let rest = message.strip_prefix("config.toml:");
                let line = rest.and_then(|rest| rest.split(':').next()?.parse::<usize>().ok());
                prop_assert!(line.is_some_and(|line| line <= text.lines().count() + 1), "{message}");
            }
        }
    }
}
