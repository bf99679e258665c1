import { once } from "node:events";
import type { Socket } from "node:net";
import { connectionFailure } from "#base/connection-failures.ts";
import { BerError, readElement } from "./ber.ts";
import { reason } from "./connect-failures.ts";
import { ServerFailure } from "./failures.ts";
import { readResponse } from "./responses.ts";
import type { LdapServer } from "./transport.ts";

/** ExtendedRequest 1 with the name 1.3.6.1.4.1.1466.20037 (RFC 4511, 4.14). */
const START_TLS = Buffer.concat([
	Buffer.from([0x30, 0x1d, 0x02, 0x01, 0x01, 0x77, 0x18, 0x80, 0x16]),
	Buffer.from("1.3.6.1.4.1.1466.20037"),
]);
const MAX_START_TLS_ANSWER = 4_096;

/** @throws ServerFailure unless the server agrees, and has said nothing else that would count as said under TLS */
export async function startTls(socket: Socket, server: LdapServer, signal: AbortSignal): Promise<void> {
	const settings = ["SERVICE_LDAP_TLS_MODE", "SERVICE_LDAP_PORT"];
	let answer = Buffer.alloc(0);
	socket.write(START_TLS);
	try {
		do answer = Buffer.concat([answer, await nextChunk(socket, signal)]);
		while (answer.length <= MAX_START_TLS_ANSWER && readElement(answer) === undefined);
	} catch (cause) {
		const problem = connectionFailure(cause) === "timeout" ? "does not answer" : "does not speak LDAP";
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
