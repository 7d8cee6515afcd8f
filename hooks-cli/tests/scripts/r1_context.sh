# Puts what every turn is to know beside the prompt.
echo '{"additionalContext": "the shop is closed on Sundays"}'
