import math

math.log(0)
"""
TRACEBACK:
Traceback (most recent call last):
  File "math__log_zero_error.py", line 3, in <module>
    math.log(0)
    ~~~~~~~~~~~
ValueError: expected a positive input
"""
