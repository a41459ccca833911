(*42,)
# Raise=TypeError('Value after * must be an iterable, not int')
