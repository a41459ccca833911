# /// monty
# mount-fs = true
# ///
import os
import sys
from pathlib import Path

is_windows = sys.platform == 'win32'

# root is injected by the test runner:
# - Monty: Path('/mnt'), also the sandbox working directory
# - CPython: Path('<real_tmpdir>'), while the process cwd is elsewhere
# CPython's os.getcwd() may differ textually from root (symlinked temp dirs on
# macOS, 8.3 short names on Windows), so compare resolved paths.
resolved_root = root.resolve()
original = os.getcwd()
os.chdir(root)
try:
    # === getcwd / Path.cwd ===
    assert os.chdir(root) is None
    assert Path(os.getcwd()).resolve() == resolved_root
    assert Path.cwd().resolve() == resolved_root
    assert Path('.').cwd() == Path.cwd()
    assert Path('/unrelated/nonexistent').cwd() == Path.cwd()
    assert os.chdir(path=root) is None
    assert isinstance(os.getcwd(), str)
    assert os.getcwdb() == os.getcwd().encode()

    # === relative paths resolve against the working directory ===
    assert open('hello.txt').read() == 'hello world\n'
    assert Path('subdir/nested.txt').read_text() == 'nested content'
    assert Path('./subdir/./deep/file.txt').read_text() == 'deep file'
    assert Path('hello.txt').exists()
    assert Path('missing.txt').exists() is False
    assert Path('x').absolute() == Path.cwd() / 'x'
    assert Path('subdir/../hello.txt').resolve() == resolved_root / 'hello.txt'
    assert sorted(os.listdir()) == ['data.bin', 'empty.txt', 'hello.txt', 'readonly.txt', 'subdir']
    assert sorted(os.listdir('.')) == sorted(os.listdir(root))
    assert sorted(p.name for p in Path('.').iterdir()) == sorted(os.listdir())
    assert all(not p.is_absolute() for p in Path('.').iterdir())
    for directory in ['subdir', './subdir', 'subdir/../subdir']:
        assert set(Path(directory).iterdir()) == {Path(directory) / 'nested.txt', Path(directory) / 'deep'}
    assert all(p.is_absolute() for p in root.iterdir())
    for filename in ['hello.txt', './hello.txt', 'subdir/../hello.txt', b'./hello.txt']:
        with open(filename) as f:
            assert f.name == filename
            assert f'name={filename!r}' in repr(f)
    with Path('./hello.txt').open() as f:
        assert f.name == 'hello.txt'
    with open('out.txt', 'w') as f:
        f.write('written')
    assert (root / 'out.txt').read_text() == 'written'
    os.mkdir('made')
    assert (root / 'made').is_dir()
    os.rename('out.txt', 'made/moved.txt')
    assert Path('made/moved.txt').read_text() == 'written'

    # === chdir into a subdirectory ===
    before_chdir = open('./hello.txt')
    os.chdir(path='subdir')
    assert before_chdir.name == './hello.txt'
    assert before_chdir.read() == 'hello world\n'
    before_chdir.close()
    assert Path.cwd().resolve() == resolved_root / 'subdir'
    assert Path('.').cwd() == Path.cwd()
    assert Path('nested.txt').read_text() == 'nested content'
    assert Path('deep/file.txt').read_text() == 'deep file'
    assert Path('..').resolve() == resolved_root
    assert Path('../hello.txt').read_text() == 'hello world\n'
    os.chdir(path=Path('deep'))
    assert Path.cwd().resolve() == resolved_root / 'subdir' / 'deep'
    os.chdir('../..')
    assert Path.cwd().resolve() == resolved_root
    os.chdir('.')
    assert Path.cwd().resolve() == resolved_root

    # === chdir errors ===
    for args, kwargs, message in [
        ((), {}, "chdir() missing required argument 'path' (pos 1)"),
        (('.', '.'), {}, 'chdir() takes at most 1 argument (2 given)'),
        (('.',), {'path': '.'}, 'chdir() takes at most 1 argument (2 given)'),
        ((), {'other': '.'}, "chdir() missing required argument 'path' (pos 1)"),
    ]:
        try:
            os.chdir(*args, **kwargs)
            assert False, 'expected TypeError'
        except TypeError as e:
            assert str(e) == message

    try:
        Path.cwd('unexpected')
        assert False, 'expected TypeError'
    except TypeError as e:
        assert str(e) == 'Path.cwd() takes 1 positional argument but 2 were given'
    try:
        Path('.').cwd('unexpected')
        assert False, 'expected TypeError'
    except TypeError as e:
        assert str(e) == 'Path.cwd() takes 1 positional argument but 2 were given'
    try:
        Path.cwd(1, 2)
        assert False, 'expected TypeError'
    except TypeError as e:
        assert str(e) == 'Path.cwd() takes 1 positional argument but 3 were given'
    try:
        Path.cwd(x=1)
        assert False, 'expected TypeError'
    except TypeError as e:
        assert str(e) == "Path.cwd() got an unexpected keyword argument 'x'"
    try:
        Path.cwd(1, x=1)
        assert False, 'expected TypeError'
    except TypeError as e:
        assert str(e) == "Path.cwd() got an unexpected keyword argument 'x'"
    try:
        Path.cwd(**{1: 2})
        assert False, 'expected TypeError'
    except TypeError as e:
        assert str(e) == 'keywords must be strings'

    # Windows CPython reports WinError messages instead of POSIX errno text.
    try:
        os.chdir('hello.txt')
        assert False, 'expected NotADirectoryError'
    except NotADirectoryError as e:
        if not is_windows:
            assert str(e) == "[Errno 20] Not a directory: 'hello.txt'"
    assert Path.cwd().resolve() == resolved_root
    try:
        os.chdir(root / 'missing')
        assert False, 'expected FileNotFoundError'
    except FileNotFoundError as e:
        if not is_windows:
            assert str(e) == f"[Errno 2] No such file or directory: '{root / 'missing'}'"
    assert Path.cwd().resolve() == resolved_root
    # Windows CPython raises a different OSError subclass for the empty path.
    try:
        os.chdir('')
        assert False, 'expected FileNotFoundError'
    except OSError as e:
        if not is_windows:
            assert isinstance(e, FileNotFoundError)
            assert str(e) == "[Errno 2] No such file or directory: ''"
    assert Path.cwd().resolve() == resolved_root
    try:
        os.chdir('sub\0dir')
        assert False, 'expected ValueError'
    except ValueError as e:
        assert str(e) == 'chdir: embedded null character in path'
    assert Path.cwd().resolve() == resolved_root
    try:
        os.chdir(1.5)
        assert False, 'expected TypeError'
    except TypeError as e:
        if not is_windows:
            assert str(e) == 'chdir: path should be string, bytes, os.PathLike or integer, not float'
finally:
    os.chdir(original)
