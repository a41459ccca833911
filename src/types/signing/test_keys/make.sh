#!/usr/bin/env bash
# Makes the keys and certificates of the tests anew with OpenSSL 3. They protect nothing; the password is `secret`.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
new() { openssl "$@" 2>/dev/null; }
issue() { # name of the key, subject
    new req -new -key "$1.key" -subj "$2" -utf8 -out "$1.csr"
    new x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -days 36500 -out "$1.pem" \
        -extfile <(printf 'keyUsage=critical,digitalSignature,nonRepudiation\n')
}
new genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ca.key
new req -x509 -new -key ca.key -days 36500 -subj '/CN=Test CA' -out ca.pem
new genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out p256.key
new genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out p384.key
new genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out rsa.key
new genpkey -algorithm ED25519 -out ed25519.key
new genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp521r1 -out p521.key
new genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out short.key
issue p256 '/CN=Zhang Wei/O=Example'
issue p384 '/CN=P-384'
issue rsa '/CN=RSA'
issue ed25519 '/CN=Ed25519'
# PKCS#12 as OpenSSL 3 writes it, and as older programs do.
new pkcs12 -export -inkey p256.key -in p256.pem -certfile ca.pem -name key -passout pass:secret -out p256.p12
new pkcs12 -export -legacy -inkey rsa.key -in rsa.pem -certfile ca.pem -passout pass:secret -out rsa-legacy.p12
# PEM: PKCS#8 with and without a password, SEC 1, PKCS#1.
new pkcs8 -topk8 -in p384.key -passout pass:secret -out p384-encrypted.key
new ec -in p256.key -out p256-sec1.key
new rsa -in rsa.key -traditional -out rsa-pkcs1.key
new rsa -in rsa.key -traditional -aes128 -passout pass:secret -out rsa-old.key
rm -f ./*.csr ./*.srl ca.key p384.key
