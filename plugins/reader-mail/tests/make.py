#!/usr/bin/env python3
"""Make the mails of the tests with Python's `email` and `mailbox`; S/MIME with `openssl`.

    python3 make.py files
"""

import mailbox
import subprocess
import sys
import tempfile
from email import policy
from email.headerregistry import Address
from email.message import EmailMessage, MIMEPart
from pathlib import Path

out = Path(sys.argv[1])
out.mkdir(exist_ok=True)
GIF = bytes.fromhex("47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b")


def head(subject, **more):
    mail = EmailMessage(policy=policy.SMTP)
    mail["Subject"] = subject
    mail["From"] = Address("王芳", "wang.fang", "example.com")
    mail["To"] = [Address("李雷", "li.lei", "example.com"), Address("", "team", "example.com")]
    mail["Date"] = "Tue, 05 Mar 2024 09:30:00 +0800"
    mail["Message-ID"] = "<20240305.1@example.com>"
    for name, value in more.items():
        mail[name] = value
    return mail


# Both forms of a text, a table in the page, pictures in it, files with encoded names.
mail = head("二月销售数据", Cc=Address("Zoë Müller", "zoe", "example.org"))
mail.set_content("各位好，\n\n二月数据见下表和附件。\n\n> 上周的问题\n>> 更早的问题\n\n王芳\n")
mail.add_alternative(
    "<html><body><p>各位好，</p><p>二月数据见下表和附件。<img src='cid:logo@x'></p>"
    "<table><tr><th>区域</th><th>金额</th></tr><tr><td>东</td><td>1200</td></tr><tr><td>西</td><td>15%</td></tr></table>"
    "<blockquote>上周的问题</blockquote><p>王芳</p></body></html>",
    subtype="html",
)
mail.get_payload()[1].add_related(GIF, "image", "gif", cid="<logo@x>", disposition="inline", filename="logo.gif")
mail.add_attachment("区域,金额\n东,1200\n".encode("gbk"), maintype="text", subtype="csv", filename="销售 二月.csv")
mail.add_attachment(b"%PDF-1.4 none", maintype="application", subtype="pdf", filename="../../etc/passwd")
inner = head("里面的邮件")
inner.set_content("转发的内容。\n")
mail.add_attachment(inner)
(out / "sales.eml").write_bytes(bytes(mail))

# Texts in the encodings of Chinese and Japanese systems.
for name, charset, text in [
    ("gbk", "gb2312", "关于第三季度销售数据的说明"),
    ("big5", "big5", "關於第三季銷售數據的說明"),
    ("jp", "iso-2022-jp", "第三四半期の売上について"),
]:
    mail = head(text)
    body = MIMEPart(policy=policy.SMTP)
    raw = text.encode(charset)
    import base64

    subject = f"=?{charset}?B?{base64.b64encode(raw).decode()}?="
    (out / f"{name}.eml").write_bytes(
        f"Subject: {subject}\r\nFrom: a@example.com\r\nTo: b@example.com\r\nMIME-Version: 1.0\r\n"
        f"Date: Tue, 5 Mar 2024 09:30:00 +0800\r\nContent-Type: text/plain; charset={charset}\r\n"
        "Content-Transfer-Encoding: 8bit\r\n\r\n".encode() + raw + b"\r\n"
    )
# Some systems declare no encoding.
text = "关于二〇二四年第三季度销售数据的说明".encode("gbk")
(out / "bare.eml").write_bytes(
    b"Subject: " + text + b"\r\nFrom: a@example.com\r\nTo: b@example.com\r\nMIME-Version: 1.0\r\n"
    b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n" + text
    + b"\r\n--b\r\nContent-Type: application/octet-stream; name=\"" + text
    + b".xls\"\r\nContent-Transfer-Encoding: base64\r\n\r\nQUJD\r\n--b--\r\n"
)

# Flowed lines, and a file in the text.
mail = head("flowed")
mail.set_content("x")
mail.replace_header("Content-Type", 'text/plain; charset="utf-8"; format=flowed')
mail.set_payload("one line \r\nthat goes on\r\n\r\n> quoted \r\n> too\r\n\r\nbegin 644 cat.txt\r\n#0V%T\r\n`\r\nend\r\n")
(out / "flowed.eml").write_bytes(bytes(mail))

# A stub beside a page.
mail = head("newsletter")
mail.set_content("Please view this mail in a browser.\n")
mail.add_alternative(
    "<table><tr><td><table><tr><td><h1>News</h1><p>" + "All that happened in spring is told here. " * 20
    + "</p></td></tr></table></td></tr></table>",
    subtype="html",
)
(out / "shell.eml").write_bytes(bytes(mail))

# A mailbox with a text line that looks like a separator.
box_path = out / "box.mbox"
box_path.unlink(missing_ok=True)
box = mailbox.mbox(box_path)
for number in range(1, 4):
    mail = head(f"第 {number} 封")
    mail.set_content(f"From here on it is text {number}.\n")
    if number == 2:
        mail.add_attachment("附件内容\n", filename="附件.txt")
    box.add(mailbox.mboxMessage(mail))
box.flush()

# A saved page.
page = MIMEPart(policy=policy.SMTP)
page.set_content("<html><head><title>季度报告</title></head><body><h1>报告</h1><p>正文 €</p><img src='x.gif'></body></html>", subtype="html")
page["Content-Location"] = "https://example.com/report"
saved = EmailMessage(policy=policy.SMTP)
saved["From"] = "<Saved by Blink>"
saved["Snapshot-Content-Location"] = "https://example.com/report"
saved["Subject"] = "report"
saved["MIME-Version"] = "1.0"
saved["Content-Type"] = 'multipart/related; type="text/html"; boundary="x"'
picture = MIMEPart(policy=policy.SMTP)
picture.set_content(GIF, "image", "gif")
picture["Content-Location"] = "https://example.com/x.gif"
saved.set_payload([page, picture])
(out / "page.mhtml").write_bytes(bytes(saved))

# Both forms of a signature, and encryption.
with tempfile.TemporaryDirectory() as folder:
    folder = Path(folder)
    run = lambda *words: subprocess.run(words, cwd=folder, check=True, capture_output=True)
    run("openssl", "req", "-x509", "-newkey", "rsa:1024", "-keyout", "k", "-out", "c", "-nodes", "-subj", "/CN=x", "-days", "9999")
    (folder / "in").write_bytes("Content-Type: text/plain; charset=utf-8\r\n\r\n签名的内容\r\n".encode())
    fields = ["-from", "a@example.com", "-to", "b@example.com", "-subject", "signed"]
    run("openssl", "smime", "-sign", "-binary", "-in", "in", "-out", "clear", "-signer", "c", "-inkey", "k", *fields)
    run("openssl", "smime", "-sign", "-binary", "-nodetach", "-in", "in", "-out", "opaque", "-signer", "c", "-inkey", "k", *fields)
    run("openssl", "cms", "-sign", "-stream", "-binary", "-nodetach", "-in", "in", "-out", "stream", "-signer", "c", "-inkey", "k", *fields)
    run("openssl", "smime", "-encrypt", "-aes256", "-in", "in", "-out", "secret", *fields, "c")
    for name in ["clear", "opaque", "stream", "secret"]:
        (out / f"{name}.eml").write_bytes((folder / name).read_bytes())
