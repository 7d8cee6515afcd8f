#[hook(id = "runs_detached", kind = after_create_message, run = detached, role = "user")]
async fn runs_detached(row: &Message) -> Result<(), IndexError> {
    index(row).await
}
