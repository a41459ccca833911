module mitt

go 1.21
