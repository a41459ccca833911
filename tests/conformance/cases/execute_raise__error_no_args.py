raise TypeError()
# Raise=TypeError()
