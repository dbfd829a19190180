//! The tools of MacosUseSDK, offered to MCP clients. They name things by resource names such as
//! `displays/12345`, and their error messages start with a gRPC status such as `NOT_FOUND`.

pub(crate) mod get_display;

mod status;

use crate::{BuiltinTool, Offer, TaskSupport, ToolEntry, Toolset};

/// Returns all tools of this vocabulary.
pub(crate) fn all() -> Vec<BuiltinTool> {
    vec![ToolEntry::builtin::<get_display::GetDisplay>()]
}

/// Offers a tool in the `desktop` toolset.
const fn offer(title: &'static str) -> Option<Offer> {
    Some(Offer { title, toolsets: &[Toolset::Desktop], task: TaskSupport::Never })
}

/// Returns the id in a resource name such as `displays/12345`; `None` if the name has another form.
fn resource_id<'a>(name: &'a str, collection: &str) -> Option<&'a str> {
    let (parent, id) = name.split_once('/')?;
    (parent == collection && !id.is_empty() && !id.contains('/')).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::resource_id;

    #[test]
    fn a_resource_name_is_a_collection_and_an_id() {
        assert_eq!(resource_id("displays/12345", "displays"), Some("12345"));
        for wrong in ["12345", "displays", "displays/", "windows/12345", "displays/1/2"] {
            assert_eq!(resource_id(wrong, "displays"), None, "{wrong}");
        }
    }
}
