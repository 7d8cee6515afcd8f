//! The picture in the README: a turn as printed by `--trace`, rendered as a terminal.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::trace;

const LINE: usize = 19;
const TOP: usize = 46;

/// The colour of a line, or of its part after a word.
const COLOURS: &[(&str, &str)] =
    &[("+ ", "#9ece6a"), ("> ", "#7aa2f7"), ("conversation", "#c0caf5"), ("turn", "#c0caf5")];

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A line in which the effects of hooks have colours.
fn colour(line: &str) -> String {
    let bare = line.trim_start();
    if let Some((_, colour)) = COLOURS.iter().find(|(start, _)| bare.starts_with(start)) {
        return format!(r#"<tspan fill="{colour}">{}</tspan>"#, escape(line));
    }
    let indent = line.len() - bare.len();
    let (kind, hooks) = bare.split_once(' ').unwrap_or((bare, ""));
    let hooks = escape(hooks)
        .replace(" changed", r##" <tspan fill="#e0af68">changed</tspan>"##)
        .replace("→ deny", r##"<tspan fill="#f7768e">→ deny</tspan>"##)
        .replace("→ allow", r##"<tspan fill="#9ece6a">→ allow</tspan>"##);
    format!(r##"<tspan fill="#8089b3">{}{kind} </tspan>{hooks}"##, " ".repeat(indent))
}

fn picture(title: &str, text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let (width, height) = (760, TOP + lines.len() * LINE + 8);
    let mut svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">
<title>{title}</title>
<rect width="{width}" height="{height}" rx="8" fill="#1a1b26"/>
<circle cx="20" cy="18" r="5" fill="#f7768e"/><circle cx="38" cy="18" r="5" fill="#e0af68"/><circle cx="56" cy="18" r="5" fill="#9ece6a"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" fill="#a9b1d6" xml:space="preserve">
<text x="80" y="22" fill="#8089b3">{title}</text>
"##
    );
    for (i, line) in lines.iter().enumerate() {
        writeln!(svg, r#"<text x="16" y="{}">{}</text>"#, TOP + i * LINE, colour(line)).unwrap();
    }
    svg + "</g>\n</svg>\n"
}

#[test]
fn the_picture_in_the_readme_shows_the_output_of_the_desk() {
    let trace = trace::trace(&["--trace"]);
    let turn = &trace[..trace.find("  turn 2").unwrap()];
    let drawn = picture("cargo run -p airline-desk -- --trace", turn);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/trace.svg");
    if std::env::var_os("UPDATE_BOOK").is_some_and(|value| value == "1") {
        fs::write(&file, &drawn).unwrap();
    }
    let kept = fs::read_to_string(&file).unwrap_or_default();
    assert!(kept == drawn, "rewrite the picture with UPDATE_BOOK=1 cargo test -p airline-desk --test it picture");
}
