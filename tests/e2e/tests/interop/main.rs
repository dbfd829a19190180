//! MCP clients of other projects with a real app: discover, connect, look, act, verify, subscribe,
//! cancel, be asked, run a task. What they did is judged by the file the app saved.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic is how a test reports")]

mod conformance;
mod inspector;
mod scene;

use scene::{Era, Language, Route, Scene};

#[test]
fn typescript_1_over_standard_streams() {
    Scene::new().is_walked_by(Language::TypeScript1, Route::Stdio, Era::Legacy);
}

#[test]
fn typescript_1_over_streamable_http() {
    Scene::new().is_walked_by(Language::TypeScript1, Route::Http, Era::Legacy);
}

#[test]
fn typescript_1_over_legacy_sse() {
    Scene::new().is_walked_by(Language::TypeScript1, Route::Sse, Era::Legacy);
}

#[test]
fn typescript_2_over_standard_streams() {
    Scene::new().is_walked_by(Language::TypeScript2, Route::Stdio, Era::Auto);
}

#[test]
fn typescript_2_over_streamable_http() {
    Scene::new().is_walked_by(Language::TypeScript2, Route::Http, Era::Modern);
}

#[test]
fn typescript_2_shakes_hands_over_standard_streams() {
    Scene::new().is_walked_by(Language::TypeScript2, Route::Stdio, Era::Legacy);
}

#[test]
fn typescript_2_shakes_hands_over_streamable_http() {
    Scene::new().is_walked_by(Language::TypeScript2, Route::Http, Era::Legacy);
}

#[test]
fn typescript_2_over_legacy_sse() {
    Scene::new().is_walked_by(Language::TypeScript2, Route::Sse, Era::Legacy);
}

#[test]
fn python_over_standard_streams() {
    Scene::new().is_walked_by(Language::Python, Route::Stdio, Era::Auto);
}

#[test]
fn python_over_streamable_http() {
    Scene::new().is_walked_by(Language::Python, Route::Http, Era::Auto);
}

#[test]
fn python_shakes_hands_over_standard_streams() {
    Scene::new().is_walked_by(Language::Python, Route::Stdio, Era::Legacy);
}

#[test]
fn python_shakes_hands_over_streamable_http() {
    Scene::new().is_walked_by(Language::Python, Route::Http, Era::Legacy);
}

#[test]
fn python_over_legacy_sse() {
    Scene::new().is_walked_by(Language::Python, Route::Sse, Era::Legacy);
}
