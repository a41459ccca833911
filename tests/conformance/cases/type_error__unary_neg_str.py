# unary minus on string should raise TypeError
-'hello'
# Raise=TypeError("bad operand type for unary -: 'str'")
