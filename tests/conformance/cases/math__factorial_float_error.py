import math

math.factorial(1.5)
"""
TRACEBACK:
Traceback (most recent call last):
  File "math__factorial_float_error.py", line 3, in <module>
    math.factorial(1.5)
    ~~~~~~~~~~~~~~~~~~~
TypeError: 'float' object cannot be interpreted as an integer
"""
