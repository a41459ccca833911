k = 'key'
v = [1, 2]
d = {k: v}
d
# ref-counts={'v': 2, 'd': 2}
