//! The words of options: the variants of the enums of `hook-sdk`.

use crate::options::Words;

pub(super) const POLICIES: Words = Words {
    of: "OnFailure",
    known: "continue remove deny required",
    elsewhere: &[
        ("deny", "fail_closed closed block reject forbid refuse"),
        ("continue", "fail_open open ignore skip log warn allow best_effort"),
        ("required", "abort error fail raise panic stop throw propagate"),
        ("remove", "drop discard delete filter none"),
    ],
};

pub(super) const RUN_MODES: Words = Words {
    of: "RunMode",
    known: "inline detached background",
    elsewhere: &[
        ("detached", "async spawn fire_and_forget parallel"),
        ("background", "queue queued job worker"),
        ("inline", "sync blocking"),
    ],
};

pub(super) const MODES: Words = Words {
    of: "HookMode",
    known: "enforce shadow",
    elsewhere: &[
        ("shadow", "audit dry_run log log_only monitor observe permissive report report_only"),
        ("enforce", "active block enforcing live"),
    ],
};

pub(super) const ON_REPLAY: Words = Words {
    of: "OnReplay",
    known: "run skip",
    elsewhere: &[("skip", "ignore leave_out never no off stub mock"), ("run", "always on pure yes")],
};

pub(super) const VISIBILITIES: Words =
    Words { of: "Visibility", known: "internal debug user_audit user_visible", elsewhere: &[] };

pub(super) const CAPABILITIES: Words = Words {
    of: "Capability",
    known: "policy prompt_context prompt_section tool_bundle prompt_manifest_diagnostic audit background_job",
    elsewhere: &[],
};
