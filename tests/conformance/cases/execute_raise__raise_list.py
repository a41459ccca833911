raise []
# Raise=TypeError('exceptions must derive from BaseException')
