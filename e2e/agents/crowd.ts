import { Agent, request } from "node:http";
import type { TestServer } from "../server.ts";

/** What became of calls that were sent at once. */
export interface CrowdAnswers {
	/** How many were answered with each status. */
	readonly statuses: ReadonlyMap<number, number>;
	/** Values of `Retry-After`, one for each 429 that has it. */
	readonly waits: readonly number[];
	/** What tools answered, of the calls that were let in: JSON or an event stream. */
	readonly bodies: readonly string[];
}

/**
 * Calls a tool of the MCP endpoint so often at the same moment, each call on a connection of its own.
 * @param keys of the callers, who take turns
 */
export async function callAtOnce(
	server: Pick<TestServer, "port">,
	keys: readonly string[],
	calls: number,
	name: string,
	args: object,
): Promise<CrowdAnswers> {
	const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
	const statuses = new Map<number, number>();
	const waits: number[] = [];
	const bodies: string[] = [];
	const call = async (id: number) => {
		const { status, wait, body } = await post(server.port, agent, keys[id % keys.length] ?? "", {
			...{ jsonrpc: "2.0", id, method: "tools/call" },
			params: { name, arguments: args },
		});
		statuses.set(status, (statuses.get(status) ?? 0) + 1);
		if (status === 200) bodies.push(body);
		if (status === 429 && wait !== undefined) waits.push(Number(wait));
	};
	await Promise.all(Array.from({ length: calls }, (_, id) => call(id)));
	return { statuses, waits, bodies };
}

interface Answer {
	readonly status: number;
	readonly wait: string | undefined;
	readonly body: string;
}

function post(port: number, agent: Agent, key: string, message: object): Promise<Answer> {
	const headers = {
		authorization: `Bearer ${key}`,
		accept: "application/json, text/event-stream",
		"content-type": "application/json",
		"mcp-protocol-version": "2025-11-25",
	};
	return new Promise((resolve, reject) => {
		const sent = request({ host: "127.0.0.1", port, path: "/mcp", method: "POST", agent, headers }, (answer) => {
			let body = "";
			answer.setEncoding("utf8").on("data", (text: string) => {
				body += text;
			});
			answer.on("error", reject).on("end", () => {
				resolve({ status: answer.statusCode ?? 0, wait: answer.headers["retry-after"], body });
			});
		});
		sent.on("error", reject).end(JSON.stringify(message));
	});
}
