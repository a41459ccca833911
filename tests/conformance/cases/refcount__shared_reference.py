x = [1, 2, 3]
y = x
x
# ref-counts={'x': 3, 'y': 3}
