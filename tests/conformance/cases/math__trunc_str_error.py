import math

math.trunc('x')
"""
TRACEBACK:
Traceback (most recent call last):
  File "math__trunc_str_error.py", line 3, in <module>
    math.trunc('x')
    ~~~~~~~~~~~~~~~
TypeError: type str doesn't define __trunc__ method
"""
