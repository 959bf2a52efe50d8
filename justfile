# Recipes for contributors; `just` lists them. Each is one or two commands, which can also be typed.

program := "target/release/extricate"

# List the recipes
default:
    @just --list

# Compile the program; `just build --features viewer` adds the viewer
build *options:
    cargo build --release {{options}}

# Compile the program incrementally after a change: half a minute where `build` takes minutes
quick *options:
    cargo build --release --config .cargo/quick.toml {{options}}

# Check all targets without generating code: the fastest check
check *options:
    cargo check --release --workspace --all-targets {{options}}

# Run the tests; `just test NAME` runs those whose names contain NAME
test *filter:
    cargo test --release {{filter}}

# Format, and lint as continuous integration does
lint:
    cargo fmt --all
    cargo clippy --release --all-targets -- -D warnings

# Test the structure: crates, rooms and files depend in one direction
layers:
    cargo test --release -p extricate-test-support

# Run the shipped scenes and compare them with their golden files
golden *options: build
    {{program}} verify scenes --golden tests/golden {{options}}

# Rewrite the table of all pairs of shapes and queries
queries:
    EXTRICATE_WRITE_TABLE=1 cargo test --release --test query_pairs

# Rewrite the answers to the mistakes of a newcomer in docs/messages.md
messages:
    EXTRICATE_WRITE_MESSAGES=1 cargo test --release --test newcomer

# Rewrite the JSON schemas of all results
schemas: build
    {{program}} info --schemas assets/schema

# Check links, anchors and paths of the documentation
docs:
    .ci/book.py check

# Run the commands of the documentation in fresh copies; `just commands docs/tour.md` runs those of a page
commands *pages: build
    .ci/book.py run {{program}} {{pages}}

# Test the viewer in the browser in headless Chromium
browser: build
    .ci/browser.py serve {{program}}

# Build the book as a site in target/book
book:
    .ci/book.py build

# Test the site in headless Chromium: pages, links, pictures, and the dividers of the gallery
site: book
    .ci/browser.py site target/book

# Compile and run the programs of the book with mdBook, as `cargo test --doc` does with rustdoc; needs mdbook
book-test:
    .ci/book.py test

# Open the documentation of the library
api:
    cargo doc --no-deps --open

# Print the benchmarks of a group: `just bench penetration`
bench group *options:
    cargo bench --bench {{group}} {{options}}

# Count product code, documentation and tests by part
lines:
    .ci/lines.py

# Check licences, advisories and duplicates of the dependencies; needs cargo-deny
deny:
    cargo deny --all-features check

# Everything that continuous integration runs
ci:
    bash .ci/run
