use std::path::Path;

use super::*;
use crate::settings::Flags;

fn settings(set: &[(&str, &str)]) -> Settings {
    Settings::for_tests(Flags::default(), set, "")
}

#[test]
fn command_line_tools_are_offered_when_they_are_asked_for() {
    for (set, meant) in [
        (&[][..], Offered::Scripts),
        (&[("DESKHAND_TOOLSETS", "ax,core")], Offered::Scripts),
        (&[("DESKHAND_TOOLSETS", "ax,cli")], Offered::Tools(None)),
        (&[("DESKHAND_TOOLS", "ax_click,sandboxed_shell")], Offered::Tools(None)),
        (&[("AHMA_TOOLS_DIR", "/t")], Offered::Tools(Some("/t".into()))),
        (
            &[("AHMA_TOOLS_DIR", "/t"), ("DESKHAND_TOOLSETS", "ax")],
            Offered::Tools(Some("/t".into())),
        ),
    ] {
        assert_eq!(offered(&settings(set)), Ok(meant), "{set:?}");
    }
}

#[test]
fn who_may_write_no_command_lines_gets_nothing_that_runs_them() {
    assert_eq!(withheld(&settings(&[])), Ok(Vec::new()));
    let gone = withheld(&settings(&[("MCP_SHELL_COMMANDS_ENABLED", "false")])).unwrap();
    for name in ["sandboxed_shell", "ax_run_script", "terminal_start"] {
        assert!(gone.iter().any(|one| one == name), "{gone:?}");
    }
    assert!(!gone.iter().any(|one| one == "status" || one == "ax_click"), "{gone:?}");
}

#[test]
fn no_scope_holds_what_binds_its_commands() {
    let place = tempfile::tempdir().unwrap();
    let real = place.path().canonicalize().unwrap();
    let set = settings(&[]);
    let own = set.folders().data.parent().map(Path::to_owned).unwrap();
    assert_eq!(own_scope(&set, place.path()), Ok(real));
    assert!(own_scope(&set, &own).is_err());
}
