5 ** 'x'
# Raise=TypeError("unsupported operand type(s) for ** or pow(): 'int' and 'str'")
