//! Resources, prompts and completions of the fixtures.

use rmcp::{
    ErrorData,
    model::{
        CacheScope, CompleteRequestParams, CompleteResult, CompletionInfo, ContentBlock,
        GetPromptRequestParams, GetPromptResponse, GetPromptResult, ImageContent,
        ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, Prompt,
        PromptArgument, PromptMessage, ReadResourceResponse, ReadResourceResult, Resource,
        ResourceContents, ResourceTemplate, Role,
    },
};
use serde_json::json;

use super::{Fixtures, basic, input};
use crate::{
    input::{ClientPrompt, StateSigner},
    server::client::Client,
};

const FRESH_MS: u64 = 60_000;

impl Fixtures {
    /// Serves `resources/list`.
    pub(crate) fn resources(&self) -> ListResourcesResult {
        let one = |uri: &str, name: &str, mime: &str| Resource::new(uri, name).with_mime_type(mime);
        ListResourcesResult::with_all_items(vec![
            one("test://static-text", "static-text", "text/plain"),
            one("test://static-binary", "static-binary", "image/png"),
            one("test://watched-resource", "watched-resource", "text/plain"),
        ])
        .with_ttl_ms(FRESH_MS)
        .with_cache_scope(CacheScope::Public)
    }

    /// Serves `resources/templates/list`.
    pub(crate) fn templates(&self) -> ListResourceTemplatesResult {
        let template = ResourceTemplate::new("test://template/{id}/data", "template")
            .with_mime_type("application/json");
        ListResourceTemplatesResult::with_all_items(vec![template])
            .with_ttl_ms(FRESH_MS)
            .with_cache_scope(CacheScope::Public)
    }

    /// Serves `resources/read`.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such resource.
    pub(crate) fn read(&self, uri: &str) -> Result<ReadResourceResponse, ErrorData> {
        let text = |mime: &str, text: String| ResourceContents::TextResourceContents {
            uri: uri.to_owned(),
            mime_type: Some(mime.to_owned()),
            text,
            meta: None,
        };
        let id = uri.strip_prefix("test://template/").and_then(|it| it.strip_suffix("/data"));
        let contents = match (uri, id) {
            ("test://static-text", _) => {
                text("text/plain", "This is the content of the static text resource.".to_owned())
            }
            ("test://watched-resource", _) => text("text/plain", "Watched".to_owned()),
            ("test://static-binary", _) => ResourceContents::BlobResourceContents {
                uri: uri.to_owned(),
                mime_type: Some("image/png".to_owned()),
                blob: basic::PNG.to_owned(),
                meta: None,
            },
            (_, Some(id)) => {
                let data =
                    json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
                text("application/json", data.to_string())
            }
            (_, None) => {
                let why = format!("uri: unknown resource `{uri}`");
                return Err(ErrorData::resource_not_found(why, Some(json!({ "uri": uri }))));
            }
        };
        let result = ReadResourceResult::new(vec![contents])
            .with_ttl_ms(FRESH_MS)
            .with_cache_scope(CacheScope::Public);
        Ok(result.into())
    }

    /// Serves `prompts/list`.
    pub(crate) fn prompts(&self) -> ListPromptsResult {
        let argument = |name: &str| PromptArgument::new(name).with_required(true);
        let one = |name: &str, arguments: Vec<PromptArgument>| {
            Prompt::new(name, Some("A prompt for testing"), Some(arguments))
        };
        ListPromptsResult::with_all_items(vec![
            one("test_simple_prompt", Vec::new()),
            one("test_prompt_with_arguments", vec![argument("arg1"), argument("arg2")]),
            one("test_prompt_with_embedded_resource", vec![argument("resourceUri")]),
            one("test_prompt_with_image", Vec::new()),
            one("test_input_required_result_prompt", Vec::new()),
        ])
        .with_ttl_ms(FRESH_MS)
        .with_cache_scope(CacheScope::Public)
    }

    /// Serves `prompts/get`.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such prompt, or if the client does not support elicitation.
    pub(crate) async fn prompt(
        &self,
        signer: &StateSigner,
        client: Client,
        params: GetPromptRequestParams,
    ) -> Result<GetPromptResponse, ErrorData> {
        let given = |name: &str| {
            let arguments = params.arguments.as_ref();
            arguments.and_then(|all| all.get(name)).and_then(|it| it.as_str()).unwrap_or_default()
        };
        let say = |words: String| PromptMessage::new_text(Role::User, words);
        let messages = match params.name.as_str() {
            "test_simple_prompt" => vec![say("This is a simple prompt for testing.".to_owned())],
            "test_prompt_with_arguments" => vec![say(format!(
                "Prompt with arguments: arg1='{}', arg2='{}'",
                given("arg1"),
                given("arg2")
            ))],
            "test_prompt_with_embedded_resource" => vec![
                PromptMessage::new(
                    Role::User,
                    ContentBlock::resource(ResourceContents::TextResourceContents {
                        uri: given("resourceUri").to_owned(),
                        mime_type: Some("text/plain".to_owned()),
                        text: "Embedded resource content for testing.".to_owned(),
                        meta: None,
                    }),
                ),
                say("Please process the embedded resource above.".to_owned()),
            ],
            "test_prompt_with_image" => vec![
                PromptMessage::new(
                    Role::User,
                    ContentBlock::Image(ImageContent::new(basic::PNG, "image/png")),
                ),
                say("Please analyze the image above.".to_owned()),
            ],
            "test_input_required_result_prompt" => {
                let subject = params.name.as_bytes().to_vec();
                let (answers, state) =
                    (params.input_responses.clone(), params.request_state.as_deref());
                let prompt = ClientPrompt::new(client, subject, answers, state, signer)?;
                let query = input::text_form("What context should the prompt use?", "context");
                let answer = input::request_input(&prompt, "user_context", query).await?;
                if let Some(required) = prompt.required_input(signer)? {
                    return Ok(required.into());
                }
                let context = answer.unwrap_or_default();
                let context = context["content"]["context"].as_str().unwrap_or_default().to_owned();
                vec![say(format!("Prompt with context: {context}"))]
            }
            other => {
                let why = format!("name: unknown prompt `{other}`");
                return Err(ErrorData::invalid_params(why, None));
            }
        };
        Ok(GetPromptResult::new(messages).into())
    }

    /// Serves `completion/complete`.
    ///
    /// # Errors
    ///
    /// Never fails: there are fewer values than the limit.
    pub(crate) fn complete(
        &self,
        params: &CompleteRequestParams,
    ) -> Result<CompleteResult, ErrorData> {
        let all = ["paris", "park", "party"];
        let fits = |word: &&str| word.starts_with(&params.argument.value);
        let values = all.into_iter().filter(fits).map(str::to_owned).collect();
        let info =
            CompletionInfo::new(values).map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(info))
    }
}
