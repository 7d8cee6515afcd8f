#![no_main]

use hook_sdk::kinds::{BeforeCompaction, BeforeToolCall, PermissionRequest, UserPromptSubmit};
use hook_sdk::verdict::{Permission, PromptVerdict};
use hook_sdk::{Hook, Registry};
use hooks_hosts::{Carried, HookPoint, HostEventSpec, Request, Responder, Stdout, all};

thread_local! {
    static DENIES: (Responder, tokio::runtime::Runtime) = (denies_everything(), runtime());
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let [host, event, payload @ ..] = input else { return };
    let host = all()[usize::from(*host) % all().len()];
    let hears = |event: &HostEventSpec| {
        event.kind.is_gate() && event.kind != HookPoint::PreModelCall && event.carries.deny == Carried::Yes
    };
    let gates: Vec<HostEventSpec> = host.events().filter(hears).collect();
    let event = gates[usize::from(*event) % gates.len()];
    let request = Request::new(host, payload).event(event.name);
    let answer = DENIES.with(|(denies, runtime)| runtime.block_on(denies.respond(&request)));
    let Stdout::Json(said) = &answer.stdout else {
        assert_eq!(answer.exit, 2, "{} {}: {answer:?}", host.name, event.name);
        return;
    };
    let words = ["/decision", "/permission", "/permissionDecision", "/behavior", "/hookSpecificOutput/permissionDecision",
        "/hookSpecificOutput/decision/behavior"];
    let denied = words.iter().any(|at| said.pointer(at).is_some_and(|word| word == "deny" || word == "block"));
    let denied = denied || said["continue"] == false || said["cancel"] == true || answer.exit == 2;
    // Another host reads the same entries, and cannot be denied everything.
    let foreign = request.read().is_ok_and(|(asks, event)| asks.name != host.name || event.kind == HookPoint::ForeignHost);
    assert!(denied || foreign, "{} {}: {answer:?}", host.name, event.name);
});

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

fn denies_everything() -> Responder {
    let registry = Registry::empty();
    let denied = || Permission::deny("no");
    let hooks = [
        Hook::at::<BeforeToolCall>("calls").reader(move |_, _, _| denied()),
        Hook::at::<PermissionRequest>("requests").reader(move |_, _, _| denied()),
        Hook::at::<BeforeCompaction>("compactions").reader(move |_, _, ()| denied()),
        Hook::at::<UserPromptSubmit>("prompts").reader(|_, _, _| PromptVerdict::block("no")),
    ];
    for hook in hooks {
        registry.register(hook).unwrap();
    }
    Responder::new(registry).unwrap()
}
