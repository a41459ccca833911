import math

math.acosh(0.5)
"""
TRACEBACK:
Traceback (most recent call last):
  File "math__acosh_domain_error.py", line 3, in <module>
    math.acosh(0.5)
    ~~~~~~~~~~~~~~~
ValueError: expected argument value not less than 1, got 0.5
"""
