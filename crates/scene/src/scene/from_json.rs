//! Scenes as JSON: the text in RON of a scene that is given as values, such as a dictionary of Python.
//!
//! The types of the schema drive the translation, because JSON does not distinguish what RON does: serde asks for a structure, a map,
//! a tuple, a list or a variant, and the value that answers is written in the notation of what was asked for.
//!
//! | schema | JSON | RON |
//! |---|---|---|
//! | structure | `{"radius": 1}` | `(radius: 1)` |
//! | map | `{"ball": …}` | `{"ball": …}` |
//! | tuple, list | `[1, 2]` | `(1, 2)`, `[1, 2]` |
//! | variant | `"fixed"`, `{"ball": {"radius": 1}}` | `fixed`, `ball(radius: 1)` |

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde_json::{Map, Value};

use super::limits::DEPTH;
use super::load::Scene;
use super::schema::SceneFile;

impl Scene {
    /// The text of a scene that is given as JSON.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use extricate_scene::scene::Scene;
    ///
    /// let value = serde_json::json!({
    ///     "title": "A ball on the moon", "duration": 1, "gravity": [0, 0, -1.62],
    ///     "shapes": {"ball": {"ball": {"radius": 0.5}}}, "bodies": [{"name": "ball", "shape": "ball"}],
    /// });
    /// let scene = Scene::parse(Path::new("moon.ron"), Scene::text_of_json(&value)?)?;
    /// assert_eq!(scene.options.gravity.z, -1.62);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NotAScene`] for a value that does not fit the schema, with its place. Names, ranges and files are checked when the text is
    /// loaded.
    pub fn text_of_json(value: &Value) -> Result<String, NotAScene> {
        let mut text = String::new();
        SceneFile::deserialize(Translator { value, text: &mut text, depth: 0 })?;
        text.push('\n');
        Ok(text)
    }
}

/// A value that does not fit the schema of scenes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", place(.path))]
pub struct NotAScene {
    /// Fields, names and indices that lead to the value, innermost first.
    path: Vec<String>,
    message: String,
}

fn place(path: &[String]) -> String {
    let mut text = path.iter().rev().map(String::as_str).collect::<String>();
    if !text.is_empty() {
        text.push_str(": ");
    }
    text.strip_prefix('.').map(str::to_owned).unwrap_or(text)
}

impl de::Error for NotAScene {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { path: Vec::new(), message: message.to_string() }
    }
}

impl NotAScene {
    fn inside(mut self, place: impl Into<String>) -> Self {
        self.path.push(place.into());
        self
    }
}

/// A value that is read as a type of the schema, and written to `text` as it is read.
struct Translator<'a> {
    value: &'a Value,
    text: &'a mut String,
    /// Number of values around it.
    depth: usize,
}

impl<'a> Translator<'a> {
    fn inner(text: &'a mut String, value: &'a Value, depth: usize) -> Self {
        Self { value, text, depth: depth + 1 }
    }

    fn unexpected(&self, expected: &dyn de::Expected) -> NotAScene {
        let found = match self.value {
            Value::Null => Unexpected::Unit,
            Value::Bool(value) => Unexpected::Bool(*value),
            Value::Number(number) => number.as_f64().map_or(Unexpected::Other("number"), Unexpected::Float),
            Value::String(text) => Unexpected::Str(text),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
        };
        NotAScene::invalid_type(found, expected)
    }

    /// Writes items of an array between two brackets.
    fn items<'de, V: Visitor<'de>>(
        self,
        visitor: V,
        [open, close]: [char; 2],
    ) -> Result<V::Value, NotAScene> {
        let Value::Array(values) = self.value else { return Err(self.unexpected(&visitor)) };
        check_depth(self.depth)?;
        self.text.push(open);
        let mut items = Items { values, next: 0, text: self.text, depth: self.depth };
        let found = visitor.visit_seq(&mut items)?;
        let (taken, text) = (items.next, items.text);
        if taken < values.len() {
            return Err(NotAScene::custom(format!("expected {taken} items, found {}", values.len())));
        }
        text.push(close);
        Ok(found)
    }

    /// Writes the fields of a structure.
    fn fields<'de, V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, NotAScene> {
        let Value::Object(values) = self.value else { return Err(self.unexpected(&visitor)) };
        check_depth(self.depth)?;
        if let Some(unknown) = values.keys().find(|key| !fields.contains(&key.as_str())) {
            return Err(NotAScene::unknown_field(unknown, fields));
        }
        self.text.push('(');
        let found = visitor.visit_map(Entries::of(values, self.text, (self.depth, false)))?;
        self.text.push(')');
        Ok(found)
    }
}

/// Refuses values that RON would refuse to read, before the stack overflows.
fn check_depth(depth: usize) -> Result<(), NotAScene> {
    if depth < DEPTH {
        Ok(())
    } else {
        Err(NotAScene::custom(format!("more than {DEPTH} values inside each other")))
    }
}

/// Methods for numbers: `visit` takes the number that `read` finds.
macro_rules! numbers {
    ($($method:ident, $read:ident, $visit:ident;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotAScene> {
            let Some(number) = self.value.$read() else { return Err(self.unexpected(&visitor)) };
            self.text.push_str(&self.value.to_string());
            visitor.$visit(number)
        }
    )*};
}

impl<'de> Deserializer<'de> for Translator<'_> {
    type Error = NotAScene;

    numbers! {
        deserialize_i8, as_i64, visit_i64;
        deserialize_i16, as_i64, visit_i64;
        deserialize_i32, as_i64, visit_i64;
        deserialize_i64, as_i64, visit_i64;
        deserialize_u8, as_u64, visit_u64;
        deserialize_u16, as_u64, visit_u64;
        deserialize_u32, as_u64, visit_u64;
        deserialize_u64, as_u64, visit_u64;
        deserialize_f32, as_f64, visit_f64;
        deserialize_f64, as_f64, visit_f64;
        deserialize_bool, as_bool, visit_bool;
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotAScene> {
        let Value::String(value) = self.value else { return Err(self.unexpected(&visitor)) };
        self.text.push_str(&ron::to_string(value).map_err(NotAScene::custom)?);
        visitor.visit_str(value)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotAScene> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotAScene> {
        if self.value.is_null() {
            self.text.push_str("None");
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, NotAScene> {
        self.text.push('(');
        let found = visitor.visit_newtype_struct(Translator::inner(self.text, self.value, self.depth))?;
        self.text.push(')');
        Ok(found)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotAScene> {
        self.items(visitor, ['[', ']'])
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, NotAScene> {
        self.items(visitor, ['(', ')'])
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, NotAScene> {
        self.items(visitor, ['(', ')'])
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotAScene> {
        let Value::Object(values) = self.value else { return Err(self.unexpected(&visitor)) };
        check_depth(self.depth)?;
        self.text.push('{');
        let found = visitor.visit_map(Entries::of(values, self.text, (self.depth, true)))?;
        self.text.push('}');
        Ok(found)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, NotAScene> {
        self.fields(fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, NotAScene> {
        let (name, content) = match self.value {
            Value::String(name) => (name, None),
            Value::Object(entries) if entries.len() == 1 => match entries.iter().next() {
                Some((name, content)) => (name, Some(content)),
                None => return Err(self.unexpected(&visitor)),
            },
            _ => {
                let expected = format!("expected one of {}, or {{name: fields}}", variants.join(", "));
                return Err(NotAScene::custom(expected));
            }
        };
        if !variants.contains(&name.as_str()) {
            return Err(NotAScene::unknown_variant(name, variants));
        }
        check_depth(self.depth)?;
        self.text.push_str(name);
        let variant = Variant { name, content, text: self.text, depth: self.depth };
        visitor
            .visit_enum(variant)
            .map_err(|error| if content.is_some() { error.inside(format!(".{name}")) } else { error })
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotAScene> {
        Err(self.unexpected(&visitor))
    }

    serde::forward_to_deserialize_any! { i128 u128 char bytes byte_buf unit unit_struct identifier ignored_any }
}

/// The items of an array.
struct Items<'a> {
    values: &'a [Value],
    next: usize,
    text: &'a mut String,
    depth: usize,
}

impl<'de> SeqAccess<'de> for &mut Items<'_> {
    type Error = NotAScene;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, NotAScene> {
        let Some(value) = self.values.get(self.next) else { return Ok(None) };
        let index = self.next;
        self.next += 1;
        let found = seed.deserialize(Translator::inner(self.text, value, self.depth));
        self.text.push_str(", ");
        found.map(Some).map_err(|error| error.inside(format!("[{index}]")))
    }
}

/// The entries of an object: fields of a structure, or names of a map.
struct Entries<'a> {
    entries: serde_json::map::Iter<'a>,
    value: Option<(&'a String, &'a Value)>,
    text: &'a mut String,
    depth: usize,
    is_map: bool,
}

impl<'a> Entries<'a> {
    fn of(values: &'a Map<String, Value>, text: &'a mut String, (depth, is_map): (usize, bool)) -> Self {
        Self { entries: values.iter(), value: None, text, depth, is_map }
    }
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = NotAScene;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, NotAScene> {
        self.value = self.entries.next();
        let Some((name, _)) = self.value else { return Ok(None) };
        // Messages name lines: a line for each field of the scene.
        self.text.push_str(if self.depth == 0 { "\n" } else { "" });
        let written =
            if self.is_map { ron::to_string(name).map_err(NotAScene::custom)? } else { name.clone() };
        self.text.push_str(&written);
        self.text.push_str(": ");
        let name: StrDeserializer<'_, NotAScene> = name.as_str().into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, NotAScene> {
        let Some((name, value)) = self.value else { return Err(NotAScene::custom("a value without a name")) };
        let found = seed.deserialize(Translator::inner(self.text, value, self.depth));
        self.text.push_str(", ");
        let place = if self.is_map { format!("[{name:?}]") } else { format!(".{name}") };
        found.map_err(|error| error.inside(place))
    }
}

/// A variant, with its content.
struct Variant<'a> {
    name: &'a str,
    content: Option<&'a Value>,
    text: &'a mut String,
    depth: usize,
}

impl<'a> Variant<'a> {
    fn content(self) -> Result<Translator<'a>, NotAScene> {
        let missing = || NotAScene::custom(format!("`{0}` has fields: expected {{\"{0}\": …}}", self.name));
        let value = self.content.ok_or_else(missing)?;
        Ok(Translator::inner(self.text, value, self.depth))
    }
}

impl<'de> EnumAccess<'de> for Variant<'_> {
    type Error = NotAScene;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), NotAScene> {
        let name: StrDeserializer<'_, NotAScene> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_> {
    type Error = NotAScene;

    fn unit_variant(self) -> Result<(), NotAScene> {
        match self.content {
            None | Some(Value::Null) => Ok(()),
            Some(_) => Err(NotAScene::custom(format!("`{}` has no fields", self.name))),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, NotAScene> {
        let Translator { value, text, depth } = self.content()?;
        text.push('(');
        let found = seed.deserialize(Translator { value, text: &mut *text, depth })?;
        text.push(')');
        Ok(found)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, NotAScene> {
        self.content()?.items(visitor, ['(', ')'])
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, NotAScene> {
        self.content()?.fields(fields, visitor)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;

    fn ball(position: &Value) -> Value {
        json!({
            "title": "a \"ball\"", "duration": 3, "time_step": null, "on_overlap": "repair",
            "shapes": {"ball": {"ball": {"radius": 0.5}}, "ground": "half_space",
                "pill": {"rounded": {"core": {"cuboid": {"size": [1, 1, 2]}}, "radius": 0.1}},
                "ring": {"procedural": {"kind": "torus", "parameters": {"segments": 24}}}},
            "bodies": [
                {"name": "ball", "shape": "ball", "position": position, "rotation": {"euler_degrees": [90, 0, 0]},
                 "copies": {"count": [2, 1, 1], "spacing": [2, 0, 0], "moved": {"ball-1": [0, 0, 1.5]}}},
                {"name": "ground", "shape": "ground", "kind": "fixed"},
            ],
            "joints": [{"name": "rope", "bodies": ["ball-0", "ball-1"], "kind": {"rope": {"anchors": [[0, 0, 1], [2, 0, 1]], "length": 3}}}],
            "expect": {"max_penetration": 1e-3},
        })
    }

    #[test]
    fn a_scene_of_values_is_that_of_its_text_by_hand() {
        let by_hand = r#"(title: "a \"ball\"", duration: 3, on_overlap: repair,
            shapes: {"ball": ball(radius: 0.5), "ground": half_space, "pill": rounded(core: cuboid(size: (1, 1, 2)), radius: 0.1),
                "ring": procedural(kind: "torus", parameters: {"segments": 24})},
            bodies: [(name: "ball", shape: "ball", position: (0, 0, 2), rotation: euler_degrees(90, 0, 0),
                copies: (count: (2, 1, 1), spacing: (2, 0, 0), moved: {"ball-1": (0, 0, 1.5)})),
                (name: "ground", shape: "ground", kind: fixed)],
            joints: [(name: "rope", bodies: ("ball-0", "ball-1"), kind: rope(anchors: ((0, 0, 1), (2, 0, 1)), length: 3))],
            expect: (max_penetration: 1e-3))"#;
        let path = Path::new("scene.ron");
        let text = Scene::text_of_json(&ball(&json!([0, 0, 2]))).expect("it fits");
        let scenes = [text, by_hand.to_owned()].map(|text| Scene::parse(path, text).expect("it is valid"));
        let [a, b] = scenes.each_ref().map(|scene| scene.world().expect("it builds").hash());
        assert_eq!(a, b);
        let [a, b] = scenes
            .map(|scene| (scene.title, scene.duration, scene.bodies.len(), scene.expect, scene.joints.len()));
        assert_eq!(a, b);
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_place() {
        let refused = |value: &Value, expected: &str| {
            let error = Scene::text_of_json(value).expect_err("it does not fit").to_string();
            assert!(error.contains(expected), "{error}");
        };
        refused(&ball(&json!([0, 0])), "bodies[0].position: ");
        refused(&ball(&json!([0, 0, 1, 2])), "bodies[0].position: expected 3 items, found 4");
        refused(&ball(&json!([0, "x", 1])), "bodies[0].position[1]: invalid type: string \"x\"");
        refused(&json!({"title": "t", "duration": 1, "gravety": 1}), "unknown field `gravety`");
        refused(
            &json!({"title": "t", "duration": 1, "shapes": {"a": {"bal": {}}}}),
            "shapes[\"a\"]: unknown variant `bal`",
        );
        refused(
            &json!({"title": "t", "duration": 1, "shapes": {"a": "ball"}}),
            "shapes[\"a\"]: `ball` has fields",
        );
        refused(
            &json!({"title": "t", "duration": 1, "shapes": {"a": {"half_space": 1}}}),
            "`half_space` has no fields",
        );
        refused(
            &json!({"title": "t", "duration": 1, "shapes": {"a": {"ball": {"radius": "big"}}}}),
            "shapes[\"a\"].ball.radius: ",
        );
        refused(&json!([1]), "invalid type");
        refused(&json!({"duration": 1}), "missing field `title`");
        let nested = (0..200).fold(json!("half_space"), |inner, _| json!({"hull": {"of": inner}}));
        refused(&json!({"title": "t", "duration": 1, "shapes": {"a": nested}}), "inside each other");
    }

    #[test]
    fn text_in_strings_stays_text() {
        let title = "\", gravity: (0, 0, 0), description: \"\\ \u{1F600}\n";
        let mut scene = ball(&json!([0, 0, 2]));
        scene["title"] = json!(title);
        let text = Scene::text_of_json(&scene).expect("it fits");
        assert_eq!(Scene::parse(Path::new("a.ron"), text).expect("it is valid").title, title);
    }
}
