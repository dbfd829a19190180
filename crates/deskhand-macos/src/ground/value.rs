//! Values of Core Foundation to the room's own, and back.

use std::{ffi::c_void, ptr::NonNull};

use objc2_application_services::{AXUIElement, AXValue, AXValueType};
use objc2_core_foundation::{
    CFArray, CFAttributedString, CFBoolean, CFDate, CFNull, CFNumber, CFRange, CFRetained,
    CFString, CFType, CFURL, CGPoint, CGRect, CGSize,
};

use super::ax::Element;
use crate::tree::{Fault, Value};

/// How deep lists lie in each other that an app may answer with; none of the documented ones is in another
/// but one.
const DEEPEST: usize = 8;

/// Copies a value out of Core Foundation.
pub(super) fn read(value: &CFType) -> Value<Element> {
    read_within(value, DEEPEST)
}

fn read_within(value: &CFType, depth: usize) -> Value<Element> {
    if let Some(text) = value.downcast_ref::<CFString>() {
        Value::Text(text.to_string())
    } else if let Some(flag) = value.downcast_ref::<CFBoolean>() {
        Value::Flag(flag.as_bool())
    } else if let Some(number) = value.downcast_ref::<CFNumber>() {
        self::number(number)
    } else if let Some(element) = value.downcast_ref::<AXUIElement>() {
        Value::Element(Element::from(element))
    } else if let Some(list) = value.downcast_ref::<CFArray>() {
        let Some(depth) = depth.checked_sub(1) else {
            return Value::Other("lists within lists without end".to_owned());
        };
        Value::List(items(list).iter().map(|item| read_within(item, depth)).collect())
    } else if let Some(packed) = value.downcast_ref::<AXValue>() {
        unpacked(packed)
    } else if let Some(styled) = value.downcast_ref::<CFAttributedString>() {
        Value::Text(styled.string().map(|text| text.to_string()).unwrap_or_default())
    } else if let Some(link) = value.downcast_ref::<CFURL>() {
        Value::Link(link.string().to_string())
    } else if let Some(date) = value.downcast_ref::<CFDate>() {
        Value::Date(date.absolute_time())
    } else if value.downcast_ref::<CFNull>().is_some() {
        Value::Fault(Fault::NoValue)
    } else {
        Value::Other(format!("{value:?}"))
    }
}

/// Makes a value of Core Foundation; `None` for what is never sent to an app.
pub(super) fn write(value: &Value<Element>) -> Option<CFRetained<CFType>> {
    Some(match value {
        Value::Text(text) => CFString::from_str(text).into(),
        Value::Flag(flag) => CFRetained::<CFType>::from(CFBoolean::new(*flag)),
        Value::Whole(number) => CFNumber::new_i64(*number).into(),
        Value::Real(number) => CFNumber::new_f64(*number).into(),
        Value::Point(x, y) => packed(AXValueType::CGPoint, CGPoint::new(*x, *y))?,
        Value::Size(width, height) => packed(AXValueType::CGSize, CGSize::new(*width, *height))?,
        Value::Rect(x, y, width, height) => packed(
            AXValueType::CGRect,
            CGRect::new(CGPoint::new(*x, *y), CGSize::new(*width, *height)),
        )?,
        Value::Range(start, length) => {
            let (start, length) = (isize::try_from(*start).ok()?, isize::try_from(*length).ok()?);
            packed(AXValueType::CFRange, CFRange::new(start, length))?
        }
        Value::Element(element) => CFRetained::<CFType>::from(element.system()),
        Value::List(values) => {
            let values: Vec<CFRetained<CFType>> =
                values.iter().map(write).collect::<Option<_>>()?;
            let list: CFRetained<CFArray<CFType>> = CFArray::from_retained_objects(&values);
            CFRetained::<CFType>::from(list.as_opaque())
        }
        Value::Link(_) | Value::Date(_) | Value::Fault(_) | Value::Other(_) => return None,
    })
}

/// The texts in a list of them, such as the names of attributes.
pub(super) fn texts(list: &CFArray) -> Vec<String> {
    items(list)
        .iter()
        .filter_map(|item| Some(item.downcast_ref::<CFString>()?.to_string()))
        .collect()
}

/// What a list holds.
pub(super) fn items(list: &CFArray) -> Vec<CFRetained<CFType>> {
    // SAFETY: every list that crosses the accessibility interface, and the list of windows, was unpacked
    // by the system from a message, as a list of Core Foundation objects; the cast changes the type on
    // paper only, and `to_vec` retains each object while the borrowed list holds it.
    let typed: &CFArray<CFType> = unsafe { list.cast_unchecked() };
    typed.to_vec()
}

fn number(number: &CFNumber) -> Value<Element> {
    if number.is_float_type() {
        Value::Real(number.as_f64().unwrap_or(f64::NAN))
    } else {
        number.as_i64().map_or(Value::Real(number.as_f64().unwrap_or(f64::NAN)), Value::Whole)
    }
}

fn unpacked(packed: &AXValue) -> Value<Element> {
    // SAFETY: reads the type tag of a live, immutable object.
    let kind = unsafe { packed.r#type() };
    if kind == AXValueType::CGPoint {
        filled(packed, kind, CGPoint::default()).map(|at| Value::Point(at.x, at.y))
    } else if kind == AXValueType::CGSize {
        filled(packed, kind, CGSize::default()).map(|size| Value::Size(size.width, size.height))
    } else if kind == AXValueType::CGRect {
        filled(packed, kind, CGRect::default()).map(|rect| {
            Value::Rect(rect.origin.x, rect.origin.y, rect.size.width, rect.size.height)
        })
    } else if kind == AXValueType::CFRange {
        filled(packed, kind, CFRange::new(0, 0))
            .map(|range| Value::Range(range.location as i64, range.length as i64))
    } else if kind == AXValueType::AXError {
        filled(packed, kind, 0_i32)
            .map(|code| Value::Fault(Fault::of(code).unwrap_or(Fault::NoValue)))
    } else {
        None
    }
    .unwrap_or_else(|| Value::Other(format!("{packed:?}")))
}

/// Takes the content out of a packed value whose type tag says that it is a `T`.
fn filled<T>(packed: &AXValue, kind: AXValueType, mut room: T) -> Option<T> {
    // SAFETY: the system writes the content only when `kind` is the type it holds, and each caller
    // pairs `kind` with the C struct of that name, so `room` has exactly the size written.
    let done = unsafe { packed.value(kind, NonNull::from(&mut room).cast::<c_void>()) };
    done.then_some(room)
}

fn packed<T>(kind: AXValueType, mut content: T) -> Option<CFRetained<CFType>> {
    // SAFETY: the system copies the content before it returns; each caller pairs `kind` with the C
    // struct of that name. The new object is ours (create rule), which `CFRetained` releases.
    let value = unsafe { AXValue::new(kind, NonNull::from(&mut content).cast::<c_void>()) };
    value.map(CFRetained::<CFType>::from)
}
