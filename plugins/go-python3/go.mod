module github.com/DataDog/go-python3

go 1.26.0
