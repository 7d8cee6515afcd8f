# Prints its answer to stderr, so only the exit status counts.
import json
import sys

json.dump({"hookSpecificOutput": {"permissionDecision": "ask"}}, sys.stderr)
sys.exit(2)
