package mitt

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"mitt/internal/native"
)

var library struct {
	sync.Mutex
	loaded bool
}

// load loads the library with the first call: the file that the environment variable MITT_LIBRARY names, then one next to the program,
// then the search of the system. It tries again after it failed.
func load() error {
	library.Lock()
	defer library.Unlock()
	if library.loaded {
		return nil
	}
	path := libraryPath()
	if err := native.Load(path); err != nil {
		return fmt.Errorf("cannot load `%s`: %w; set MITT_LIBRARY to the path of %s", path, err, libraryName())
	}
	library.loaded = true
	return nil
}

func libraryPath() string {
	if named := os.Getenv("MITT_LIBRARY"); named != "" {
		// A name without a folder would be searched for; the variable names a file.
		if absolute, err := filepath.Abs(named); err == nil {
			return absolute
		}
		return named
	}
	if program, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(program), libraryName())
		if _, err := os.Stat(beside); err == nil {
			return beside
		}
	}
	return libraryName()
}

func libraryName() string {
	if runtime.GOOS == "darwin" {
		return "libmitt.dylib"
	}
	return "libmitt.so"
}
