//! Writer of MCAP files [MCAP format specification, version 0]: chunks of messages with their indices, then a summary.
//!
//! All numbers are little-endian; a text is its length in bytes as 32 bits, and its bytes. Checksums are optional and left
//! out (0). There is no dependency for the format: the crate of its authors (`mcap` 0.26 without compression) takes 19 s of processor
//! time to build and brings twenty-odd crates, most of them procedural macros, of which `paste` is no longer maintained; the part
//! that is written here has two hundred lines, and its files are read back by the authors' Python package in tests.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use crate::record::export::messages::Channel;

const MAGIC: &[u8; 8] = b"\x89MCAP0\r\n";

// Kinds of records.
const HEADER: u8 = 0x01;
const FOOTER: u8 = 0x02;
const SCHEMA: u8 = 0x03;
const CHANNEL: u8 = 0x04;
const MESSAGE: u8 = 0x05;
const CHUNK: u8 = 0x06;
const MESSAGE_INDEX: u8 = 0x07;
const CHUNK_INDEX: u8 = 0x08;
const ATTACHMENT: u8 = 0x09;
const ATTACHMENT_INDEX: u8 = 0x0a;
const STATISTICS: u8 = 0x0b;
const DATA_END: u8 = 0x0f;

/// Size from which a chunk is closed [bytes]. Smaller, and the index grows; larger, and more is read to seek to a time.
const CHUNK_BYTES: usize = 1 << 20;

/// A file as it is written. Channel and schema `i` have the numbers `i` and `i + 1`: a schema 0 means that there is none.
#[derive(Debug)]
pub(super) struct Writer {
    file: BufWriter<File>,
    /// Bytes written so far.
    length: u64,
    chunk: Chunk,
    /// Records of channels and schemas, which the summary repeats.
    declarations: Vec<u8>,
    channels: usize,
    /// Index records of the chunks.
    chunk_indices: Vec<u8>,
    chunks: u32,
    /// Index records of the attachments.
    attachment_indices: Vec<u8>,
    attachments: u32,
    counts: BTreeMap<u16, u64>,
    /// Times of the first and last message of all [ns].
    span: Option<[u64; 2]>,
}

/// The messages of a chunk, and for each channel their times and places in it.
#[derive(Debug, Default)]
struct Chunk {
    records: Vec<u8>,
    indices: BTreeMap<u16, Vec<[u64; 2]>>,
    span: Option<[u64; 2]>,
}

impl Writer {
    pub(super) fn create(path: &Path, library: &str, channels: &[Channel]) -> io::Result<Self> {
        let mut declarations = Vec::new();
        for (index, channel) in (0_u16..).zip(channels) {
            let mut schema = (index + 1).to_le_bytes().to_vec();
            put_text(&mut schema, channel.schema);
            put_text(&mut schema, "jsonschema");
            put_text(&mut schema, channel.definition);
            put_record(&mut declarations, SCHEMA, &schema);
            let mut content = index.to_le_bytes().to_vec();
            content.extend((index + 1).to_le_bytes());
            put_text(&mut content, channel.topic);
            put_text(&mut content, "json");
            // No metadata.
            content.extend(0_u32.to_le_bytes());
            put_record(&mut declarations, CHANNEL, &content);
        }
        let mut writer = Self {
            file: BufWriter::new(File::create(path)?),
            length: 0,
            chunk: Chunk::default(),
            declarations,
            channels: channels.len(),
            chunk_indices: Vec::new(),
            chunks: 0,
            attachment_indices: Vec::new(),
            attachments: 0,
            counts: BTreeMap::new(),
            span: None,
        };
        writer.write(MAGIC)?;
        let mut header = Vec::new();
        put_text(&mut header, "");
        put_text(&mut header, library);
        writer.record(HEADER, &header)?;
        Ok(writer)
    }

    /// Adds a message, of a time that is not before that of the last one [ns].
    pub(super) fn message(&mut self, channel: u16, time: u64, data: &[u8]) -> io::Result<()> {
        if self.chunk.records.is_empty() {
            self.chunk.records.extend_from_slice(&self.declarations);
        }
        let sequence = self.counts.entry(channel).or_default();
        let mut content = channel.to_le_bytes().to_vec();
        #[expect(clippy::cast_possible_truncation, reason = "numbers of messages wrap around")]
        content.extend((*sequence as u32).to_le_bytes());
        *sequence += 1;
        content.extend(time.to_le_bytes());
        content.extend(time.to_le_bytes());
        content.extend(data);
        let place = self.chunk.records.len() as u64;
        self.chunk.indices.entry(channel).or_default().push([time, place]);
        self.chunk.span = extended(self.chunk.span, time);
        self.span = extended(self.span, time);
        put_record(&mut self.chunk.records, MESSAGE, &content);
        if self.chunk.records.len() >= CHUNK_BYTES { self.close_chunk() } else { Ok(()) }
    }

    fn close_chunk(&mut self) -> io::Result<()> {
        let Chunk { records, indices, span } = std::mem::take(&mut self.chunk);
        let Some(span) = span else { return Ok(()) };
        let size = records.len() as u64;
        let times = span.map(u64::to_le_bytes).concat();
        let mut content = times.clone();
        content.extend(size.to_le_bytes());
        // No checksum, and no compression.
        content.extend(0_u32.to_le_bytes());
        put_text(&mut content, "");
        content.extend(size.to_le_bytes());
        content.extend(records);
        let start = self.length;
        self.record(CHUNK, &content)?;
        let chunk_length = self.length - start;
        let mut offsets = Vec::new();
        let indices_start = self.length;
        for (channel, places) in indices {
            offsets.extend(channel.to_le_bytes());
            offsets.extend(self.length.to_le_bytes());
            let mut index = channel.to_le_bytes().to_vec();
            put_bytes(
                &mut index,
                &places.concat().into_iter().flat_map(u64::to_le_bytes).collect::<Vec<_>>(),
            );
            self.record(MESSAGE_INDEX, &index)?;
        }
        let mut index = times;
        index.extend(start.to_le_bytes());
        index.extend(chunk_length.to_le_bytes());
        put_bytes(&mut index, &offsets);
        index.extend((self.length - indices_start).to_le_bytes());
        put_text(&mut index, "");
        index.extend(size.to_le_bytes());
        index.extend(size.to_le_bytes());
        put_record(&mut self.chunk_indices, CHUNK_INDEX, &index);
        self.chunks += 1;
        Ok(())
    }

    /// Attaches a file under a name, with its length \[bytes\] as it is now.
    pub(super) fn attach(&mut self, name: &str, media: &str, path: &Path) -> io::Result<()> {
        self.close_chunk()?;
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        // No times: those of files differ between machines.
        let mut named = vec![0; 16];
        put_text(&mut named, name);
        put_text(&mut named, media);
        let start = self.length;
        // Behind the data, the place of a checksum, which is left out.
        self.write(&[ATTACHMENT])?;
        self.write(&(named.len() as u64 + 8 + size + 4).to_le_bytes())?;
        self.write(&named)?;
        self.write(&size.to_le_bytes())?;
        let copied = io::copy(&mut file.take(size), &mut self.file)?;
        if copied < size {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!("{} became shorter", path.display()),
            ));
        }
        self.length += size;
        self.write(&0_u32.to_le_bytes())?;
        let mut index = [start, self.length - start, 0, 0, size].map(u64::to_le_bytes).concat();
        put_text(&mut index, name);
        put_text(&mut index, media);
        put_record(&mut self.attachment_indices, ATTACHMENT_INDEX, &index);
        self.attachments += 1;
        Ok(())
    }

    /// Writes the summary and completes the file.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.close_chunk()?;
        self.record(DATA_END, &0_u32.to_le_bytes())?;
        let summary_start = self.length;
        let declarations = std::mem::take(&mut self.declarations);
        self.write(&declarations)?;
        let indices = std::mem::take(&mut self.chunk_indices);
        self.write(&indices)?;
        let indices = std::mem::take(&mut self.attachment_indices);
        self.write(&indices)?;
        let statistics = self.statistics();
        self.record(STATISTICS, &statistics)?;
        // No offsets of the summary, and no checksum.
        let footer = [&summary_start.to_le_bytes()[..], &0_u64.to_le_bytes(), &0_u32.to_le_bytes()].concat();
        self.record(FOOTER, &footer)?;
        self.write(MAGIC)?;
        self.file.flush()?;
        self.file.get_ref().sync_all()
    }

    fn statistics(&self) -> Vec<u8> {
        let messages: u64 = self.counts.values().sum();
        let [first, last] = self.span.unwrap_or_default();
        let mut content = messages.to_le_bytes().to_vec();
        content.extend((self.channels as u16).to_le_bytes());
        content.extend((self.channels as u32).to_le_bytes());
        // No metadata.
        content.extend([self.attachments, 0, self.chunks].into_iter().flat_map(u32::to_le_bytes));
        content.extend([first, last].into_iter().flat_map(u64::to_le_bytes));
        let counts: Vec<u8> = (self.counts.iter())
            .flat_map(|(channel, count)| [&channel.to_le_bytes()[..], &count.to_le_bytes()].concat())
            .collect();
        put_bytes(&mut content, &counts);
        content
    }

    fn record(&mut self, kind: u8, content: &[u8]) -> io::Result<()> {
        let mut head = vec![kind];
        head.extend((content.len() as u64).to_le_bytes());
        self.write(&head)?;
        self.write(content)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.length += bytes.len() as u64;
        self.file.write_all(bytes)
    }
}

fn extended(span: Option<[u64; 2]>, time: u64) -> Option<[u64; 2]> {
    let [first, last] = span.unwrap_or([time; 2]);
    Some([first.min(time), last.max(time)])
}

fn put_record(bytes: &mut Vec<u8>, kind: u8, content: &[u8]) {
    bytes.push(kind);
    bytes.extend((content.len() as u64).to_le_bytes());
    bytes.extend_from_slice(content);
}

/// Appends bytes after their number, as 32 bits.
fn put_bytes(bytes: &mut Vec<u8>, content: &[u8]) {
    let length = u32::try_from(content.len()).expect("indices and names are far below 4 GiB");
    bytes.extend(length.to_le_bytes());
    bytes.extend_from_slice(content);
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_bytes(bytes, text.as_bytes());
}
