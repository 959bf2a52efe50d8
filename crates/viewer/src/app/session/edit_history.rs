//! Edits of the scene file that can be undone and redone.

/// Maximum number of edits that can be undone.
const LENGTH: usize = 100;

/// Edits of the scene file, the last ones last.
#[derive(Debug, Default)]
pub(super) struct EditHistory {
    pub(super) undo: Vec<Edit>,
    pub(super) redo: Vec<Edit>,
}

/// Text of the scene file before and after an edit, and what was edited.
#[derive(Debug)]
pub(super) struct Edit {
    pub(super) texts: [String; 2],
    pub(super) what: String,
}

impl EditHistory {
    pub(super) fn add(&mut self, edit: Edit) {
        self.redo.clear();
        self.undo.push(edit);
        if self.undo.len() > LENGTH {
            self.undo.remove(0);
        }
    }
}
