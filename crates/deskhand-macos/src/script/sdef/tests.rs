use super::*;

/// Written by hand after the manual page sdef(5), with one example of everything the page describes.
pub(in crate::script) const FIXTURE: &str = include_str!("jotter.sdef");

fn jotter() -> Dictionary {
    parse(FIXTURE.as_bytes()).unwrap()
}

fn single(name: &str) -> TypeName {
    TypeName { name: name.to_owned(), list: false }
}

fn list(name: &str) -> TypeName {
    TypeName { name: name.to_owned(), list: true }
}

#[test]
fn suites_have_names_and_descriptions() {
    let jotter = jotter();
    assert_eq!(jotter.title, "Jotter Terminology");
    let words: Vec<_> = jotter.suites.iter().map(|suite| &suite.term).collect();
    assert_eq!(words[0].name, "Standard Suite");
    assert_eq!(words[0].description.as_deref(), Some("What every app understands & more."));
    assert_eq!((words[1].name.as_str(), words[1].hidden), ("Jotter Suite", false));
    assert_eq!(
        jotter.missing_includes,
        ["file:///System/Library/ScriptingDefinitions/CocoaStandard.sdef"]
    );
}

#[test]
fn commands_have_parameters_and_results() {
    let jotter = jotter();
    let save = &jotter.suites[0].commands[0];
    assert_eq!((save.term.name.as_str(), save.event), ("save", false));
    assert_eq!(save.direct.as_ref().unwrap().types, [single("specifier")]);
    let [into, format] = save.parameters.as_slice() else { panic!("{save:?}") };
    assert_eq!((into.term.name.as_str(), into.optional), ("in", true));
    assert_eq!(into.types, [single("file"), list("text")]);
    assert_eq!((format.term.name.as_str(), format.optional), ("as", false));
    assert!(format.term.hidden);
    assert_eq!(save.result, None);
    let count = &jotter.suites[0].commands[1];
    assert_eq!(count.result, Some(vec![single("integer")]));
    assert_eq!(count.direct.as_ref().unwrap().types, [list("note")]);
    let event = jotter.suites[1].commands.last().unwrap();
    assert_eq!((event.term.name.as_str(), event.event), ("note added", true));
}

#[test]
fn classes_have_properties_elements_and_ancestors() {
    let jotter = jotter();
    let [note, more] = jotter.suites[1].classes.as_slice() else { panic!("{jotter:?}") };
    assert_eq!(note.term.name, "note");
    assert_eq!((note.plural.as_deref(), note.inherits.as_deref()), (Some("notes"), Some("item")));
    let properties: Vec<_> =
        note.properties.iter().map(|one| (one.term.name.as_str(), one.access)).collect();
    assert_eq!(
        properties,
        [
            ("contents", ScriptAccess::ReadWrite),
            ("id", ScriptAccess::Read),
            ("password", ScriptAccess::Write),
            ("tags", ScriptAccess::ReadWrite),
        ]
    );
    assert!(note.properties[2].term.hidden);
    assert_eq!(note.properties[3].types, [list("text"), single("missing value")]);
    let elements: Vec<_> =
        note.elements.iter().map(|one| (one.class.as_str(), one.access, one.hidden)).collect();
    assert_eq!(
        elements,
        [("attachment", ScriptAccess::Read, false), ("paragraph", ScriptAccess::ReadWrite, true)]
    );
    assert_eq!(note.responds_to, ["save", "print"]);
    assert!(more.extension && !note.extension);
    assert_eq!(more.term.name, "application");
    assert_eq!(more.elements[0].class, "note");
}

#[test]
fn enumerations_and_types_have_names() {
    let suite = &jotter().suites[1];
    let choice = &suite.enumerations[0];
    assert_eq!(choice.term.name, "priority");
    let values: Vec<_> = choice.values.iter().map(|one| (one.name.as_str(), one.hidden)).collect();
    assert_eq!(values, [("low", false), ("high", false), ("secret", true)]);
    let [colour, settings] = suite.types.as_slice() else { panic!("{suite:?}") };
    assert_eq!((colour.term.name.as_str(), colour.properties.len()), ("RGB color", 0));
    assert_eq!(settings.term.name, "print settings");
    assert_eq!(settings.properties[0].types, [single("integer")]);
}

#[test]
fn invalid_definitions_are_rejected() {
    for bad in ["", "<suite/>", "<dictionary><suite>", "<dictionary a='&nowhere;'/>", "\u{1}"] {
        assert!(parse(bad.as_bytes()).is_err(), "{bad}");
    }
    assert_eq!(parse(b"<dictionary/>"), Ok(Dictionary::default()));
}
