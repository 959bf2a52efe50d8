use super::*;

#[test]
fn no_key_has_two_actions_in_one_context() {
    for (index, binding) in BINDINGS.iter().enumerate() {
        for other in &BINDINGS[index + 1..] {
            let together = binding.context == other.context
                || [binding.context, other.context].contains(&KeyContext::Always);
            let shared = binding.strokes.iter().find(|stroke| other.strokes.contains(stroke));
            assert!(!together || shared.is_none(), "{} and {}: {shared:?}", binding.text, other.text);
        }
    }
}

#[test]
fn every_named_key_is_a_stroke_and_conversely() {
    for binding in BINDINGS {
        let names = binding.keys.split(" or ").count();
        // +, - and Enter are at two positions on a keyboard.
        let places = if matches!(binding.keys, "+" | "-" | "Enter") { 2 * names } else { names };
        assert_eq!(binding.strokes.len(), places, "{}", binding.keys);
    }
}

#[test]
fn names_and_strokes_of_keys_have_the_same_action() {
    for binding in BINDINGS {
        let sketching = binding.context == KeyContext::Sketching;
        for name in binding.keys.split(" or ") {
            let name = arrow(name).unwrap_or(name);
            assert_eq!(action_named(name, sketching), Some((binding.action)()), "{name}");
        }
        for stroke in binding.strokes {
            let modifiers = if stroke.control { Modifiers::Control } else { Modifiers::empty() };
            assert_eq!(action_of(stroke.key, modifiers, sketching), Some((binding.action)()));
        }
    }
    assert_eq!(action_named("no such key", false), None);
    assert_eq!(action_of(Key::S, Modifiers::Control, false), None);
    assert_eq!(action_of(Key::Z, Modifiers::Control, false), Some(Action::Undo));
    assert_eq!(action_of(Key::R, Modifiers::Control, false), None);
    assert_eq!(action_of(Key::R, Modifiers::Alt, false), None);
}

#[test]
fn the_documentation_of_the_viewer_has_the_same_keys() {
    let page = include_str!("../../../../../docs/viewer.md");
    assert!(page.contains(&markdown()), "docs/viewer.md should hold this:\n{}", markdown());
}
