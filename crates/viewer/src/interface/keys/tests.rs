use super::*;

#[test]
fn no_key_does_two_things_at_a_time() {
    for (index, binding) in BINDINGS.iter().enumerate() {
        for other in &BINDINGS[index + 1..] {
            let together = binding.when == other.when || [binding.when, other.when].contains(&When::Always);
            let shared = binding.strokes.iter().find(|stroke| other.strokes.contains(stroke));
            assert!(!together || shared.is_none(), "{} and {}: {shared:?}", binding.text, other.text);
        }
    }
}

#[test]
fn every_key_that_is_named_is_a_stroke_and_the_other_way_round() {
    for binding in BINDINGS {
        let names = binding.keys.split(" or ").count();
        // + and - and Enter are on two places of a keyboard.
        let places = if matches!(binding.keys, "+" | "-" | "Enter") { 2 * names } else { names };
        assert_eq!(binding.strokes.len(), places, "{}", binding.keys);
    }
}

#[test]
fn keys_do_by_name_what_they_do_by_stroke() {
    for binding in BINDINGS {
        let sketching = binding.when == When::Sketching;
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
    assert_eq!(action_of(Key::Z, Modifiers::Control, false), None);
    assert_eq!(action_of(Key::R, Modifiers::Control, false), None);
    assert_eq!(action_of(Key::R, Modifiers::Alt, false), None);
}

#[test]
fn the_page_of_the_viewer_has_the_same_keys() {
    let page = include_str!("../../../../../docs/viewer.md");
    assert!(page.contains(&markdown()), "docs/viewer.md should hold this:\n{}", markdown());
}
