import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from "node:tls";
import type { Config } from "#base/config.ts";
import { codeOf } from "#base/connection-failures.ts";
import { fact } from "../sign-in/facts.ts";
import type { Steps } from "../sign-in/steps.ts";
import { certificateRefused, connectFailure, reason, tlsFailure } from "./connect-failures.ts";
import { ServerFailure } from "./failures.ts";
import { startTls } from "./start-tls.ts";

export interface LdapServer {
	/** A name, an IPv4 or an IPv6 address. */
	readonly host: string;
	readonly port: number;
	/** For people. */
	readonly address: string;
}

/** From the first packet to a connection that is encrypted. */
const CONNECT_MS = 3_000;

/** Connects to servers as the settings say. Before the connection is encrypted nothing is sent but StartTLS. */
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

/**
 * Errors while somebody waits for a socket are reported to them; a later one closes the socket, which its user sees.
 */
function ignoreLateErrors(socket: Socket): void {
	socket.on("error", () => undefined);
}
