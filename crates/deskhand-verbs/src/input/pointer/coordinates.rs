//! Coordinates of a caller: pixels of the screen or of a screenshot, possibly scaled.

use deskhand_model::{Advice, Step};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

use crate::{Context, Error, Result, capture::screenshot_ids};

/// The factor between the caller's pixels and real pixels; greater than 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScaleFactor(f64);

impl ScaleFactor {
    /// Returns the factor.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl<'de> Deserialize<'de> for ScaleFactor {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let factor = f64::deserialize(from)?;
        let fits = factor.is_finite() && factor > 0.0;
        fits.then_some(Self(factor))
            .ok_or_else(|| de::Error::custom("the factor must be greater than 0"))
    }
}

impl JsonSchema for ScaleFactor {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Factor".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "exclusiveMinimum": 0 })
    }
}

/// The units of a caller's coordinates.
#[derive(Debug, Clone, Copy, Default)]
pub struct CoordinateUnits<'a> {
    /// The id of the screenshot whose pixels are used.
    pub screenshot: Option<&'a str>,
    /// The factor by which real pixels are multiplied.
    pub factor: Option<ScaleFactor>,
}

/// Converts a caller's coordinates into a point on a display.
pub fn resolve_point(
    cx: &Context<'_>,
    x: f64,
    y: f64,
    units: CoordinateUnits<'_>,
) -> Result<(i32, i32)> {
    let screen = cx.desktop.screen.as_deref().ok_or(Error::MissingCapability { part: "screen" })?;
    let displays = screen.displays(cx.deadline)?;
    let outside = |x: f64, y: f64| Error::OutOfBounds {
        x,
        y,
        displays: displays
            .iter()
            .map(|one| {
                let f = one.frame;
                format!("{} {},{} {}x{}", one.name, f.x, f.y, f.width, f.height)
            })
            .collect(),
    };
    let point = match (units.screenshot, units.factor) {
        (Some(_), Some(_)) => {
            return Err(Error::NotApplicable {
                what: "these coordinates".to_owned(),
                why: "a screenshot and a scaling factor cannot be combined".to_owned(),
                instead: Advice::from("pass ")
                    .step(Step::Argument("screenshot"))
                    .text(" or ")
                    .step(Step::Argument("scaling_factor"))
                    .text(", not both"),
            });
        }
        (Some(id), None) => screenshot_ids::find(cx, id)?.to_screen(x, y),
        (None, factor) => {
            let factor = factor.map_or(1.0, |ScaleFactor(factor)| factor);
            let whole = |at: f64| {
                let at = (at / factor).floor();
                // A coordinate beyond every possible screen is out of bounds.
                (at.abs() < f64::from(i16::MAX)).then_some(at as i32)
            };
            whole(x).zip(whole(y))
        }
    };
    let (left, top) = point.ok_or_else(|| outside(x, y))?;
    if displays.iter().any(|display| display.frame.contains(left, top)) {
        Ok((left, top))
    } else {
        Err(outside(f64::from(left), f64::from(top)))
    }
}

/// Like [`resolve_point`], but both coordinates may be missing.
pub fn resolve_optional_point(
    cx: &Context<'_>,
    x: Option<f64>,
    y: Option<f64>,
    units: CoordinateUnits<'_>,
) -> Result<Option<(i32, i32)>> {
    match (x, y) {
        (Some(x), Some(y)) => resolve_point(cx, x, y, units).map(Some),
        (None, None) => Ok(None),
        (Some(_), None) | (None, Some(_)) => Err(Error::NotApplicable {
            what: "these coordinates".to_owned(),
            why: "one of them is missing".to_owned(),
            instead: "pass both x and y, or none".into(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_factor_is_positive() {
        let read = |text| serde_json::from_str::<ScaleFactor>(text);
        assert_eq!(read("0.5").ok(), Some(ScaleFactor(0.5)));
        assert_eq!(read("2").ok(), Some(ScaleFactor(2.0)));
        assert!(read("0").is_err() && read("-1").is_err() && read("\"2\"").is_err());
    }
}
