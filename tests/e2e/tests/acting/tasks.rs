//! Real work: each task is done by calls of `deskhand` alone and leaves something that others
//! check. `cargo xtask soak tasks` does each twenty times.

use harness::tasks::run;

#[test]
fn a_document_is_written_and_saved_in_mousepad() {
    run("mousepad");
}

#[test]
fn a_document_is_written_and_saved_in_gnome_text_editor() {
    run("gnome-text-editor");
}

#[test]
fn a_document_is_written_and_saved_in_writer() {
    run("writer");
}

#[test]
fn calc_fills_a_sheet_and_exports_it() {
    run("calc");
}

#[test]
fn a_form_is_filled_and_sent_in_chromium() {
    run("chromium");
}

#[test]
fn a_form_is_filled_and_sent_in_firefox() {
    run("firefox");
}

#[test]
fn kcalc_computes() {
    run("kcalc");
}

#[test]
fn gnome_calculator_computes() {
    run("gnome-calculator");
}

#[test]
fn a_setting_is_changed_in_featherpad() {
    run("featherpad");
}
