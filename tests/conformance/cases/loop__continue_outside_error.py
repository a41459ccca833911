continue
"""
TRACEBACK:
Traceback (most recent call last):
  File "loop__continue_outside_error.py", line 1
    continue
    ~~~~~~~~
SyntaxError: 'continue' not properly in loop
"""
