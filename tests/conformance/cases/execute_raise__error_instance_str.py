raise ValueError('testing')
# Raise=ValueError('testing')
