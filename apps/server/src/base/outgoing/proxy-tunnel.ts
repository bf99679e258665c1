import type { ClientRequest } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { type ConnectionFailure, connectionFailure } from "../connection-failures.ts";
import type { Target } from "./address-rules.ts";
import { OutgoingFault } from "./outgoing-fault.ts";

const SETTING = "SERVICE_OUTGOING_PROXY_URL";

/** Asks an HTTP proxy for connections to others (RFC 9110, 9.3.6). */
export class ProxyTunnel {
	readonly #proxy: URL;
	readonly #tls: () => ConnectionOptions;
	readonly #timeoutMs: number;

	/** @param tls whom to trust, for a proxy that is reached over TLS */
	constructor(proxy: URL, tls: () => ConnectionOptions, timeoutMs: number) {
		this.#proxy = proxy;
		this.#tls = tls;
		this.#timeoutMs = timeoutMs;
	}

	/** @throws OutgoingFault when the proxy is not there or does not connect */
	async open({ host, port }: Target): Promise<Socket> {
		const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
		const asked = this.#ask(authority);
		const late = setTimeout(() => asked.destroy(unusable("it did not answer in time")), this.#timeoutMs);
		try {
			return await new Promise<Socket>((resolve, reject) => {
				asked.once("connect", ({ statusCode = 0 }, socket: Socket, head) => {
					if (statusCode < 200 || statusCode > 299) {
						socket.destroy();
						return reject(refusedWith(statusCode));
					}
					socket.unshift(head);
					resolve(socket);
				});
				asked.once("error", (error) => reject(error instanceof OutgoingFault ? error : toFault(error)));
				asked.end();
			});
		} finally {
			clearTimeout(late);
		}
	}

	#ask(authority: string): ClientRequest {
		const { protocol, hostname, port, username, password } = this.#proxy;
		const account = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
		const options = {
			method: "CONNECT",
			host: hostname.replace(/^\[|\]$/g, ""),
			path: authority,
			headers: {
				host: authority,
				...(account === ":" ? {} : { "proxy-authorization": `Basic ${Buffer.from(account).toString("base64")}` }),
			},
			agent: false,
		} as const;
		// Not imported, for the reason in ../node-http.ts.
		if (protocol === "http:") return process.getBuiltinModule("node:http").request({ ...options, port: port || 80 });
		return process.getBuiltinModule("node:https").request({
			...options,
			port: port || 443,
			...this.#tls(),
		});
	}
}

function refusedWith(status: number): OutgoingFault {
	const message =
		status === 407
			? `The proxy of ${SETTING} wants a user and password, or refuses those in the setting.`
			: `The proxy of ${SETTING} did not connect to the host: it answered ${status}.`;
	return new OutgoingFault("proxy", message, { setting: SETTING, isPassing: status >= 500 });
}

const REASONS: Readonly<Partial<Record<ConnectionFailure, string>>> = {
	unknown_host: "the name of its host cannot be resolved",
	refused: "nothing listens at its address",
	unreachable: "its host cannot be reached",
	timeout: "it did not answer in time",
	expired_certificate: "its certificate has expired",
	early_certificate: "its certificate is not valid yet",
	certificate_of_another: "its certificate is for other names",
	no_tls: "it does not speak TLS; its address may have to begin with http://",
};

function toFault(error: Error): OutgoingFault {
	const failure = connectionFailure(error);
	if (failure !== "self_signed_certificate" && failure !== "untrusted_certificate") {
		return unusable(REASONS[failure ?? "hung_up"] ?? "it closed the connection", error);
	}
	return new OutgoingFault(
		"proxy",
		`The certificate of the proxy of ${SETTING} is signed by an authority that is not trusted here: set SERVICE_OUTGOING_CA_CERT_FILE to the PEM file with the certificate of that authority.`,
		{ setting: "SERVICE_OUTGOING_CA_CERT_FILE", cause: error },
	);
}

function unusable(reason: string, cause?: Error): OutgoingFault {
	const message = `The proxy of ${SETTING} cannot be used: ${reason}.`;
	return new OutgoingFault("proxy", message, { setting: SETTING, isPassing: true, cause });
}
