//! The same plan in the language of macOS's sandbox (SBPL). It is text made from a plan, so it can be
//! held against what is wanted on any platform.

use std::path::Path;

use crate::{Network, Plan};

/// Folders of the system that tools write to; links are not followed in a profile.
const TEMPORARY: &[&str] = &["/private/tmp", "/private/var/folders"];

/// Devices every program may write to.
const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/tty", "/dev/ptmx", "/dev/stdout", "/dev/stderr"];

/// What of a home folder no tool needs.
const SECRETS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".kube",
    ".docker/config.json",
    ".netrc",
    ".cargo/credentials.toml",
    ".npmrc",
    ".pypirc",
    "Library/Keychains",
    "Library/Cookies",
];

/// A profile for `sandbox-exec -p`. Each rule stands on one line: a filter on a line of its own makes
/// `sandbox-exec` abort.
pub fn profile(plan: &Plan, home: &Path) -> String {
    let mut rules = vec![
        "(version 1)".to_owned(),
        "(deny default)".to_owned(),
        "(allow process*)".to_owned(),
        "(allow signal (target same-sandbox))".to_owned(),
        "(allow sysctl-read)".to_owned(),
        "(allow mach-lookup)".to_owned(),
        "(allow file-read*)".to_owned(),
    ];
    let secrets = SECRETS.iter().map(|name| subpath(&home.join(name)));
    rules.push(format!("(deny file-read* {})", secrets.collect::<Vec<_>>().join(" ")));
    rules.push(format!("(allow file-read* {})", subpath(&plan.scope)));
    rules.push(format!("(allow file-write* {})", subpath(&plan.scope)));
    rules.extend(plan.fixed.iter().map(|path| format!("(deny file-write* {})", subpath(path))));
    for folder in TEMPORARY {
        rules.push(format!("(allow file-write* {})", subpath(Path::new(folder))));
    }
    let devices = DEVICES.iter().map(|device| format!("(literal {})", quoted(device)));
    rules.push(format!("(allow file-write* {})", devices.collect::<Vec<_>>().join(" ")));
    match &plan.network {
        Network::Off => {}
        Network::On => rules.push("(allow network*)".to_owned()),
        Network::Ports(ports) => {
            rules.push(
                "(allow network-outbound (literal \"/private/var/run/mDNSResponder\"))".to_owned(),
            );
            rules.extend(
                ports
                    .iter()
                    .map(|port| format!("(allow network-outbound (remote tcp \"*:{port}\"))")),
            );
        }
    }
    rules.join("\n") + "\n"
}

fn subpath(path: &Path) -> String {
    format!("(subpath {})", quoted(&path.to_string_lossy()))
}

/// A text as SBPL writes it: a path must not be able to end its rule and begin another.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, path::PathBuf};

    use super::*;
    use crate::Bounds;

    fn plan(scope: &str, network: Network) -> Plan {
        Plan {
            scope: PathBuf::from(scope),
            readable: Vec::new(),
            layered: Vec::new(),
            home: None,
            settings: BTreeMap::new(),
            fixed: Vec::new(),
            identity: (0, 0),
            network,
            bounds: Bounds::default(),
            environment: BTreeMap::new(),
        }
    }

    fn written(scope: &str, network: Network) -> String {
        profile(&plan(scope, network), Path::new("/Users/ann"))
    }

    #[test]
    fn writing_is_for_the_scope_and_temporary_files_only() {
        let text = written("/Users/ann/work", Network::Off);
        let writes: Vec<&str> = text.lines().filter(|line| line.contains("file-write*")).collect();
        assert_eq!(
            writes[..3],
            [
                "(allow file-write* (subpath \"/Users/ann/work\"))",
                "(allow file-write* (subpath \"/private/tmp\"))",
                "(allow file-write* (subpath \"/private/var/folders\"))",
            ]
        );
        assert!(
            writes[3].starts_with("(allow file-write* (literal \"/dev/null\")"),
            "{}",
            writes[3]
        );
        assert_eq!(writes.len(), 4);
    }

    #[test]
    fn secrets_are_denied_and_what_is_in_the_scope_is_allowed_after_that() {
        let text = written("/Users/ann/.ssh/work", Network::Off);
        let at =
            |wanted: &str| text.lines().position(|line| line.starts_with(wanted)).unwrap_or(99);
        assert!(at("(allow file-read*)") < at("(deny file-read* (subpath \"/Users/ann/.ssh\")"));
        assert!(
            at("(deny file-read*") < at("(allow file-read* (subpath \"/Users/ann/.ssh/work\"))")
        );
    }

    #[test]
    fn each_rule_stands_on_a_line_of_its_own() {
        for line in written("/w", Network::Ports(vec![443, 80])).lines() {
            let (open, close) = (line.matches('(').count(), line.matches(')').count());
            assert!(open == close && line.starts_with('('), "{line}");
        }
    }

    #[test]
    fn the_network_is_off_on_or_by_port() {
        assert!(!written("/w", Network::Off).contains("network"));
        assert!(written("/w", Network::On).contains("(allow network*)"));
        let ports = written("/w", Network::Ports(vec![443]));
        assert!(ports.contains("(allow network-outbound (remote tcp \"*:443\"))"));
        assert!(!ports.contains("network*"));
    }

    #[test]
    fn a_path_cannot_end_its_rule() {
        let text = written("/w\") (allow default) (\"\\", Network::Off);
        assert!(text.contains(r#"(subpath "/w\") (allow default) (\"\\")"#), "{text}");
    }
}
