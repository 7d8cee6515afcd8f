# Adds context to every prompt.
print('{"additionalContext": "the shop is closed on Sundays"}')
