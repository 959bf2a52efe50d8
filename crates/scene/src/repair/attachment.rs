//! Objects that move with links or bodies, by name.

use std::str::FromStr;

/// An object that moves with a link or body.
///
/// Its text is `LINK=OBJECT`: OBJECT is a body of the scene, which keeps its pose relative to the link, or for a robot alone a shape
/// whose pose is in the frame of the link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    text: String,
    holder: String,
    object: String,
}

impl FromStr for Attachment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((holder, object)) if !holder.is_empty() && !object.is_empty() => {
                Ok(Self { text: text.to_owned(), holder: holder.to_owned(), object: object.to_owned() })
            }
            _ => Err(format!(
                "`{text}` is not an attachment: expected LINK=BODY, or for a robot LINK=SHAPE@X,Y,Z"
            )),
        }
    }
}

impl Attachment {
    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The link or body that holds the object.
    #[must_use]
    pub fn holder(&self) -> &str {
        &self.holder
    }

    /// The object.
    #[must_use]
    pub fn object(&self) -> &str {
        &self.object
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_equals_sign_separates_the_holder_from_the_object() {
        let held: Attachment = "robot/hand=box:1,1,1@0,0,0.5".parse().unwrap();
        assert_eq!((held.holder(), held.object()), ("robot/hand", "box:1,1,1@0,0,0.5"));
        for text in ["hand", "=cup", "hand="] {
            assert!(text.parse::<Attachment>().is_err_and(|why| why.contains(text)), "{text}");
        }
    }
}
