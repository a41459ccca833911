raise
# Raise=RuntimeError('No active exception to reraise')
