//! Settings of the `<compiler>`: units, frames, and masses.

use nalgebra::{Isometry3, Matrix3, Quaternion, Rotation3, Translation3, Unit, UnitQuaternion, Vector3};

use super::defaults::{Defaults, Filled, MAIN};
use super::element::Element;
use crate::kinematics::urdf::RobotFileError;

/// Settings of all `<compiler>` elements; of a repeated setting the last one holds.
pub(super) struct Compiler {
    degrees: bool,
    /// Axes of `euler` in their order; uppercase ones are fixed, lowercase ones rotate along.
    euler_axes: [char; 3],
    pub(super) auto_limits: bool,
    /// Whether masses are those of the geoms: always, never, or where none is stated.
    pub(super) inertia_from_geoms: Option<bool>,
    pub(super) inertia_groups: [f64; 2],
    pub(super) min_mass: f64,
    pub(super) min_inertia: f64,
    pub(super) balance_inertia: bool,
    /// Mass of the whole model [kg], where it is set.
    pub(super) total_mass: Option<f64>,
    /// Folder of meshes, relative to that of the model.
    pub(super) mesh_folder: String,
    /// Whether only the names of files count, not their folders.
    pub(super) strip_path: bool,
}

impl Compiler {
    pub(super) fn of(root: &Element, defaults: &Defaults<'_>) -> Result<Self, RobotFileError> {
        let mut compiler = Self {
            degrees: true,
            euler_axes: ['x', 'y', 'z'],
            auto_limits: true,
            inertia_from_geoms: None,
            inertia_groups: [0.0, 5.0],
            min_mass: 0.0,
            min_inertia: 0.0,
            balance_inertia: false,
            total_mass: None,
            mesh_folder: String::new(),
            strip_path: false,
        };
        for element in root.each("compiler") {
            compiler.take(&defaults.fill(element, MAIN)?)?;
        }
        Ok(compiler)
    }

    fn take(&mut self, own: &Filled<'_>) -> Result<(), RobotFileError> {
        match own.get("angle") {
            None => {}
            Some("degree") => self.degrees = true,
            Some("radian") => self.degrees = false,
            Some(other) => {
                return Err(own.refused(format!("`angle` is \"{other}\", but must be degree or radian")));
            }
        }
        if own.get("coordinate") == Some("global") {
            return Err(own.refused("global coordinates are not supported, as by MuJoCo since 2.3.4"));
        }
        if let Some(axes) = own.get("eulerseq") {
            let letters: Vec<char> = axes.chars().collect();
            let known = letters.iter().all(|letter| "xyzXYZ".contains(*letter));
            let wrong = || format!("`eulerseq` is \"{axes}\", but must be three of x, y, z, X, Y, Z");
            self.euler_axes =
                letters.try_into().ok().filter(|_| known).ok_or_else(|| own.refused(wrong()))?;
        }
        let set = |flag: &mut bool, name: &str| *flag = own.flag(name).unwrap_or(*flag);
        set(&mut self.auto_limits, "autolimits");
        set(&mut self.balance_inertia, "balanceinertia");
        set(&mut self.strip_path, "strippath");
        if own.get("inertiafromgeom").is_some() {
            self.inertia_from_geoms = own.flag("inertiafromgeom");
        }
        self.inertia_groups = own.numbers("inertiagrouprange")?.unwrap_or(self.inertia_groups);
        self.min_mass = own.number("boundmass", self.min_mass)?;
        self.min_inertia = own.number("boundinertia", self.min_inertia)?;
        let total = own.number("settotalmass", -1.0)?;
        self.total_mass = Some(total).filter(|total| *total > 0.0).or(self.total_mass);
        if let Some(folder) = own.get("meshdir").or_else(|| own.get("assetdir")) {
            folder.clone_into(&mut self.mesh_folder);
        }
        Ok(())
    }

    /// An angle [rad] in the unit of the file.
    pub(super) fn angle(&self, angle: f64) -> f64 {
        if self.degrees { angle.to_radians() } else { angle }
    }

    /// The pose of an element in its parent.
    pub(super) fn pose(&self, own: &Filled<'_>) -> Result<Isometry3<f64>, RobotFileError> {
        let position = own.numbers::<3>("pos")?.unwrap_or_default();
        Ok(Isometry3::from_parts(Translation3::from(Vector3::from(position)), self.rotation(own)?))
    }

    /// The rotation of an element. As for MuJoCo a quaternion counts only without the other forms.
    fn rotation(&self, own: &Filled<'_>) -> Result<UnitQuaternion<f64>, RobotFileError> {
        let zero = |name: &str| own.refused(format!("`{name}` has no direction"));
        let unit = |axis: Vector3<f64>, name| Unit::try_new(axis, 0.0).ok_or_else(|| zero(name));
        if let Some([x, y, z, angle]) = own.numbers("axisangle")? {
            let axis = unit(Vector3::new(x, y, z), "axisangle")?;
            return Ok(UnitQuaternion::from_axis_angle(&axis, self.angle(angle)));
        }
        if let Some([a, b, c, d, e, f]) = own.numbers("xyaxes")? {
            let x = unit(Vector3::new(a, b, c), "xyaxes")?.into_inner();
            let y = Vector3::new(d, e, f);
            let y = unit(y - x * x.dot(&y), "xyaxes")?.into_inner();
            let axes = Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[x, y, x.cross(&y)]));
            return Ok(UnitQuaternion::from_rotation_matrix(&axes));
        }
        if let Some(axis) = own.numbers::<3>("zaxis")? {
            return Ok(from_z(&unit(axis.into(), "zaxis")?));
        }
        if let Some(angles) = own.numbers::<3>("euler")? {
            let step = |whole, (letter, angle): (&char, f64)| {
                let axis = ["x", "y", "z"].map(|name| f64::from(letter.to_string().to_lowercase() == name));
                let own = UnitQuaternion::from_scaled_axis(Vector3::from(axis) * self.angle(angle));
                if letter.is_lowercase() { whole * own } else { own * whole }
            };
            return Ok(self.euler_axes.iter().zip(angles).fold(UnitQuaternion::identity(), step));
        }
        let Some([w, x, y, z]) = own.numbers("quat")? else { return Ok(UnitQuaternion::identity()) };
        UnitQuaternion::try_new(Quaternion::new(w, x, y, z), 0.0).ok_or_else(|| zero("quat"))
    }
}

/// The shortest rotation from the z axis to a direction; about x for the opposite one.
pub(super) fn from_z(direction: &Unit<Vector3<f64>>) -> UnitQuaternion<f64> {
    UnitQuaternion::rotation_between_axis(&Vector3::z_axis(), direction)
        .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI))
}
