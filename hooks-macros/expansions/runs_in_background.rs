#[hook(id = "runs_in_background", kind = turn_end, run = background, idempotent, retries = 3)]
async fn runs_in_background(event: &TurnEnd) {
    report(event).await;
}
