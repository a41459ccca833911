7.5 % 2
# Return=1.5
