import type { FastifyReply } from "fastify";
import { expect, test } from "vitest";
import { SecretText } from "#base/secret-text.ts";
import { deriveSigningKeys, type SigningKeys } from "../auth/signing-keys.ts";
import { Transactions } from "./transactions.ts";

const MINUTE = 60_000_000;
const SECRET = "test-secret-0123456789-abcdefghijklmnop";
const BEGUN = {
	provider: "a",
	redirectUri: "http://localhost/oauth2/a/tokens",
	returnUrl: "/x",
	tryOf: null,
	pkce: true,
};

test("T128: a transaction is found by its state for ten minutes", () => {
	const { transactions, jar, begin } = browser();
	const begun = begin();
	expect(transactions.find(begun.state, jar(), 9 * MINUTE)).toEqual(begun);
	expect(transactions.find(begun.state, jar(), 11 * MINUTE)).toBeUndefined();
});

test("each of several tabs has its own transaction, and the oldest ones are forgotten", () => {
	const { transactions, jar, begin } = browser();
	const begun = Array.from({ length: 10 }, (_, minute) => begin(minute));
	expect(jar().cookie.length).toBeLessThan(4_096);
	const found = begun.map(({ state }) => transactions.find(state, jar(), MINUTE) !== undefined);
	expect(found).toEqual([false, false, false, false, false, false, true, true, true, true]);
});

test("a long page to return to leaves fewer tabs room", () => {
	const { jar, begin } = browser();
	for (let minute = 0; minute < 4; minute++) begin(minute, `/${"x".repeat(2_000)}`);
	expect(jar().cookie.length).toBeLessThan(8_192);
});

test("a cookie counts only under its own name, with the same key, and unchanged", () => {
	const { transactions, jar, begin } = browser();
	const [first, second] = [begin(0), begin(1)];
	const [one = "", two = ""] = jar().cookie.split("; ");
	const [name = ""] = two.split("=");
	const swapped = { cookie: `${name}=${one.slice(one.indexOf("=") + 1)}` };
	expect(transactions.find(second.state, swapped, MINUTE)).toBeUndefined();
	expect(transactions.find(first.state, swapped, MINUTE)).toBeUndefined();
	const changed = { cookie: `${one.slice(0, -2)}AA` };
	expect(transactions.find(first.state, changed, MINUTE)).toBeUndefined();
	expect(
		browser("other-secret-0123456789-abcdefghijklmnop").transactions.find(first.state, jar(), MINUTE),
	).toBeUndefined();
	expect(transactions.find(`${first.state.slice(0, 13)}${"A".repeat(32)}`, jar(), MINUTE)).toBeUndefined();
});

test("a transaction that began before SERVICE_SECRET was replaced is still found", () => {
	const { jar, begin } = browser();
	const begun = begin();
	const renewed = new Transactions(
		{ SERVICE_USE_SECURE_COOKIES: false, SERVICE_HOST_ROOT_PATH: "" },
		keysOf("other-secret-0123456789-abcdefghijklmnop", [SECRET]),
	);
	expect(renewed.find(begun.state, jar(), MINUTE)).toEqual(begun);
});

test("beside a planted cookie of the same name ours is found", () => {
	const { transactions, jar, begin } = browser();
	const begun = begin();
	const [name = ""] = jar().cookie.split("=");
	expect(transactions.find(begun.state, { cookie: `${name}=x.y.z; ${jar().cookie}` }, MINUTE)).toEqual(begun);
});

test.each([
	[true, "", /^__Host-service-oauth2-tx-[\w-]{12}=[\w.-]+; Max-Age=600; HttpOnly; Path=\/; SameSite=lax; Secure$/],
	[
		true,
		"/app",
		/^__Secure-service-oauth2-tx-[\w-]{12}=[\w.-]+; Max-Age=600; HttpOnly; Path=\/app; SameSite=lax; Secure$/,
	],
	[false, "/app", /^service-oauth2-tx-[\w-]{12}=[\w.-]+; Max-Age=600; HttpOnly; Path=\/app; SameSite=lax$/],
])("the cookie with SERVICE_USE_SECURE_COOKIES=%s below %j", (secure, root, cookie) => {
	const { begin, lines } = browser(SECRET, secure, root);
	begin();
	expect(lines).toEqual([expect.stringMatching(cookie)]);
});

/** Keeps the cookies that it is given. */
function browser(secret = SECRET, secure = false, root = "") {
	const settings = { SERVICE_USE_SECURE_COOKIES: secure, SERVICE_HOST_ROOT_PATH: root };
	const transactions = new Transactions(settings, keysOf(secret));
	const cookies = new Map<string, string>();
	const lines: string[] = [];
	const reply = {
		header(_name: string, line: string) {
			lines.push(line);
			const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
			if (line.includes("Max-Age=0")) cookies.delete(name);
			else cookies.set(name, value);
		},
	} as unknown as FastifyReply;
	const jar = () => ({ cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") });
	const begin = (minute = 0, returnUrl = "/x") =>
		transactions.begin({ ...BEGUN, returnUrl }, jar(), reply, minute * MINUTE);
	return { transactions, jar, begin, lines };
}

function keysOf(secret: string, previous: readonly string[] = []): SigningKeys {
	const keys = deriveSigningKeys({
		SERVICE_SECRET: new SecretText(secret),
		SERVICE_SECRET_PREVIOUS: previous.map((text) => new SecretText(text)),
	});
	if (keys === undefined) throw new Error("no keys");
	return keys;
}
