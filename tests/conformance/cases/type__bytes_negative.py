bytes(-1)
# Raise=ValueError('negative count')
