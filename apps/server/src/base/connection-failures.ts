/** Why there is no connection to another server. */
export type ConnectionFailure =
	| "unknown_host"
	| "refused"
	| "unreachable"
	| "hung_up"
	| "timeout"
	| "self_signed_certificate"
	| "untrusted_certificate"
	| "expired_certificate"
	| "early_certificate"
	| "certificate_of_another"
	| "no_tls";

/** Codes of the system, of Node and of OpenSSL. */
const FAILURES: Readonly<Record<string, ConnectionFailure>> = {
	ENOTFOUND: "unknown_host",
	EAI_AGAIN: "unknown_host",
	ENODATA: "unknown_host",
	ECONNREFUSED: "refused",
	EHOSTUNREACH: "unreachable",
	ENETUNREACH: "unreachable",
	ECONNRESET: "hung_up",
	EPIPE: "hung_up",
	ETIMEDOUT: "timeout",
	ABORT_ERR: "timeout",
	DEPTH_ZERO_SELF_SIGNED_CERT: "self_signed_certificate",
	SELF_SIGNED_CERT_IN_CHAIN: "untrusted_certificate",
	UNABLE_TO_GET_ISSUER_CERT: "untrusted_certificate",
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "untrusted_certificate",
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: "untrusted_certificate",
	CERT_UNTRUSTED: "untrusted_certificate",
	CERT_SIGNATURE_FAILURE: "untrusted_certificate",
	INVALID_CA: "untrusted_certificate",
	CERT_HAS_EXPIRED: "expired_certificate",
	CERT_NOT_YET_VALID: "early_certificate",
	ERR_TLS_CERT_ALTNAME_INVALID: "certificate_of_another",
	EPROTO: "no_tls",
	ERR_SSL_WRONG_VERSION_NUMBER: "no_tls",
	ERR_SSL_PACKET_LENGTH_TOO_LONG: "no_tls",
};

/** The failure that the code of an error stands for; undefined for any other code. */
export function connectionFailure(error: unknown): ConnectionFailure | undefined {
	const code = codeOf(error);
	return Object.hasOwn(FAILURES, code) ? FAILURES[code] : undefined;
}

/** The `code` of an error; empty when it has none. */
export function codeOf(error: unknown): string {
	return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
