use std::io::Cursor;

use image::codecs::gif::GifDecoder;
use image::{AnimationDecoder, Rgb};

use super::*;

/// A folder that is removed with the value.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("extricate-film-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(&self.0).expect("the folder");
        let mut names: Vec<_> =
            names.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A shaded background and a small bright square that moves.
fn picture(at: u32) -> RgbImage {
    RgbImage::from_fn(64, 48, |x, y| match (x, y) {
        _ if x >= at && x < at + 5 && (20..25).contains(&y) => Rgb([214, 94, 0]),
        #[expect(clippy::cast_possible_truncation, reason = "small numbers")]
        _ => Rgb([200 + (y / 2) as u8, 210 + (x / 4) as u8, 240]),
    })
}

fn distance(a: &RgbImage, b: &image::RgbaImage) -> u8 {
    let channels = |(a, b): (&Rgb<u8>, &image::Rgba<u8>)| [0, 1, 2].map(|k| a.0[k].abs_diff(b.0[k]));
    a.pixels().zip(b.pixels()).flat_map(channels).max().expect("pixels")
}

#[test]
fn a_gif_has_the_pictures_and_durations_given_and_encodes_only_changes() {
    let folder = Folder::new("gif");
    let path = folder.0.join("square.gif");
    let pictures: Vec<_> = [3, 9, 9, 20, 41].map(picture).into();
    let mut film = Film::begin(&Format::Gif(path.clone()), [64, 48], 15.0).expect("a film");
    pictures.iter().for_each(|picture| film.add(picture).expect("a picture"));
    assert!(!path.exists(), "the file does not exist before it is finished");
    film.finish().expect("it is written");
    assert_eq!(folder.names(), ["square.gif"]);
    let bytes = fs::read(&path).expect("the file");
    assert!(bytes.windows(11).any(|part| part == b"NETSCAPE2.0"), "it repeats");
    let decoder = GifDecoder::new(Cursor::new(&bytes)).expect("a GIF");
    let frames = decoder.into_frames().collect_frames().expect("frames");
    assert_eq!(frames.len(), pictures.len());
    for (index, (frame, picture)) in frames.iter().zip(&pictures).enumerate() {
        // 229 colours of the background and one of the square: 255 are enough for all.
        let far = distance(picture, frame.buffer());
        assert!(far <= 6, "picture {index} differs by {far}");
    }
    let times: Vec<u32> = frames.iter().map(|frame| frame.delay().numer_denom_ms().0).collect();
    assert_eq!(times, [70, 60, 70, 70, 1060], "a fifteenth of a second each, and the last a second longer");
    // One whole picture takes 64 · 48 numbers; two squares of 5 · 5 that move take hardly any.
    let one = Folder::new("one");
    let still = one.0.join("still.gif");
    let mut film = Film::begin(&Format::Gif(still.clone()), [64, 48], 15.0).expect("a film");
    film.add(&pictures[0]).expect("a picture");
    film.finish().expect("it is written");
    let [one, all] = [&still, &path].map(|path| fs::metadata(path).expect("a file").len());
    assert!(all < one + 600, "{all} bytes, {one} for the first picture");
}

#[test]
fn numbered_pictures_are_those_that_were_given() {
    let folder = Folder::new("numbered");
    let format = Format::of(&folder.0.join("in/a-###-b.png"), false).expect("a format");
    let mut film = Film::begin(&format, [64, 48], 30.0).expect("a film");
    for at in [3, 20] {
        film.add(&picture(at)).expect("a picture");
    }
    film.finish().expect("they are written");
    for (name, at) in [("in/a-000-b.png", 3), ("in/a-001-b.png", 20)] {
        let read = image::open(folder.0.join(name)).expect("a picture").into_rgb8();
        assert!(read == picture(at));
    }
}

#[test]
fn an_unfinished_film_leaves_no_file() {
    let folder = Folder::new("draft");
    for format in [Format::Gif(folder.0.join("a.gif")), Format::Mp4(folder.0.join("a.mp4"))] {
        match Film::begin(&format, [64, 48], 15.0) {
            Ok(mut film) => film.add(&picture(3)).expect("a picture"),
            Err(error) => assert!(matches!(error, ViewError::NoFfmpeg), "{error}"),
        }
        assert_eq!(folder.names(), Vec::<String>::new());
    }
    fs::write(folder.0.join("file"), "").expect("a file");
    let error = write_png(&picture(0), &folder.0.join("file/a.png")).expect_err("no folder");
    assert!(matches!(error, ViewError::Write { .. }), "{error}");
    assert_eq!(folder.names(), ["file"]);
}

#[test]
fn the_path_determines_the_format() {
    let of = |path: &str, frames: bool| Format::of(Path::new(path), frames).ok();
    let numbered =
        |before: &str, digits, after: &str| Some(Format::Numbered(before.into(), digits, after.into()));
    assert_eq!(of("a/b.PNG", false), Some(Format::Png("a/b.PNG".into())));
    assert_eq!(of("a/b.gif", false), Some(Format::Gif("a/b.gif".into())));
    assert_eq!(of("b.mp4", false), Some(Format::Mp4("b.mp4".into())));
    assert_eq!(of("a/f##.png", false), numbered("a/f", 2, ".png"));
    assert_eq!(of("a/f-####-x.png", true), numbered("a/f-", 4, "-x.png"));
    assert_eq!(of("a/b", true), numbered("a/b/frame-", 4, ".png"));
    for (path, frames) in
        [("a/b", false), ("a.jpg", false), ("a.gif", true), ("#a#.png", false), ("a#.gif", false), ("", true)]
    {
        let error = Format::of(Path::new(path), frames);
        assert!(error.is_err() || path.is_empty(), "{path}: {error:?}");
    }
}
