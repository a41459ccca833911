5 / 'x'
# Raise=TypeError("unsupported operand type(s) for /: 'int' and 'str'")
