//! MCAP recordings [MCAP format specification, version 0], with the [messages](super::messages) of all recorded states.
//!
//! The records are in chunks with indices, so that programs may seek; nothing is compressed. The run itself is attached, if it is in a
//! folder ([`attached`]): its scene with the files that it names, and its states.

pub(super) mod attached;
mod writer;

use std::path::Path;

use self::writer::Writer;
use super::messages::CHANNELS;
use super::subject::Subject;
use crate::record::error::RecordError;
use crate::record::source::StateSource;

/// Writes the file and returns the number of states.
pub(super) fn write(
    recording: &dyn StateSource,
    subject: &mut Subject,
    path: &Path,
) -> Result<usize, RecordError> {
    let failed = |source| RecordError::write(path, source);
    // Written under another name and then renamed: a complete file or none.
    let part = path.with_extension("mcap.part");
    let library = concat!("extricate ", env!("CARGO_PKG_VERSION"));
    let mut writer = Writer::create(&part, library, &CHANNELS).map_err(failed)?;
    let count = recording.state_count();
    let mut has_contacts = true;
    for index in 0..count {
        let state = recording.state(index)?;
        let first = (index == 0).then(|| subject.mesh_message(state.time));
        let contacts = recording.contacts(index)?;
        has_contacts &= contacts.is_some();
        for message in first.into_iter().chain(subject.state_messages(&state, contacts.as_deref())) {
            writer.message(message.channel, message.time, &message.content).map_err(failed)?;
        }
    }
    if !has_contacts {
        subject.left_out.push(String::from("points of contact, which were not recorded"));
    }
    if let Some(folder) = recording.folder() {
        for (name, media) in attached::files_of(folder).map_err(failed)? {
            let within = format!("{}{name}", attached::PREFIX);
            writer.attach(&within, media, &folder.join(&name)).map_err(failed)?;
        }
    }
    writer.finish().and_then(|()| std::fs::rename(&part, path)).map_err(failed)?;
    Ok(count)
}
