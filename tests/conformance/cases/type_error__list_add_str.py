[1] + 'x'
# Raise=TypeError('can only concatenate list (not "str") to list')
