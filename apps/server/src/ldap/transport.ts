import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from "node:tls";
import type { Config } from "../config.ts";
import type { Steps } from "../sign-in/steps.ts";
import { BerError, readElement } from "./ber.ts";
import { fact, ServerFailure } from "./failures.ts";
import { readResponse } from "./responses.ts";

export interface LdapServer {
	/** A name, an IPv4 or an IPv6 address. */
	readonly host: string;
	readonly port: number;
	/** For people. */
	readonly address: string;
}

/** From the first packet to a connection that is encrypted. */
const CONNECT_MS = 3_000;

/** ExtendedRequest 1 with the name 1.3.6.1.4.1.1466.20037 (RFC 4511, 4.14). */
const START_TLS = Buffer.concat([
	Buffer.from([0x30, 0x1d, 0x02, 0x01, 0x01, 0x77, 0x18, 0x80, 0x16]),
	Buffer.from("1.3.6.1.4.1.1466.20037"),
]);
const MAX_START_TLS_ANSWER = 4_096;

/** Connects to servers as the settings say. Nothing is sent before the connection is encrypted but the wish for that. */
export class Transport {
	readonly #config: Config;
	#context: SecureContext | undefined;

	constructor(config: Config) {
		this.#config = config;
	}

	/**
	 * @param steps where what was done is noted, when it is worth it
	 * @throws ServerFailure
	 */
	async open(server: LdapServer, steps: Steps | undefined, signal: AbortSignal): Promise<Socket> {
		const mode = this.#config.SERVICE_LDAP_TLS_MODE;
		const limit = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
		const socket = connect({ host: server.host, port: server.port, noDelay: true });
		ignoreLateErrors(socket);
		try {
			await once(socket, "connect", { signal: limit }).catch((error: unknown) => {
				throw connectFailure(server, error);
			});
			steps?.ok("connect", `Connected to ${server.address}.`);
			if (mode === "none") {
				steps?.warn("tls", `Passwords go to ${server.address} without encryption.`, {
					settings: ["SERVICE_LDAP_TLS_MODE"],
				});
				return socket;
			}
			const context = await this.#secureContext();
			if (mode === "starttls") await startTls(socket, server, limit);
			return await this.#encrypt(socket, server, context, steps, limit);
		} catch (error) {
			socket.destroy();
			throw error;
		}
	}

	/** Why a connection broke. With TLS 1.3 a server refuses the client's certificate only when the connection is open. */
	describeBreak(server: LdapServer, cause: Error, hasAnswered: boolean): ServerFailure {
		const isEncrypted = this.#config.SERVICE_LDAP_TLS_MODE !== "none";
		if (isEncrypted && (!hasAnswered || codeOf(cause).startsWith("ERR_SSL_"))) {
			return certificateRefused(server, cause, this.#config);
		}
		const settings = ["SERVICE_LDAP_HOST", "SERVICE_LDAP_PORT"];
		const text = `${server.address} ended the connection.`;
		return new ServerFailure("connect", text, { settings, facts: [reason(cause)], cause });
	}

	async #encrypt(
		socket: Socket,
		server: LdapServer,
		secureContext: SecureContext,
		steps: Steps | undefined,
		signal: AbortSignal,
	): Promise<TLSSocket> {
		const verify = this.#config.SERVICE_LDAP_TLS_VERIFY;
		// `host` is what the names in the certificate are compared with, an address with its IP addresses.
		// An address is no server name (RFC 6066, 3).
		const servername = isIP(server.host) === 0 ? { servername: server.host } : {};
		const secure = connectTls({ socket, host: server.host, ...servername, secureContext, rejectUnauthorized: verify });
		ignoreLateErrors(secure);
		try {
			await once(secure, "secureConnect", { signal });
		} catch (error) {
			secure.destroy();
			throw tlsFailure(server, error, this.#config);
		}
		if (steps !== undefined) noteTls(steps, server, secure, verify);
		return secure;
	}

	async #secureContext(): Promise<SecureContext> {
		if (this.#context !== undefined) return this.#context;
		const {
			SERVICE_LDAP_TLS_CA_CERT_FILE: caFile,
			SERVICE_LDAP_TLS_CLIENT_CERT_FILE: certFile,
			SERVICE_LDAP_TLS_CLIENT_KEY_FILE: keyFile,
		} = this.#config;
		const [ca, cert, key] = await Promise.all([
			read("SERVICE_LDAP_TLS_CA_CERT_FILE", caFile),
			read("SERVICE_LDAP_TLS_CLIENT_CERT_FILE", certFile),
			read("SERVICE_LDAP_TLS_CLIENT_KEY_FILE", keyFile),
		]);
		try {
			this.#context = createSecureContext({ ca, cert, key, minVersion: "TLSv1.2" });
		} catch (cause) {
			const settings = ["SERVICE_LDAP_TLS_CA_CERT_FILE"];
			if (certFile !== null) settings.push("SERVICE_LDAP_TLS_CLIENT_CERT_FILE", "SERVICE_LDAP_TLS_CLIENT_KEY_FILE");
			throw new ServerFailure("tls", "The certificates for the directory cannot be used together.", {
				settings,
				cause,
			});
		}
		return this.#context;
	}
}

function noteTls(steps: Steps, { address }: LdapServer, socket: TLSSocket, isVerified: boolean): void {
	const certificate = socket.getPeerX509Certificate();
	const facts = [{ name: "protocol", value: socket.getProtocol() ?? "" }];
	if (certificate !== undefined) {
		facts.push(
			fact("certificate of", certificate.subject.replaceAll("\n", ", ")),
			fact("names", certificate.subjectAltName ?? ""),
			fact("valid until", certificate.validToDate.toISOString()),
		);
	}
	if (isVerified) {
		steps.ok("tls", `The connection to ${address} is encrypted, and its certificate is good.`, { facts });
	} else {
		const text = `The connection to ${address} is encrypted, but its certificate is not checked.`;
		steps.warn("tls", text, { settings: ["SERVICE_LDAP_TLS_VERIFY"], facts });
	}
}

async function read(name: string, path: string | null): Promise<Buffer | undefined> {
	if (path === null) return undefined;
	try {
		return await readFile(path);
	} catch (cause) {
		throw new ServerFailure("tls", `The file of ${name} cannot be read.`, { settings: [name], cause });
	}
}

/** @throws ServerFailure unless the server agrees, and has said nothing else that would count as said under TLS */
async function startTls(socket: Socket, server: LdapServer, signal: AbortSignal): Promise<void> {
	const settings = ["SERVICE_LDAP_TLS_MODE", "SERVICE_LDAP_PORT"];
	let answer = Buffer.alloc(0);
	socket.write(START_TLS);
	try {
		do answer = Buffer.concat([answer, await nextChunk(socket, signal)]);
		while (answer.length <= MAX_START_TLS_ANSWER && readElement(answer) === undefined);
	} catch (cause) {
		const problem = isAbort(cause) ? "does not answer" : "does not speak LDAP";
		const text = `${server.address} ${problem} when asked for StartTLS: with the port of LDAPS use SERVICE_LDAP_TLS_MODE=ldaps.`;
		throw new ServerFailure("tls", text, { settings, facts: [reason(cause)], cause });
	}
	const response = readStartTlsAnswer(answer);
	if (response === undefined) {
		const text = `${server.address} answers wrongly when asked for StartTLS: somebody in between may have changed it.`;
		throw new ServerFailure("tls", text, { settings });
	}
	if (response !== 0) {
		const text = `${server.address} refuses StartTLS: set up its TLS, or use its port of LDAPS with SERVICE_LDAP_TLS_MODE=ldaps.`;
		throw new ServerFailure("tls", text, { settings, facts: [{ name: "result code", value: String(response) }] });
	}
}

/** The result code; undefined for anything but one answer to the request. */
function readStartTlsAnswer(answer: Buffer): number | undefined {
	try {
		const response = readResponse(answer);
		const isAnswer = response.kind === "result" && response.operation === "extended" && response.id === 1;
		return isAnswer ? response.result.code : undefined;
	} catch (error) {
		if (error instanceof BerError) return undefined;
		throw error;
	}
}

async function nextChunk(socket: Socket, signal: AbortSignal): Promise<Buffer> {
	await once(socket, "readable", { signal });
	const chunk: unknown = socket.read();
	if (!Buffer.isBuffer(chunk)) throw new Error("closed");
	return chunk;
}

/** Whoever waits for a socket is told; what breaks it afterwards closes it, and whoever uses it sees that. */
function ignoreLateErrors(socket: Socket): void {
	socket.on("error", () => undefined);
}

function connectFailure({ address }: LdapServer, cause: unknown): ServerFailure {
	const settings = ["SERVICE_LDAP_HOST", "SERVICE_LDAP_PORT"];
	const details = { settings, facts: [reason(cause)], cause };
	const code = codeOf(cause);
	if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
		return new ServerFailure("connect", `The name of the directory server ${address} is not known here.`, details);
	}
	if (code === "ECONNREFUSED") return new ServerFailure("connect", `Nobody listens at ${address}.`, details);
	if (isAbort(cause)) {
		return new ServerFailure("connect", `The directory server ${address} does not answer in time.`, details);
	}
	return new ServerFailure("connect", `The directory server ${address} cannot be reached.`, details);
}

/** Of OpenSSL: nobody here knows who signed it. */
const UNTRUSTED = new Set([
	"DEPTH_ZERO_SELF_SIGNED_CERT",
	"SELF_SIGNED_CERT_IN_CHAIN",
	"UNABLE_TO_GET_ISSUER_CERT",
	"UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
	"UNABLE_TO_VERIFY_LEAF_SIGNATURE",
	"CERT_SIGNATURE_FAILURE",
	"INVALID_CA",
]);

/** A failure of the handshake, or of what the server said first after it. */
function tlsFailure(server: LdapServer, cause: unknown, config: Config): ServerFailure {
	const { address, host } = server;
	const code = codeOf(cause);
	const facts = [reason(cause)];
	const failure = (text: string, ...settings: string[]) => new ServerFailure("tls", text, { settings, facts, cause });
	if (UNTRUSTED.has(code)) {
		const text = `The certificate of ${address} is signed by an authority that is not trusted: name its PEM file.`;
		return failure(text, "SERVICE_LDAP_TLS_CA_CERT_FILE");
	}
	if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
		const problem = code === "CERT_HAS_EXPIRED" ? "has expired" : "is not valid yet";
		return failure(`The certificate of ${address} ${problem}: renew it there, or put the clocks right.`);
	}
	if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
		const names = cause instanceof Error && "cert" in cause ? certificateNames(cause.cert) : "";
		if (names !== "") facts.push(fact("names", names));
		return failure(
			`The certificate of ${address} is not for the name ${host}: use a name that is in it.`,
			"SERVICE_LDAP_HOST",
		);
	}
	if (/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_UNKNOWN/.test(code)) {
		return certificateRefused(server, cause, config);
	}
	const settings = ["SERVICE_LDAP_TLS_MODE", "SERVICE_LDAP_PORT"];
	if (isAbort(cause)) return failure(`${address} does not answer to TLS in time.`, ...settings);
	return failure(`There is no TLS with ${address}: its port may be one of another mode.`, ...settings);
}

function certificateRefused({ address }: LdapServer, cause: unknown, config: Config): ServerFailure {
	const text =
		config.SERVICE_LDAP_TLS_CLIENT_CERT_FILE === null
			? `${address} hangs up after TLS has begun: it may ask for a client certificate.`
			: `${address} hangs up after TLS has begun: it may not take the client certificate.`;
	const settings = ["SERVICE_LDAP_TLS_CLIENT_CERT_FILE", "SERVICE_LDAP_TLS_CLIENT_KEY_FILE"];
	return new ServerFailure("tls", text, { settings, facts: [reason(cause)], cause });
}

function certificateNames(certificate: unknown): string {
	if (typeof certificate !== "object" || certificate === null || !("subjectaltname" in certificate)) return "";
	return typeof certificate.subjectaltname === "string" ? certificate.subjectaltname : "";
}

function codeOf(error: unknown): string {
	return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

function reason(error: unknown) {
	return fact("reason", codeOf(error) || (error instanceof Error ? error.message : ""));
}

function isAbort(error: unknown): boolean {
	return error instanceof Error && error.name === "AbortError";
}
