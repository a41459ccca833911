range(1, 2, 3, 4)
# Raise=TypeError('range expected at most 3 arguments, got 4')
