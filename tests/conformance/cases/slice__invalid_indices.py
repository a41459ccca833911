[1, 2, 3]['a':'b']
# Raise=TypeError('slice indices must be integers or None or have an __index__ method')
