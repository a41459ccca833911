x = [1, 2, 3]
x
# ref-counts={'x': 2}
