x = True
if x:
    break
"""
TRACEBACK:
Traceback (most recent call last):
  File "loop__break_in_if_error.py", line 3
    break
    ~~~~~
SyntaxError: 'break' outside loop
"""
