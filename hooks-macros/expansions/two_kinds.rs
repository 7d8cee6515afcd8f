#[hook(id = "two_kinds", kind = [pre_model_call, post_model_call], after = ["reads"])]
fn two_kinds(cx: &HookContext) {
    cx.state::<Calls>().unwrap().add(1);
}
