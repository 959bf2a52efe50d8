//! `query broad-phase`: overlapping pairs of many moving boxes, step by step, and their changes.

use std::path::PathBuf;

use clap::Args;

use crate::cli::terminal::{Console, Failure, answers, lines};
use extricate_scene::request::broad_phase::{BroadPhaseRequest, MovingBoxes, parse};

/// BroadPhaseArguments of `query broad-phase`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  extricate query broad-phase boxes.jsonl
  extricate query broad-phase boxes.jsonl --changes --json

A line of the file is a step: {\"boxes\": [[x,y,z, x,y,z], null, ...]}, each box by its minimum and its maximum corner in
metres, world frame; further keys are ignored. A box is identified by its index in the line, from 0; null, or a shorter
line, means that there is no such box in this step. Touching boxes overlap. The time of an answer is that of the update
alone.")]
pub(in crate::cli) struct BroadPhaseArguments {
    /// File of boxes, one step per line.
    boxes: PathBuf,
    #[command(flatten)]
    request: BroadPhaseRequest,
}

pub(super) fn execute(
    console: &mut Console,
    BroadPhaseArguments { boxes, request }: &BroadPhaseArguments,
) -> Result<(), Failure> {
    let steps = lines::read_lines(boxes, "boxes", parse)?;
    let mut boxes = MovingBoxes::default();
    answers::answer_all(console, &steps, |step| boxes.answer(step, *request))
}
