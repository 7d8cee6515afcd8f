# Runs as it is: no shebang, no executable bit.
import sys

print("the plain shell ran me", file=sys.stderr)
sys.exit(2)
