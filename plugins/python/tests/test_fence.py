"""Scripts in a fence of Markdown."""

import unittest

import fakes

fakes.load(fakes.Host())
from mitt import _fence  # noqa: E402


class Fence(unittest.TestCase):
    def test_fences_become_spaces(self):
        for source, expected in [
            ("```python\n1\n```", "\n1\n   "),
            ("\n ```py\r\n1\r\n```\r\n\n", "\n\n1\r\n    \n\n"),
            ("````\n```\n1\n````", "\n```\n1\n    "),
            ("```py title=\"年\"\n1", "\n1"),
            ("\ufeff```\n1\n   ```", "\n1\n      "),
            ("```", ""),
            ("1\n```", "1\n```"),
            ("```1```", "```1```"),
            ("``\n``", "``\n``"),
            ("~~~1", "~~~1"),
            ("", ""),
        ]:
            with self.subTest(source):
                self.assertEqual(_fence.without_fence(source, "script.py"), expected)

        with self.assertRaises(SyntaxError) as failed:
            _fence.without_fence("```py\n1\n```\n\n It is 1.\n```", "script.py")
        self.assertEqual((failed.exception.lineno, failed.exception.offset), (5, 2))


if __name__ == "__main__":
    unittest.main()
