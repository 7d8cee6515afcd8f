# Returns a shorter command as the new input, without a decision and without the other keys.
import json
import sys

command = json.load(sys.stdin)["tool_input"]["command"]
print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": f"short {command}"}}}))
