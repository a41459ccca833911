range()
# Raise=TypeError('range expected at least 1 argument, got 0')
