2 + [1]
# Raise=TypeError("unsupported operand type(s) for +: 'int' and 'list'")
