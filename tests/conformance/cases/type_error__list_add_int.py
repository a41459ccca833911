[1, 2] + 3
# Raise=TypeError('can only concatenate list (not "int") to list')
