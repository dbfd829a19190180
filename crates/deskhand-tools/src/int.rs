//! Integers with a range. The type carries the bounds, so the schema and the check cannot differ.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// An integer from `MIN` to `MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Int<const MIN: i64, const MAX: i64>(i64);

impl<const MIN: i64, const MAX: i64> Int<MIN, MAX> {
    /// Creates a constant. Panics at compile time if the number is out of range.
    pub(crate) const fn of(number: i64) -> Self {
        assert!(MIN <= number && number <= MAX);
        Self(number)
    }

    /// The number.
    pub fn get(self) -> i64 {
        self.0
    }

    /// The number as pixels. A range beyond `i32` does not compile.
    pub(crate) fn pixels(self) -> i32 {
        const { assert!(MIN >= i32::MIN as i64 && MAX <= i32::MAX as i64) };
        self.0 as i32
    }

    /// The number as a count; negative numbers count as zero.
    pub fn count(self) -> usize {
        usize::try_from(self.0).unwrap_or(0)
    }
}

impl<'de, const MIN: i64, const MAX: i64> Deserialize<'de> for Int<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let number = i64::deserialize(from)?;
        if (MIN..=MAX).contains(&number) {
            Ok(Self(number))
        } else {
            Err(D::Error::custom(format!("{number} is not from {MIN} to {MAX}")))
        }
    }
}

impl<const MIN: i64, const MAX: i64> Serialize for Int<MIN, MAX> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(to)
    }
}

impl<const MIN: i64, const MAX: i64> JsonSchema for Int<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Int_{MIN}_to_{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_inside_and_what_lies_beyond_is_refused_with_the_bounds() {
        let read = |text| serde_json::from_str::<Int<1, 3>>(text);
        assert_eq!(read("1").map(Int::get).ok(), Some(1));
        assert_eq!(read("3").map(Int::get).ok(), Some(3));
        let refused = read("4").map_err(|e| e.to_string());
        assert_eq!(refused, Err("4 is not from 1 to 3".to_owned()));
        assert!(read("-1").is_err() && read("1.5").is_err() && read("\"2\"").is_err());
    }
}
