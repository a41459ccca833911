v = [1, 2]
d = {0: v}
x = d[0]
x
# ref-counts={'v': 4, 'd': 1, 'x': 4}
