# Adds context to every prompt.
echo '{"additionalContext": "the shop is closed on Sundays"}'
