x = 'hello'
x += 1
# Raise=TypeError('can only concatenate str (not "int") to str')
