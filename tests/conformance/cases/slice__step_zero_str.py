'hello'[::0]
"""
TRACEBACK:
Traceback (most recent call last):
  File "slice__step_zero_str.py", line 1, in <module>
    'hello'[::0]
    ~~~~~~~~~~~~
ValueError: slice step cannot be zero
"""
