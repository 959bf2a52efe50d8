//! A side of a question about two bodies: a shape, or a robot in a configuration.

use std::sync::Arc;

use nalgebra::Isometry3;

use super::context::Context;
use super::fault::{Class, Fault};
use super::pair_fields::PairFields;
use super::reply::Answered;
use super::robot::{JointMotion, Robot, RobotFields};
use super::shape::is_robot;
use extricate_core::query::{Posed, Shape};

/// A shape or a robot.
#[derive(Debug)]
pub(super) enum Side {
    Shape(Shape),
    Robot(Arc<Robot>),
}

/// A and B of a question.
#[derive(Debug)]
pub(super) struct Sides {
    pub(super) sides: [Side; 2],
    /// A and B as they are written.
    texts: [String; 2],
}

/// Names of the parts of two posed bodies, if one of them is a robot.
pub(super) struct Names<'a>(Option<([&'a Posed<'a>; 2], &'a [String; 2])>);

/// Refuses the options of robots where neither A nor B is one.
pub(super) fn refuse_fields(fields: &RobotFields, context: &Context) -> Result<(), Fault> {
    let why = "applies to robots only: a file that ends in .urdf, .xacro, .xml or .mjcf";
    context.refuse(fields.given(), why)
}

impl Names<'_> {
    /// The names of two shapes, which are not part of a response.
    pub(super) fn none() -> Self {
        Self(None)
    }

    /// Whether one of both bodies is a robot.
    pub(super) fn are_known(&self) -> bool {
        self.0.is_some()
    }

    /// Names of two parts: of a link, or the shape as it is written; none where neither body is a robot.
    pub(super) fn of(&self, parts: [usize; 2]) -> Option<[String; 2]> {
        let (posed, texts) = self.0?;
        let name = |side: usize| posed[side].name(parts[side]).unwrap_or(&texts[side]).to_owned();
        Some([name(0), name(1)])
    }
}

impl Sides {
    /// Loads A and B: robots with their options, or shapes by `load`.
    pub(super) fn load(
        pair: &PairFields,
        fields: &RobotFields,
        context: &Context,
        load: impl FnOnce() -> Result<[Shape; 2], Fault>,
    ) -> Result<Self, Fault> {
        if pair.has_robots() {
            let cache = context.library.cache().map(|_| "cache");
            context.refuse(cache, "applies to meshes only, not to robots")?;
            return Self::with_robots(pair, fields, context);
        }
        refuse_fields(fields, context)?;
        Ok(Self::of_shapes(load()?, pair))
    }

    /// Two shapes.
    pub(super) fn of_shapes(shapes: [Shape; 2], pair: &PairFields) -> Self {
        Self { sides: shapes.map(Side::Shape), texts: [pair.a.clone(), pair.b.clone()] }
    }

    /// A and B of a pair of which at least one is a robot. Shapes beside a robot are convex where their form is, so that their
    /// depth in convex links is certified.
    pub(super) fn with_robots(
        pair: &PairFields,
        fields: &RobotFields,
        context: &Context,
    ) -> Result<Self, Fault> {
        let texts = [pair.a.clone(), pair.b.clone()];
        let are_two = texts.iter().all(|text| is_robot(text));
        if !are_two {
            context.refuse(fields.b_at.as_ref().map(|_| "b_at"), "requires that A and B are robots")?;
        }
        let side = |text: &String| match is_robot(text) {
            true => Robot::of(text, fields, (pair.solidity(), are_two), context).map(Side::Robot),
            false => pair.single(text, context).map(Side::Shape),
        };
        let sides = [side(&texts[0])?, side(&texts[1])?];
        let known = |[first, second]: &[String; 2]| {
            let has_both = |side: &Side| match side {
                Side::Robot(robot) => robot.has_link(first) && robot.has_link(second),
                Side::Shape(_) => false,
            };
            sides.iter().any(has_both)
        };
        if let Some([first, second]) = fields.allow.iter().find(|pair| !known(pair)) {
            let why = format!("neither {} nor {} has the links `{first}` and `{second}`", texts[0], texts[1]);
            return Err(Fault::new(Class::Usage, why));
        }
        for (side, text) in sides.iter().zip(&texts) {
            if matches!(side, Side::Robot(robot) if !robot.has_shapes()) {
                let why =
                    format!("{text}: no link has a shape; {} takes the visual ones", context.name("visual"));
                return Err(Fault::new(Class::BadFile, why));
            }
        }
        let has_srdf = |side: &Side| matches!(side, Side::Robot(robot) if robot.has_srdf());
        if let Some(srdf) = fields.srdf.as_ref().filter(|_| !sides.iter().any(has_srdf)) {
            let why = format!("{} names neither robot: {} nor {}", srdf.display(), texts[0], texts[1]);
            return Err(Fault::new(Class::BadFile, why));
        }
        Ok(Self { sides, texts })
    }

    /// The robot that is A or B.
    pub(super) fn robot(&self, side: usize) -> Option<&Robot> {
        match &self.sides[side] {
            Side::Robot(robot) => Some(robot),
            Side::Shape(_) => None,
        }
    }

    /// The robot, if there is exactly one.
    pub(super) fn only_robot(&self) -> Option<(usize, &Arc<Robot>)> {
        match &self.sides {
            [Side::Robot(robot), Side::Shape(_)] => Some((0, robot)),
            [Side::Shape(_), Side::Robot(robot)] => Some((1, robot)),
            _ => None,
        }
    }

    /// Both shapes, if neither is a robot.
    pub(super) fn shapes(&self) -> Option<[&Shape; 2]> {
        match &self.sides {
            [Side::Shape(a), Side::Shape(b)] => Some([a, b]),
            _ => None,
        }
    }

    /// Both at their poses, robots in their configurations.
    pub(super) fn posed(
        &self,
        poses: [&Isometry3<f64>; 2],
        joints: &[Option<JointMotion>; 2],
    ) -> Answered<[Posed<'_>; 2]> {
        let posed = |side: usize| match &self.sides[side] {
            Side::Shape(shape) => Ok(Posed::new(shape, *poses[side])),
            Side::Robot(robot) => {
                let joints = joints[side].as_ref().ok_or("a robot needs its joints")?;
                robot.posed(&joints.from, poses[side])
            }
        };
        Ok([posed(0)?, posed(1)?])
    }

    /// Names of the parts of both bodies.
    pub(super) fn names<'a>(&'a self, [a, b]: &'a [Posed<'a>; 2]) -> Names<'a> {
        let has_robot = self.sides.iter().any(|side| matches!(side, Side::Robot(_)));
        Names(has_robot.then_some(([a, b], &self.texts)))
    }
}
