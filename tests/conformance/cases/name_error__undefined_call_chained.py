x = aaa_func() + bbb_func()
"""
TRACEBACK:
Traceback (most recent call last):
  File "name_error__undefined_call_chained.py", line 1, in <module>
    x = aaa_func() + bbb_func()
        ~~~~~~~~
NameError: name 'aaa_func' is not defined
"""
