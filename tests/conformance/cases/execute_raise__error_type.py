raise TypeError
# Raise=TypeError()
