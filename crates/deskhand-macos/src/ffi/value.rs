//! Converts attribute values from and to Core Foundation.

use std::{ffi::c_void, ptr::NonNull};

use objc2_application_services::{AXUIElement, AXValue, AXValueType};
use objc2_core_foundation::{
    CFArray, CFAttributedString, CFBoolean, CFDate, CFNull, CFNumber, CFRange, CFRetained,
    CFString, CFType, CFURL, CGPoint, CGRect, CGSize,
};

use super::ax::AxElement;
use crate::tree::{AxError, Value};

/// Upper limit of nested lists. Documented attributes have at most one list inside another.
const MAX_LIST_DEPTH: usize = 8;

/// Converts a value from Core Foundation.
pub(super) fn read(value: &CFType) -> Value<AxElement> {
    read_nested(value, MAX_LIST_DEPTH)
}

fn read_nested(value: &CFType, depth: usize) -> Value<AxElement> {
    if let Some(text) = value.downcast_ref::<CFString>() {
        Value::Text(text.to_string())
    } else if let Some(flag) = value.downcast_ref::<CFBoolean>() {
        Value::Flag(flag.as_bool())
    } else if let Some(number) = value.downcast_ref::<CFNumber>() {
        self::number(number)
    } else if let Some(element) = value.downcast_ref::<AXUIElement>() {
        Value::Element(AxElement::from(element))
    } else if let Some(list) = value.downcast_ref::<CFArray>() {
        let Some(depth) = depth.checked_sub(1) else {
            return Value::Other("too many nested lists".to_owned());
        };
        Value::List(items(list).iter().map(|item| read_nested(item, depth)).collect())
    } else if let Some(packed) = value.downcast_ref::<AXValue>() {
        unpack(packed)
    } else if let Some(styled) = value.downcast_ref::<CFAttributedString>() {
        Value::Text(styled.string().map(|text| text.to_string()).unwrap_or_default())
    } else if let Some(link) = value.downcast_ref::<CFURL>() {
        Value::Link(link.string().to_string())
    } else if let Some(date) = value.downcast_ref::<CFDate>() {
        Value::Date(date.absolute_time())
    } else if value.downcast_ref::<CFNull>().is_some() {
        Value::Error(AxError::NoValue)
    } else {
        Value::Other(format!("{value:?}"))
    }
}

/// Converts a value to Core Foundation. `None` for types that are never sent to an app.
pub(super) fn write(value: &Value<AxElement>) -> Option<CFRetained<CFType>> {
    Some(match value {
        Value::Text(text) => CFString::from_str(text).into(),
        Value::Flag(flag) => CFRetained::<CFType>::from(CFBoolean::new(*flag)),
        Value::Whole(number) => CFNumber::new_i64(*number).into(),
        Value::Real(number) => CFNumber::new_f64(*number).into(),
        Value::Point(x, y) => pack(AXValueType::CGPoint, CGPoint::new(*x, *y))?,
        Value::Size(width, height) => pack(AXValueType::CGSize, CGSize::new(*width, *height))?,
        Value::Rect(x, y, width, height) => pack(
            AXValueType::CGRect,
            CGRect::new(CGPoint::new(*x, *y), CGSize::new(*width, *height)),
        )?,
        Value::Range(start, length) => {
            let (start, length) = (isize::try_from(*start).ok()?, isize::try_from(*length).ok()?);
            pack(AXValueType::CFRange, CFRange::new(start, length))?
        }
        Value::Element(element) => CFRetained::<CFType>::from(element.raw()),
        Value::List(values) => {
            let values: Vec<CFRetained<CFType>> =
                values.iter().map(write).collect::<Option<_>>()?;
            let list: CFRetained<CFArray<CFType>> = CFArray::from_retained_objects(&values);
            CFRetained::<CFType>::from(list.as_opaque())
        }
        Value::Link(_) | Value::Date(_) | Value::Error(_) | Value::Other(_) => return None,
    })
}

/// The strings in a list.
pub(super) fn texts(list: &CFArray) -> Vec<String> {
    items(list)
        .iter()
        .filter_map(|item| Some(item.downcast_ref::<CFString>()?.to_string()))
        .collect()
}

/// The items of a list.
pub(super) fn items(list: &CFArray) -> Vec<CFRetained<CFType>> {
    // SAFETY: the lists of the accessibility API and of the window server are decoded from messages and contain only Core
    // Foundation objects. The cast does not change the memory layout, and `to_vec` retains each object while the
    // borrowed list owns it.
    let typed: &CFArray<CFType> = unsafe { list.cast_unchecked() };
    typed.to_vec()
}

fn number(number: &CFNumber) -> Value<AxElement> {
    if number.is_float_type() {
        Value::Real(number.as_f64().unwrap_or(f64::NAN))
    } else {
        number.as_i64().map_or(Value::Real(number.as_f64().unwrap_or(f64::NAN)), Value::Whole)
    }
}

fn unpack(packed: &AXValue) -> Value<AxElement> {
    // SAFETY: reads the type tag of a live, immutable object.
    let kind = unsafe { packed.r#type() };
    if kind == AXValueType::CGPoint {
        unpack_as(packed, kind, CGPoint::default()).map(|at| Value::Point(at.x, at.y))
    } else if kind == AXValueType::CGSize {
        unpack_as(packed, kind, CGSize::default()).map(|size| Value::Size(size.width, size.height))
    } else if kind == AXValueType::CGRect {
        unpack_as(packed, kind, CGRect::default()).map(|rect| {
            Value::Rect(rect.origin.x, rect.origin.y, rect.size.width, rect.size.height)
        })
    } else if kind == AXValueType::CFRange {
        unpack_as(packed, kind, CFRange::new(0, 0))
            .map(|range| Value::Range(range.location as i64, range.length as i64))
    } else if kind == AXValueType::AXError {
        unpack_as(packed, kind, 0_i32)
            .map(|code| Value::Error(AxError::from_code(code).unwrap_or(AxError::NoValue)))
    } else {
        None
    }
    .unwrap_or_else(|| Value::Other(format!("{packed:?}")))
}

/// The content of a packed value whose type tag says that it is a `T`.
fn unpack_as<T>(packed: &AXValue, kind: AXValueType, mut content: T) -> Option<T> {
    // SAFETY: the system writes the content only if `kind` is its type. Each caller pairs `kind` with the C struct of
    // that name, so `content` has the size that is written.
    let done = unsafe { packed.value(kind, NonNull::from(&mut content).cast::<c_void>()) };
    done.then_some(content)
}

fn pack<T>(kind: AXValueType, mut content: T) -> Option<CFRetained<CFType>> {
    // SAFETY: the system copies the content before it returns. Each caller pairs `kind` with the C struct of that name.
    // The new object belongs to the caller (create rule); `CFRetained` releases it.
    let value = unsafe { AXValue::new(kind, NonNull::from(&mut content).cast::<c_void>()) };
    value.map(CFRetained::<CFType>::from)
}
