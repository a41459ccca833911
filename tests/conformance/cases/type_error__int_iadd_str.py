x = 5
x += 'a'
# Raise=TypeError("unsupported operand type(s) for +=: 'int' and 'str'")
