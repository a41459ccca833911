a = [1, 2, 3]
a[10]
# Raise=IndexError('list index out of range')
