missing_func(1, 2, 3)
"""
TRACEBACK:
Traceback (most recent call last):
  File "name_error__undefined_call_with_args.py", line 1, in <module>
    missing_func(1, 2, 3)
    ~~~~~~~~~~~~
NameError: name 'missing_func' is not defined
"""
