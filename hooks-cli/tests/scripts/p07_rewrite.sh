# Puts a shorter command in the place of the input; says nothing of a permission, and drops the other keys.
command=$(sed -n 's/.*"command":"\([^"]*\)".*/\1/p')
printf '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "short %s"}}}\n' "$command"
