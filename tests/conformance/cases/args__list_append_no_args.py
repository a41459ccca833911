x = []
x.append()
# Raise=TypeError('list.append() takes exactly one argument (0 given)')
