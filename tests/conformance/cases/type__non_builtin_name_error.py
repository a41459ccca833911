print(TextIOWrapper)
"""
TRACEBACK:
Traceback (most recent call last):
  File "type__non_builtin_name_error.py", line 1, in <module>
    print(TextIOWrapper)
          ~~~~~~~~~~~~~
NameError: name 'TextIOWrapper' is not defined
"""
