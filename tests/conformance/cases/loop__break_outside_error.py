break
"""
TRACEBACK:
Traceback (most recent call last):
  File "loop__break_outside_error.py", line 1
    break
    ~~~~~
SyntaxError: 'break' outside loop
"""
