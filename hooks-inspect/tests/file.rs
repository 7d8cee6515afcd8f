//! The file.

use hooks_inspect::HooksPage;

pub(crate) fn html(page: &HooksPage, recording: &str) -> String {
    let mut html = Vec::new();
    page.report([recording.as_bytes()], &mut html).unwrap();
    String::from_utf8(html).unwrap()
}

#[test]
fn without_data_the_file_has_at_most_60_kb() {
    let size = html(&HooksPage::new("empty"), "").len();
    assert!(size <= 60_000, "{size} bytes");
}

#[test]
fn no_recorded_text_can_leave_its_element() {
    let evil =
        r#"{"line":"turn","ids":{"conversation":"</script><script>alert(1)</script><!--"},"reply":"$SCRIPT $LINES"}"#;
    let page = HooksPage::new("</script><script>alert(2)</script>");
    let (with, without) = (html(&page, evil), html(&page, ""));
    let ends =
        |text: &str| (text.matches("</script").count(), text.matches("<script").count(), text.matches("<!--").count());
    assert_eq!(ends(&with), ends(&without), "the recording added an element");
    assert_eq!(ends(&with), ends(&html(&HooksPage::new("x"), "")), "the name of the program added an element");
    assert!(with.contains("$SCRIPT $LINES"), "a text was taken for a place of the template");
}

#[test]
fn the_page_asks_no_other_host() {
    let page = html(&HooksPage::new("x"), "");
    assert!(page.contains("default-src 'none'; connect-src 'self'"));
    assert!(!page.contains("unsafe-inline") && !page.contains("http://") && !page.contains("https://"));
}

#[test]
fn bytes_that_are_no_text_are_no_line_and_a_line_that_is_being_written_is_left_out() {
    let lines = |recording: &[u8]| {
        let mut html = Vec::new();
        HooksPage::new("x").report([recording], &mut html).unwrap();
        let html = String::from_utf8(html).unwrap();
        html.split("id=\"lines\">").nth(1).unwrap().split("</script>").next().unwrap().to_owned()
    };
    // An empty line ends a recording, whose own empty lines count.
    let whole = "{\"line\":\"full\"}\n\n";
    assert_eq!(
        lines(b"{\"line\":\"full\"}\n{\"line\":\"l\xff\"}\n"),
        format!("{}\"{{\\\"line\\\":\\\"l\u{fffd}\\\"}}\"\n\n", whole.trim_end().to_owned() + "\n")
    );
    assert_eq!(lines(b"\xef\xbb\xbf\n{\"line\":\"full\"}\n{\"line\":\"di"), format!(" \n{whole}"));
    assert_eq!(lines(b"{\"line\":\"full\"}"), whole, "it lacks only its end of line");
}
