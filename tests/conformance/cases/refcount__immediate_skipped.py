x = 42
y = [1, 2]
y
# ref-counts={'y': 2}
