v1 = [1]
v2 = [2]
d = {0: v1}
d[0] = v2
d
# ref-counts={'v1': 1, 'v2': 2, 'd': 2}
