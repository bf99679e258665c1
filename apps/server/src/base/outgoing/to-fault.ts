import { type ConnectionFailure, codeOf, connectionFailure } from "../connection-failures.ts";
import { isLoopback } from "../loopback.ts";
import { OutgoingFault, type OutgoingFaultDetails, type OutgoingReason, outgoingFaultIn } from "./outgoing-fault.ts";

type Meaning = readonly [reason: OutgoingReason, message: string, details?: OutgoingFaultDetails];

const IN_A_CONTAINER =
	"In a container, localhost is the container itself: use the name of the machine, such as host.docker.internal, or that of the other container.";
const INTERRUPTED: Meaning = [
	"interrupted",
	"The connection broke before the answer was complete.",
	{ isPassing: true },
];
const UNKNOWN_AUTHORITY: Meaning = [
	"untrusted_certificate",
	"The certificate of the host is signed by an authority that is not trusted here: set SERVICE_OUTGOING_CA_CERT_FILE to the PEM file with the certificate of that authority.",
	{ setting: "SERVICE_OUTGOING_CA_CERT_FILE" },
];

const OF_CONNECTION: Readonly<Record<ConnectionFailure, Meaning>> = {
	unknown_host: ["unreachable", "The name of the host cannot be resolved.", { isPassing: true }],
	refused: ["unreachable", "Nothing listens at the address.", { isPassing: true }],
	unreachable: ["unreachable", "The host cannot be reached from here.", { isPassing: true }],
	timeout: ["unreachable", "The host did not take the connection in time.", { isPassing: true }],
	hung_up: INTERRUPTED,
	no_tls: ["unreachable", "The host does not speak TLS here: the address may have to begin with http://."],
	self_signed_certificate: UNKNOWN_AUTHORITY,
	untrusted_certificate: UNKNOWN_AUTHORITY,
	expired_certificate: [
		"untrusted_certificate",
		"The certificate of the host has expired: renew it, or set the clock of this machine.",
	],
	early_certificate: [
		"untrusted_certificate",
		"The certificate of the host is not valid yet: set the clock of this machine.",
	],
	certificate_of_another: [
		"untrusted_certificate",
		"The certificate of the host is for other names: use one of those in the address.",
	],
};

const OF_CODES: Readonly<Record<string, Meaning>> = {
	UND_ERR_CONNECT_TIMEOUT: OF_CONNECTION.timeout,
	UND_ERR_SOCKET: INTERRUPTED,
	UND_ERR_RES_CONTENT_LENGTH_MISMATCH: INTERRUPTED,
	UND_ERR_HEADERS_OVERFLOW: ["bad_response", "The headers of the answer are too large."],
	Z_BUF_ERROR: INTERRUPTED,
};
const NOT_HTTP: Meaning = ["bad_response", "The answer is not HTTP."];
const NOT_COMPRESSED: Meaning = ["bad_response", "The answer cannot be decompressed."];

/** What an error means that the connection, undici or decompression had. */
export function toFault(error: unknown): OutgoingFault {
	const known = outgoingFaultIn(error);
	if (known !== undefined) return known;
	const root = rootOf(error);
	const [reason, message, details] = meaningOf(root);
	const hint = connectionFailure(root) === "refused" && isLoopback(addressOf(root)) ? ` ${IN_A_CONTAINER}` : "";
	return new OutgoingFault(reason, message + hint, { ...details, cause: error });
}

/** The first error of several attempts, or what caused an error, as far as its code says something. */
function rootOf(error: unknown): unknown {
	if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0]);
	if (error instanceof Error && error.cause !== undefined && !isKnown(error)) return rootOf(error.cause);
	return error;
}

function isKnown(error: Error): boolean {
	return connectionFailure(error) !== undefined || Object.hasOwn(OF_CODES, codeOf(error));
}

function meaningOf(error: unknown): Meaning {
	const failure = connectionFailure(error);
	if (failure !== undefined) return OF_CONNECTION[failure];
	const code = codeOf(error);
	if (error instanceof Error && error.name === "HTTPParserError") return NOT_HTTP;
	return OF_CODES[code] ?? (/^(Z_|ERR_(BROTLI_|_ERROR_|ZSTD_)|ZSTD_)/.test(code) ? NOT_COMPRESSED : INTERRUPTED);
}

function addressOf(error: unknown): string {
	return error instanceof Error && "address" in error && typeof error.address === "string" ? error.address : "";
}
