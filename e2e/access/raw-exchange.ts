import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestServer } from "../server.ts";

/** Never in an answer: stacks, paths, the words of the database. */
export const INSIDE = /\n\s+at |node_modules|apps\/server|SQLITE|sqlite|NaN/;

/** Writes bytes to the server and reads until it hangs up, or for two seconds from the beginning of an answer. */
export async function exchange(server: TestServer, request: string): Promise<string> {
	const socket = connect(server.port, "127.0.0.1");
	let answer = "";
	const answered = new Promise((resolve) => {
		socket.setEncoding("latin1").on("data", (text: string) => {
			answer += text;
			resolve(undefined);
		});
	});
	socket.on("error", () => undefined); // a reset is a way to hang up
	const closed = new Promise((resolve) => socket.once("close", resolve));
	socket.write(Buffer.from(request, "latin1"));
	await Promise.race([closed, answered.then(() => sleep(2_000))]);
	socket.destroy();
	return answer;
}

export function statusOf(answer: string): number | undefined {
	const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(answer) ?? [];
	return status === undefined ? undefined : Number(status);
}
