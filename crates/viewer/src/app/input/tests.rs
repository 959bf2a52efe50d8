use super::*;

const NONE: Modifiers = Modifiers::empty();

/// The gestures of events; objects at x < 100 can be dragged.
fn gestures(events: &[WindowEvent]) -> Vec<Gesture> {
    let mut pointer = Pointer::default();
    events.iter().filter_map(|event| pointer.gesture(event, (false, 1.0), |at| at.x < 100.0)).collect()
}

fn to(x: f64, y: f64) -> WindowEvent {
    WindowEvent::CursorPos(x, y, NONE)
}

fn button(button: MouseButton, action: Action, modifiers: Modifiers) -> WindowEvent {
    WindowEvent::MouseButton(button, action, modifiers)
}

#[test]
fn a_press_that_hardly_moves_is_a_click() {
    let [down, up] =
        [Action::Press, Action::Release].map(|action| button(MouseButton::Button1, action, NONE));
    let found = gestures(&[to(50.0, 60.0), down, to(51.0, 61.0), up]);
    assert_eq!(found, [Gesture::Click(Vector2::new(50.0, 60.0))]);
    assert_eq!(gestures(&[to(50.0, 60.0), up]), []);
}

#[test]
fn a_drag_on_a_body_grabs_it_at_the_press_until_the_button_is_released() {
    let [down, up] =
        [Action::Press, Action::Release].map(|action| button(MouseButton::Button1, action, NONE));
    let found = gestures(&[to(50.0, 60.0), down, to(60.0, 60.0), to(300.0, 80.0), up, to(9.0, 9.0)]);
    let grab = Gesture::Grab(Vector2::new(50.0, 60.0), DragMode::Translate);
    assert_eq!(found, [grab, Gesture::Drag(Vector2::new(300.0, 80.0)), Gesture::Release]);
    let down = button(MouseButton::Button1, Action::Press, Modifiers::Control);
    let found = gestures(&[to(50.0, 60.0), down, to(60.0, 60.0)]);
    assert_eq!(found, [Gesture::Grab(Vector2::new(50.0, 60.0), DragMode::Rotate)]);
}

#[test]
fn a_drag_elsewhere_or_with_the_right_button_orbits_and_with_shift_or_the_middle_one_pans() {
    let drag = |which, modifiers, x: f64| {
        let down = button(which, Action::Press, modifiers);
        gestures(&[to(x, 60.0), down, to(x + 10.0, 65.0)])
    };
    let orbit = [Gesture::Orbit(-10.0 * ORBIT_RATE, 5.0 * ORBIT_RATE)];
    assert_eq!(drag(MouseButton::Button1, NONE, 200.0), orbit);
    assert_eq!(drag(MouseButton::Button2, NONE, 50.0), orbit);
    let pan = [Gesture::Pan(Vector2::new(10.0, 5.0))];
    assert_eq!(drag(MouseButton::Button3, NONE, 50.0), pan);
    assert_eq!(drag(MouseButton::Button1, Modifiers::Shift, 50.0), pan);
}

#[test]
fn the_wheel_zooms_towards_the_pointer_and_back() {
    let scroll = |notches: f64| WindowEvent::Scroll(0.0, notches * SCROLL_PER_NOTCH, NONE);
    let found = gestures(&[to(5.0, 6.0), scroll(1.0), scroll(-1.0)]);
    let [Gesture::Zoom(near, at), Gesture::Zoom(far, _)] = found[..] else { panic!("{found:?}") };
    assert!(near < 1.0 && (near * far - 1.0).abs() < 1e-12 && at == Vector2::new(5.0, 6.0));
}

#[test]
fn a_panel_captures_presses_and_the_wheel_but_a_drag_continues_over_it() {
    let mut pointer = Pointer::default();
    let mut send = |event, panels| pointer.gesture(&event, (panels, 1.0), |_| true);
    let [down, up] =
        [Action::Press, Action::Release].map(|action| button(MouseButton::Button1, action, NONE));
    assert_eq!(send(down, true), None);
    assert_eq!(send(up, true), None);
    assert_eq!(send(WindowEvent::Scroll(0.0, 10.0, NONE), true), None);
    assert_eq!(send(down, false), None);
    assert!(matches!(send(to(40.0, 0.0), true), Some(Gesture::Grab(..))));
    assert_eq!(send(to(50.0, 0.0), true), Some(Gesture::Drag(Vector2::new(50.0, 0.0))));
    assert_eq!(send(up, true), Some(Gesture::Release));
}
