//! `get_display`: returns one display.

use deskhand_model::Rect;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{offer, resource_id, status::GrpcStatus};
use crate::{
    Context, Effect, Error, Offer, Render, Requirement, Result, Style, StyledLine, StyledText,
    Tool, ToolSpec,
    verbs::displays::{self, DisplayInfo},
};

pub(crate) struct GetDisplay;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Resource name of the display, such as displays/12345
    name: String,
}

/// A display.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DisplayResource {
    /// Resource name.
    name: String,
    /// Frame in global pixels; the main display starts at 0,0.
    frame: Rect,
    /// The part of the frame that panels leave free.
    visible_frame: Rect,
    /// `true` for the main display.
    is_main: bool,
    /// Scale factor.
    scale: f64,
}

impl From<DisplayInfo> for DisplayResource {
    fn from(info: DisplayInfo) -> Self {
        let name = resource_name(&info);
        let DisplayInfo { display, .. } = info;
        Self {
            name,
            frame: display.frame,
            visible_frame: display.work_area,
            is_main: display.main,
            scale: display.scale,
        }
    }
}

impl Render for DisplayResource {
    fn render(&self) -> StyledText {
        let r = self.frame;
        let frame = format!("{},{} {}x{}", r.x, r.y, r.width, r.height);
        let line = StyledLine::new()
            .with(Style::Handle, &self.name)
            .with(Style::Plain, frame)
            .with(Style::Plain, format!("scale {}", self.scale))
            .with(Style::Value, if self.is_main { "main" } else { "" });
        StyledText::default().line(line)
    }
}

fn resource_name(info: &DisplayInfo) -> String {
    format!("displays/{}", info.display.id)
}

impl Tool for GetDisplay {
    const SPEC: ToolSpec = ToolSpec {
        name: "get_display",
        command: "",
        about: "Return the frame, the visible frame and the scale of one display.",
        effect: Effect::Observe,
        needs: &[Requirement::Screen],
    };
    const OFFER: Option<Offer> = offer("Get display");
    type Args = Args;
    type Output = DisplayResource;

    fn run(cx: &Context<'_>, args: Args) -> Result<DisplayResource> {
        if resource_id(&args.name, "displays").is_none() {
            let why = format!("name: expected displays/{{id}}, got `{}`", args.name);
            let error = Error::BadArguments { tool: Self::SPEC.name, why };
            return Err(GrpcStatus::InvalidArgument.wrap(error));
        }
        let all = displays::list(cx)?;
        match all.iter().find(|info| resource_name(info) == args.name) {
            Some(info) => Ok(DisplayResource::from(info.clone())),
            None => Err(GrpcStatus::NotFound.wrap(Error::NoDisplay {
                wanted: args.name,
                displays: all.iter().map(resource_name).collect(),
            })),
        }
    }
}
