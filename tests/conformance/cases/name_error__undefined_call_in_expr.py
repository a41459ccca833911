x = 1 + missing_func()
"""
TRACEBACK:
Traceback (most recent call last):
  File "name_error__undefined_call_in_expr.py", line 1, in <module>
    x = 1 + missing_func()
            ~~~~~~~~~~~~
NameError: name 'missing_func' is not defined
"""
