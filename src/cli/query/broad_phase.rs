//! `query broad-phase`: which of many moving boxes overlap, step by step, and what has changed.

use std::path::PathBuf;

use clap::Args;

use crate::cli::terminal::{Console, Failure, answers, lines};
use extricate_scene::request::broad_phase::{BroadPhaseRequest, MovingBoxes, parse};

/// Arguments of `query broad-phase`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  extricate query broad-phase boxes.jsonl
  extricate query broad-phase boxes.jsonl --changes --json

A line of the file is a step: {\"boxes\": [[x,y,z, x,y,z], null, ...]}, each box by its least and its greatest corner in
metres, world frame; further keys are ignored. A box goes by its place in the line, from 0; null, or a line that
ends before, means that there is no such box in this step. Boxes that touch overlap. The time of an answer is that of the
update alone.")]
pub(in crate::cli) struct Arguments {
    /// File of boxes, one step a line.
    boxes: PathBuf,
    #[command(flatten)]
    request: BroadPhaseRequest,
}

pub(super) fn execute(
    console: &mut Console,
    Arguments { boxes, request }: &Arguments,
) -> Result<(), Failure> {
    let steps = lines::read_lines(boxes, "boxes", parse)?;
    let mut boxes = MovingBoxes::default();
    answers::answer(console, &steps, |step| boxes.answer(step, *request))
}
