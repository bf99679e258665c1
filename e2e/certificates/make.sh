#!/bin/sh
# Makes the certificates of the tests beside itself, valid for 100 years; a run of the tests calls it. They are not in git.
#
#   authority.pem               signed the others, but for untrusted.pem; its key is not kept
#   server.pem, server.key      localhost, 127.0.0.1, ::1; server-encrypted.key is the same key, password "test-key-password",
#                               and server-traditional.key too, in the older form of OpenSSL
#   wrong-host.pem, .key        of the same authority, for elsewhere.example
#   expired.pem, .key           as server.pem, but its time is over
#   untrusted.pem, .key         as server.pem, of an authority that nobody trusts
#   providers.pem, .key         of the same authority, for the hosts of model providers, which the tests' proxy leads to a stand-in
#   client.pem, client.key      of a client, for TLS in both directions
#   untrusted-client.pem, .key  of a client, of the authority that nobody trusts
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

new_key() {
	openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"
}

make_authority() { # file, name
	new_key "$work/$1.key"
	openssl req -x509 -new -key "$work/$1.key" -subj "/CN=$2" -days 36500 -out "$work/$1.pem" \
		-addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign
}

make_certificate() { # file, authority, name, usage, alternative names or empty, further options
	new_key "$1.key"
	{
		echo "basicConstraints=critical,CA:FALSE"
		echo "keyUsage=critical,digitalSignature"
		echo "extendedKeyUsage=$4"
		if [ -n "$5" ]; then echo "subjectAltName=$5"; fi
	} >"$work/extensions"
	openssl req -new -key "$1.key" -subj "/CN=$3" -out "$work/request.pem"
	openssl x509 -req -in "$work/request.pem" -CA "$work/$2.pem" -CAkey "$work/$2.key" \
		-set_serial "0x$(openssl rand -hex 16)" -extfile "$work/extensions" ${6:--days 36500} -out "$1.pem"
}

here="DNS:localhost,IP:127.0.0.1,IP:::1"
make_authority authority "Spanward test authority"
make_authority nobody "An authority that nobody trusts"
make_certificate server authority localhost serverAuth "$here"
openssl pkey -in server.key -aes-256-cbc -passout pass:test-key-password -out server-encrypted.key
openssl ec -in server.key -aes256 -passout pass:test-key-password -out server-traditional.key
make_certificate wrong-host authority elsewhere.example serverAuth "DNS:elsewhere.example"
make_certificate expired authority localhost serverAuth "$here" "-days -1"
make_certificate untrusted nobody localhost serverAuth "$here"
providers="DNS:api.openai.com,DNS:api.anthropic.com,DNS:*.googleapis.com,DNS:*.openai.azure.com,DNS:*.us-east-1.amazonaws.com"
make_certificate providers authority providers serverAuth "$providers,DNS:login.microsoftonline.com,DNS:login.microsoftonline.us"
make_certificate client authority "a client" clientAuth ""
make_certificate untrusted-client nobody "another client" clientAuth ""
cp "$work/authority.pem" authority.pem
# As other users read them: directories and databases that tests start have users of their own.
chmod 644 ./*.pem ./*.key
