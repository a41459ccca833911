a = (1, 2)
a[5]
# Raise=IndexError('tuple index out of range')
