#!/bin/sh
# Makes every rendered picture of the README and of docs/ again, into docs/pictures or the folder given:
#
#   cargo build --release --features viewer && assets/pictures.sh [FOLDER]
#
# EXTRICATE names the program, if it is not target/release/extricate. Without a graphics card the packages libvulkan1 and
# mesa-vulkan-drivers are needed. Some minutes on two cores, most of them for the snakes.
set -eu
cd "$(dirname "$0")/.."
out="${1:-docs/pictures}"
program="${EXTRICATE:-target/release/extricate}"
work="$(mktemp -d)"
trap 'rm -r "$work"' EXIT

# picture NAME SCENE… OPTIONS…
picture() {
    name="$1"
    shift
    "$program" render "$@" -o "$out/$name"
}

# film NAME SCENE… OPTIONS…: a small animation.
film() {
    name="$1"
    shift
    picture "$name.gif" "$@" --fps 15
}

# repaired NAME SCENE DEGREES: the scene as it is sketched, and repaired, by one camera, that of the scene; and the repaired one while
# the camera moves around it, at the start of time and without the colours of overlaps: under a moving camera a software driver may
# compile the shader of transparent bodies anew for each picture.
repaired() {
    "$program" repair "$2" -o "$work/$1.ron" --quiet
    picture "$1_sketched.png" "$2" --overlaps --size 416x480
    picture "$1_repaired.png" "$work/$1.ron" --overlaps --size 416x480
    film "$1" "$work/$1.ron" --size 320x320 --to 2.6e-9 --speed 1e-9 --orbit "$3"
}

rigid=scenes/rigid
picture arch.png $rigid/arch_stands.ron $rigid/arch_falls.ron --time 0.6 --size 1240x420
film arch $rigid/arch_stands.ron $rigid/arch_falls.ron --to 1.2 --speed 0.4 --size 720x240
picture domino_spiral.png $rigid/domino_spiral.ron --time 1 --size 1040x600
picture domino_spiral_lens.png $rigid/domino_spiral.ron --time 1 --size 800x460 --aperture 0.03 --focus 0.08,-0.12,0.01
film domino_spiral $rigid/domino_spiral.ron --to 2.4 --size 480x280
picture card_house.png $rigid/card_house.ron --size 1040x600
film card_house $rigid/card_house.ron --to 3 --orbit 50 --size 360x280
picture thrown_rings.png $rigid/thrown_rings.ron --time 0,0.4,3 --size 1560x480
picture thrown_rings_trails.png $rigid/thrown_rings.ron --time 0.8 --size 800x460 --trails 0.8
film thrown_rings $rigid/thrown_rings.ron --to 2 --speed 0.5 --size 480x280 --trails 0.4
picture linked_chain.png $rigid/linked_chain.ron --time 0,3 --size 1040x600
film linked_chain $rigid/linked_chain.ron --to 2 --orbit 90 --size 300x360
picture nut_on_bolt.gif $rigid/nut_on_bolt.ron --size 400x480 --fps 20
picture nut_on_bolt.png $rigid/nut_on_bolt.ron --time 0,2,4 --size 1560x600
picture overlapping_tori.gif $rigid/closed_form/overlapping_tori.ron --to 1 --speed 0.25 --size 720x360 --fps 20
picture overlapping_tori.png $rigid/closed_form/overlapping_tori.ron --time 0,0.1,3 --size 1560x600
picture ring_stack.png $rigid/ring_stack.ron --time 0,3 --size 1040x600
picture ring_stack_occlusion.png $rigid/ring_stack.ron --time 3 --size 520x460 --occlusion
film ring_stack $rigid/ring_stack.ron --to 2.5 --size 420x300
picture two_scans.png $rigid/two_scans.ron --time 0,2 --size 1040x600
film two_scans $rigid/two_scans.ron --to 2.5 --size 420x300
picture hull_pile.png $rigid/hull_pile.ron --time 0,4 --size 1040x600
film hull_pile $rigid/hull_pile.ron --to 2.5 --size 420x300
picture scan_bin.png experiments/scan_bin.ron --time 0,2 --size 1040x600
film scan_bin experiments/scan_bin.ron --to 2 --size 420x300
picture knots_into_cup.png $rigid/knots_into_cup.ron --time 0.05,2 --size 1040x600 --camera 0.7,-1,3@0,0,0.5
film knots_into_cup $rigid/knots_into_cup.ron --to 2 --size 420x300 --camera 0.7,-1,3@0,0,0.5
picture gripper_lifts.png scenes/robots/gripper_lifts.ron --time 0,2 --size 1040x600 --camera 0.8,-1.6,0.85@0,0,0.4
film gripper_lifts scenes/robots/gripper_lifts.ron --size 420x300 --camera 0.8,-1.6,0.85@0,0,0.4
picture arm_tracks.png scenes/robots/arm_tracks.ron --time 0,1.5 --size 1040x600 --camera 1.8,-3.2,1.7@0.35,0,0.6
film arm_tracks scenes/robots/arm_tracks.ron --size 420x300 --camera 1.8,-3.2,1.7@0.35,0,0.6
film four_bar_runs scenes/robots/four_bar.ron --to 3 --size 420x300
repaired figure_on_bench scenes/repair/figure_on_bench.ron 360
picture figure_on_bench.png scenes/repair/figure_on_bench.ron "$work/figure_on_bench.ron" --overlaps --size 1040x600
repaired figure_in_cup scenes/repair/figure_in_cup.ron 360
repaired arm_in_car scenes/repair/arm_in_car.ron 60
repaired hand_around_bottle scenes/repair/hand_around_bottle.ron 360
repaired four_bar scenes/repair/four_bar.ron 360
repaired stewart_platform scenes/repair/stewart_platform.ron 360
repaired doll_in_step scenes/repair/doll_in_step.ron 360
repaired two_arms_with_tray scenes/repair/two_arms_with_tray.ron 360
picture ball_through_ring.png scenes/soft/ball_through_ring.ron --time 0,0.2,0.3 --size 1560x600
film ball_through_ring scenes/soft/ball_through_ring.ron --to 0.6 --speed 0.2 --size 360x300
picture soft_gripper.png scenes/soft/gripper.ron --time 0,1.5 --size 1240x480
film soft_gripper scenes/soft/gripper.ron --size 480x280
picture snake_coil.png scenes/soft/snake_coil.ron --time 0,3,5,8 --size 2080x420
"$program" run scenes/snake/apple.ron -o "$work/apple" --quiet
picture snake_apple.png "$work/apple" --time 0.7,2,2.5,3.6 --size 1560x560 --camera 0.5,-1.05,0.55@0,0,0.25 --show section
picture snake_apple.gif "$work/apple" --from 0.7 --speed 0.5 --fps 10 --size 260x420 --camera 0.5,-1.05,0.55@0,0,0.25 --show section
