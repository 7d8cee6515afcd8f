# Denies if the input has keys of another host.
import json
import sys

given = json.load(sys.stdin)
if any(key in given for key in ("user_prompt", "tool_output", "turn_id")):
    sys.exit(2)
