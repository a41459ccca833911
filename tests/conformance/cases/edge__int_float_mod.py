7 % 2.5
# Return=2.0
