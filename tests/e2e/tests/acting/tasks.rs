//! Complete tasks done only with `deskhand` calls. The result is checked in a file, a server or the
//! app.
//!
//! `cargo xtask soak tasks` runs each task twenty times.

use harness::tasks::run;

#[test]
fn document_is_written_and_saved_in_mousepad() {
    run("mousepad");
}

#[test]
fn document_is_written_and_saved_in_gnome_text_editor() {
    run("gnome-text-editor");
}

#[test]
fn document_is_written_and_saved_in_writer() {
    run("writer");
}

#[test]
fn libreoffice_calc_sheet_is_filled_and_exported() {
    run("calc");
}

#[test]
fn form_is_filled_and_sent_in_chromium() {
    run("chromium");
}

#[test]
fn form_is_filled_and_sent_in_firefox() {
    run("firefox");
}

#[test]
fn kcalc_computes_a_result() {
    run("kcalc");
}

#[test]
fn gnome_calculator_computes_a_result() {
    run("gnome-calculator");
}

#[test]
fn setting_is_changed_in_featherpad() {
    run("featherpad");
}
