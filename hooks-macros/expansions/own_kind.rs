#[hook(id = "own_kind", kind = crate::OnJob, requires = ["writes"], on_failure = required)]
fn own_kind(event: &OnJob) -> Result<(), JobError> {
    event.begin()
}
