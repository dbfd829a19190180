//! MCP clients of other projects with a real app: discover, connect, read, act, verify, subscribe,
//! cancel, answer a prompt, run a task. The file that the app saves shows whether they worked.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic is how a test reports")]

mod conformance;
mod fixture;
mod inspector;

use fixture::{Era, Fixture, Language, Transport};

#[test]
fn typescript_sdk_1_works_over_stdio() {
    Fixture::new().run_client(Language::TypeScript1, Transport::Stdio, Era::Legacy);
}

#[test]
fn typescript_sdk_1_works_over_streamable_http() {
    Fixture::new().run_client(Language::TypeScript1, Transport::Http, Era::Legacy);
}

#[test]
fn typescript_sdk_1_works_over_legacy_sse() {
    Fixture::new().run_client(Language::TypeScript1, Transport::Sse, Era::Legacy);
}

#[test]
fn typescript_sdk_2_works_over_stdio() {
    Fixture::new().run_client(Language::TypeScript2, Transport::Stdio, Era::Auto);
}

#[test]
fn typescript_sdk_2_works_over_streamable_http() {
    Fixture::new().run_client(Language::TypeScript2, Transport::Http, Era::Modern);
}

#[test]
fn typescript_sdk_2_with_initialize_works_over_stdio() {
    Fixture::new().run_client(Language::TypeScript2, Transport::Stdio, Era::Legacy);
}

#[test]
fn typescript_sdk_2_with_initialize_works_over_streamable_http() {
    Fixture::new().run_client(Language::TypeScript2, Transport::Http, Era::Legacy);
}

#[test]
fn typescript_sdk_2_works_over_legacy_sse() {
    Fixture::new().run_client(Language::TypeScript2, Transport::Sse, Era::Legacy);
}

#[test]
fn python_sdk_works_over_stdio() {
    Fixture::new().run_client(Language::Python, Transport::Stdio, Era::Auto);
}

#[test]
fn python_sdk_works_over_streamable_http() {
    Fixture::new().run_client(Language::Python, Transport::Http, Era::Auto);
}

#[test]
fn python_sdk_with_initialize_works_over_stdio() {
    Fixture::new().run_client(Language::Python, Transport::Stdio, Era::Legacy);
}

#[test]
fn python_sdk_with_initialize_works_over_streamable_http() {
    Fixture::new().run_client(Language::Python, Transport::Http, Era::Legacy);
}

#[test]
fn python_sdk_works_over_legacy_sse() {
    Fixture::new().run_client(Language::Python, Transport::Sse, Era::Legacy);
}
