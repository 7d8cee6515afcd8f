# Has no shebang and no executable bit.
import sys

print("the plain shell ran me", file=sys.stderr)
sys.exit(2)
