# Puts what every turn is to know beside the prompt.
print('{"additionalContext": "the shop is closed on Sundays"}')
