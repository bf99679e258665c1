import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { TestServer } from "../server.ts";
import { type Client, createAccount, createUserKey, logIn, logInAs, startWithAuth } from "./accounts.ts";

const STREAM = "/v1/projects/default/stream";

let server: TestServer;
let open: IncomingMessage[] = [];

beforeAll(async () => {
	server = await startWithAuth();
});
afterEach(() => {
	for (const view of open) view.destroy();
	open = [];
});
afterAll(() => server[Symbol.asyncDispose]());

/** A live view on a connection of its own, which stays open until the end of the test. */
async function view(token: string): Promise<IncomingMessage> {
	const sent = get(server.url + STREAM, { agent: false, headers: { authorization: `Bearer ${token}` } });
	const [answer]: IncomingMessage[] = await once(sent, "response");
	if (answer === undefined) throw new Error("the server did not answer");
	answer.on("error", () => {}).resume();
	open.push(answer);
	return answer;
}

function accessTokenOf(client: Client): string {
	return client.cookies.get("service-access-token") ?? "";
}

test("the live views of one user, however they are opened, leave room for those of others", async () => {
	const viewer = await logInAs(server, "VIEWER");
	const tokens = [await createUserKey(viewer), await createUserKey(viewer), accessTokenOf(viewer)];
	const statuses = new Set<number | undefined>();
	for (let count = 0; count < 70; count++) {
		statuses.add((await view(tokens[count % tokens.length] ?? "")).statusCode);
	}
	expect([...statuses].sort()).toEqual([200, 429]);
	expect((await view(accessTokenOf(await logInAs(server, "MEMBER")))).statusCode).toBe(200);
});

test("T040 a live view that was opened with a stolen token ends with a new password", async () => {
	const { email, password } = await createAccount(server, "MEMBER");
	const owner = await logIn(server, email, password);
	const stolen = await view(accessTokenOf(owner));
	expect(stolen.statusCode).toBe(200);
	await sleep(1_500);
	expect(stolen.closed).toBe(false);
	await owner.data("PATCH", "/v1/user", { password: "third-Password3!", current_password: password });
	await expect.poll(() => stolen.closed).toBe(true);
	expect((await view(accessTokenOf(owner))).statusCode).toBe(200);
});
