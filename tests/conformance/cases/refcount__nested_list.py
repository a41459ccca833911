inner = [1, 2]
outer = [inner, inner]
outer
# ref-counts={'inner': 3, 'outer': 2}
