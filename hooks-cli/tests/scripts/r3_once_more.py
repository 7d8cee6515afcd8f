# Requests one more model call if the answer is empty.
import json
import sys

given = json.load(sys.stdin)
if not given["stop_hook_active"] and not given.get("last_assistant_message"):
    print(json.dumps({"force_continue": True, "follow_up_message": "say something"}))
