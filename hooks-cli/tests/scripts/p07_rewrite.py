# Puts a shorter command in the place of the input; says nothing of a permission, and drops the other keys.
import json
import sys

command = json.load(sys.stdin)["tool_input"]["command"]
print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": f"short {command}"}}}))
