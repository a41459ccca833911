import math

math.log(10, 1)
"""
TRACEBACK:
Traceback (most recent call last):
  File "math__log_base1_error.py", line 3, in <module>
    math.log(10, 1)
    ~~~~~~~~~~~~~~~
ZeroDivisionError: division by zero
"""
