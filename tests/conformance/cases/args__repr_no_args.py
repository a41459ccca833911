repr()
# Raise=TypeError('repr() takes exactly one argument (0 given)')
