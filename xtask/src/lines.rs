//! `lines`: counts the lines of product code of each crate.
//!
//! A line counts if it has code. Lines with only comments or only white space do not count, and neither does
//! code for tests:
//!
//! - the folders `tests` and `examples` of a crate, and files named `tests.rs`, `testing.rs` and `fuzzing.rs`;
//! - every item under `#[cfg(test)]`, or under a feature that only tests enable (`fake`, `conformance`,
//!   `fuzzing`). If the item is a module in another file, that file and its folder do not count.

use std::collections::BTreeMap;

use crate::check::files::Files;
use crate::check::source::{self, Kind};
use crate::check::type_names;
use crate::coverage;
use crate::error::Result;
use crate::process;

/// Attributes of items that only tests compile, by their beginnings.
const TEST_ATTRIBUTES: [&str; 6] = [
    "#[cfg(test)]",
    "#[cfg(any(test, ",
    "#[cfg(all(test, ",
    "#[cfg(feature = \"fake\")]",
    "#[cfg(feature = \"conformance\")]",
    "#[cfg(feature = \"fuzzing\")]",
];

/// Prints the number of lines of each crate, and their sum.
pub(crate) fn run() -> Result<()> {
    let files = Files::list(&process::root())?;
    print!("{}", table(&count(&files.read(&["rs"])?)));
    Ok(())
}

/// Returns the lines of product code by crate.
fn count<'a>(sources: &[(&'a str, String)]) -> BTreeMap<&'a str, usize> {
    let mut parts = Vec::new();
    let mut of_tests = Vec::new();
    for (path, text) in sources {
        let Some((name, _)) = path.strip_prefix("crates/").and_then(|it| it.split_once('/')) else {
            continue;
        };
        let product = product_lines(text);
        of_tests
            .extend(product.test_modules.iter().map(|module| coverage::module_path(path, module)));
        parts.push((*path, name, product.lines));
    }
    let mut crates = BTreeMap::new();
    for (path, name, lines) in parts {
        let counted = if type_names::is_product(path, &of_tests) { lines } else { 0 };
        *crates.entry(name).or_default() += counted;
    }
    crates
}

/// The product code of a file.
#[derive(Debug, Default, PartialEq, Eq)]
struct Product {
    lines: usize,
    /// The modules in other files that only tests compile.
    test_modules: Vec<String>,
}

fn product_lines(text: &str) -> Product {
    let without_comments = source::mask_kinds(text, &[Kind::Comment, Kind::DocComment]);
    let code = source::mask(text);
    let (lines, code): (Vec<&str>, Vec<&str>) =
        (without_comments.lines().collect(), code.lines().collect());
    let mut product = Product::default();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at].trim();
        if TEST_ATTRIBUTES.iter().any(|attribute| line.starts_with(attribute)) {
            let end = item_end(&code, at);
            let declaration =
                code[end].trim().strip_suffix(';').and_then(|it| it.split_once("mod "));
            product.test_modules.extend(declaration.map(|(_, name)| name.to_owned()));
            at = end + 1;
            continue;
        }
        product.lines += usize::from(!line.is_empty());
        at += 1;
    }
    product
}

/// Returns the last line of the item whose attribute is on a line. `code` has neither comments nor literals.
fn item_end(code: &[&str], attribute: usize) -> usize {
    let mut depth = 0_usize;
    for (at, line) in code.iter().enumerate().skip(attribute) {
        let mut before = ' ';
        for c in line.chars() {
            match c {
                '{' | '(' | '[' => depth += 1,
                '}' | ')' | ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && matches!(c, ';' | '}') {
                return at;
            }
            if !c.is_whitespace() {
                before = c;
            }
        }
        // The end of a field, a variant, an argument or a match arm. The parts of a signature end with a comma
        // too, but none that this repository puts under such an attribute.
        if depth == 0 && before == ',' {
            return at;
        }
    }
    code.len() - 1
}

fn table(crates: &BTreeMap<&str, usize>) -> String {
    let mut text = String::new();
    for (name, lines) in crates {
        text.push_str(&format!("{lines:7}  {name}\n"));
    }
    let sum: usize = crates.values().sum();
    text.push_str(&format!(
        "{sum:7}  lines of product code, without tests, comments and blank lines\n"
    ));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> usize {
        product_lines(text).lines
    }

    #[test]
    fn comments_and_blank_lines_do_not_count() {
        assert_eq!(
            lines(
                "//! Doc\n\n/// Doc\nfn a() {} // note\n/* x\n y */\nconst B: &str = \"// no comment\";\n"
            ),
            2
        );
        assert_eq!(lines("const A: &str = \"one\n\n  two\";\n"), 2);
    }

    #[test]
    fn items_for_tests_do_not_count() {
        assert_eq!(lines("fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n"), 2);
        assert_eq!(lines("#[cfg(test)]\n#[derive(Debug)]\nstruct A<T, U>(T, U);\nstruct B;\n"), 1);
        assert_eq!(
            lines("#[cfg(feature = \"fake\")]\nimpl A {\n    fn b(c: [u8; 2]) -> u8 {\n    }\n}\n"),
            0
        );
        assert_eq!(
            lines(
                "struct A {\n    b: u8,\n    #[cfg(test)]\n    c: Vec<(u8, u8)>,\n    d: u8,\n}\n"
            ),
            4
        );
        assert_eq!(lines("#[cfg(all(test, unix))]\nfn a() {}\n"), 0);
        assert_eq!(lines("#[cfg(not(test))]\nfn a() {}\n"), 2);
    }

    #[test]
    fn modules_for_tests_do_not_count() {
        let sources = [
            (
                "crates/a/src/lib.rs",
                "#[cfg(test)]\nmod random;\n#[cfg(feature = \"fake\")]\npub mod fake;\nfn a() {}\n",
            ),
            ("crates/a/src/random.rs", "fn a() {}\n"),
            ("crates/a/src/fake/mod.rs", "fn a() {}\n"),
            ("crates/a/src/fake/tree.rs", "fn a() {}\n"),
            ("crates/a/src/tests.rs", "fn a() {}\n"),
            ("crates/a/tests/all.rs", "fn a() {}\n"),
            ("crates/a/examples/one.rs", "fn a() {}\n"),
            ("crates/b/src/lib.rs", "fn a() {\n}\n"),
            ("xtask/src/main.rs", "fn a() {}\n"),
        ];
        let sources = sources.map(|(path, text)| (path, text.to_owned()));
        assert_eq!(count(&sources), [("a", 1), ("b", 2)].into());
    }

    #[test]
    fn the_sum_is_the_last_row() {
        let table = table(&[("a", 5), ("b", 20)].into());
        assert!(
            table.starts_with("      5  a\n     20  b\n     25  lines of product code"),
            "{table}"
        );
    }
}
