# Returns a shorter command as the new input, without a decision and without the other keys.
command=$(sed -n 's/.*"command":"\([^"]*\)".*/\1/p')
printf '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "short %s"}}}\n' "$command"
