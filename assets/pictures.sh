#!/bin/sh
# Makes every rendered picture of the README and of docs/ again, into docs/pictures or the folder given:
#
#   cargo build --release --features viewer && assets/pictures.sh [FOLDER]
#
# EXTRICATE names the program, if it is not target/release/extricate. Without a graphics card the packages libvulkan1 and
# mesa-vulkan-drivers are needed. Some minutes on two cores, most of them for the snake.
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

# repaired NAME SCENE: the scene as it is sketched, and repaired.
repaired() {
    "$program" repair "$2" -o "$work/$1.ron" --quiet
    picture "$1.png" "$2" "$work/$1.ron" --overlaps --size 1040x600
}

picture overlapping_tori.gif scenes/rigid/closed_form/overlapping_tori.ron --to 1 --speed 0.25 --size 720x360 --fps 20
picture nut_on_bolt.gif scenes/rigid/nut_on_bolt.ron --size 400x480 --fps 20
picture linked_chain.png scenes/rigid/linked_chain.ron --time 0,3 --size 1040x600
picture nut_on_bolt.png scenes/rigid/nut_on_bolt.ron --time 0,2,4 --size 1560x600
picture overlapping_tori.png scenes/rigid/closed_form/overlapping_tori.ron --time 0,0.1,3 --size 1560x600
picture ring_stack.png scenes/rigid/ring_stack.ron --time 0,3 --size 1040x600
picture two_scans.png scenes/rigid/two_scans.ron --time 0,2 --size 1040x600
picture hull_pile.png scenes/rigid/hull_pile.ron --time 0,4 --size 1040x600
picture ball_through_ring.png scenes/soft/ball_through_ring.ron --time 0,0.2,0.3 --size 1560x600
repaired figure_on_bench scenes/repair/figure_on_bench.ron
repaired figure_in_cup scenes/repair/figure_in_cup.ron
repaired arm_in_car scenes/repair/arm_in_car.ron
repaired hand_around_bottle scenes/repair/hand_around_bottle.ron
repaired four_bar scenes/repair/four_bar.ron
repaired stewart_platform scenes/repair/stewart_platform.ron
repaired doll_in_step scenes/repair/doll_in_step.ron
repaired two_arms_with_tray scenes/repair/two_arms_with_tray.ron
picture snake_coil.png scenes/soft/snake_coil.ron --time 0,3,5,8 --size 2080x420
