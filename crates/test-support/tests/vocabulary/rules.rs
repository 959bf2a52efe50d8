//! Words and patterns that the language of the project does without, and what is written instead.

/// Words of prose, in comments, messages and documentation.
pub(crate) struct Phrase {
    /// The words, in lower case, one after another on a line; `|` separates alternatives of a word.
    pub(crate) words: &'static str,
    /// Words before it that make it standard English.
    pub(crate) unless_after: &'static [&'static str],
    /// Words behind it that do.
    pub(crate) unless_before: &'static [&'static str],
    /// The standard.
    pub(crate) instead: &'static str,
}

const fn phrase(words: &'static str, instead: &'static str) -> Phrase {
    Phrase { words, unless_after: &[], unless_before: &[], instead }
}

pub(crate) const PHRASES: &[Phrase] = &[
    phrase("told|tell|tells|telling", "report, print, state; distinguish"),
    phrase("share|shares of", "fraction of, ratio"),
    Phrase {
        words: "turn|turns|turned|turning",
        unless_after: &["in"],
        unless_before: &["out", "into", "on", "off"],
        instead: "rotation, rotate",
    },
    phrase("on the|its|their way|ways", "along the path, during the motion"),
    phrase("way|ways of the", "path, displacement of the"),
    phrase("whole|long|longest|shortest way", "path, displacement, distance"),
    phrase("greatest", "maximum, largest"),
    Phrase {
        words: "least",
        unless_after: &["at"],
        unless_before: &["squares"],
        instead: "minimum, smallest",
    },
    Phrase {
        words: "go|goes|going|went on",
        unless_after: &[],
        unless_before: &["for", "the", "a", "until"],
        instead: "continue, resume",
    },
    Phrase {
        words: "is|are no",
        unless_after: &["there", "that"],
        unless_before: &[
            "longer", "more", "less", "greater", "larger", "smaller", "worse", "better", "deeper", "shorter",
            "farther", "need",
        ],
        instead: "is not a",
    },
    phrase("make|makes|made|making ready", "prepare, preprocess, build"),
    Phrase {
        words: "stand|stands",
        unless_after: &[],
        unless_before: &["for", "still"],
        instead: "is, lies, appears",
    },
    phrase("watch|watches|watched|watching", "monitor"),
    phrase("foresee|foresees|foreseen|foreseeing|foresight", "predict, prediction"),
    phrase("lack", "constraint violation"),
    phrase("what collides|overlaps|moves|touches|stays", "colliding pairs, overlaps, movable bodies"),
    phrase("number|numbers of the|a|its configuration", "generalized coordinate"),
    phrase("body|bodies is|are swept", "continuous collision detection is applied to"),
    phrase("begins no line", "unexpected keyword"),
];

/// Parts of identifiers, in lower case, and the standard.
pub(crate) const PARTS: &[(&str, &str)] = &[
    ("least", "min"),
    ("greatest", "max"),
    ("told", "report"),
    ("tell", "report, print"),
    ("tells", "reports"),
    ("turn", "rotation, rotate"),
    ("turns", "rotations"),
    ("turned", "rotated"),
    ("turning", "rotating"),
    ("way", "path, displacement, direction"),
    ("ways", "paths, displacements, directions"),
    ("share", "fraction"),
    ("shares", "fractions"),
    ("foreseen", "predicted"),
    ("foresight", "prediction"),
    ("lack", "violation"),
    ("lever", "jacobian column"),
    ("levers", "jacobian columns"),
    ("watch", "monitor"),
    ("watched", "monitored"),
    ("ready", "prepared"),
    ("lent", "lease"),
    ("said", "reported"),
    ("demand", "separating plane, constraint row"),
    ("desk", "collector"),
];

/// Words with which documentation does not begin: it begins with a noun phrase or a verb in the third person.
pub(crate) const OPENINGS: &[&str] =
    &["What", "How", "Where", "Which", "Who", "Whom", "Whose", "Why", "When"];
