import { once } from "node:events";
import { connect } from "node:net";
import type pg from "pg";
import { readersGone } from "#base/readers-gone.ts";

const CANCEL_REQUEST_BYTES = 16;
const CANCEL_REQUEST_CODE = 80_877_102;
const WITHIN_MS = 5_000;

/** What `pg` knows of a connection, but its types do not. */
type Connected = pg.ClientBase & {
	readonly host: string;
	readonly port: number;
	readonly processID: number | null;
	readonly secretKey: number | null;
};

/** Runs a statement of a connection, which is ended when its readers go. @throws Abandoned */
export async function untilReadersGone<T>(client: pg.ClientBase, run: () => Promise<T>): Promise<T> {
	const gone = readersGone.getStore();
	if (gone === undefined) return await run();
	gone.throwIfAborted();
	let cancelling: Promise<void> | undefined;
	const cancel = () => {
		cancelling = cancelStatement(client as Connected);
	};
	gone.addEventListener("abort", cancel);
	try {
		return await run();
	} catch (error) {
		throw cancelling === undefined ? error : gone.reason;
	} finally {
		gone.removeEventListener("abort", cancel);
		// A request that arrived later would end the next statement of the connection.
		await cancelling;
	}
}

/**
 * Asks the server to end what a connection runs, and waits until it has been told:
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS. Unlike
 * `pg_cancel_backend` this needs no other connection of the pool, and reaches the server through a pooler.
 */
async function cancelStatement({ host, port, processID, secretKey }: Connected): Promise<void> {
	if (processID === null || secretKey === null) return;
	const request = Buffer.alloc(CANCEL_REQUEST_BYTES);
	request.writeInt32BE(CANCEL_REQUEST_BYTES, 0);
	request.writeInt32BE(CANCEL_REQUEST_CODE, 4);
	request.writeInt32BE(processID, 8);
	request.writeInt32BE(secretKey, 12);
	const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
	socket.setTimeout(WITHIN_MS, () => socket.destroy());
	// Where it cannot be told, the statement takes as long as it may.
	socket.on("error", () => socket.destroy());
	socket.write(request);
	socket.resume();
	await once(socket, "close");
}
